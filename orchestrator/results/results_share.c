/*  results_share - the part of a link, or of a buffer, that was used: ratios of the results and the
 *  plan. */
#include "orchestrator/results/results_share.h"

#include "nodes/wire/frame.h"

/* the links of a group's hosts, each host once */
struct links {
	bool seen[NODE_COUNT_MAX];
	double rate_bps; /* together */
};

static void link_add(struct links *links, uint32_t host, uint64_t rate_bps)
{
	links->seen[host] = true;
	links->rate_bps += (double)rate_bps;
}

/* of the host's link, as it sends */
static uint64_t sends_bps(const struct plan *plan, uint32_t host)
{
	return plan->nodes[plan_host_node(plan, host)].ports[0].rate_bps;
}

/* and as it receives: what the switch sends */
static uint64_t receives_bps(const struct plan *plan, uint32_t host)
{
	const struct port_config *port = &plan->nodes[plan_host_node(plan, host)].ports[0];

	return plan->nodes[port->peer_index].ports[port->peer_port].rate_bps;
}

/* bytes of the host's link for a byte of the frames of @flow, with FCS and gap: as in full
 * frames */
static double link_bytes_per_byte(const struct plan *plan, const struct result_flow *flow)
{
	const struct port_config *port =
		&plan->nodes[plan_host_node(plan, flow->destination)].ports[0];
	double frame_bytes = plan->workloads[flow->workload].packet_bytes;

	return (frame_bytes + FRAME_FCS_BYTES + port->gap_bytes) / frame_bytes;
}

bool results_goodput_share(const struct plan *plan, const struct results *results,
			   const struct result_group *group, double *share)
{
	struct links from = { 0 }, to = { 0 };
	double bits = 0, least_bps;

	for (uint32_t i = 0; i < group->flow_count; i++) {
		const struct result_flow *flow = &results->flows[group->flow_first + i];

		if (flow->workload >= plan->workload_count || flow->destination >= plan->host_count)
			continue;
		if (flow->source < plan->host_count && !from.seen[flow->source])
			link_add(&from, flow->source, sends_bps(plan, flow->source));
		if (!to.seen[flow->destination])
			link_add(&to, flow->destination, receives_bps(plan, flow->destination));
		bits += (double)flow->measured_bytes * 8 * link_bytes_per_byte(plan, flow);
	}
	least_bps = from.rate_bps < to.rate_bps ? from.rate_bps : to.rate_bps;
	if (!results->measured_ps || least_bps <= 0)
		return false;
	*share = bits / (least_bps * ((double)results->measured_ps / (double)NODE_S));
	return true;
}

/* over the slower of the two links */
static double flow_share(const struct plan *plan, const struct results *results,
			 const struct result_flow *flow)
{
	uint64_t from_bps = sends_bps(plan, flow->source);
	uint64_t to_bps = receives_bps(plan, flow->destination);
	double bits = (double)flow->measured_bytes * 8 * link_bytes_per_byte(plan, flow);

	return bits / ((double)(from_bps < to_bps ? from_bps : to_bps) *
		       ((double)results->measured_ps / (double)NODE_S));
}

bool results_goodput_share_min(const struct plan *plan, const struct results *results,
			       const struct result_group *group, double *share)
{
	bool found = false;

	for (uint32_t i = 0; results->measured_ps && i < group->flow_count; i++) {
		const struct result_flow *flow = &results->flows[group->flow_first + i];
		double value;

		if (flow->workload >= plan->workload_count || flow->destination >= plan->host_count)
			continue;
		value = flow_share(plan, results, flow);
		*share = found && *share < value ? *share : value;
		found = true;
	}
	return found;
}

bool results_buffer_share(const struct plan *plan, const struct result_port *row, double *share)
{
	const struct node_config *node = &plan->nodes[row->node];
	const struct port_config *port = &node->ports[row->port];
	/* a host's link uses one lane of each class */
	uint64_t lanes = port->kind == PORT_EDGE ? node->class_count
						 : (uint64_t)node->class_count * node->lanes;
	uint64_t units = port->buffer_units * lanes;

	if (!units)
		return false;
	*share = (double)row->stats.input_units_max / (double)units;
	return true;
}
