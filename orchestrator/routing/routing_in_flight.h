/*  routing_in_flight - the longest path of a packet that is in the fabric while tables change
 *  (FC-26, PG-5).
 *
 *  Such a packet has taken a path of the former tables up to some switch, and takes one of the new
 *  tables from there. If the former path continued over a failed link, both parts together may be
 *  longer than any path of either set of tables. Where levels rise with every hop the packet needs
 *  a lane for each link, so lanes for the paths of each set are too few. A link that returns makes
 *  no path longer, and needs no further lane.
 *  All switches change at one moment here, and a packet meets one change. This is true under the
 *  virtual clock, unless a packet stays in the fabric for longer than from one change to the
 *  next. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_IN_FLIGHT_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_IN_FLIGHT_H

#include "orchestrator/routing/routing_minimal.h"

/** routing_in_flight_hops() - the most links between switches on such a path, from host to host.
 *  @topology  borrowed: what is plugged in; which links are up does not matter.
 *  @before    its routes and `non_minimal`; the routes have no cycle.
 *  @after     of routing_distances(), of the links that are up now.
 *  @hops      raised if it is less.
 *  Return: 0 or -ENOMEM.  O(switches * switches * ports * links of the longest path). */
int routing_in_flight_hops(const struct topology *topology, const struct routing *before,
			   const routing_distance_t *after, uint32_t *hops);

#endif
