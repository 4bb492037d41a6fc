/*  routing_via - the switches that may be intermediates of a detour (FC-23).
 *
 *  A detour is a minimal path to an intermediate and then a minimal path to the destination
 *  [Valiant 1982]. The intermediates of a switch with hosts are all other switches with hosts, also
 *  those of its own group. So in a dragonfly all links between groups carry about the same load for
 *  every traffic pattern; with intermediates only in other groups the direct link would idle. An
 *  intermediate is left out if some destination is too far by it. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_VIA_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_VIA_H

#include <stdbool.h>

#include "orchestrator/routing/routing_minimal.h"

/** routing_vias_make() - replaces the intermediates of all switches: fabric addresses, which rise.
 *  @distances  of routing_distances().   @hops_max  the most links between switches of a detour.
 *  @longest  set: links of the longest detour; 0: no switch has an intermediate.   Return: 0 or
 *  -ENOMEM. */
int routing_vias_make(const struct topology *topology, const routing_distance_t *distances,
		      uint32_t hops_max, struct routing *routing, uint32_t *longest);

/** routing_vias_have() - is @address one of @count @vias, which rise?  O(log count). */
bool routing_vias_have(const uint16_t *vias, uint32_t count, uint32_t address);

#endif
