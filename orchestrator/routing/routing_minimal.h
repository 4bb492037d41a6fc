/*  routing_minimal - all shortest paths between switches.
 *
 *  All links of a group count the same, as for a fabric manager [S1]. All ports to a peer that is
 *  one step nearer are candidates; parallel links are several of them. A path has as few links
 *  between groups (TIER_GLOBAL) as possible, because these are the scarce ones in a dragonfly. Two
 *  of them past a third group may be fewer links in all than the direct one with a link on each
 *  side, but such a path is a detour (FC-23). */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_MINIMAL_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_MINIMAL_H

#include "orchestrator/routing/routing.h"

#define ROUTING_UNREACHED UINT32_MAX

/* A distance is the number of links of a path, plus this for each link to another group: so these
 * compare first. Every path without a loop fits: it has fewer links than NODE_SWITCHES_MAX. */
#define ROUTING_DISTANCE_GLOBAL (1u << 16)

/** routing_hops() - the number of links of a path of @distance, which is not ROUTING_UNREACHED. */
static inline uint32_t routing_hops(uint32_t distance)
{
	return distance % ROUTING_DISTANCE_GLOBAL;
}

/** routing_distances() - between every two switches, distances[to * switch_count + from];
 *  ROUTING_UNREACHED: no path.
 *  Return: the caller frees it; NULL: no memory.  O(switches * links). */
routing_distance_t *routing_distances(const struct topology *topology);

/** routing_longest_hops() - the number of links between switches on the longest path between
 *  hosts. */
uint32_t routing_longest_hops(const struct topology *topology, const routing_distance_t *lengths);

/** routing_nearer_ports() - the ports of switch @at to peers that are one step nearer to the
 *  target.  @distances  of all switches to the target. */
uint64_t routing_nearer_ports(const struct topology *topology, uint32_t at,
			      const routing_distance_t *distances);

/** routing_minimal_make() - fills the routes of all switches, which are allocated already; no
 *  ports: there is no path.
 *  @distances  of routing_distances(). */
void routing_minimal_make(const struct topology *topology, const routing_distance_t *distances,
			  struct routing *routing);

#endif
