#include "orchestrator/results/results_roce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/results/statistics.h"

static uint32_t class_count(const struct plan *plan)
{
	return plan->nodes[0].class_count;
}

/* ---- gathering ---- */

/* the part of a pause at the end of the run that its node has not counted */
static node_time_t uncounted_ps(const struct results *results, const struct class_stats *stats)
{
	node_time_t from_ps = node_time_max(stats->paused_since_ps, stats->paused_counted_ps);

	return stats->paused_since_ps && results->end_ps > from_ps ? results->end_ps - from_ps : 0;
}

static struct result_class class_row(const struct results *results, const struct result_port *port,
				     struct stats_page *page, uint32_t traffic_class)
{
	struct result_class row = { .node = port->node,
				    .port = port->port,
				    .traffic_class = traffic_class,
				    .stats = *stats_class(page, port->port, traffic_class) };
	struct class_stats *stats = &row.stats;

	stats->paused_ps += uncounted_ps(results, stats);
	if (stats->tx_packets_measured)
		row.delay_ns_mean =
			(double)stats->delay_ns_measured / (double)stats->tx_packets_measured;
	if (!results->measured_ps)
		return row;
	row.queue_bytes_mean =
		(double)stats->queue_byte_ns_sum * (double)NODE_NS / (double)results->measured_ps;
	row.throughput_bps = results_bps(stats->tx_bytes_measured, results->measured_ps);
	return row;
}

/* Messages end with the duration. In a run that continued until everything should have arrived,
 * what has not moved since then does not move any more. */
static node_time_t drained_from_ps(const struct plan *plan, const struct results *results)
{
	return plan->drain && !results->empty && !results->interrupted ? plan->duration_ps
								       : NODE_TIME_NEVER;
}

int results_roce_gather(const struct plan *plan, struct stats_page *const *pages,
			struct results *results)
{
	node_time_t before_ps =
		pause_cycles_before_ps(plan, results->end_ps, drained_from_ps(plan, results));
	uint32_t classes = class_count(plan);

	if (!results_is_roce(plan))
		return 0;
	results->classes = calloc((size_t)results->port_count * classes, sizeof(*results->classes));
	if (!results->classes)
		return -ENOMEM;
	for (uint32_t i = 0; i < results->port_count; i++) {
		for (uint32_t c = 0;
		     c < classes && stats_has_classes(pages[results->ports[i].node]); c++)
			results->classes[results->class_count++] = class_row(
				results, &results->ports[i], pages[results->ports[i].node], c);
	}
	return pause_cycles_find(plan, pages, before_ps, &results->deadlocks);
}

struct result_transport results_roce_sent(const struct flow_tx_stats *tx)
{
	return (struct result_transport){ .connection = tx->connection,
					  .in_error = tx->in_error,
					  .resent = tx->resent,
					  .timeouts = tx->timeouts,
					  .naks = tx->naks,
					  .cnps = tx->cnps,
					  .rate_bps = tx->rate_bps,
					  .rate_min_bps = tx->rate_min_bps,
					  .window_bytes_max = tx->window_bytes_max };
}

void results_roce_received(struct result_transport *transport, const struct flow_rx_stats *rx)
{
	transport->marked += rx->marked;
	transport->cnps_made += rx->cnps;
	if (rx->cnp_gap_min_ps &&
	    (!transport->cnp_gap_min_ps || rx->cnp_gap_min_ps < transport->cnp_gap_min_ps))
		transport->cnp_gap_min_ps = rx->cnp_gap_min_ps;
	transport->duplicates += rx->duplicates;
	transport->out_of_order += rx->out_of_order;
}

/* ---- sums ---- */

#define OF_CLASS(key, field, fold) STATISTIC_ROW(struct class_stats, BASIC, field, COUNT, fold, ""),
#define OF_PORT(key, field, fold) STATISTIC_ROW(struct port_stats, BASIC, field, COUNT, fold, ""),
#define OF_FLOW(key, field, fold) \
	STATISTIC_ROW(struct result_transport, BASIC, field, COUNT, fold, ""),
#define SUM(key, field, fold) STATISTIC_ROW(struct roce_sums, BASIC, key, COUNT, fold, ""),

/* what is summed up, and where the sum is; row by row the same counters */
static const struct statistic class_rows[] = { ROCE_SUMS(OF_CLASS, STATISTIC_NO_ROW,
							 STATISTIC_NO_ROW) };
static const struct statistic port_rows[] = { ROCE_SUMS(STATISTIC_NO_ROW, OF_PORT,
							STATISTIC_NO_ROW) };
static const struct statistic flow_rows[] = { ROCE_SUMS(STATISTIC_NO_ROW, STATISTIC_NO_ROW,
							OF_FLOW) };
static const struct statistic class_sums[] = { ROCE_SUMS(SUM, STATISTIC_NO_ROW, STATISTIC_NO_ROW) };
static const struct statistic port_sums[] = { ROCE_SUMS(STATISTIC_NO_ROW, SUM, STATISTIC_NO_ROW) };
static const struct statistic flow_sums[] = { ROCE_SUMS(STATISTIC_NO_ROW, STATISTIC_NO_ROW, SUM) };
static const struct statistic all_sums[] = { ROCE_SUMS(SUM, SUM, SUM) };
static const struct statistics sum_statistics = { all_sums, COUNT_OF(all_sums) };

