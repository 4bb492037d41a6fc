#include "orchestrator/results/samples_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "orchestrator/results/series_values.h"

struct samples {
	const struct plan *plan;
	const struct node_config *node;
	struct stats_page *page;
	struct series_values values;
	struct node_log edge; /* of the switch of a NIC, which has samples of its flows */
	FILE *out;
};

/* writes the rows of the sample at @at_ps, when all of its changes are taken */
typedef void rows_write_fn(struct samples *samples, node_time_t at_ps);

static rows_write_fn flows_write;

/* ---- a node ---- */

/* all samples in @log */
static void log_write(struct samples *samples, struct node_log *log, rows_write_fn *write)
{
	node_time_t at_ps = NODE_TIME_NEVER;

	for (const struct series_entry *entry = node_log_entry(log); entry;
	     entry = node_log_entry(log)) {
		/* the copy is what is checked, and what is used */
		struct series_entry copy = *entry;

		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		node_log_next(log);
		if (copy.id != SERIES_SAMPLE) {
			series_values_take(&samples->values, &copy);
			continue;
		}
		if (at_ps != NODE_TIME_NEVER)
			write(samples, at_ps);
		at_ps = copy.value;
	}
	if (at_ps != NODE_TIME_NEVER)
		write(samples, at_ps);
}

/* The samples of a NIC's flows in the log of its switch.   Return: 0 or -errno */
static int edge_open(struct samples *samples, const struct node_log_source *sources)
{
	const struct node_config *node = samples->node;

	if (node->kind != NODE_NIC || plan_fabric(samples->plan) != FABRIC_FLOW_CHANNEL ||
	    node->ports[0].vacant || node->ports[0].peer_index >= samples->plan->node_count)
		return 0;
	return node_log_series(&samples->edge, &sources[node->ports[0].peer_index]);
}

/* those up to @at_ps */
static void edge_take(struct samples *samples, node_time_t at_ps)
{
	uint32_t peer = samples->node->ports[0].peer_index;
	uint32_t index = (uint32_t)(samples->node - samples->plan->nodes);

	for (const struct series_entry *entry = node_log_entry(&samples->edge); entry;
	     entry = node_log_entry(&samples->edge)) {
		struct series_entry copy = *entry;

		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		if (copy.id == SERIES_SAMPLE && copy.value > at_ps)
			break;
		node_log_next(&samples->edge);
		if (copy.id == SERIES_SAMPLE || series_row(copy.id)->of != SERIES_OF_FLOW ||
		    series_values_node(samples->plan, peer, &copy) != index)
			continue;
		copy.port = 0;
		series_values_take(&samples->values, &copy);
	}
}

static int node_write(const struct plan *plan, uint32_t index,
		      const struct node_log_source *sources, rows_write_fn *write, FILE *out)
{
	const struct node_log_source *source = &sources[index];
	struct samples samples = { .plan = plan,
				   .node = &plan->nodes[index],
				   .page = (struct stats_page *)source->page,
				   .out = out };
	struct node_log log;
	int error = node_log_series(&log, source);

	if (!error && write == flows_write)
		error = edge_open(&samples, sources);
	if (!error && source->fd >= 0) {
		error = series_values_init(&samples.values, samples.node);
		if (!error)
			log_write(&samples, &log, write);
		series_values_fini(&samples.values);
	}
	node_log_close(&samples.edge);
	node_log_close(&log);
	return error;
}

/* ---- ports ---- */

/* lanes that have columns */
static uint32_t lane_columns(const struct plan *plan)
{
	return plan_fabric(plan) == FABRIC_ROCE
		       ? 0
		       : plan->nodes[0].class_count * node_lanes(&plan->nodes[0], PORT_FABRIC);
}

static void ports_heading(const struct plan *plan, FILE *out)
{
	fputs("node,port,peer,at_ps", out);
	for (uint32_t id = SERIES_PORT_FIRST; id < SERIES_CLASS_FIRST; id++)
		fprintf(out, ",%s", series_row(id)->name);
	for (uint32_t id = SERIES_CLASS_FIRST; id < SERIES_LANE_FIRST; id++)
		for (uint32_t c = 0; c < plan->nodes[0].class_count; c++)
			fprintf(out, ",%s_%s", series_row(id)->name,
				plan->nodes[0].classes[c].name);
	for (uint32_t id = SERIES_LANE_FIRST; id < SERIES_FLOW_FIRST; id++)
		for (uint32_t lane = 0; lane < lane_columns(plan); lane++)
			fprintf(out, ",%s_%u", series_row(id)->name, lane);
	fputc('\n', out);
}

