#include "orchestrator/results/metric.h"

#include <math.h>
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

static const struct result_group *group_of(const struct metric_subject *e)
{
	return e->has_workload ? &e->results->groups[e->workload] : &e->results->all;
}

static bool value_total(const struct metric_subject *e, double *value)
{
	*value = (double)statistic_value(&e->metric->statistic, &e->results->totals);
	return true;
}

static bool value_inside(const struct metric_subject *e, double *value)
{
	*value = (double)e->results->totals.inside_bytes;
	return true;
}

static bool value_delivered(const struct metric_subject *e, double *value)
{
	if (!e->results->totals.injected_bytes)
		return false;
	*value = (double)e->results->totals.delivered_bytes /
		 (double)e->results->totals.injected_bytes;
	return true;
}

static bool value_drops(const struct metric_subject *e, double *value)
{
	uint64_t sum = 0;

	for (uint32_t reason = 0; reason < DROP_REASONS; reason++) {
		if (!e->has_reason || e->reason == reason)
			sum += e->results->drops[reason];
	}
	*value = (double)sum;
	return true;
}

static bool value_jain(const struct metric_subject *e, double *value)
{
	*value = group_of(e)->jain;
	return group_of(e)->goodput_bps != 0;
}

static bool value_group(const struct metric_subject *e, double *value)
{
	*value = (double)statistic_value(&e->metric->statistic, group_of(e));
	return true;
}

