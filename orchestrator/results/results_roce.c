#include "orchestrator/results/results_roce.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/results/counter.h"

static uint32_t class_count(const struct plan *plan)
{
	return plan->nodes[0].class_count;
}

static const char *class_name(const struct plan *plan, uint32_t traffic_class)
{
	return plan->nodes[0].classes[traffic_class].name;
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
	row.throughput_bps = (uint64_t)((unsigned __int128)stats->tx_bytes_measured * 8 * NODE_S /
					results->measured_ps);
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
	results->classes =
		calloc((size_t)results->port_count * classes + 1, sizeof(*results->classes));
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

static void class_add(struct roce_sums *sums, const struct class_stats *class)
{
	sums->drops += class->drops;
	sums->marked += class->marked;
	sums->stuck += class->stuck;
	sums->signals_pause += class->signals_pause;
	sums->signals_resume += class->signals_resume;
	sums->cnps_seen += class->cnps_seen;
	sums->cnps_supplemented += class->cnps_supplemented;
}

static void port_add(struct roce_sums *sums, const struct port_stats *port)
{
	sums->pauses_sent += port->pauses_sent;
	sums->pauses_received += port->pauses_received;
	sums->path_pauses += port->path_pauses;
	sums->path_resumes += port->path_resumes;
	sums->signals_forwarded += port->signals_forwarded;
}

static void flow_add(struct roce_sums *sums, const struct result_transport *flow)
{
	/* TCP cuts its window: there are no CNPs */
	sums->cnps += flow->window_bytes_max ? 0 : flow->cnps;
	sums->cnps_made += flow->cnps_made;
	sums->packets_marked += flow->marked;
	sums->resent += flow->resent;
	sums->timeouts += flow->timeouts;
	sums->naks += flow->naks;
	sums->in_error += flow->in_error != 0;
	if (flow->rate_min_bps && (!sums->rate_min_bps || flow->rate_min_bps < sums->rate_min_bps))
		sums->rate_min_bps = flow->rate_min_bps;
}

struct roce_sums results_roce_sums(const struct plan *plan, const struct results *results)
{
	struct roce_sums sums = { 0 };

	for (uint32_t i = 0; i < results->class_count; i++) {
		if (plan->nodes[results->classes[i].node].kind == NODE_SWITCH)
			class_add(&sums, &results->classes[i].stats);
	}
	for (uint32_t i = 0; i < results->port_count; i++) {
		if (plan->nodes[results->ports[i].node].kind == NODE_SWITCH)
			port_add(&sums, &results->ports[i].stats);
	}
	for (uint32_t i = 0; i < results->flow_count; i++)
		flow_add(&sums, &results->flows[i].transport);
	return sums;
}

/* ---- names of fields ---- */

/* a field of 64 bits; a time that never happened has no value */
struct field {
	const char *name;
	size_t offset;
	bool moment;
};

#define FIELD(type, member)                                       \
	{                                                         \
		.name = #member, .offset = offsetof(type, member) \
	}

static const struct field transport_fields[] = {
	FIELD(struct result_transport, connection),
	FIELD(struct result_transport, in_error),
	FIELD(struct result_transport, resent),
	FIELD(struct result_transport, timeouts),
	FIELD(struct result_transport, naks),
	FIELD(struct result_transport, cnps),
	FIELD(struct result_transport, cnps_made),
	{ .name = "cnp_gap_min_ps",
	  .offset = offsetof(struct result_transport, cnp_gap_min_ps),
	  .moment = true },
	FIELD(struct result_transport, marked),
	FIELD(struct result_transport, rate_bps),
	FIELD(struct result_transport, rate_min_bps),
	FIELD(struct result_transport, window_bytes_max),
	FIELD(struct result_transport, duplicates),
	FIELD(struct result_transport, out_of_order),
};

static const struct field sum_fields[] = {
	FIELD(struct roce_sums, drops),
	FIELD(struct roce_sums, marked),
	FIELD(struct roce_sums, stuck),
	FIELD(struct roce_sums, pauses_sent),
	FIELD(struct roce_sums, pauses_received),
	FIELD(struct roce_sums, path_pauses),
	FIELD(struct roce_sums, path_resumes),
	FIELD(struct roce_sums, signals_pause),
	FIELD(struct roce_sums, signals_resume),
	FIELD(struct roce_sums, signals_forwarded),
	FIELD(struct roce_sums, cnps_seen),
	FIELD(struct roce_sums, cnps_supplemented),
	FIELD(struct roce_sums, cnps),
	FIELD(struct roce_sums, cnps_made),
	FIELD(struct roce_sums, packets_marked),
	FIELD(struct roce_sums, resent),
	FIELD(struct roce_sums, timeouts),
	FIELD(struct roce_sums, naks),
	FIELD(struct roce_sums, in_error),
	FIELD(struct roce_sums, rate_min_bps),
};

static uint64_t field_value(const struct field *field, const void *of)
{
	return *(const uint64_t *)((const char *)of + field->offset);
}

/* ---- JSON ---- */

static json_t *count_json(uint64_t value, bool known)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

/* @object, or NULL if @failed; then it is released */
static json_t *checked(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *fields_json(const struct field *fields, size_t count, const void *of)
{
	json_t *object = json_object();
	bool failed = !object;

	for (size_t i = 0; i < count; i++) {
		uint64_t value = field_value(&fields[i], of);

		failed |= json_object_set_new(object, fields[i].name,
					      count_json(value, value || !fields[i].moment));
	}
	return checked(object, failed);
}

json_t *results_roce_transport_json(const struct result_transport *transport)
{
	return fields_json(transport_fields, COUNT_OF(transport_fields), transport);
}

json_t *results_roce_json(const struct plan *plan, const struct results *results)
{
	struct roce_sums sums = results_roce_sums(plan, results);

	return fields_json(sum_fields, COUNT_OF(sum_fields), &sums);
}

json_t *results_roce_port_json(const struct port_stats *stats)
{
	json_t *object = json_object();
	bool failed = !object;

	for (size_t i = 0; i < port_counter_count; i++) {
		if (port_counters[i].roce)
			failed |= json_object_set_new(
				object, port_counters[i].name,
				count_json(port_counter_value(&port_counters[i], stats), true));
	}
	return checked(object, failed);
}

static json_t *class_json(const struct plan *plan, const struct result_class *row)
{
	json_t *object = json_pack(
		"{s:s, s:I, s:s, s:s, s:f, s:f, s:I}", "node", plan->nodes[row->node].name, "port",
		(json_int_t)row->port, "peer", plan->nodes[row->node].ports[row->port].peer_name,
		"class", class_name(plan, row->traffic_class), "queue_bytes_mean",
		row->queue_bytes_mean, "delay_ns_mean", row->delay_ns_mean, "throughput_bps",
		(json_int_t)row->throughput_bps);
	bool failed = !object;

	for (size_t i = 0; i < class_counter_count; i++) {
		uint64_t value = class_counter_value(&class_counters[i], &row->stats);

		failed |=
			json_object_set_new(object, class_counters[i].name,
					    count_json(value, value || !class_counters[i].moment));
	}
	return checked(object, failed);
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
						      class_name(plan, hop->traffic_class),
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

static void field_write(FILE *out, uint64_t value, bool known)
{
	if (known)
		fprintf(out, ",%" PRIu64, value);
	else
		fputc(',', out);
}

void results_roce_transport_csv(bool roce, const struct result_transport *transport, FILE *out)
{
	for (size_t i = 0; roce && i < COUNT_OF(transport_fields); i++) {
		const struct field *field = &transport_fields[i];

		if (!transport)
			fprintf(out, ",%s", field->name);
		else
			field_write(out, field_value(field, transport),
				    !field->moment || field_value(field, transport));
	}
	fputc('\n', out);
}

void results_roce_port_csv(bool roce, const struct port_stats *stats, FILE *out)
{
	for (size_t i = 0; roce && i < port_counter_count; i++) {
		if (port_counters[i].roce && !stats)
			fprintf(out, ",%s", port_counters[i].name);
		else if (port_counters[i].roce)
			field_write(out, port_counter_value(&port_counters[i], stats), true);
	}
	fputc('\n', out);
}

void results_roce_sample_csv(bool roce, const struct sample_stats *sample, FILE *out)
{
	if (roce && !sample)
		fprintf(out, ",rate_bps,rate_min_bps,paused,xoff,state");
	else if (roce)
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u", sample->rate_bps,
			sample->rate_min_bps, sample->paused, sample->xoff, sample->state);
	fputc('\n', out);
}

static void class_csv(const struct plan *plan, const struct result_class *row, FILE *out)
{
	const struct node_config *node = &plan->nodes[row->node];

	fprintf(out, "%s,%" PRIu32 ",%s,%s,%.12g,%.12g,%" PRIu64, node->name, row->port,
		node->ports[row->port].peer_name, class_name(plan, row->traffic_class),
		row->queue_bytes_mean, row->delay_ns_mean, row->throughput_bps);
	for (size_t i = 0; i < class_counter_count; i++) {
		uint64_t value = class_counter_value(&class_counters[i], &row->stats);

		field_write(out, value, value || !class_counters[i].moment);
	}
	fputc('\n', out);
}

void results_roce_classes_csv(const struct plan *plan, const struct results *results, FILE *out)
{
	fprintf(out, "node,port,peer,class,queue_bytes_mean,delay_ns_mean,throughput_bps");
	for (size_t i = 0; i < class_counter_count; i++)
		fprintf(out, ",%s", class_counters[i].name);
	fputc('\n', out);
	for (uint32_t i = 0; i < results->class_count; i++)
		class_csv(plan, &results->classes[i], out);
}
