/*  lab_execute - a run of a lab with the values of a student, as `heddle run` would execute it. */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_LAB_EXECUTE_H
#define HEDDLE_ORCHESTRATOR_COURSE_LAB_EXECUTE_H

#include "orchestrator/lab/lab_file.h"
#include "orchestrator/run/run_options.h"

/* arguments whose placeholders have values; texts owned */
struct lab_settled {
	char *scenario;                     /* its path */
	char *variant;                      /* NULL: none */
	char *texts[SCENARIO_SETTINGS_MAX]; /* path=value */
	unsigned count;
};

/** lab_settle() - puts @values into @arguments.
 *  Return: 0 or an exit status, reported. lab_settled_free() in any case. */
int lab_settle(const char *command, const struct lab *lab, const struct lab_arguments *arguments,
	       const struct lab_values *values, struct lab_settled *settled);
void lab_settled_free(struct lab_settled *settled);

/** lab_settled_print() - the command line of it, for a shell: "heddle run FILE --set ...". */
void lab_settled_print(const struct lab_settled *settled, bool compare, FILE *out);

/** lab_settled_options() - @options of `heddle run` for it, which borrow @settled.
 *  @quiet  nothing but errors is printed. */
void lab_settled_options(const struct lab_settled *settled, bool quiet,
			 struct run_options *options);

/** lab_execute() - runs a scenario of @lab as @arguments say, and fills @row: with @expect (a list
 *  of texts) from these expectations instead of those of the scenario, else with the value of
 *  @metric. Placeholders of all have @values.
 *  Return: 0: the row is filled, also if the fabric stalled; an exit status, reported. */
int lab_execute(const char *command, const struct lab *lab, const struct lab_arguments *arguments,
		const struct yaml_node *expect, const char *metric, const struct lab_values *values,
		struct compare_row *row);

#endif