static void columns_write(const struct samples *samples, uint32_t id, uint32_t end, uint32_t port,
			  uint32_t indices)
{
	for (; id < end; id++)
		for (uint32_t index = 0; index < indices; index++)
			fprintf(samples->out, ",%" PRIu64,
				*series_values_at(&samples->values, id, port, index));
}

static void ports_write(struct samples *samples, node_time_t at_ps)
{
	for (uint32_t p = 0; p < samples->node->port_count; p++) {
		fprintf(samples->out, "%s,%u,%s,%" PRIu64, samples->node->name, p,
			samples->node->ports[p].peer_name, at_ps);
		columns_write(samples, SERIES_PORT_FIRST, SERIES_CLASS_FIRST, p, 1);
		for (uint32_t id = SERIES_CLASS_FIRST; id < SERIES_LANE_FIRST; id++)
			for (uint32_t c = 0; c < samples->node->class_count; c++)
				fprintf(samples->out, ",%" PRIu64,
					series_values_class(&samples->values, samples->node, id, p,
							    c));
		columns_write(samples, SERIES_LANE_FIRST, SERIES_FLOW_FIRST, p,
			      lane_columns(samples->plan));
		fputc('\n', samples->out);
	}
}

/* ---- flows ---- */

/* the names of flow series without the word that all of them begin with */
static const char *flow_column(uint32_t id)
{
	return series_row(id)->name + strlen("flow_");
}

static void flows_heading(FILE *out)
{
	fputs("source,destination,class,workload,connection,at_ps", out);
	for (uint32_t id = SERIES_FLOW_FIRST; id < SERIES_IDS; id++)
		fprintf(out, ",%s", flow_column(id));
	fputc('\n', out);
}

static void flow_names(const struct samples *samples, const struct flow_tx_stats *flow)
{
	const struct plan *plan = samples->plan;
	const struct node_config *node = samples->node;

	fprintf(samples->out, "%s,%s,%s,%s,%u", node->name,
		flow->destination < plan->host_count
			? plan->nodes[plan_host_node(plan, flow->destination)].name
			: "",
		flow->traffic_class < node->class_count ? node->classes[flow->traffic_class].name
							: "",
		flow->workload_index < plan->workload_count
			? plan->workloads[flow->workload_index].name
			: "",
		flow->connection);
}

/* @value of a state in words, if it has such */
static void flow_field(const struct samples *samples, uint32_t id, uint64_t value)
{
	const struct series_row *row = series_row(id);
	const char *word = row->unit;

	if (row->type != SERIES_STATE) {
		fprintf(samples->out, ",%" PRIu64, value);
		return;
	}
	for (; value && strchr(word, '|'); value--)
		word = strchr(word, '|') + 1;
	fprintf(samples->out, ",%.*s", (int)strcspn(word, "|"), word);
}

static void flows_write(struct samples *samples, node_time_t at_ps)
{
	edge_take(samples, at_ps);
	for (uint32_t slot = 0; slot < samples->values.flows_seen; slot++) {
		const struct flow_tx_stats flow = *stats_flow_tx(samples->page, slot);

		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		flow_names(samples, &flow);
		fprintf(samples->out, ",%" PRIu64, at_ps);
		for (uint32_t id = SERIES_FLOW_FIRST; id < SERIES_IDS; id++)
			flow_field(samples, id, *series_values_at(&samples->values, id, 0, slot));
		fputc('\n', samples->out);
	}
}

/* ---- all ---- */

static int samples_write(const struct plan *plan, const struct node_log_source *samples,
			 rows_write_fn *write, FILE *out)
{
	int first = samples ? 0 : -ENOMEM;

	for (uint32_t i = 0; samples && i < plan->node_count; i++) {
		int error = node_write(plan, i, samples, write, out);

		if (!first)
			first = error;
	}
	return first;
}

int samples_csv_ports(const struct plan *plan, const struct node_log_source *samples, FILE *out)
{
	ports_heading(plan, out);
	return samples_write(plan, samples, ports_write, out);
}

int samples_csv_flows(const struct plan *plan, const struct node_log_source *samples, FILE *out)
{
	flows_heading(out);
	return samples_write(plan, samples, flows_write, out);
}
