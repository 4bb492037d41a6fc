/*  results_csv - the results as tables for spreadsheets and plots: one file per kind of row, a
 *  header line first.
 *
 *  Every file is complete or absent (atomic_file.h). Times are in picoseconds; what never happened
 *  is an empty field. Names need no quoting: a scenario only admits letters, digits, '_', '.' and
 *  '-'.
 *  Of an interrupted run the last line of each file is a comment that says so, because its tables
 *  must not pass for complete ones. Tables of complete runs have no comment. */
#include "orchestrator/results/results_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/results/paths_csv.h"
#include "orchestrator/results/results_roce.h"
#include "orchestrator/results/samples_csv.h"
#include "orchestrator/results/statistics.h"

struct tables {
	const struct plan *plan;
	struct stats_page *const *pages;
	const struct results_logs *logs;
	const struct results *results;
};

/* Return: 0 or -errno */
typedef int table_write_fn(const struct tables *t, FILE *out);

static table_write_fn flows_write, messages_write, ports_write, tables_write, samples_write,
	flow_samples_write, paths_write, nodes_write, classes_write;

static const struct {
	const char *name;
	table_write_fn *write;
} files[] = {
	{ "flows.csv", flows_write },     { "messages.csv", messages_write },
	{ "ports.csv", ports_write },     { "tables.csv", tables_write },
	{ "samples.csv", samples_write }, { "flow_samples.csv", flow_samples_write },
	{ "paths.csv", paths_write },     { "nodes.csv", nodes_write },
	{ "classes.csv", classes_write },
};

const char *results_csv_name(unsigned index)
{
	return index < COUNT_OF(files) ? files[index].name : NULL;
}

bool results_csv_has(const struct plan *plan, const struct results *results, unsigned index)
{
	return (files[index].write != nodes_write || results->fidelity.nodes) &&
	       (files[index].write != classes_write || results_is_roce(plan));
}

bool results_csv_of_samples(unsigned index)
{
	return files[index].write == samples_write || files[index].write == flow_samples_write;
}

int results_csv_table(const struct plan *plan, struct stats_page *const *pages,
		      const struct results_logs *logs, const struct results *results,
		      unsigned index, FILE *out)
{
	const struct tables t = { .plan = plan, .pages = pages, .logs = logs, .results = results };
	int error = files[index].write(&t, out);

	if (!error && results->interrupted)
		results_csv_interrupted(results->end_ps, out);
	return error;
}

void results_csv_interrupted(node_time_t end_ps, FILE *out)
{
	fprintf(out, "# interrupted=true end_ps=%" PRIu64 " exit_status=%d\n", end_ps,
		RESULTS_INTERRUPTED_STATUS);
}

int results_csv_write(const struct plan *plan, struct stats_page *const *pages,
		      const struct results_logs *logs, const struct results *results,
		      const char *folder, struct why *why)
{
	int error = atomic_file_folder(folder);

	if (error)
		why_say(why, 0, "cannot make the folder %s: %s", folder, strerror(-error));
	for (unsigned i = 0; i < COUNT_OF(files) && !error; i++) {
		struct atomic_file file;

		if (!results_csv_has(plan, results, i))
			continue;
		error = results_csv_open(&file, folder, files[i].name);
		if (!error)
			error = atomic_file_end(&file, results_csv_table(plan, pages, logs, results,
									 i, file.stream));
		if (error)
			why_say(why, 0, "cannot write %s/%s: %s", folder, files[i].name,
				atomic_file_why(error));
	}
	return error;
}

int results_csv_open(struct atomic_file *file, const char *folder, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return atomic_file_open(file, path);
}

/* writes @value, or nothing if it is not @known */
static void field(FILE *out, uint64_t value, bool known)
{
	if (known)
		fprintf(out, ",%" PRIu64, value);
	else
		fputc(',', out);
}

/* the columns of a transport; NULL: the headings */
static void transport_write(const struct tables *t, const struct result_transport *transport,
			    FILE *out)
{
	if (results_is_roce(t->plan))
		statistics_csv(&transport_statistics, STATISTIC_BASIC, transport, out);
	fputc('\n', out);
}

static int flows_write(const struct tables *t, FILE *out)
{
	fprintf(out, "id,workload,src,dst,class,bytes,packets,messages,goodput_bps,first_ps,last_"
		     "ps,fct_mean_ps,fct_p50_ps,fct_p99_ps,fct_p999_ps,reordered,lost");
	transport_write(t, NULL, out);
	for (uint32_t i = 0; i < t->results->flow_count; i++) {
		const struct result_flow *row = &t->results->flows[i];
		bool known = row->fct.p50_ps != 0;

		fprintf(out, "%" PRIu32 ",%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			i, plan_workload_name(t->plan, row->workload),
			plan_host_name(t->plan, row->source),
			plan_host_name(t->plan, row->destination),
			plan_class_name(t->plan, row->traffic_class), row->bytes, row->packets,
			row->message_count, row->goodput_bps);
		field(out, row->first_ps, row->first_ps != NODE_TIME_NEVER);
		field(out, row->last_ps, row->last_ps != NODE_TIME_NEVER);
		field(out, row->fct.mean_ps, known);
		field(out, row->fct.p50_ps, known);
		field(out, row->fct.p99_ps, known);
		field(out, row->fct.p999_ps, known);
		fprintf(out, ",%" PRIu64 ",%" PRIu64, row->reordered, row->lost);
		transport_write(t, &row->transport, out);
	}
	return 0;
}

