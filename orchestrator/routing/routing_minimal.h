/*  routing_minimal - all shortest ways between switches.
 *
 *  From every switch outwards: all links of a group count the same, as for a fabric manager [S1]. All ports that lead to a neighbour one
 *  step nearer are candidates; parallel links are several of them. Of links between groups (TIER_GLOBAL) there are as few as can be
 *  on a way, for they are what a dragonfly is short of: two of them past a third group may be fewer links in all than the direct one
 *  with a link before and one behind it, but are a detour (FC-23).                                                  */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_MINIMAL_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_MINIMAL_H

#include "orchestrator/routing/routing.h"

#define ROUTING_UNREACHED UINT16_MAX

/* A distance is the links of a way, and above them how many of these lead to another group, so that ways compare by those first. */
#define ROUTING_DISTANCE_GLOBAL (1u << 13)
#define ROUTING_GLOBALS_MAX 6u /* more of them on a way count like other links */

/** routing_hops() - the links of a way of @distance, which is not ROUTING_UNREACHED. */
static inline uint32_t routing_hops(uint32_t distance)
{
	return distance % ROUTING_DISTANCE_GLOBAL;
}

/** routing_distances() - between every two switches, distances[to * switch_count + from]; ROUTING_UNREACHED: no way.
 *  Return: free() it; NULL: there is no memory.  O(switches * links).                                               */
uint16_t *routing_distances(const struct topology *topology);

/** routing_longest_hops() - links between switches on the longest way from host to host. */
uint32_t routing_longest_hops(const struct topology *topology, const uint16_t *lengths);

/** routing_nearer_ports() - the ports of switch @at that lead one step nearer.  @distances  of all switches to where they shall lead. */
uint64_t routing_nearer_ports(const struct topology *topology, uint32_t at, const uint16_t *distances);

/** routing_minimal_make() - fills the routes of all switches, which are there already; no ports: there is no way.
 *  @distances  of routing_distances().                                                                              */
void routing_minimal_make(const struct topology *topology, const uint16_t *distances, struct routing *routing);

#endif
