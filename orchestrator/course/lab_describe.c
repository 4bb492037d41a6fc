#include "orchestrator/course/lab_describe.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/utf8.h"
#include "orchestrator/course/lab_execute.h"

static const char *const kinds[] = {
	[LAB_NUMBER] = "number", [LAB_CHOICE] = "choice", [LAB_PATH] = "file"
};

static json_t *choices_of(const struct lab_question *question)
{
	json_t *array = json_array();

	for (const struct yaml_node *node = question->choices ? question->choices->first : NULL;
	     node; node = node->next)
		json_array_append_new(array, json_string(node->text));
	return array;
}

static json_t *questions_of(const struct lab_opened *opened, const struct lab_question *questions,
			    uint32_t count, char *const *texts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++) {
		const struct lab_question *question = &questions[i];
		struct why why;
		char *ask = lab_values_expand(&opened->values, question->ask, false, &why);

		json_array_append_new(
			array,
			json_pack("{s:s, s:s, s:s, s:s, s:o, s:s?, s:s?}", "name", question->name,
				  "ask", ask ? ask : question->ask, "kind", kinds[question->kind],
				  "unit", question->unit, "choices", choices_of(question),
				  "tolerance", question->tolerance, "given", texts[i]));
		free(ask);
	}
	return array;
}

/* Return: NULL after an error, reported */
static json_t *run_of(const char *command, const struct lab_opened *opened,
		      const struct lab_run *run)
{
	struct lab_settled settled;
	char *line = NULL;
	json_t *json = NULL;
	size_t size;
	FILE *out;

	if (!lab_settle(command, &opened->lab, &run->arguments, &opened->values, &settled)) {
		out = open_memstream(&line, &size);
		if (out) {
			lab_settled_print(&settled, run->compare, out);
			fclose(out);
			json = json_pack("{s:s, s:o}", "name", run->name, "command",
					 utf8_json(line));
			free(line);
		}
	}
	lab_settled_free(&settled);
	return json;
}

json_t *lab_describe(const char *command, const struct lab_opened *opened)
{
	const struct lab *lab = &opened->lab;
	json_t *values = json_object(), *runs = json_array();

	for (uint32_t i = 0; i < opened->values.count; i++)
		json_object_set_new(values, opened->values.list[i].name,
				    json_string(opened->values.list[i].text));
	for (uint32_t i = 0; i < lab->run_count; i++) {
		json_t *run = run_of(command, opened, &lab->runs[i]);

		if (!run) {
			json_decref(values);
			json_decref(runs);
			return NULL;
		}
		json_array_append_new(runs, run);
	}
	return json_pack(
		"{s:s, s:s, s:o, s:I, s:i, s:o, s:o, s:o, s:o}", "lab", lab->name, "title",
		lab->title, "folder", utf8_json(lab->folder), "minutes", (json_int_t)lab->minutes,
		"student", (int)opened->student, "values", values, "predict",
		questions_of(opened, lab->predictions, lab->prediction_count,
			     opened->record.predictions),
		"answers",
		questions_of(opened, lab->answers, lab->answer_count, opened->record.answers),
		"runs", runs);
}

const struct lab_run *lab_run_find(const struct lab *lab, const char *name)
{
	for (uint32_t i = 0; name && i < lab->run_count; i++)
		if (!strcmp(lab->runs[i].name, name))
			return &lab->runs[i];
	return name ? NULL : &lab->runs[0];
}

int lab_measure(const char *command, const struct lab_opened *opened,
		const struct lab_question *question, char *shown)
{
	const struct lab_run *run = lab_run_find(&opened->lab, question->in);
	struct compare_row row;
	int status = lab_execute(command, &opened->lab, &run->arguments, NULL, question->measured,
				 &opened->values, &row);

	snprintf(shown, LAB_MEASURED_MAX, "%s",
		 row.values[0].known ? row.values[0].shown : "no value");
	return status;
}
