#include "orchestrator/course/lab_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/lab/lab_text.h"
#include "orchestrator/view/view_shelf.h"

/* the record as it is now.  Return: 0; -1 with a sentence in @why */
static int record_refresh(struct lab_opened *opened, struct why *why)
{
	struct scenario_errors errors = { 0 };
	int error;

	lab_record_free(&opened->record);
	error = lab_record_read(opened->record_path, &opened->lab, opened->student, &opened->record,
				&errors);
	if (error)
		why_say(why, 0, "%s", errors.count ? errors.texts[0] : strerror(-error));
	scenario_errors_free(&errors);
	return error ? -1 : 0;
}

/* README.md without the explanation, and the values of the student below its heading.
 * Return: false: it cannot be read */
static bool texts_make(const struct lab_opened *opened, json_t **text, json_t **explanation)
{
	char path[PATH_MAX + 16], *readme, *made = NULL;
	const char *end, *body;
	size_t length, size;
	FILE *out;

	snprintf(path, sizeof(path), "%s/README.md", opened->lab.folder);
	if (lab_text_read(path, &readme, &length))
		return false;
	utf8_mend(readme);
	end = lab_text_explanation(readme);
	body = !strncmp(readme, "# ", 2) ? readme + strcspn(readme, "\n") : readme;
	out = open_memstream(&made, &size);
	if (out) {
		fprintf(out, "%s", opened->values.count ? "**Your values:** " : "");
		for (uint32_t i = 0; i < opened->values.count; i++)
			fprintf(out, "%s`%s = %s`", i ? ", " : "", opened->values.list[i].name,
				opened->values.list[i].text);
		fprintf(out, "\n%.*s", (int)(end - body), body);
		fclose(out);
	}
	*text = json_string(made ? made : "");
	*explanation = opened->record.passed ? json_string(end) : json_null();
	free(made);
	free(readme);
	return true;
}

/* view_lab.read */
static json_t *page_read(void *owner, struct why *why)
{
	struct lab_opened *opened = owner;
	const struct lab *lab = &opened->lab;
	json_t *text, *explanation, *predict = json_array();

	if (record_refresh(opened, why)) {
		json_decref(predict);
		return NULL;
	}
	if (!texts_make(opened, &text, &explanation)) {
		why_say(why, 0, "The README.md of the lab cannot be read.");
		json_decref(predict);
		return NULL;
	}
	for (uint32_t i = 0; i < lab->prediction_count; i++) {
		const struct lab_question *question = &lab->predictions[i];
		struct why unused;
		char *ask = lab_values_expand(&opened->values, question->ask, false, &unused);

		json_array_append_new(
			predict, json_pack("{s:s, s:s, s:s, s:s?}", "name", question->name, "ask",
					   ask ? ask : question->ask, "unit", question->unit,
					   "answer", opened->record.predictions[i]));
		free(ask);
	}
	return json_pack("{s:s, s:s, s:I, s:i, s:o, s:o, s:o}", "name", lab->name, "title",
			 lab->title, "minutes", (json_int_t)lab->minutes, "student",
			 (int)opened->student, "text", text, "explanation", explanation, "predict",
			 predict);
}

/* view_lab.predict */
static int page_predict(void *owner, const json_t *predictions, struct why *why)
{
	struct lab_opened *opened = owner;
	const struct lab *lab = &opened->lab;
	int error;

	if (record_refresh(opened, why))
		return 500;
	for (uint32_t i = 0; i < lab->prediction_count; i++) {
		const struct lab_question *question = &lab->predictions[i];
		const char *text = json_string_value(json_object_get(predictions, question->name));
		struct why wrong;

		if (!text || !lab_text_take(question, text, &opened->record.predictions[i], &wrong))
			continue;
		why_say(why, 0, "%s: %s.", question->name, wrong.text);
		return 400;
	}
	error = lab_record_write(opened->record_path, lab, opened->student, &opened->record);
	if (error)
		why_say(why, 0, "The predictions cannot be written: %s.", atomic_file_why(error));
	return error ? 500 : 204;
}

struct view_lab lab_view(struct lab_opened *opened)
{
	return (struct view_lab){ .owner = opened, .read = page_read, .predict = page_predict };
}
