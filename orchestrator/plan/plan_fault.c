#include "orchestrator/plan/plan_fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/port_name.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_topology.h"
#include "orchestrator/routing/routing_in_flight.h"

#define WINDOW_PART 500u  /* of the duration, if the scenario takes no samples */
#define WINDOWS_MAX 2000u /* the clock stops at the end of each */

bool plan_fault_concerns(const struct plan *plan, const struct plan_fault *fault, uint32_t link)
{
	const struct plan_link *ends = &plan->links[link];

	if (fault->kind == FAULT_LINK)
		return fault->link == link;
	if (fault->kind == FAULT_MANAGER || ends->vacant)
		return false;
	return ends->node_a == fault->node || ends->node_b == fault->node;
}

/* the ports of @node to the node @name, which is never taken for the number of a port */
static uint64_t ports_to(const struct node_config *node, const char *name)
{
	uint64_t ports = 0;

	for (uint32_t port = 0; port < node->port_count; port++)
		if (!strcmp(node->ports[port].peer_name, name))
			ports |= 1ull << port;
	return ports;
}

/* the ports of @end's node that lead to @other's, or the given one if it does; 0: none */
static uint64_t ports_between(const struct plan *plan, const struct scenario_fault_end *end,
			      const struct scenario_fault_end *other)
{
	const struct node_config *node = plan_node_find(plan, end->node);
	uint64_t ports = ports_to(node, other->node);

	return end->port[0] ? ports & port_name_find(node, end->port) : ports;
}

/* those of @ports of @node whose other ends are among @peer_ports */
static uint64_t ports_facing(const struct node_config *node, uint64_t ports, uint64_t peer_ports)
{
	uint64_t facing = 0;

	for (uint64_t left = ports; left; left &= left - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(left);

		if (peer_ports >> node->ports[port].peer_port & 1)
			facing |= 1ull << port;
	}
	return facing;
}

static int link_find(const struct scenario *scenario, const struct plan *plan,
		     const struct scenario_fault *said, struct plan_fault *fault,
		     struct scenario_errors *errors)
{
	const struct scenario_fault_end *a = &said->ends[0], *b = &said->ends[1];
	const struct node_config *node = plan_node_find(plan, a->node);
	uint64_t peer_ports = ports_between(plan, b, a),
		 ports = ports_facing(node, ports_between(plan, a, b), peer_ports);
	const struct plan_link *link;

	if (!ports) {
		scenario_errors_at(errors, scenario, &said->place,
				   "no link leads from '%s%s%s' to '%s%s%s': there is none to fail",
				   a->node, a->port[0] ? ":" : "", a->port, b->node,
				   b->port[0] ? ":" : "", b->port);
		return -EINVAL;
	}
	if (ports & (ports - 1)) {
		scenario_errors_at(
			errors, scenario, &said->place,
			"%d links lead from '%s' to '%s': say which, such as [%s:p%d, %s]",
			__builtin_popcountll(ports), a->node, b->node, a->node,
			__builtin_ctzll(ports), b->node);
		return -EINVAL;
	}
	fault->link = node->ports[__builtin_ctzll(ports)].link_index;
	link = &plan->links[fault->link];
	snprintf(fault->name, sizeof(fault->name), "link %s:p%u - %s:p%u",
		 plan->nodes[link->node_a].name, link->port_a, plan->nodes[link->node_b].name,
		 link->port_b);
	return 0;
}

static int fault_make(const struct scenario *scenario, const struct plan *plan,
		      const struct scenario_fault *said, struct plan_fault *fault,
		      struct scenario_errors *errors)
{
	*fault = (struct plan_fault){ .kind = said->kind,
				      .at_ps = said->at_ps,
				      .until_ps = NODE_TIME_NEVER };
	if (said->for_ps != NODE_TIME_NEVER)
		fault->until_ps = said->at_ps + said->for_ps;
	if (said->kind == FAULT_LINK)
		return link_find(scenario, plan, said, fault, errors);
	if (said->kind == FAULT_MANAGER) {
		snprintf(fault->name, sizeof(fault->name), "active fabric manager");
		return 0;
	}
	fault->node = said->switch_index;
	snprintf(fault->name, sizeof(fault->name), "switch %s", plan->nodes[fault->node].name);
	return 0;
}

static int earlier(const void *left, const void *right)
{
	const struct plan_action *a = left, *b = right;

	if (a->at_ps != b->at_ps)
		return a->at_ps < b->at_ps ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->fault < b->fault ? -1 : a->fault > b->fault;
}

static void action_add(struct plan_faults *faults, node_time_t at_ps, enum plan_action_kind kind,
		       uint32_t fault)
{
	faults->actions[faults->action_count++] = (struct plan_action){ at_ps, kind, fault };
}

/* when tables change that are due at @at_ps: not before a fabric manager is active */
static node_time_t managed_ps(const struct plan_faults *faults, node_time_t at_ps)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		const struct plan_fault *fault = &faults->list[i];

		if (fault->kind == FAULT_MANAGER && at_ps >= fault->at_ps &&
		    at_ps - fault->at_ps < faults->takeover_ps)
			return managed_ps(faults, fault->at_ps + faults->takeover_ps);
	}
	return at_ps;
}

