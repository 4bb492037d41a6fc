/*  routing_flood - the ports that frames for everybody go along: a tree that spans each part of the fabric that hangs together.
 *
 *  Breadth first from the lowest switch, over links that are up. Of a switch's ports belong to it those of the tree and all edge ports, those
 *  that are down too.                                                                                               */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FLOOD_H
#define HEDDLE_ORCHESTRATOR_ROUTING_ROUTING_FLOOD_H

#include "orchestrator/routing/topology.h"

/** routing_flood() - @ports  [switch_count], filled: a bit per port.   Return: 0 or -ENOMEM.  O(ports). */
int routing_flood(const struct topology *topology, uint64_t *ports);

#endif
