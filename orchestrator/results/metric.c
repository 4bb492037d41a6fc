#include "orchestrator/results/metric.h"

#include <stddef.h>
#include <stdio.h>

#include "nodes/base/array.h"
#include "nodes/base/units.h"
#include "orchestrator/base/human.h"
#include "orchestrator/results/metric_balance.h"
#include "orchestrator/results/metric_fault.h"
#include "orchestrator/results/metric_roce.h"
#include "orchestrator/results/reaction.h"
#include "orchestrator/results/results_share.h"

static const struct result_group *group_of(const struct metric_subject *e,
					   const struct results *results)
{
	return e->has_workload ? &results->groups[e->workload] : &results->all;
}

static bool value_total(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	(void)plan;
	*value = (double)*(const uint64_t *)((const char *)&results->totals + e->metric->offset);
	return true;
}

static bool value_inside(const struct metric_subject *e, const struct plan *plan,
			 const struct results *results, double *value)
{
	(void)e, (void)plan;
	*value = (double)results->totals.inside_bytes;
	return true;
}

static bool value_delivered(const struct metric_subject *e, const struct plan *plan,
			    const struct results *results, double *value)
{
	(void)e, (void)plan;
	if (!results->totals.injected_bytes)
		return false;
	*value = (double)results->totals.delivered_bytes / (double)results->totals.injected_bytes;
	return true;
}

static bool value_drops(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	uint64_t sum = 0;

	(void)plan;
	for (uint32_t reason = 0; reason < DROP_REASONS; reason++) {
		if (!e->has_reason || e->reason == reason)
			sum += results->drops[reason];
	}
	*value = (double)sum;
	return true;
}

static bool value_jain(const struct metric_subject *e, const struct plan *plan,
		       const struct results *results, double *value)
{
	(void)plan;
	*value = group_of(e, results)->jain;
	return group_of(e, results)->goodput_bps != 0;
}

static bool value_flows(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->flow_count;
	return true;
}

/* links that packets were put on, for each that was delivered */
static bool value_hops(const struct metric_subject *e, const struct plan *plan,
		       const struct results *results, double *value)
{
	(void)e;
	(void)plan;
	if (results->totals.delivered_packets)
		*value = (double)results->data_hops / (double)results->totals.delivered_packets;
	return results->totals.delivered_packets != 0;
}

static bool value_messages(const struct metric_subject *e, const struct plan *plan,
			   const struct results *results, double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->message_count;
	return true;
}

/* bytes from host @source (any, if UINT32_MAX) to host @destination in the measured interval */
static uint64_t measured_bytes(const struct results *results, uint32_t source, uint32_t destination)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->flow_count; i++) {
		if (results->flows[i].destination == destination &&
		    (source == UINT32_MAX || results->flows[i].source == source))
			sum += results->flows[i].measured_bytes;
	}
	return sum;
}

static bool value_goodput(const struct metric_subject *e, const struct plan *plan,
			  const struct results *results, double *value)
{
	(void)plan;
	*value = (double)group_of(e, results)->goodput_bps;
	if (e->has_hosts && results->measured_ps)
		*value = (double)(uint64_t)((unsigned __int128)measured_bytes(results, e->source,
									      e->destination) *
					    8 * NODE_S / results->measured_ps);
	return results->measured_ps != 0;
}

static bool value_goodput_share(const struct metric_subject *e, const struct plan *plan,
				const struct results *results, double *value)
{
	return results_goodput_share(plan, results, group_of(e, results), value);
}

static bool value_goodput_share_min(const struct metric_subject *e, const struct plan *plan,
				    const struct results *results, double *value)
{
	return results_goodput_share_min(plan, results, group_of(e, results), value);
}

static bool value_share(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	uint64_t all = measured_bytes(results, UINT32_MAX, e->destination);

	(void)plan;
	if (!all)
		return false;
	*value = (double)measured_bytes(results, e->source, e->destination) / (double)all;
	return true;
}

