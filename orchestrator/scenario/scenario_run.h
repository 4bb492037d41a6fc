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

/* reader of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_run_read(struct reader *reader, const struct key *key, const struct yaml_node *value,
		       void *target);

#endif
