/*  routing_via - which switches a detour may go by (FC-23).
 *
 *  A detour is a minimal way to a via and from there a minimal way to the destination [Valiant 1982]. Vias of a switch with hosts are all
 *  other switches with hosts, those of its own group included: so in a dragonfly every link between groups has about the same to
 *  carry, whatever the pattern, while with vias in other groups only, the direct link would idle. Left out is a via by which some
 *  destination is too far.                                                                                          */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_VIA_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_VIA_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_vias_make() - the vias of all switches, in the place of those that are there.
 *  @distances  of routing_distances().   @hops_max  links between switches that the longest detour may have.
 *  @longest    filled: what it has then; 0: nobody has a via.   Return: 0 or -ENOMEM.                                */
int routing_vias_make(const struct topology *topology, const uint16_t *distances, uint32_t hops_max,
		      struct routing *routing, uint32_t *longest);

#endif