static int messages_write(const struct tables *t, FILE *out)
{
	fprintf(out, "flow,workload,src,dst,bytes,start_ps,end_ps,fct_ps,slowdown\n");
	for (uint64_t i = 0; i < t->results->message_count; i++) {
		const struct result_message *row = &t->results->messages[i];
		const struct result_flow *flow = &t->results->flows[row->flow];

		fprintf(out,
			"%" PRIu32 ",%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%.6g\n",
			row->flow, plan_workload_name(t->plan, flow->workload),
			plan_host_name(t->plan, flow->source),
			plan_host_name(t->plan, flow->destination), row->bytes, row->start_ps,
			row->end_ps, row->end_ps - row->start_ps, row->slowdown);
	}
	return 0;
}

/* the columns of @stats after those of every fabric; NULL: the headings */
static void groups_write(const struct tables *t, const struct port_stats *stats, FILE *out)
{
	statistics_csv(&port_statistics, STATISTIC_CONGESTION, stats, out);
	if (results_has_paths(t->plan))
		statistics_csv(&port_statistics, STATISTIC_PATHS, stats, out);
	if (results_is_roce(t->plan))
		statistics_csv(&port_statistics, STATISTIC_PAUSE, stats, out);
	fputc('\n', out);
}

static int ports_write(const struct tables *t, FILE *out)
{
	fprintf(out, "node,port,peer,tx_frames,tx_bytes,tx_packets,rx_frames,rx_bytes,rx_packets,"
		     "utilisation,queue_bytes_max,queue_bytes_mean,input_units_max,paused_ps,ack_"
		     "frames,acks,words,lost_frames,lost_bytes,loss_reports,hole_units,tail_units,"
		     "channel_waits,buffer_units");
	groups_write(t, NULL, out);
	for (uint32_t i = 0; i < t->results->port_count; i++) {
		const struct result_port *row = &t->results->ports[i];
		const struct port_stats *stats = &row->stats;

		fprintf(out,
			"%s,%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64,
			t->plan->nodes[row->node].name, row->port,
			t->plan->nodes[row->node].ports[row->port].peer_name, stats->tx_frames,
			stats->tx_bytes, stats->tx_packets, stats->rx_frames, stats->rx_bytes,
			stats->rx_packets);
		fprintf(out, ",%.12g,%" PRIu64 ",%.12g,%" PRIu64 ",%" PRIu64, row->utilisation,
			stats->queue_bytes_max, row->queue_bytes_mean, stats->input_units_max,
			stats->paused_ps);
		fprintf(out,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32,
			stats->ack_frames, stats->acks, stats->words, stats->lost_frames,
			stats->lost_bytes, stats->loss_reports, stats->hole_units,
			stats->tail_units, stats->channel_waits,
			t->plan->nodes[row->node].ports[row->port].buffer_units);
		groups_write(t, stats, out);
	}
	return 0;
}

static int tables_write(const struct tables *t, FILE *out)
{
	fprintf(out, "node,port,table,high_water,used,size\n");
	for (uint32_t i = 0; i < t->results->port_count; i++) {
		const struct result_port *row = &t->results->ports[i];
		const struct node_config *node = &t->plan->nodes[row->node];
		uint32_t size = node->ports[row->port].channels;

		if (node->kind != NODE_SWITCH || plan_fabric(t->plan) != FABRIC_FLOW_CHANNEL)
			continue;
		if (node->ports[row->port].kind == PORT_EDGE)
			fprintf(out, "%s,%" PRIu32 ",efct,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
				node->name, row->port, row->stats.efct_used_max,
				row->stats.efct_used, size);
		fprintf(out, "%s,%" PRIu32 ",ifct,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
			node->name, row->port, row->stats.ifct_used_max, row->stats.ifct_used,
			size);
		fprintf(out, "%s,%" PRIu32 ",ofct,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
			node->name, row->port, row->stats.ofct_used_max, row->stats.ofct_used,
			size);
	}
	return 0;
}

static int samples_write(const struct tables *t, FILE *out)
{
	return samples_csv_ports(t->plan, t->logs->series, out);
}

static int flow_samples_write(const struct tables *t, FILE *out)
{
	return samples_csv_flows(t->plan, t->logs->series, out);
}

static int paths_write(const struct tables *t, FILE *out)
{
	return paths_csv_write(t->plan, t->pages, t->logs->events, out);
}

/* fabric kind roce only */
static int classes_write(const struct tables *t, FILE *out)
{
	results_roce_classes_csv(t->plan, t->results, out);
	return 0;
}

/* real clock only */
static int nodes_write(const struct tables *t, FILE *out)
{
	fprintf(out, "node,verdict,reason,added_delay_ns,stalled_ns,uncarried_bytes,turns,"
		     "lateness_p50_ns,lateness_p99_ns,lateness_max_ns,links_absorb_ns,"
		     "behind_max_ns,ring_full_ps\n");
	for (uint32_t i = 0; i < t->plan->node_count; i++) {
		const struct result_lateness *row = &t->results->fidelity.nodes[i];

		fprintf(out,
			"%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			t->plan->nodes[i].name, fidelity_verdict_name[row->verdict],
			fidelity_reason_name[row->reason], row->node.added_ns, row->node.stalled_ns,
			row->uncarried_bytes, row->node.events, row->node.p50_ns, row->node.p99_ns,
			row->node.max_ns, row->made_up_ns, row->behind_ns, row->ring_full_ps);
	}
	return 0;
}