static void actions_make(struct plan_faults *faults)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		struct plan_fault *fault = &faults->list[i];

		fault->tables_ps = managed_ps(
			faults,
			fault->at_ps + (fault->kind == FAULT_MANAGER ? 0 : faults->reaction_ps));
		action_add(faults, fault->at_ps, ACTION_FAIL, i);
		action_add(faults, fault->tables_ps, ACTION_TABLES, i);
		if (fault->until_ps == NODE_TIME_NEVER)
			continue;
		action_add(faults, fault->until_ps, ACTION_RETURN, i);
		action_add(faults, managed_ps(faults, fault->until_ps + faults->reaction_ps),
			   ACTION_TABLES, i);
	}
	qsort(faults->actions, faults->action_count, sizeof(*faults->actions), earlier);
}

/* whole microseconds, and not so short that a window has only a few packets */
static node_time_t window_choose(const struct scenario *scenario)
{
	node_time_t part_ps = scenario->run.duration_ps / WINDOW_PART;

	if (scenario->run.sample_ps &&
	    scenario->run.duration_ps / scenario->run.sample_ps <= WINDOWS_MAX)
		return scenario->run.sample_ps;
	return part_ps > NODE_US ? part_ps / NODE_US * NODE_US : NODE_US;
}

int plan_faults_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		     struct scenario_errors *errors)
{
	struct plan_faults *faults = &plan->faults;
	int error = 0;

	if (!scenario->fault_count)
		return 0;
	faults->list = calloc(scenario->fault_count, sizeof(*faults->list));
	faults->actions = calloc(4 * (size_t)scenario->fault_count, sizeof(*faults->actions));
	if (!faults->list || !faults->actions)
		return -ENOMEM;
	faults->reaction_ps = scenario->routing.reaction_ps;
	faults->takeover_ps = clock == CLOCK_REAL ? 0 : scenario->routing.takeover_ps;
	faults->window_ps = window_choose(scenario);
	for (uint32_t i = 0; i < scenario->fault_count; i++)
		if (fault_make(scenario, plan, &scenario->faults[i], &faults->list[faults->count++],
			       errors))
			error = -EINVAL;
	if (!error)
		actions_make(faults);
	return error;
}

/* ---- the longest paths ---- */

static void links_change(const struct plan *plan, const struct plan_fault *fault, bool fail,
			 uint32_t *down)
{
	for (uint32_t i = 0; i < plan->link_count; i++)
		if (plan_fault_concerns(plan, fault, i))
			down[i] += fail ? 1 : UINT32_MAX;
}

static int topology_without(const struct plan *plan, const uint32_t *down,
			    struct topology *topology)
{
	int error = plan_topology(plan, topology);

	for (uint32_t i = 0; i < plan->link_count && !error; i++) {
		const struct plan_link *link = &plan->links[i];

		if (down[i] && link->node_a < plan->switch_count)
			topology->switches[link->node_a].ports[link->port_a].up = false;
		if (down[i] && link->node_b < plan->switch_count)
			topology->switches[link->node_b].ports[link->port_b].up = false;
	}
	return error;
}

/* With port groups each switch routes a packet again, so a packet that is in flight while tables
 * change takes parts of two paths.
 * @before  the routes before the change, replaced by the new ones; zeros: none */
static int in_flight_now(const struct plan *plan, const struct topology *topology,
			 const routing_distance_t *distances, struct routing *before,
			 uint32_t *hops)
{
	struct routing_request request = plan->routing;
	struct why why;
	int error =
		before->switches ? routing_in_flight_hops(topology, before, distances, hops) : 0;

	request.lanes = request.lanes_max;
	routing_free(before);
	*before = (struct routing){ 0 };
	return error ? error : routing_make(topology, &request, before, &why);
}

static int hops_now(const struct plan *plan, const uint32_t *down, struct routing *before,
		    uint32_t *hops)
{
	struct topology topology;
	routing_distance_t *distances = NULL;
	uint32_t longest;
	int error = topology_without(plan, down, &topology);

	if (!error) {
		distances = routing_distances(&topology);
		error = distances ? 0 : -ENOMEM;
	}
	longest = distances ? routing_longest_hops(&topology, distances) : 0;
	*hops = longest > *hops ? longest : *hops;
	if (!error && plan->routing.fabric == FABRIC_PORT_GROUP)
		error = in_flight_now(plan, &topology, distances, before, hops);
	topology_free(&topology);
	free(distances);
	return error;
}

int plan_faults_hops(const struct plan *plan, uint32_t *hops)
{
	uint32_t *down = calloc(plan->link_count, sizeof(*down));
	struct routing before = { 0 };
	int error = down ? 0 : -ENOMEM;

	*hops = 0;
	if (!error && plan->routing.fabric == FABRIC_PORT_GROUP)
		error = hops_now(plan, down, &before, hops);
	for (uint32_t i = 0; i < plan->faults.action_count && !error; i++) {
		const struct plan_action *action = &plan->faults.actions[i];
		const struct plan_fault *fault = &plan->faults.list[action->fault];

		if (action->kind == ACTION_TABLES)
			error = hops_now(plan, down, &before, hops);
		else
			links_change(plan, fault, action->kind == ACTION_FAIL, down);
	}
	routing_free(&before);
	free(down);
	return error;
}

void plan_faults_free(struct plan_faults *faults)
{
	free(faults->list);
	free(faults->actions);
	*faults = (struct plan_faults){ 0 };
}
