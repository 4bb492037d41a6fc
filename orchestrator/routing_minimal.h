/*  routing_minimal - all shortest ways between switches.
 *
 *  Breadth first from every switch: all links count the same, as for a fabric manager [S1]. All ports that lead to a neighbour one
 *  step nearer are candidates; parallel links are several of them.                                                  */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_MINIMAL_H
#define HEDDLE_ORCHESTRATOR_ROUTING_MINIMAL_H

#include "orchestrator/routing.h"

#define ROUTING_UNREACHED UINT16_MAX

/** routing_distances() - links between every two switches, distances[to * switch_count + from]; ROUTING_UNREACHED: no way.
 *  Return: free() it; NULL: there is no memory.  O(switches * links).                                               */
uint16_t *routing_distances(const struct topology *topology);

/** routing_minimal_make() - fills the routes of all switches, which are there already; no ports: there is no way.
 *  @distances  of routing_distances().                                                                              */
void routing_minimal_make(const struct topology *topology, const uint16_t *distances, struct routing *routing);

#endif
