/*  scenario_run - the section `run` of a scenario (TB-11). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_RUN_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_RUN_H

#include <stdbool.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"
#include "orchestrator/base/diagnostics.h"

struct scenario_run {
#define PARAMETER(type, field, ...) type field;
#include "orchestrator/scenario/run.def"
};

extern const struct parameter_table run_parameters;

#define SCENARIO_RUN_DEFAULT_PS (3600 * NODE_S) /* the longest there is */

/* reader of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_run_read(struct reader *reader, const struct key *key, const struct yaml_node *value,
		       void *target);

/* a time of the scenario that is not before the end of its run */
struct scenario_late {
	struct scenario_place place;
	const char *what; /* "the fault would come" */
};

/** scenario_time_note() - keeps @at_ps, the value of @node, for scenario_run_check() if it is not
 *  before the end of the run.  @node NULL: the file does not give it.  @what: static text. */
void scenario_time_note(struct reader *reader, const struct yaml_node *node, node_time_t at_ps,
			const char *what);

/** scenario_run_check() - for whatever ends: is there a section 'run', and is every time before its
 *  end?   Return: 0; -EINVAL, told to @errors. */
struct scenario;
struct scenario_errors;
int scenario_run_check(const struct scenario *scenario, struct scenario_errors *errors);

#endif