static bool value_fct(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	const struct result_group *group = group_of(e, results);

	(void)plan;
	*value = (double)*(const node_time_t *)((const char *)&group->fct + e->metric->offset);
	return *value > 0;
}

static bool value_slowdown(const struct metric_subject *e, const struct plan *plan,
			   const struct results *results, double *value)
{
	const struct result_group *group = group_of(e, results);

	(void)plan;
	*value = *(const double *)((const char *)&group->slowdown + e->metric->offset);
	return *value > 0;
}

/* the sum or the largest of the values of @pick at the ports of @e */
static double over_ports(const struct metric_subject *e, const struct plan *plan,
			 const struct results *results, double (*pick)(const struct result_port *),
			 bool largest)
{
	double result = 0;
	uint32_t count = 0;

	for (uint32_t port = 0; port < plan->nodes[e->node].port_count; port++) {
		double value;

		if (!(e->ports >> port & 1))
			continue;
		value = pick(results_port(plan, results, e->node, port));
		result = largest ? (value > result ? value : result) : result + value;
		count++;
	}
	return largest || !count ? result : result / count;
}

static double pick_utilisation(const struct result_port *port)
{
	return port->utilisation;
}

static double pick_queue_max(const struct result_port *port)
{
	return (double)port->stats.queue_bytes_max;
}

static double pick_queue_mean(const struct result_port *port)
{
	return port->queue_bytes_mean;
}

static bool value_utilisation(const struct metric_subject *e, const struct plan *plan,
			      const struct results *results, double *value)
{
	*value = over_ports(e, plan, results, pick_utilisation, false);
	return results->measured_ps != 0;
}

static bool value_queue_max(const struct metric_subject *e, const struct plan *plan,
			    const struct results *results, double *value)
{
	if (e->has_class)
		return metric_class_max(e, plan, results, value);
	*value = over_ports(e, plan, results, pick_queue_max, true);
	return true;
}

static bool value_queue_mean(const struct metric_subject *e, const struct plan *plan,
			     const struct results *results, double *value)
{
	if (e->has_class)
		return metric_class_queue_mean(e, plan, results, value);
	*value = over_ports(e, plan, results, pick_queue_mean, false);
	return results->measured_ps != 0;
}

/* ---- congestion: counters of ports ---- */

/* True for @ports of node @node; 0: of all, and then only of switches, so that a host's link
 * counts once. */
static bool is_meant(const struct metric_subject *e, const struct plan *plan,
		     const struct result_port *row)
{
	if (!e->ports)
		return plan->nodes[row->node].kind == NODE_SWITCH;
	return row->node == e->node && e->ports >> row->port & 1;
}

static uint64_t counter_of(const struct metric_subject *e, const struct result_port *row)
{
	return *(const uint64_t *)((const char *)&row->stats + e->metric->offset);
}

static bool value_sum(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->port_count; i++)
		sum += is_meant(e, plan, &results->ports[i]) ? counter_of(e, &results->ports[i])
							     : 0;
	*value = (double)sum;
	return true;
}

static bool value_max(const struct metric_subject *e, const struct plan *plan,
		      const struct results *results, double *value)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < results->port_count; i++) {
		if (is_meant(e, plan, &results->ports[i]) &&
		    counter_of(e, &results->ports[i]) > most)
			most = counter_of(e, &results->ports[i]);
	}
	*value = (double)most;
	return true;
}

/* the same of counters of data units, in bytes */
static bool value_sum_units(const struct metric_subject *e, const struct plan *plan,
			    const struct results *results, double *value)
{
	value_sum(e, plan, results, value);
	*value *= UNIT_BYTES;
	return true;
}

static bool value_max_units(const struct metric_subject *e, const struct plan *plan,
			    const struct results *results, double *value)
{
	value_max(e, plan, results, value);
	*value *= UNIT_BYTES;
	return true;
}

