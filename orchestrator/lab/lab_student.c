#include "orchestrator/lab/lab_student.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t lab_student_index(const char *lab, const char *variable, uint32_t student, uint64_t count)
{
	char text[16], digest[SHA256_TEXT_MAX], first[17];
	struct sha256 sha;

	snprintf(text, sizeof(text), "/%" PRIu32, student);
	sha256_begin(&sha);
	sha256_add(&sha, lab, strlen(lab));
	sha256_add(&sha, "/", 1);
	sha256_add(&sha, variable, strlen(variable));
	sha256_add(&sha, text, strlen(text));
	snprintf(first, sizeof(first), "%.16s", sha256_text(&sha, digest));
	return strtoull(first, NULL, 16) % count;
}

static int choice_add(const struct lab_variable *variable, uint64_t index,
		      struct lab_values *values)
{
	const struct yaml_node *choice = variable->choices->first;

	for (; index; index--)
		choice = choice->next;
	if (choice->kind == YAML_SCALAR)
		return lab_values_add(values, variable->name, choice->text) ? 0 : -ENOMEM;
	for (const struct yaml_node *each = choice->first; each; each = each->next)
		if (!lab_values_add(values, each->key, each->text))
			return -ENOMEM;
	return 0;
}

int lab_student_values(const struct lab *lab, uint32_t student, struct lab_values *values)
{
	int error = 0;

	for (uint32_t i = 0; i < lab->variable_count && !error; i++) {
		const struct lab_variable *variable = &lab->variables[i];
		uint64_t count = variable->choices ? variable->choices->count
						   : variable->most - variable->least + 1;
		uint64_t index = lab_student_index(lab->name, variable->name, student, count);
		char text[24];

		snprintf(text, sizeof(text), "%" PRIu64, variable->least + index);
		if (variable->choices)
			error = choice_add(variable, index, values);
		else if (!lab_values_add(values, variable->name, text))
			error = -ENOMEM;
	}
	return error;
}
