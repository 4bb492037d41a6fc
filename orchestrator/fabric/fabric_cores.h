/*  fabric_cores - the cores of the nodes: placed at the start, changed while other programs use
 *  them (TB-1, TB-7).
 *
 *  placement.h assigns nodes to cores, core_choice.h decides how many cores to use. At the start
 *  the orchestrator moves the nodes. While they run they read their core from the clock page and
 *  move themselves (nodes/clock/core_share.h), since they may run as other users by then. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_CORES_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_CORES_H

#include <sched.h>
#include <stdint.h>

#include "orchestrator/fabric/fabric.h"

/** fabric_cores_allowed() - the cores that this process may use, ascending. Return: how many; 0:
 *  unknown. */
uint32_t fabric_cores_allowed(int cores[CPU_SETSIZE]);

/** fabric_cores_pin() - moves every node to its core, if nodes are placed. With a core for each
 *  nothing is placed. Where the kernel forbids it, the kernel chooses.
 *  Return: 0 or -ENOMEM. */
int fabric_cores_pin(struct fabric *fabric);

/** fabric_cores_look() - virtual clock, while it runs: decides whether nodes move because other
 *  programs use the cores. They move at their next window. O(cores), O(nodes) after a decision. */
void fabric_cores_look(struct fabric *fabric);

#endif
