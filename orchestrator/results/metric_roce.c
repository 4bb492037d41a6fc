/*  metric_roce - the metrics that only a fabric of kind roce has: of traffic classes of ports, of
 *  transports, of deadlocks. In another kind of fabric they have no value. */
#include "orchestrator/results/metric_roce.h"

/* ---- of classes of ports ---- */

static bool class_is_meant(const struct metric_subject *e, const struct result_class *row)
{
	return metric_has_port(e, row->node, row->port) &&
	       (!e->has_class || row->traffic_class == e->traffic_class);
}

/* a least value that is 0 means none; all others are known if @counted */
static bool folded_value(const struct metric *metric, uint64_t folded, bool counted, double *value)
{
	*value = metric_scaled(metric, folded);
	return metric->statistic.fold == STATISTIC_LEAST ? folded != 0 : counted;
}

bool metric_class_counter(const struct metric_subject *e, double *value)
{
	const struct statistic *row = &e->metric->statistic;
	uint64_t folded = 0;

	for (uint32_t i = 0; i < e->results->class_count; i++) {
		if (class_is_meant(e, &e->results->classes[i]))
			folded =
				statistic_fold(row->fold, folded,
					       statistic_value(row, &e->results->classes[i].stats));
	}
	return folded_value(e->metric, folded, e->results->class_count != 0, value);
}

/* with several links to the peer, their mean: as of the whole port */
bool metric_class_queue_mean(const struct metric_subject *e, double *value)
{
	uint32_t count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < e->results->class_count; i++) {
		if (!class_is_meant(e, &e->results->classes[i]))
			continue;
		sum += e->results->classes[i].queue_bytes_mean;
		count++;
	}
	*value = count ? sum / count : 0;
	return count && e->results->measured_ps;
}

bool metric_class_delay_mean(const struct metric_subject *e, double *value)
{
	uint64_t packets = 0, ns = 0;

	for (uint32_t i = 0; i < e->results->class_count; i++) {
		if (!class_is_meant(e, &e->results->classes[i]))
			continue;
		packets += e->results->classes[i].stats.tx_packets_measured;
		ns += e->results->classes[i].stats.delay_ns_measured;
	}
	*value = packets ? (double)ns * NODE_NS / (double)packets : 0;
	return packets != 0;
}

bool metric_class_throughput(const struct metric_subject *e, double *value)
{
	uint64_t sum_bps = 0;

	for (uint32_t i = 0; i < e->results->class_count; i++) {
		if (class_is_meant(e, &e->results->classes[i]))
			sum_bps += e->results->classes[i].throughput_bps;
	}
	*value = (double)sum_bps;
	return e->results->class_count && e->results->measured_ps;
}

/* ---- of flows ---- */

static bool flow_is_meant(const struct metric_subject *e, const struct result_flow *flow)
{
	return !e->has_workload || flow->workload == e->workload;
}

bool metric_flow_counter(const struct metric_subject *e, double *value)
{
	const struct statistic *row = &e->metric->statistic;
	uint64_t folded = 0;

	for (uint32_t i = 0; i < e->results->flow_count; i++) {
		const struct result_flow *flow = &e->results->flows[i];

		if (flow_is_meant(e, flow))
			folded = statistic_fold(row->fold, folded,
						statistic_value(row, &flow->transport));
	}
	return folded_value(e->metric, folded, results_is_roce(e->plan), value);
}

bool metric_marked_share(const struct metric_subject *e, double *value)
{
	uint64_t marked = 0, packets = 0;

	for (uint32_t i = 0; i < e->results->flow_count; i++) {
		const struct result_flow *flow = &e->results->flows[i];

		if (!flow_is_meant(e, flow))
			continue;
		marked += flow->transport.marked;
		packets +=
			flow->packets + flow->transport.duplicates + flow->transport.out_of_order;
	}
	*value = packets ? (double)marked / (double)packets : 0;
	return results_is_roce(e->plan) && packets;
}

/* of those flows that have a reaction point */
bool metric_rate_mean(const struct metric_subject *e, double *value)
{
	uint32_t count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < e->results->flow_count; i++) {
		const struct result_flow *flow = &e->results->flows[i];

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
bool metric_deadlocks(const struct metric_subject *e, double *value)
{
	*value = e->results->deadlocks.count ? e->results->deadlocks.count : e->results->stalled;
	return true;
}
