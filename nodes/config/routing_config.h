/*  routing_config - how a switch chooses among the ports that lead to a destination (FC-16, FC-23
 *  ... FC-25), and its virtual lanes.
 *
 *  The switch's tables have these ports (switch_config: routes, vias). The fabric manager writes
 *  the tables. Plain data.
 *
 *  A virtual lane is a part of a link with a buffer and flow control of its own. A link has
 *  `lanes` of them for every traffic class: virtual lane number = traffic_class * lanes + level.
 *  A packet enters at level 0. With LANES_BY_HOP each switch sends it one level higher than it
 *  came in over a fabric link, so a packet that waits for a buffer of level n occupies buffers of
 *  levels below n only. There is no cycle, on any topology, if no path has more fabric links than
 *  there are levels. A port whose next level would be beyond the last one is no candidate. With
 *  LANES_KEEP the level stays as it is; then the routes themselves must have no cycle (fat tree,
 *  up*-down*). On edge links every packet is at level 0; those of a fabric of flow channels have
 *  no other: node_lanes(). */
#ifndef HEDDLE_NODES_CONFIG_ROUTING_CONFIG_H
#define HEDDLE_NODES_CONFIG_ROUTING_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/parameter.h"

/* virtual lanes of a link: class_count * lanes. A link's sets of classes are sets of these */
#define NODE_LANES_MAX 8u

/* which of the minimal candidates a flow, or a packet of an unordered class, takes */
enum routing_choice {
	ROUTING_STATIC,   /* the (egress port mod number of candidates)-th */
	ROUTING_HASH,     /* ECMP: by a hash of the flow, of another seed in every switch */
	ROUTING_ADAPTIVE, /* the one with the least load (FC-23) */
	ROUTING_CHOICES
};

/* paths that are not shortest: to a switch drawn from `vias` first, then the shortest path */
enum routing_detour {
	DETOUR_NEVER,
	/* if the shortest path is so much more loaded: detour_weight, detour_bias_units */
	DETOUR_ADAPTIVE,
	DETOUR_ALWAYS, /* Valiant */
	ROUTING_DETOURS
};

#define ROUTING_UNITS_MAX (1u << 20) /* of a threshold in data units */
#define ROUTING_WEIGHT_PERMILLE_MAX 1000000u
#define ROUTING_DRAWS_MAX 64u
#define ROUTING_TIME_MAX_PS (3600 * NODE_S)
#define ROUTING_GROUP_MAX 48u /* flows of a group: their REROUTE ACKs fit one ACK frame */

/* which flow an output with too many flows redirects, and which path the flow takes then (FC-25) */
enum redirect_rule {
	/* ours: a few flows in an interval, and only where they get more than they have */
	REDIRECT_BY_LOADS,
	/* [S2]: the flow of any packet, the likelier the more waits; it then takes the least loaded
	 * path */
	REDIRECT_BY_DEPTH,
	REDIRECT_RULES
};

enum lane_rule { LANES_KEEP, LANES_BY_HOP, LANE_RULES };

/* the fields: parameter.h */
struct routing_config {
#define PARAMETER(type, field, ...) type field;
#define KEY(...)
#include "nodes/config/routing.def"
};

extern const struct parameter_table routing_parameters;

/* the values of keys of a scenario */
extern const char *const routing_choice_words[], *const routing_detour_words[],
							 *const redirect_rule_words[];

/** routing_config_check() - is @config within the limits stated above? What is off may be all 0.
 *  Return: 0, or -EINVAL with a sentence in @why. */
int routing_config_check(const struct routing_config *config, struct why *why);

#endif