/* counters that only NICs have */
static bool value_nics(const struct metric_subject *e, const struct plan *plan,
		       const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->port_count; i++) {
		const struct result_port *row = &results->ports[i];

		if (e->ports ? is_meant(e, plan, row) : plan->nodes[row->node].kind == NODE_NIC)
			sum += counter_of(e, row);
	}
	*value = (double)sum;
	return true;
}

/* counters that switches and NICs have */
static bool value_nodes(const struct metric_subject *e, const struct plan *plan,
			const struct results *results, double *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->port_count; i++) {
		const struct result_port *row = &results->ports[i];

		sum += !e->ports || is_meant(e, plan, row) ? counter_of(e, row) : 0;
	}
	*value = (double)sum;
	return true;
}

static bool value_buffer_share(const struct metric_subject *e, const struct plan *plan,
			       const struct results *results, double *value)
{
	bool known = false;

	*value = 0;
	for (uint32_t i = 0; i < results->port_count; i++) {
		double share;

		if (!is_meant(e, plan, &results->ports[i]) ||
		    !results_buffer_share(plan, &results->ports[i], &share))
			continue;
		known = true;
		*value = share > *value ? share : *value;
	}
	return known;
}

static bool value_reaction(const struct metric_subject *e, const struct plan *plan,
			   const struct results *results, double *value)
{
	struct reaction reaction = reaction_of(plan, results, e->destination);

	*value = (double)reaction.time_ps;
	return reaction.told;
}

static bool value_reaction_trips(const struct metric_subject *e, const struct plan *plan,
				 const struct results *results, double *value)
{
	struct reaction reaction = reaction_of(plan, results, e->destination);

	*value = reaction.trip_ps ? (double)reaction.time_ps / (double)reaction.trip_ps : 0;
	return reaction.told && reaction.trip_ps;
}

static bool value_reached(const struct metric_subject *e, const struct plan *plan,
			  const struct results *results, double *value)
{
	struct reaction reaction = reaction_of(plan, results, e->destination);

	*value = reaction.senders ? (double)reaction.told / reaction.senders : 0;
	return reaction.first_ps && reaction.senders;
}

#define PORT_SUM(field) value_sum, offsetof(struct port_stats, field)
#define PORT_MAX(field) value_max, offsetof(struct port_stats, field)
#define PORT_SUM_UNITS(field) value_sum_units, offsetof(struct port_stats, field)
#define PORT_MAX_UNITS(field) value_max_units, offsetof(struct port_stats, field)
#define NICS_SUM(field) value_nics, offsetof(struct port_stats, field)
#define NODES_SUM(field) value_nodes, offsetof(struct port_stats, field)
#define CLASS_SUM(field) metric_class_sum, offsetof(struct class_stats, field)
#define CLASS_MAX(field) metric_class_max, offsetof(struct class_stats, field)
#define CLASS_FIRST(field) metric_class_first, offsetof(struct class_stats, field)
#define PORTS_SUM(field) metric_ports_sum, offsetof(struct port_stats, field)
#define FLOWS_SUM(field) metric_flows_sum, offsetof(struct result_transport, field)
#define TOTAL(field) value_total, offsetof(struct result_totals, field)
#define FCT(field) value_fct, offsetof(struct result_times, field)
#define SLOWDOWN(field) value_slowdown, offsetof(struct result_slowdowns, field)

