/*  scenario_port_group - what a scenario says of a fabric of kind port-group; what it does not say, plan_routing.h derives.  */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/port_group_config.h"
#include "orchestrator/scenario/scenario_roce.h"

/* all 64 bits wide may be SCENARIO_DERIVED */
struct scenario_port_group {
	uint32_t lid_bits;
	bool adaptive;
	uint32_t policy; /* enum port_group_policy */
	bool update_lft, non_minimal;
	uint64_t pending_bytes, queue_bytes;
	uint64_t log_marks, log_window_ps, hold_ps;
	bool fecn, becn;
	uint64_t fecn_bytes;
	uint64_t becn_interval_ps, ccti_increase, ccti_max, ccti_step_permille, ccti_timer_ps;
	struct scenario_place place; /* of the section */
};

/** scenario_port_group_init() - nothing was said. */
void scenario_port_group_init(struct scenario_port_group *port_group);

extern const char *const scenario_policy_name[PORT_GROUP_POLICIES]; /* as the key 'policy' says it */

/* readers of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_port_group_read(struct reader *reader, const struct key *key, const struct yaml_node *value, void *target);

#endif
