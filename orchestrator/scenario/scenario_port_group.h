/*  scenario_port_group - the section of a port-group fabric as read; plan_routing.h derives the
 *  rest. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/port_group_config.h"
#include "orchestrator/scenario/scenario_roce.h"

/* all fields may be SCENARIO_DERIVED, so they have 64 bits */
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

/** scenario_port_group_init() - the defaults: no key is given. */
void scenario_port_group_init(struct scenario_port_group *port_group);

/* the values of the key 'policy' */
extern const char *const scenario_policy_name[PORT_GROUP_POLICIES];

/* readers of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_port_group_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *value, void *target);

#endif