const struct metric metric_table[] = {
	{ "lost", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(lost) },
	{ "under_way", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(under_way) },
	{ "reordered", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(reordered) },
	{ "inside", QUANTITY_BYTES, METRIC_NOTHING, METRIC_AS_BYTES, value_inside, 0 },
	{ "channels", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(channels_used) },
	{ "waits", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(channel_waits) },
	{ "unreported", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, TOTAL(unreported) },
	{ "delivered", QUANTITY_SHARE, METRIC_NOTHING, METRIC_AS_PERCENT, value_delivered, 0 },
	{ "delivered_bytes", QUANTITY_BYTES, METRIC_NOTHING, METRIC_AS_BYTES,
	  TOTAL(delivered_bytes) },
	{ "injected_bytes", QUANTITY_BYTES, METRIC_NOTHING, METRIC_AS_BYTES,
	  TOTAL(injected_bytes) },
	{ "drops", QUANTITY_COUNT, METRIC_MAYBE_REASON, METRIC_AS_COUNT, value_drops, 0 },
	{ "hops", QUANTITY_SHARE, METRIC_NOTHING, METRIC_AS_RATIO, value_hops, 0 },
	{ "messages", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, value_messages, 0 },
	{ "flows", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, value_flows, 0 },
	{ "jain", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATIO, value_jain, 0 },
	{ "goodput", QUANTITY_RATE, METRIC_WORKLOAD_OR_HOSTS, METRIC_AS_RATE, value_goodput, 0 },
	{ "goodput.share", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_PERCENT,
	  value_goodput_share, 0 },
	{ "goodput.share.min", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_PERCENT,
	  value_goodput_share_min, 0 },
	{ "share", QUANTITY_SHARE, METRIC_HOSTS, METRIC_AS_PERCENT, value_share, 0 },
	{ "utilisation", QUANTITY_SHARE, METRIC_PORT, METRIC_AS_PERCENT, value_utilisation, 0 },
	{ "queue.max", QUANTITY_BYTES, METRIC_PORT_MAYBE_CLASS, METRIC_AS_BYTES, value_queue_max,
	  offsetof(struct class_stats, queue_bytes_max) },
	{ "queue.mean", QUANTITY_BYTES, METRIC_PORT_MAYBE_CLASS, METRIC_AS_BYTES, value_queue_mean,
	  0 },
	{ "fct.mean", QUANTITY_TIME, METRIC_MAYBE_WORKLOAD, METRIC_AS_TIME, FCT(mean_ps) },
	{ "fct.p50", QUANTITY_TIME, METRIC_MAYBE_WORKLOAD, METRIC_AS_TIME, FCT(p50_ps) },
	{ "fct.p99", QUANTITY_TIME, METRIC_MAYBE_WORKLOAD, METRIC_AS_TIME, FCT(p99_ps) },
	{ "fct.p999", QUANTITY_TIME, METRIC_MAYBE_WORKLOAD, METRIC_AS_TIME, FCT(p999_ps) },
	{ "slowdown.mean", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATIO, SLOWDOWN(mean) },
	{ "slowdown.p50", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATIO, SLOWDOWN(p50) },
	{ "slowdown.p99", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATIO, SLOWDOWN(p99) },
	{ "slowdown.p999", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATIO, SLOWDOWN(p999) },
	{ "eca.max", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_MAX(eca_max) },
	{ "eca.acks", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_SUM(eca_acks) },
	{ "limited", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_SUM(limited) },
	{ "reaction", QUANTITY_TIME, METRIC_HOST, METRIC_AS_TIME, value_reaction, 0 },
	{ "reaction.trips", QUANTITY_SHARE, METRIC_HOST, METRIC_AS_RATIO, value_reaction_trips, 0 },
	{ "reached", QUANTITY_SHARE, METRIC_HOST, METRIC_AS_PERCENT, value_reached, 0 },
	{ "channels.max", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_MAX(efct_used_max) },
	{ "extent.max", QUANTITY_BYTES, METRIC_MAYBE_PORT, METRIC_AS_BYTES,
	  PORT_MAX_UNITS(extent_units_max) },
	{ "extent.sum", QUANTITY_BYTES, METRIC_NOTHING, METRIC_AS_BYTES,
	  PORT_SUM_UNITS(extent_units_max) },
	{ "blocked.extent", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(blocked_extent) },
	{ "blocked.rate", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(blocked_rate) },
	{ "blocked.empty", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(blocked_empty) },
	{ "blocked.headroom", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(blocked_headroom) },
	{ "blocked.port", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(blocked_port) },
	{ "metered", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_SUM(metered) },
	{ "headroom.starts", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(headroom_starts) },
	{ "headroom.stops", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(headroom_stops) },
	{ "headroom.bytes", QUANTITY_BYTES, METRIC_MAYBE_PORT, METRIC_AS_BYTES,
	  PORT_SUM_UNITS(headroom_units) },
	{ "buffer.max", QUANTITY_BYTES, METRIC_MAYBE_PORT, METRIC_AS_BYTES,
	  PORT_MAX_UNITS(input_units_max) },
	{ "buffer.share", QUANTITY_SHARE, METRIC_MAYBE_PORT, METRIC_AS_PERCENT, value_buffer_share,
	  0 },
	{ "stops", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_SUM(stops) },
	{ "fgfc.held", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT, PORT_SUM(fgfc_held) },
	{ "fgfc.frames", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  PORT_SUM(fgfc_frames) },
	{ "fgfc.refused", QUANTITY_COUNT, METRIC_MAYBE_PORT, METRIC_AS_COUNT,
	  NICS_SUM(fgfc_refused) },
	{ "choices", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT, PORT_SUM(choices) },
	{ "choices.other", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT,
	  PORT_SUM(choices_other) },
	{ "choices.detour", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT,
	  PORT_SUM(choices_detour) },
	{ "choices.held", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT,
	  PORT_SUM(choices_held) },
	{ "redirects", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT, PORT_SUM(redirects) },
	{ "reroute-acks", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT,
	  PORT_SUM(reroute_acks) },
	{ "folds", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT, PORT_SUM(folds) },
	{ "imbalance", QUANTITY_SHARE, METRIC_MAYBE_WHERE, METRIC_AS_PERCENT, metric_imbalance, 0 },
	{ "imbalance.max", QUANTITY_SHARE, METRIC_MAYBE_WHERE, METRIC_AS_RATIO,
	  metric_imbalance_max, 0 },
	{ "fecn", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT, PORT_SUM(fecn_marked) },
	{ "becns", QUANTITY_COUNT, METRIC_MAYBE_WHERE, METRIC_AS_COUNT, NICS_SUM(becns) },
	{ "credit-waits", QUANTITY_TIME, METRIC_MAYBE_WHERE, METRIC_AS_TIME,
	  NODES_SUM(credit_wait_ps) },
	{ "fault.lost", QUANTITY_COUNT, METRIC_MAYBE_FAULT, METRIC_AS_COUNT, metric_fault_lost, 0 },
	{ "fault.astray", QUANTITY_COUNT, METRIC_MAYBE_FAULT, METRIC_AS_COUNT, metric_fault_astray,
	  0 },
	{ "fault.least", QUANTITY_SHARE, METRIC_MAYBE_FAULT, METRIC_AS_PERCENT, metric_fault_least,
	  0 },
	{ "recovery", QUANTITY_TIME, METRIC_MAYBE_FAULT, METRIC_AS_TIME, metric_fault_recovery, 0 },
	{ "deadlocks", QUANTITY_COUNT, METRIC_NOTHING, METRIC_AS_COUNT, metric_deadlocks, 0 },
	{ "throughput", QUANTITY_RATE, METRIC_PORT_MAYBE_CLASS, METRIC_AS_RATE,
	  metric_class_throughput, 0 },
	{ "delay.mean", QUANTITY_TIME, METRIC_PORT_MAYBE_CLASS, METRIC_AS_TIME,
	  metric_class_delay_mean, 0 },
	{ "delay.max", QUANTITY_TIME, METRIC_MAYBE_PLACE, METRIC_AS_TIME, CLASS_MAX(delay_ns_max) },
	{ "input.max", QUANTITY_BYTES, METRIC_MAYBE_PLACE, METRIC_AS_BYTES,
	  CLASS_MAX(input_bytes_max) },
	{ "headroom.max", QUANTITY_BYTES, METRIC_MAYBE_PLACE, METRIC_AS_BYTES,
	  CLASS_MAX(headroom_bytes_max) },
	{ "drops.at", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT, CLASS_SUM(drops) },
	{ "marked", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT, CLASS_SUM(marked) },
	{ "paused", QUANTITY_TIME, METRIC_MAYBE_PLACE, METRIC_AS_TIME, CLASS_SUM(paused_ps) },
	{ "stuck", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT, CLASS_SUM(stuck) },
	{ "xoff.first", QUANTITY_TIME, METRIC_MAYBE_PLACE, METRIC_AS_TIME,
	  CLASS_FIRST(xoff_first_ps) },
	{ "state.max", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT, CLASS_MAX(state_max) },
	{ "ecn-failed.first", QUANTITY_TIME, METRIC_MAYBE_PLACE, METRIC_AS_TIME,
	  CLASS_FIRST(ecn_failed_ps) },
	{ "cnp-failed.first", QUANTITY_TIME, METRIC_MAYBE_PLACE, METRIC_AS_TIME,
	  CLASS_FIRST(cnp_failed_ps) },
	{ "cnps.seen", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT, CLASS_SUM(cnps_seen) },
	{ "cnps.supplemented", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  CLASS_SUM(cnps_supplemented) },
	{ "signals.pause", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  CLASS_SUM(signals_pause) },
	{ "signals.resume", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  CLASS_SUM(signals_resume) },
	{ "signals.forwarded", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  PORTS_SUM(signals_forwarded) },
	{ "path.pauses", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  PORTS_SUM(path_pauses) },
	{ "path.resumes", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  PORTS_SUM(path_resumes) },
	{ "pauses", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  PORTS_SUM(pauses_received) },
	{ "pauses.sent", QUANTITY_COUNT, METRIC_MAYBE_PLACE, METRIC_AS_COUNT,
	  PORTS_SUM(pauses_sent) },
	{ "cnps", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, FLOWS_SUM(cnps) },
	{ "cnps.made", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT,
	  FLOWS_SUM(cnps_made) },
	{ "marked.share", QUANTITY_SHARE, METRIC_MAYBE_WORKLOAD, METRIC_AS_PERCENT,
	  metric_marked_share, 0 },
	{ "cnps.gap", QUANTITY_TIME, METRIC_MAYBE_WORKLOAD, METRIC_AS_TIME, metric_cnp_gap, 0 },
	{ "resent", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, FLOWS_SUM(resent) },
	{ "timeouts", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, FLOWS_SUM(timeouts) },
	{ "naks", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, FLOWS_SUM(naks) },
	{ "errors", QUANTITY_COUNT, METRIC_MAYBE_WORKLOAD, METRIC_AS_COUNT, FLOWS_SUM(in_error) },
	{ "rate.min", QUANTITY_RATE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATE, metric_rate_min, 0 },
	{ "rate.mean", QUANTITY_RATE, METRIC_MAYBE_WORKLOAD, METRIC_AS_RATE, metric_rate_mean, 0 },
};

const size_t metric_count = COUNT_OF(metric_table);

void metric_show(const struct metric *metric, double value, char *shown, size_t shown_max)
{
	char text[HUMAN_TEXT_MAX];

	switch (metric->shown_as) {
	case METRIC_AS_COUNT:
		snprintf(shown, shown_max, "%.0f", value);
		break;
	case METRIC_AS_BYTES:
		if (value < 0)
			snprintf(shown, shown_max, "%.0f B", value);
		else
			snprintf(shown, shown_max, "%s", human_bytes((uint64_t)value, text));
		break;
	case METRIC_AS_TIME:
		snprintf(shown, shown_max, "%s", human_time((node_time_t)value, text));
		break;
	case METRIC_AS_RATE:
		snprintf(shown, shown_max, "%s", human_rate((uint64_t)value, text));
		break;
	case METRIC_AS_PERCENT:
		snprintf(shown, shown_max, "%.4g %%", value * 100);
		break;
	case METRIC_AS_RATIO:
		snprintf(shown, shown_max, "%.5g", value);
		break;
	}
}
