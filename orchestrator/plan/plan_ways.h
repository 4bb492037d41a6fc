/*  plan_ways - the ways of a plan: its routes, detours, virtual lanes and tables of port groups, by
 *  routing.h. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_WAYS_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_WAYS_H

#include "orchestrator/plan/plan.h"

/** plan_ways_make() - fills the tables of all switches, ports to flood to but for flow channels,
 *  and lanes and lane rule of all nodes, for the links as they are now. What is wanted is in
 *  plan->routing. Afterwards its lanes, order and lane rule are those taken, and stay when the ways
 *  are made again, by routing_follow.h.
 *  Return: 0; -EINVAL with a sentence in @why, see routing_make(); -ENOMEM; tables may be empty
 *  then. */
int plan_ways_make(struct plan *plan, char *why, unsigned why_max);

/** plan_ways_longest_ps() - the longest way between two switches that have hosts, detours and
 *  non-minimal port groups included; of several between the same two, the longest counts.
 *  @hop_ps      what the link behind @port of @node adds to a way.
 *  @longest_ps filled; 0 if all hosts are at one switch.
 *  Return: 0 or -ENOMEM. */
int plan_ways_longest_ps(const struct plan *plan,
			 node_time_t hop_ps(const struct node_config *node,
					    const struct port_config *port),
			 node_time_t *longest_ps);

/** plan_ways_route() - the route of switch @from towards switch @to (indices, not the same).
 *  O(1). */
static inline const struct route_config *plan_ways_route(const struct node_config *from,
							 uint32_t to)
{
	return &from->switch_.routes[to - (to > from->index)];
}

#endif
