/*  scenario_routing - the section `routing` as read: choice of paths, lanes, detours, redirects.
 *  plan_routing.h derives the rest. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROUTING_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/routing/routing.h"
#include "orchestrator/scenario/scenario_roce.h"

/* the source of defaults for keys that are not given */
enum routing_preset {
	PRESET_NONE, /* Heddle's own */
	PRESET_S2,   /* [S2] in its own terms: docs/routing.md */
	ROUTING_PRESETS
};

#define SCENARIO_ROUTES_MAX 256u

/* a route by name: packets from switch @at to @to, a switch or the one of a host, go to switch @by
 * (routing_given.h) */
struct scenario_route {
	char at[NODE_NAME_MAX], to[NODE_NAME_MAX], by[NODE_NAME_MAX];
	struct scenario_place place;
};

struct scenario_routing {
	struct routing_config config, given; /* given: 1 in the fields that the file has */
	uint32_t preset;                     /* enum routing_preset */
	uint32_t order;                      /* enum routing_order */
	uint32_t lanes;                      /* levels of a class; 0: as many as are needed */
	uint64_t cycles_allowed;             /* SCENARIO_DERIVED: by the kind of fabric */
	node_time_t reaction_ps;             /* virtual clock: from a failure to the new tables */
	/* from the death of the active fabric manager to the first sweep of the standby */
	node_time_t takeover_ps;
	uint32_t route_count;
	struct scenario_route *routes; /* owned */
	struct scenario_place place;   /* of the section */
};

/** scenario_routing_init() - the defaults: no key is given. */
void scenario_routing_init(struct scenario_routing *routing);

/** scenario_routing_choice() - the choice in force: that of the key, else of the preset, else of
 *  the kind of fabric. O(1). */
enum routing_choice scenario_routing_choice(const struct scenario_routing *routing,
					    enum fabric_kind fabric);

/* the values of the key `order` */
extern const char *const scenario_order_name[ROUTING_ORDERS];

/* reader of the section, key_read_fn (scenario_keys.h) */
struct key;
struct reader;
struct yaml_node;
void scenario_routing_read(struct reader *reader, const struct key *key,
			   const struct yaml_node *value, void *target);

#endif
