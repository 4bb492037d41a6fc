/*  routing_flood - the ports for broadcast frames: a spanning tree of each connected part of the
 *  fabric.
 *
 *  Breadth first from the switch of the lowest index, over links that are up. The ports of a switch
 *  are those of the tree and all edge ports, also those that are down. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FLOOD_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FLOOD_H

#include "orchestrator/routing/topology.h"

/** routing_flood() - computes the ports.  @ports  [switch_count], filled: one bit per port.
 *  Return: 0 or -ENOMEM.  O(ports). */
int routing_flood(const struct topology *topology, uint64_t *ports);

#endif
