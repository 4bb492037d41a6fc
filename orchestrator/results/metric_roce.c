/*  metric_roce - the metrics that only a fabric of kind roce has: of traffic classes of ports, of
 *  transports, of deadlocks. In another kind of fabric they have no value. */
#include "orchestrator/results/metric_roce.h"

#include "orchestrator/results/results_roce.h"

/* ---- of classes of ports ---- */

/* True for @ports of node @node; 0: for all ports of switches, so that a host's link counts
 * once. */
static bool is_meant(const struct metric_subject *e, const struct plan *plan, uint32_t node,
		     uint32_t port)
{
	if (!e->ports)
		return plan->nodes[node].kind == NODE_SWITCH;
	return node == e->node && e->ports >> port & 1;
}

static bool class_is_meant(const struct metric_subject *e, const struct plan *plan,
			   const struct result_class *row)
{
	return is_meant(e, plan, row->node, row->port) &&
	       (!e->has_class || row->traffic_class == e->traffic_class);
}

static uint64_t class_counter(const struct metric_subject *e, const struct result_class *row)
{
	return *(const uint64_t *)((const char *)&row->stats + e->metric->offset);
}

/* in the unit of the metric: a delay is counted in nanoseconds */
static double in_unit(const struct metric_subject *e, uint64_t value)
{
	return e->metric->offset == offsetof(struct class_stats, delay_ns_max)
		       ? (double)value * NODE_NS
		       : (double)value;
}

bool metric_class_sum(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (class_is_meant(e, plan, &results->classes[i]))
			sum += class_counter(e, &results->classes[i]);
	}
	*value = (double)sum;
	return results->class_count != 0;
}

bool metric_class_max(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		const struct result_class *row = &results->classes[i];

		if (class_is_meant(e, plan, row) && class_counter(e, row) > most)
			most = class_counter(e, row);
	}
	*value = in_unit(e, most);
	return results->class_count != 0;
}

/* the earliest time; none if it never happened */
bool metric_class_first(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		const struct result_class *row = &results->classes[i];
		uint64_t at = class_is_meant(e, plan, row) ? class_counter(e, row) : 0;

		first = at && (!first || at < first) ? at : first;
	}
	*value = (double)first;
	return first != 0;
}

/* with several links to the peer, their mean: as of the whole port */
bool metric_class_queue_mean(const struct metric_subject *e, const struct plan *plan,
			     const struct results *results, double *value)
{
	uint32_t count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (!class_is_meant(e, plan, &results->classes[i]))
			continue;
		sum += results->classes[i].queue_bytes_mean;
		count++;
	}
	*value = count ? sum / count : 0;
	return count && results->measured_ps;
}

bool metric_class_delay_mean(const struct metric_subject *e, const struct plan *plan,
			     const struct results *results, double *value)
{
	uint64_t packets = 0, ns = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (!class_is_meant(e, plan, &results->classes[i]))
			continue;
		packets += results->classes[i].stats.tx_packets_measured;
		ns += results->classes[i].stats.delay_ns_measured;
	}
	*value = packets ? (double)ns * NODE_NS / (double)packets : 0;
	return packets != 0;
}

bool metric_class_throughput(const struct metric_subject *e, const struct plan *plan,
			     const struct results *results, double *value)
{
	uint64_t sum_bps = 0;

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (class_is_meant(e, plan, &results->classes[i]))
			sum_bps += results->classes[i].throughput_bps;
	}
	*value = (double)sum_bps;
	return results->class_count && results->measured_ps;
}

/* ---- of ports ---- */

bool metric_ports_sum(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->port_count; i++) {
		const struct result_port *row = &results->ports[i];

		if (is_meant(e, plan, row->node, row->port))
			sum += *(const uint64_t *)((const char *)&row->stats + e->metric->offset);
	}
	*value = (double)sum;
	return results_is_roce(plan);
}

/* ---- of flows ---- */

static bool flow_is_meant(const struct metric_subject *e, const struct result_flow *flow)
{
	return !e->has_workload || flow->workload == e->workload;
}

bool metric_flows_sum(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];

		if (flow_is_meant(e, flow))
			sum += *(const uint64_t *)((const char *)&flow->transport +
						   e->metric->offset);
	}
	*value = (double)sum;
	return results_is_roce(plan);
}

bool metric_marked_share(const struct metric_subject *e, const struct plan *plan,
			 const struct results *results, double *value)
{
	uint64_t marked = 0, packets = 0;

	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];

		if (!flow_is_meant(e, flow))
			continue;
		marked += flow->transport.marked;
		packets +=
			flow->packets + flow->transport.duplicates + flow->transport.out_of_order;
	}
	*value = packets ? (double)marked / (double)packets : 0;
	return results_is_roce(plan) && packets;
}

bool metric_rate_min(const struct metric_subject *e, const struct plan *plan,
		     const struct results *results, double *value)
{
	uint64_t least = 0;

	(void)plan;
	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];
		uint64_t rate = flow_is_meant(e, flow) ? flow->transport.rate_min_bps : 0;

		least = rate && (!least || rate < least) ? rate : least;
	}
	*value = (double)least;
	return least != 0;
}

/* the shortest time between two CNPs for one flow */
bool metric_cnp_gap(const struct metric_subject *e, const struct plan *plan,
		    const struct results *results, double *value)
{
	uint64_t least = 0;

	(void)plan;
	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];
		uint64_t gap = flow_is_meant(e, flow) ? flow->transport.cnp_gap_min_ps : 0;

		least = gap && (!least || gap < least) ? gap : least;
	}
	*value = (double)least;
	return least != 0;
}

/* of those flows that have a reaction point */
bool metric_rate_mean(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint32_t count = 0;
	double sum = 0;

	(void)plan;
	for (uint32_t i = 0; i < results->flow_count; i++) {
		const struct result_flow *flow = &results->flows[i];

		if (!flow_is_meant(e, flow) || !flow->transport.rate_bps)
			continue;
		sum += (double)flow->transport.rate_bps;
		count++;
	}
	*value = count ? sum / count : 0;
	return count != 0;
}

/* ---- of the fabric ---- */

/* A fabric that stalled with data inside counts as one as well; the number of its cycles is
 * unknown. */
bool metric_deadlocks(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	(void)e, (void)plan;
	*value = results->deadlocks.count ? results->deadlocks.count : results->stalled;
	return true;
}
