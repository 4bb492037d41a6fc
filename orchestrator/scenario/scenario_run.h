/*  scenario_run - the section `run` of a scenario (TB-11). */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_RUN_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_RUN_H

#include <stdbool.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"

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

/** scenario_run_check() - for whatever ends: is there a section 'run'?   Return: 0; -EINVAL, told
 *  to @errors. */
struct scenario;
struct scenario_errors;
int scenario_run_check(const struct scenario *scenario, struct scenario_errors *errors);

#endif