/* links that packets were put on, for each that was delivered */
static bool value_hops(const struct metric_subject *e, double *value)
{
	if (e->results->totals.delivered_packets)
		*value = (double)e->results->data_hops /
			 (double)e->results->totals.delivered_packets;
	return e->results->totals.delivered_packets != 0;
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

static bool value_goodput(const struct metric_subject *e, double *value)
{
	uint64_t bytes = e->has_hosts ? measured_bytes(e->results, e->source, e->destination) : 0;

	*value = (double)(e->has_hosts ? results_bps(bytes, e->results->measured_ps)
				       : group_of(e)->goodput_bps);
	return e->results->measured_ps != 0;
}

static bool value_goodput_share(const struct metric_subject *e, double *value)
{
	return results_goodput_share(e->plan, e->results, group_of(e), value);
}

static bool value_goodput_share_min(const struct metric_subject *e, double *value)
{
	return results_goodput_share_min(e->plan, e->results, group_of(e), value);
}

static bool value_share(const struct metric_subject *e, double *value)
{
	uint64_t all = measured_bytes(e->results, UINT32_MAX, e->destination);

	if (!all)
		return false;
	*value = (double)measured_bytes(e->results, e->source, e->destination) / (double)all;
	return true;
}

static bool value_fct(const struct metric_subject *e, double *value)
{
	return value_group(e, value) && *value > 0;
}

static bool value_slowdown(const struct metric_subject *e, double *value)
{
	const struct result_group *group = group_of(e);

	*value = *(const double *)((const char *)&group->slowdown + e->metric->statistic.offset);
	return *value > 0;
}

/* ---- counters of ports ---- */

bool metric_has_port(const struct metric_subject *subject, uint32_t node, uint32_t port)
{
	bool is_switch = subject->plan->nodes[node].kind == NODE_SWITCH;

	if (subject->ports)
		return node == subject->node && subject->ports >> port & 1;
	return subject->metric->scope == METRIC_NODES ||
	       is_switch == (subject->metric->scope == METRIC_SWITCHES);
}

double metric_scaled(const struct metric *metric, uint64_t value)
{
	switch (metric->statistic.unit) {
	case STATISTIC_UNITS:
		return (double)value * UNIT_BYTES;
	case STATISTIC_NS:
		return (double)value * NODE_NS;
	default:
		return (double)value;
	}
}

static bool port_fold(const struct metric_subject *e, const struct statistic *row, double *value)
{
	uint64_t folded = 0;

	for (uint32_t i = 0; i < e->results->port_count; i++) {
		const struct result_port *port = &e->results->ports[i];

		if (metric_has_port(e, port->node, port->port))
			folded = statistic_fold(row->fold, folded,
						statistic_value(row, &port->stats));
	}
	*value = metric_scaled(e->metric, folded);
	return true;
}

static bool value_port(const struct metric_subject *e, double *value)
{
	return port_fold(e, &e->metric->statistic, value);
}

static bool value_queue_max(const struct metric_subject *e, double *value)
{
	static const struct statistic of_port =
		STATISTIC_ROW(struct port_stats, BASIC, queue_bytes_max, BYTES, MAX, "");

	return e->has_class ? metric_class_counter(e, value) : port_fold(e, &of_port, value);
}

/* the mean over the ports of @e of a double of struct result_port, @offset into it */
static bool port_mean(const struct metric_subject *e, size_t offset, double *value)
{
	uint32_t count = 0;
	double sum = 0;

	for (uint32_t i = 0; i < e->results->port_count; i++) {
		const struct result_port *port = &e->results->ports[i];

		if (!metric_has_port(e, port->node, port->port))
			continue;
		sum += *(const double *)((const char *)port + offset);
		count++;
	}
	*value = count ? sum / count : 0;
	return e->results->measured_ps != 0;
}

static bool value_utilisation(const struct metric_subject *e, double *value)
{
	return port_mean(e, offsetof(struct result_port, utilisation), value);
}

static bool value_queue_mean(const struct metric_subject *e, double *value)
{
	return e->has_class ? metric_class_queue_mean(e, value)
			    : port_mean(e, offsetof(struct result_port, queue_bytes_mean), value);
}

/* fabric kind roce only */
static bool value_pause(const struct metric_subject *e, double *value)
{
	return value_port(e, value) && results_is_roce(e->plan);
}

static bool value_buffer_share(const struct metric_subject *e, double *value)
{
	bool known = false;

	*value = 0;
	for (uint32_t i = 0; i < e->results->port_count; i++) {
		double share;

		if (!metric_has_port(e, e->results->ports[i].node, e->results->ports[i].port) ||
		    !results_buffer_share(e->plan, &e->results->ports[i], &share))
			continue;
		known = true;
		*value = share > *value ? share : *value;
	}
	return known;
}

static bool value_reaction(const struct metric_subject *e, double *value)
{
	struct reaction reaction = reaction_of(e->plan, e->results, e->destination);

	*value = (double)reaction.time_ps;
	return reaction.told;
}

static bool value_reaction_trips(const struct metric_subject *e, double *value)
{
	struct reaction reaction = reaction_of(e->plan, e->results, e->destination);

	*value = reaction.trip_ps ? (double)reaction.time_ps / (double)reaction.trip_ps : 0;
	return reaction.told && reaction.trip_ps;
}

static bool value_reached(const struct metric_subject *e, double *value)
{
	struct reaction reaction = reaction_of(e->plan, e->results, e->destination);

	*value = reaction.senders ? (double)reaction.told / reaction.senders : 0;
	return reaction.first_ps && reaction.senders;
}

/* kind and form of a metric: of figures, and of counters by their unit */
#define IN_COUNT QUANTITY_COUNT, METRIC_AS_COUNT
#define IN_BYTES QUANTITY_BYTES, METRIC_AS_BYTES
#define IN_UNITS IN_BYTES
#define IN_PS QUANTITY_TIME, METRIC_AS_TIME
#define IN_NS IN_PS
#define IN_MOMENT IN_PS
#define IN_BPS QUANTITY_RATE, METRIC_AS_RATE
#define IN_PERCENT QUANTITY_SHARE, METRIC_AS_PERCENT
#define IN_RATIO QUANTITY_SHARE, METRIC_AS_RATIO

/* a counter with a metric: what metric_table[] has of its row */
#define COUNTER(type, takes, function, field, unit, fold, what, metric, of) \
	{ metric,                                                           \
	  takes,                                                            \
	  IN_##unit,                                                        \
	  function,                                                         \
	  STATISTIC_ROW(type, BASIC, field, unit, fold, what),              \
	  METRIC_##of },
#define PORT(...) COUNTER(struct port_stats, METRIC_MAYBE_PORT, value_port, __VA_ARGS__)
#define PATHS(...) COUNTER(struct port_stats, METRIC_MAYBE_WHERE, value_port, __VA_ARGS__)
#define PAUSE(...) COUNTER(struct port_stats, METRIC_MAYBE_PLACE, value_pause, __VA_ARGS__)
#define CLASS(...) \
	COUNTER(struct class_stats, METRIC_MAYBE_PLACE, metric_class_counter, __VA_ARGS__)
#define FLOW(...) \
	COUNTER(struct result_transport, METRIC_MAYBE_WORKLOAD, metric_flow_counter, __VA_ARGS__)
#define TOTAL(...) COUNTER(struct result_totals, METRIC_NOTHING, value_total, __VA_ARGS__)
#define GROUP(field, unit) \
	.statistic = STATISTIC_ROW(struct result_group, BASIC, field, unit, SUM, "")
#define NUMBER(field) .value = value_group, GROUP(field, COUNT)
#define FCT(field) .value = value_fct, GROUP(fct.field, PS)
#define SLOWDOWN(field) \
	.value = value_slowdown, .statistic.offset = offsetof(struct result_slowdowns, field)
#define FAULT(field)                   \
	.value = metric_fault_counter, \
	.statistic = STATISTIC_ROW(struct result_fault, BASIC, field, COUNT, SUM, "")
#define NO STATISTIC_NO_ROW

/* clang-format off */
const struct metric metric_table[] = {
	TOTAL_STATISTICS(NO, NO, TOTAL)
	{ "inside", METRIC_NOTHING, IN_BYTES, .value = value_inside },
	{ "delivered", METRIC_NOTHING, IN_PERCENT, .value = value_delivered },
	{ "drops", METRIC_MAYBE_REASON, IN_COUNT, .value = value_drops },
	{ "hops", METRIC_NOTHING, IN_RATIO, .value = value_hops },
	{ "messages", METRIC_MAYBE_WORKLOAD, IN_COUNT, NUMBER(message_count) },
	{ "flows", METRIC_MAYBE_WORKLOAD, IN_COUNT, NUMBER(flow_count) },
	{ "jain", METRIC_MAYBE_WORKLOAD, IN_RATIO, .value = value_jain },
	{ "goodput", METRIC_WORKLOAD_OR_HOSTS, IN_BPS, .value = value_goodput },
	{ "goodput.share", METRIC_MAYBE_WORKLOAD, IN_PERCENT, .value = value_goodput_share },
	{ "goodput.share.min", METRIC_MAYBE_WORKLOAD, IN_PERCENT,
	  .value = value_goodput_share_min },
	{ "share", METRIC_HOSTS, IN_PERCENT, .value = value_share },
	{ "utilisation", METRIC_PORT, IN_PERCENT, .value = value_utilisation },
	{ "queue.max", METRIC_PORT_MAYBE_CLASS, IN_BYTES, .value = value_queue_max,
	  .statistic = STATISTIC_ROW(struct class_stats, BASIC, queue_bytes_max, BYTES, MAX, "") },
	{ "queue.mean", METRIC_PORT_MAYBE_CLASS, IN_BYTES, .value = value_queue_mean },
	{ "fct.mean", METRIC_MAYBE_WORKLOAD, IN_PS, FCT(mean_ps) },
	{ "fct.p50", METRIC_MAYBE_WORKLOAD, IN_PS, FCT(p50_ps) },
	{ "fct.p99", METRIC_MAYBE_WORKLOAD, IN_PS, FCT(p99_ps) },
	{ "fct.p999", METRIC_MAYBE_WORKLOAD, IN_PS, FCT(p999_ps) },
	{ "slowdown.mean", METRIC_MAYBE_WORKLOAD, IN_RATIO, SLOWDOWN(mean) },
	{ "slowdown.p50", METRIC_MAYBE_WORKLOAD, IN_RATIO, SLOWDOWN(p50) },
	{ "slowdown.p99", METRIC_MAYBE_WORKLOAD, IN_RATIO, SLOWDOWN(p99) },
	{ "slowdown.p999", METRIC_MAYBE_WORKLOAD, IN_RATIO, SLOWDOWN(p999) },
	{ "reaction", METRIC_HOST, IN_PS, .value = value_reaction },
	{ "reaction.trips", METRIC_HOST, IN_RATIO, .value = value_reaction_trips },
	{ "reached", METRIC_HOST, IN_PERCENT, .value = value_reached },
	{ "extent.sum", METRIC_NOTHING, IN_BYTES, .value = value_port,
	  .statistic = STATISTIC_ROW(struct port_stats, BASIC, extent_units_max, UNITS, SUM, "") },
	{ "buffer.share", METRIC_MAYBE_PORT, IN_PERCENT, .value = value_buffer_share },
	{ "imbalance", METRIC_MAYBE_WHERE, IN_PERCENT, .value = metric_imbalance },
	{ "imbalance.max", METRIC_MAYBE_WHERE, IN_RATIO, .value = metric_imbalance_max },
	{ "fault.lost", METRIC_MAYBE_FAULT, IN_COUNT, FAULT(lost) },
	{ "fault.astray", METRIC_MAYBE_FAULT, IN_COUNT, FAULT(astray) },
	{ "fault.least", METRIC_MAYBE_FAULT, IN_PERCENT, .value = metric_fault_least },
	{ "recovery", METRIC_MAYBE_FAULT, IN_PS, .value = metric_fault_recovery },
	{ "deadlocks", METRIC_NOTHING, IN_COUNT, .value = metric_deadlocks },
	{ "throughput", METRIC_PORT_MAYBE_CLASS, IN_BPS, .value = metric_class_throughput },
	{ "delay.mean", METRIC_PORT_MAYBE_CLASS, IN_PS, .value = metric_class_delay_mean },
	{ "marked.share", METRIC_MAYBE_WORKLOAD, IN_PERCENT, .value = metric_marked_share },
	{ "rate.mean", METRIC_MAYBE_WORKLOAD, IN_BPS, .value = metric_rate_mean },
	PORT_OUTPUT_STATISTICS(NO, NO, PORT)
	PORT_INPUT_STATISTICS(NO, NO, PORT)
	PORT_PEER_STATISTICS(NO, NO, PORT)
	PORT_LOSS_STATISTICS(NO, NO, PORT)
	PORT_CONGESTION_STATISTICS(NO, NO, PORT)
	PORT_PATH_STATISTICS(NO, NO, PATHS)
	PORT_PAUSE_STATISTICS(NO, NO, PAUSE)
	CLASS_STATISTICS(NO, NO, CLASS)
	TRANSPORT_STATISTICS(NO, NO, FLOW)
};
/* clang-format on */

const size_t metric_count = COUNT_OF(metric_table);

void metric_show(const struct metric *metric, double value, char *shown, size_t shown_max)
{
	char text[HUMAN_TEXT_MAX];

	switch (metric->shown_as) {
	case METRIC_AS_COUNT: /* a mean of counts is none */
		snprintf(shown, shown_max,
			 fabs(value) < 1000 && value != floor(value) ? "%.4g" : "%.0f", value);
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
