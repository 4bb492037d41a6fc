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

/* the workload of @flow as its sender has it; NULL: the sender does not have it any more */
static const struct workload_config *workload_of(const struct plan *plan,
						 const struct result_flow *flow)
{
	const struct nic_config *nic = &plan->nodes[plan_host_node(plan, flow->source)].nic;

	for (uint32_t i = 0; i < nic->workload_count; i++)
		if (nic->workloads[i].workload_index == flow->workload)
			return &nic->workloads[i];
	return NULL;
}

/* does each message of @workload go to one destination, as soon as it may after @start_ps? */
static bool starts_at(const struct workload_config *workload, node_time_t start_ps)
{
	return workload->destination == DESTINATION_FIXED && workload->start_ps == start_ps &&
	       (workload->arrival == ARRIVAL_CLOSED || workload->arrival == ARRIVAL_BURST);
}

struct reaction reaction_of(const struct plan *plan, const struct results *results, uint32_t host)
{
	struct reaction reaction = { .first_ps = edge_port(plan, results, host)->eca_first_ps,
				     .together = true };
	const struct workload_config *first = NULL;
	bool seen[NODE_COUNT_MAX] = { false };

	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];
		const struct workload_config *workload;
		node_time_t heard_ps;

		if (flow->destination != host || flow->workload >= plan->workload_count)
			continue;
		workload = workload_of(plan, flow);
		first = first ?: workload;
		reaction.together &= !workload || starts_at(workload, first->start_ps);
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
