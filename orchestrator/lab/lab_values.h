/*  lab_values - what the placeholders of a lab stand for: values of the student, and answers.
 *
 *      {name}             the value
 *      {name.tolerance}   the tolerance of an answer
 *      {name+2} {name-1} {name*4}   of a whole number, or of an answer with a unit: then the number
 *                         counts units of the question
 *
 *  Other text in braces, such as {kmin: 20kB}, is no placeholder. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_VALUES_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/why.h"
#include "orchestrator/base/quantity.h"

#define LAB_NAME_MAX 32u   /* bytes of a name with its 0 */
#define LAB_VALUES_MAX 64u /* values and answers of a lab */

struct lab_value {
	char name[LAB_NAME_MAX];
	char *text;            /* what {name} stands for; owned */
	const char *tolerance; /* of an answer; borrowed; NULL: none */
	bool is_number;        /* the members below are valid */
	enum quantity_kind kind;
	uint64_t number, one; /* in the unit of @kind; @one is what {name+1} adds */
	bool is_file;         /* the text is a path */
};

struct lab_values {
	uint32_t count;
	struct lab_value list[LAB_VALUES_MAX];
};

/* a placeholder in a text */
struct lab_placeholder {
	size_t at, length; /* from '{' to '}' */
	char name[LAB_NAME_MAX];
	bool tolerance;
	char operation; /* + - *; 0: none */
	uint64_t operand;
};

/** lab_placeholder_find() - the first placeholder in @text at @from or later.
 *  Return: false: there is none. O(length of @text). */
bool lab_placeholder_find(const char *text, size_t from, struct lab_placeholder *found);

/** lab_values_add() - adds @name = @text; a whole number counts as a number.
 *  Return: the value, for more members; NULL: full, or memory is short. */
struct lab_value *lab_values_add(struct lab_values *values, const char *name, const char *text);

/** lab_values_find() - the value called @name; NULL: there is none. */
const struct lab_value *lab_values_find(const struct lab_values *values, const char *name);

/** lab_values_expand() - @text with values for its placeholders.
 *  @yaml  the text is to be YAML: a path is quoted in it.
 *  Return: malloc'd; NULL with a sentence in @why: a value that is not there, a number below 0 or
 *  too large, or memory is short. */
char *lab_values_expand(const struct lab_values *values, const char *text, bool yaml,
			struct why *why);

/** lab_values_free() - frees the texts. */
void lab_values_free(struct lab_values *values);

#endif
