/*  Fuzzes the files of labs (SE-9, TB-23): orchestrator/lab, with the values of a student and the
 *  placeholders of what was read.
 *
 *  Input: a lab.yaml; if its first line is "# answer: TEXT", with that text as every answer. An
 *  input that begins with "lab:" is a file of answers instead. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/lab/lab_answer.h"
#include "orchestrator/lab/lab_record.h"
#include "orchestrator/lab/lab_student.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* see fuzz_scenario.c */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static const char lab_yaml[] =
	"title: t\nabout: a\nminutes: 20\nruns: [{name: first, run: a.yaml}]\n"
	"predict: [{name: p, ask: how}, {name: q, ask: how}]\n"
	"answers: [{name: v, ask: how}, {name: w, ask: how}]\n"
	"checks: [{run: a.yaml, expect: [\"lost == {v}\"], says: look}]\n";

static void fuzz_record(const uint8_t *data, size_t size)
{
	struct scenario_errors errors = { 0 };
	struct lab_record record;
	struct lab lab;
	int error;

	assert(!lab_read_memory("labs/07-seven", lab_yaml, sizeof(lab_yaml) - 1, &lab, &errors));
	error = lab_record_read_memory("answers", (const char *)data, size, &lab, 3, &record,
				       &errors);
	assert(!error == !errors.count);
	lab_record_free(&record);
	lab_free(&lab);
	scenario_errors_free(&errors);
}

/* the text in the first line, or "1" */
static void answer_find(const uint8_t *data, size_t size, char *answer, size_t answer_max)
{
	static const char mark[] = "# answer: ";
	size_t start = sizeof(mark) - 1, length = 0;

	strcpy(answer, "1");
	if (size < start || memcmp(data, mark, start))
		return;
	while (start + length < size && data[start + length] != '\n' && length + 1 < answer_max)
		length++;
	memcpy(answer, data + start, length);
	answer[length] = 0;
}

/* every text below @node with its placeholders */
static void texts_expand(const struct yaml_node *node, const struct lab_values *values)
{
	struct why why = { "" };

	for (const struct yaml_node *child = node->first; child; child = child->next)
		texts_expand(child, values);
	if (node->kind == YAML_SCALAR) {
		char *text = lab_values_expand(values, node->text, true, &why);

		assert(text || why.text[0]);
		free(text);
	}
}

static void fuzz_values(const struct lab *lab, const char *answer)
{
	for (uint32_t student = 1; student < 4; student++) {
		struct lab_values values = { 0 };
		struct why why = { "" };

		assert(!lab_student_values(lab, student, &values));
		for (uint32_t a = 0; a < lab->answer_count; a++)
			assert(!lab_answer_take(&lab->answers[a], answer, &values, &why) ||
			       why.text[0]);
		texts_expand(yaml_find(lab->root, "runs"), &values);
		texts_expand(yaml_find(lab->root, "answers"), &values);
		texts_expand(yaml_find(lab->root, "checks"), &values);
		lab_values_free(&values);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario_errors errors = { 0 };
	struct lab lab;
	char answer[200];
	int error;

	if (size >= 4 && !memcmp(data, "lab:", 4)) {
		fuzz_record(data, size);
		return 0;
	}
	answer_find(data, size, answer, sizeof(answer));
	error = lab_read_memory("labs/07-seven", (const char *)data, size, &lab, &errors);
	assert(!error == !errors.count);
	if (!error)
		fuzz_values(&lab, answer);
	lab_free(&lab);
	scenario_errors_free(&errors);
	return 0;
}
