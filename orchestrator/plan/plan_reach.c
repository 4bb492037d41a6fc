#include "orchestrator/plan/plan_reach.h"

#include <errno.h>
#include <stdlib.h>

#include "orchestrator/plan/plan_routes.h"

/* Links have both directions, so it suffices that one switch reaches another one. */
static bool is_reached(const struct plan *plan, uint32_t from, uint32_t to)
{
	return from == to || plan_route(&plan->nodes[from], to)->ports;
}

/* the first host that the first one does not reach; host_count: there is none */
static uint32_t host_apart(const struct scenario *scenario, const struct plan *plan)
{
	uint32_t i = 1, first = scenario->hosts[0].switch_index;

	while (i < scenario->host_count && is_reached(plan, first, scenario->hosts[i].switch_index))
		i++;
	return i;
}

static uint32_t switch_apart(const struct scenario *scenario, const struct plan *plan)
{
	uint32_t i = 0;

	while (i < plan->switch_count && is_reached(plan, scenario->hosts[0].switch_index, i))
		i++;
	return i;
}

/* ---- several networks ---- */

/* the switch that stands for all that are joined with @at */
static uint32_t root_of(uint32_t *parents, uint32_t at)
{
	while (parents[at] != at) {
		parents[at] = parents[parents[at]];
		at = parents[at];
	}
	return at;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	parents[root_of(parents, a)] = root_of(parents, b);
}

/* is there one piece, if every host also connects the switches of its own interfaces? */
static bool joined_by_hosts(const struct scenario *scenario, uint32_t *parents)
{
	bool one = true;

	for (uint32_t i = 0; i < scenario->switch_count; i++)
		parents[i] = i;
	for (uint32_t i = 0; i < scenario->link_count; i++)
		join(parents, scenario->links[i].switch_a, scenario->links[i].switch_b);
	for (uint32_t i = 0; i < scenario->host_count; i++) {
		const struct scenario_host *host = &scenario->hosts[i];

		join(parents, host->switch_index, scenario->hosts[host->owner].switch_index);
	}
	for (uint32_t i = 1; i < scenario->switch_count; i++)
		one &= root_of(parents, i) == root_of(parents, 0);
	return one;
}

/* the ends of a workload are in one network, or an error */
static int workload_check(const struct scenario *scenario, const struct plan *plan,
			  const struct scenario_workload *workload, struct scenario_errors *errors)
{
	bool pairs = workload->pattern == PATTERN_PAIRS;
	const struct scenario_host *first = NULL;

	for (uint32_t i = 0; i < workload->sender_count + workload->receiver_count; i++) {
		bool sends = i < workload->sender_count;
		const struct scenario_host *host =
			&scenario->hosts[sends ? workload->senders[i]
					       : workload->receivers[i - workload->sender_count]];

		/* a receiver of a pair from its own sender; else all are from the first host */
		if (pairs)
			first = &scenario->hosts[workload->senders[i % workload->sender_count]];
		first = first ? first : host;
		if (is_reached(plan, first->switch_index, host->switch_index))
			continue;
		scenario_errors_at(
			errors, scenario, &workload->place,
			"workload '%s': no links lead from host '%s' to host '%s', which "
			"are in different networks",
			workload->name, first->name, host->name);
		return -EINVAL;
	}
	return 0;
}

static int workloads_check(const struct scenario *scenario, const struct plan *plan,
			   struct scenario_errors *errors)
{
	int error = 0;

	for (uint32_t i = 0; i < scenario->workload_count && !error; i++)
		error = workload_check(scenario, plan, &scenario->workloads[i], errors);
	return error;
}

/* ---- the check ---- */

static int apart_tell(const struct scenario *scenario, const struct plan *plan,
		      struct scenario_errors *errors)
{
	uint32_t host = host_apart(scenario, plan), at = switch_apart(scenario, plan);
	const struct scenario_host *first = &scenario->hosts[0], *other = first + host;

	if (host < scenario->host_count)
		scenario_errors_at(errors, scenario, &other->place,
				   "host '%s' cannot be reached from host '%s': no links lead from "
				   "switch '%s' to switch '%s'",
				   other->name, first->name,
				   scenario->switches[first->switch_index].name,
				   scenario->switches[other->switch_index].name);
	else
		scenario_errors_at(errors, scenario, &scenario->switches[at].place,
				   "switch '%s' cannot be reached from host '%s'",
				   scenario->switches[at].name, first->name);
	return -EINVAL;
}

int plan_reach_check(const struct scenario *scenario, const struct plan *plan,
		     struct scenario_errors *errors)
{
	uint32_t *parents;
	bool joined;

	if (host_apart(scenario, plan) == scenario->host_count &&
	    switch_apart(scenario, plan) == plan->switch_count)
		return 0;
	parents = calloc(scenario->switch_count, sizeof(*parents));
	if (!parents)
		return -ENOMEM;
	joined = joined_by_hosts(scenario, parents);
	free(parents);
	return joined ? workloads_check(scenario, plan, errors)
		      : apart_tell(scenario, plan, errors);
}
