/*  plan_routes - the paths of a plan: its routes, detours, virtual lanes and tables of port groups,
 *  from routing.h. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTES_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTES_H

#include "nodes/base/why.h"
#include "orchestrator/plan/plan.h"

/** plan_routes_make() - computes routes as plan->routing requests them, over the links that carry
 *  data (plan_link_carries()). Fills the tables of all switches, lanes and lane rule of all nodes,
 *  and, except with flow channels, the ports to flood to.
 *  The first call writes the selected lanes, order and lane rule to plan->routing; later calls keep
 *  them (routing_follow.h).
 *  Return: 0; -EINVAL with a sentence in @why, see routing_make(); -ENOMEM. After an error tables
 *  may be empty. */
int plan_routes_make(struct plan *plan, struct why *why);

/* the time that the link at @port of @node adds to a path */
typedef node_time_t plan_hop_fn(const struct node_config *node, const struct port_config *port);

/** plan_routes_longest_ps() - the longest time of a path between two switches that have hosts.
 *  Detours and non-minimal port groups are included.
 *  @more_ps    what every link adds beside @hop_ps.
 *  @longest_ps filled; 0 if all hosts are at one switch.
 *  Return: 0 or -ENOMEM. */
int plan_routes_longest_ps(const struct plan *plan, plan_hop_fn *hop_ps, node_time_t more_ps,
			   node_time_t *longest_ps);

/** plan_route() - the route of switch @from towards switch @to (indices, not the same).
 *  O(1). */
static inline const struct route_config *plan_route(const struct node_config *from, uint32_t to)
{
	return &from->switch_.routes[to - (to > from->index)];
}

#endif
