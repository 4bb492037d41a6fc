/*  scenario_port_group - the section of a port-group fabric as read; plan_routing.h derives the
 *  rest. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_PORT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/port_group_config.h"
#include "orchestrator/base/diagnostics.h"

struct scenario_port_group {
	struct port_group_config config, given; /* given: 1 in the fields that the file has */
	struct scenario_place place;            /* of the section */
};

/** scenario_port_group_init() - the defaults: no key is given. */
void scenario_port_group_init(struct scenario_port_group *port_group);

/* reader of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_port_group_read(struct reader *reader, const struct key *key,
			      const struct yaml_node *value, void *target);

#endif
