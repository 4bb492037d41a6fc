#include "orchestrator/results/reaction.h"

#include "orchestrator/plan/plan_ideal.h"

/* the switch's end of the link of host @host */
static const struct port_stats *edge_port(const struct plan *plan, const struct results *results,
					  uint32_t host)
{
	const struct port_config *port = &plan->nodes[plan_host_node(plan, host)].ports[0];

	return &results_port(plan, results, port->peer_index, port->peer_port)->stats;
}

/* the smallest frame of @flow's workload to its destination and back */
static node_time_t trip_ps(const struct plan *plan, const struct result_flow *flow)
{
	node_time_t there_ps =
		plan_ideal_ps(plan, flow->source, flow->destination, flow->workload, 1);
	node_time_t back_ps =
		plan_ideal_ps(plan, flow->destination, flow->source, flow->workload, 1);

	return there_ps < NODE_TIME_NEVER - back_ps ? there_ps + back_ps : NODE_TIME_NEVER;
}

struct reaction reaction_of(const struct plan *plan, const struct results *results, uint32_t host)
{
	struct reaction reaction = { .first_ps = edge_port(plan, results, host)->eca_first_ps };
	bool seen[NODE_COUNT_MAX] = { false };

	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];
		node_time_t heard_ps;

		if (flow->destination != host || flow->workload >= plan->workload_count)
			continue;
		reaction.trip_ps = node_time_max(reaction.trip_ps, trip_ps(plan, flow));
		if (seen[flow->source])
			continue;
		seen[flow->source] = true;
		reaction.senders++;
		heard_ps = edge_port(plan, results, flow->source)->limited_first_ps;
		if (!reaction.first_ps || heard_ps < reaction.first_ps)
			continue;
		reaction.told++;
		reaction.time_ps = node_time_max(reaction.time_ps, heard_ps - reaction.first_ps);
	}
	return reaction;
}
