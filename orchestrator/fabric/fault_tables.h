/*  fault_tables - routes and flooding trees for a fabric of which some links are down: what the
 *  fabric manager would push (FC-26). */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FAULT_TABLES_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FAULT_TABLES_H

#include "orchestrator/plan/plan.h"

/** fault_tables_make() - @follower becomes @plan without the links of which @down, per link, is not
 *  0, as far as tables of switches are concerned: nodes[i].switch_ of the switches, and nothing
 *  else of it, is to be looked at. It borrows from @plan. fault_tables_free() in any case. Return:
 *  0 or -ENOMEM. O(switches * links). */
int fault_tables_make(const struct plan *plan, const uint32_t *down, struct plan *follower);
void fault_tables_free(struct plan *follower);

#endif