/* adds @rows of @of, @count of them, to @sums */
static void add(struct roce_sums *all, const struct statistic *sums, const struct statistic *rows,
		size_t count, const void *of)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t *sum = (uint64_t *)((char *)all + sums[i].offset);

		*sum = statistic_fold(rows[i].fold, *sum, statistic_value(&rows[i], of));
	}
}

struct roce_sums results_roce_sums(const struct plan *plan, const struct results *results)
{
	struct roce_sums sums = { 0 };

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (plan->nodes[results->classes[i].node].kind == NODE_SWITCH)
			add(&sums, class_sums, class_rows, COUNT_OF(class_rows),
			    &results->classes[i].stats);
	}
	for (uint32_t i = 0; i < results->port_count; i++) {
		if (plan->nodes[results->ports[i].node].kind == NODE_SWITCH)
			add(&sums, port_sums, port_rows, COUNT_OF(port_rows),
			    &results->ports[i].stats);
	}
	for (uint32_t i = 0; i < results->flow_count; i++) {
		struct result_transport flow = results->flows[i].transport;

		/* TCP cuts its window: there are no CNPs */
		flow.cnps = flow.window_bytes_max ? 0 : flow.cnps;
		add(&sums, flow_sums, flow_rows, COUNT_OF(flow_rows), &flow);
	}
	return sums;
}

/* ---- JSON ---- */

/* @object, or NULL if @failed; then it is released */
static json_t *checked(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

json_t *results_roce_json(const struct plan *plan, const struct results *results)
{
	struct roce_sums sums = results_roce_sums(plan, results);
	json_t *object = json_object();

	return checked(object, !statistics_json_put(&sum_statistics, STATISTIC_BASIC, &sums, false,
						    object));
}

static json_t *class_json(const struct plan *plan, const struct result_class *row)
{
	json_t *object = json_pack(
		"{s:s, s:I, s:s, s:s, s:f, s:f, s:I}", "node", plan->nodes[row->node].name, "port",
		(json_int_t)row->port, "peer", plan->nodes[row->node].ports[row->port].peer_name,
		"class", plan_class_name(plan, row->traffic_class), "queue_bytes_mean",
		row->queue_bytes_mean, "delay_ns_mean", row->delay_ns_mean, "throughput_bps",
		(json_int_t)row->throughput_bps);

	return checked(object, !statistics_json_put(&class_statistics, STATISTIC_BASIC, &row->stats,
						    false, object));
}

json_t *results_roce_classes_json(const struct plan *plan, const struct results *results)
{
	json_t *array = json_array();
	bool failed = !array;

	for (uint32_t i = 0; i < results->class_count; i++)
		failed |= json_array_append_new(array, class_json(plan, &results->classes[i]));
	return checked(array, failed);
}

static json_t *deadlock_json(const struct plan *plan, const struct pause_cycle *cycle)
{
	json_t *hops = json_array();
	char text[1024];

	for (uint32_t i = 0; hops && i < cycle->length; i++) {
		const struct pause_hop *hop = &cycle->hops[i];

		json_array_append_new(hops, json_pack("{s:s, s:I, s:s, s:I}", "node",
						      plan->nodes[hop->node].name, "port",
						      (json_int_t)hop->port, "class",
						      plan_class_name(plan, hop->traffic_class),
						      "since_ps", (json_int_t)hop->since_ps));
	}
	return json_pack("{s:s, s:I, s:o}", "text",
			 pause_cycle_describe(plan, cycle, text, sizeof(text)), "since_ps",
			 (json_int_t)cycle->since_ps, "outputs", hops);
}

json_t *results_roce_deadlocks_json(const struct plan *plan, const struct pause_cycles *deadlocks)
{
	json_t *array = json_array();
	bool failed = !array;

	for (uint32_t i = 0; i < deadlocks->count; i++)
		failed |= json_array_append_new(array, deadlock_json(plan, &deadlocks->list[i]));
	return checked(array, failed);
}

/* ---- CSV ---- */

static void class_csv(const struct plan *plan, const struct result_class *row, FILE *out)
{
	const struct node_config *node = &plan->nodes[row->node];

	fprintf(out, "%s,%" PRIu32 ",%s,%s,%.12g,%.12g,%" PRIu64, node->name, row->port,
		node->ports[row->port].peer_name, plan_class_name(plan, row->traffic_class),
		row->queue_bytes_mean, row->delay_ns_mean, row->throughput_bps);
	statistics_csv(&class_statistics, STATISTIC_BASIC, &row->stats, out);
	fputc('\n', out);
}

void results_roce_classes_csv(const struct plan *plan, const struct results *results, FILE *out)
{
	fprintf(out, "node,port,peer,class,queue_bytes_mean,delay_ns_mean,throughput_bps");
	statistics_csv(&class_statistics, STATISTIC_BASIC, NULL, out);
	fputc('\n', out);
	for (uint32_t i = 0; i < results->class_count; i++)
		class_csv(plan, &results->classes[i], out);
}
