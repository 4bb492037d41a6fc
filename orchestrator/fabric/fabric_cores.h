/*  fabric_cores - the cores that the nodes of a fabric run on: placed at the start, changed when
 *  other programs take them (TB-1, TB-7).
 *
 *  placement.h says which node belongs on which core, core_choice.h how many cores are worth using.
 *  At the start nodes are moved from outside; while they run they are told by the clock page and
 *  move themselves (nodes/clock/core_share.h), as they may have become other users by then. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_CORES_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_CORES_H

#include <sched.h>
#include <stdint.h>

#include "orchestrator/fabric/fabric.h"

/** fabric_cores_allowed() - the cores that this process may use, ascending. Return: how many; 0:
 *  unknown. */
uint32_t fabric_cores_allowed(int cores[CPU_SETSIZE]);

/** fabric_cores_pin() - puts every node on its core, if they are placed. With a core for each there
 *  is nothing to place.
 *  Where it is forbidden the kernel decides.   Return: 0 or -ENOMEM. */
int fabric_cores_pin(struct fabric *fabric);

/** fabric_cores_look() - virtual clock, while it runs: do other programs take so much that the
 *  nodes should move? If so, they do at their next turn. O(cores), O(nodes) if something is
 *  decided. */
void fabric_cores_look(struct fabric *fabric);

#endif
