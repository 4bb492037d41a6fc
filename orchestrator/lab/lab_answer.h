/*  lab_answer - what a student wrote, as a value for placeholders. */
#ifndef HEDDLE_ORCHESTRATOR_LAB_LAB_ANSWER_H
#define HEDDLE_ORCHESTRATOR_LAB_LAB_ANSWER_H

#include "nodes/base/why.h"
#include "orchestrator/lab/lab_file.h"

/** lab_answer_take() - what a student answered to @question as a value, added to @values.
 *  A number may lack the unit of the question, or have another one of its kind. The value of a
 *  path is the file's full name.
 *  Return: 0; -EINVAL with a sentence in @why; -ENOMEM. */
int lab_answer_take(const struct lab_question *question, const char *text,
		    struct lab_values *values, struct why *why);

/** lab_answer_unit() - the unit of @question if the answer @text lacks one; "" else. Borrowed from
 *  @question. */
const char *lab_answer_unit(const struct lab_question *question, const char *text);

#endif
