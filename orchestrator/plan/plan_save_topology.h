/*  plan_save_topology - the section `topology` of a running fabric, explicit; private to
 *  plan_save.c. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAVE_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAVE_TOPOLOGY_H

#include <stdio.h>

#include "orchestrator/base/yaml_node.h"
#include "orchestrator/plan/plan.h"

/** plan_save_topology() - writes the section to @out. @root the tree of the scenario that the
 *  fabric was started from, settings applied: keys of hosts beside those of their links are its.
 *  Return: false: without `machines`, since a switch has joined that has none. */
bool plan_save_topology(const struct plan *plan, const struct yaml_node *root, FILE *out);

/** plan_save_alone() - has node @node no link? A scenario has no such switch. */
bool plan_save_alone(const struct plan *plan, uint32_t node);

#define PLAN_SAVE_END_MAX (NODE_NAME_MAX + 8)

/** plan_save_end() - one end of @link, its first or @second one, as a fault of the saved scenario
 *  names it: by its node; where several links lead to the same peer, by the number that its port
 *  has there as well.  Return: has the port another number in the running fabric? */
bool plan_save_end(const struct plan *plan, const struct plan_link *link, bool second,
		   char text[PLAN_SAVE_END_MAX]);

/** plan_save_down() - writes an element of `faults` for each link that is down, except those of
 *  @taken (plan_save.h).  Return: their number. @out NULL: counts only. */
uint32_t plan_save_down(const struct plan *plan, const bool *taken, FILE *out);

#endif
