/*  placement - which node runs on which core, so that neighbours share a cache and cores share the
 *  work.
 *
 *  Nodes that wait their turn yield instead of sleeping (nodes/clock/turn.h), so to the kernel all
 *  of them look busy, and it has no reason to move any. Left alone, heavy switches pile up on one
 *  core while the other one spins, and packets between a host and its switch cross from core to
 *  core. So the orchestrator places them: switches from heavy to light, each on the core that has
 *  least to do, hosts beside their switch as long as that core has room.
 *  Not so under the real clock: nodes sleep, and share the cores with the programs of the hosts;
 *  then the kernel does better. Results do not depend on it; `--cores free` leaves it to the
 *  kernel. Measured: docs/performance.md. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLACEMENT_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLACEMENT_H

#include <stdint.h>

#include "orchestrator/plan/plan.h"

/** placement_make() - a core for every node of @plan.
 *  @core_count > 0. @core_of filled: plan->node_count numbers below core_count. Return: 0 or
 *  -ENOMEM. */
int placement_make(const struct plan *plan, uint32_t core_count, uint32_t *core_of);

#endif
