/*  lab_describe - a lab with the values of a student as JSON, and what its predictions were about.
 */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_DESCRIBE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_DESCRIBE_H

#include <jansson.h>

#include "orchestrator/course/lab_open.h"

#define LAB_MEASURED_MAX 48u /* bytes of a value for people */

/** lab_describe() - an object with lab, title, folder, minutes, student, values, and the lists
 *  predict, answers and runs.
 *  @command  for messages.  Return: new; NULL: not enough memory, or an error that is told. */
json_t *lab_describe(const char *command, const struct lab_opened *opened);

/** lab_run_find() - the run of @lab called @name; NULL: the first one.  Return: NULL: none. */
const struct lab_run *lab_run_find(const struct lab *lab, const char *name);

/** lab_measure() - executes the run of prediction @question, which has a metric, and writes its
 *  value for people to @shown, LAB_MEASURED_MAX bytes.
 *  Return: 0 or an exit status, reported. */
int lab_measure(const char *command, const struct lab_opened *opened,
		const struct lab_question *question, char *shown);

#endif
