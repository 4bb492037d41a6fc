/*  fault_tables - routes and flooding trees of a fabric with links down, as the fabric manager
 *  writes them (FC-26). */
#ifndef HEDDLE_TESTS_SIM_FAULT_TABLES_H
#define HEDDLE_TESTS_SIM_FAULT_TABLES_H

#include "orchestrator/plan/plan.h"

/** fault_tables_make() - computes the tables of @plan without the links of which @down, per link,
 *  is not 0. Of @follower only nodes[i].switch_ of switches is valid. It borrows from @plan.
 *  fault_tables_free() in any case.
 *  Return: 0 or -ENOMEM. O(switches * links). */
int fault_tables_make(const struct plan *plan, const uint32_t *down, struct plan *follower);
void fault_tables_free(struct plan *follower);

#endif
