/*  results_text - the summary for people: what ran, goodput and completion times, what was full,
 *  what was expected.
 *
 *  Tables have at most 100 columns and a few dozen lines: of many flows the groups and the extremes
 *  are shown, the rest is in JSON and CSV. Bars are plain '#', so they look the same in a terminal,
 *  a log file and a mail. */
#include "orchestrator/results/results_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/bar.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/base/utf8.h"
#include "orchestrator/results/results_congestion.h"
#include "orchestrator/results/results_fault.h"
#include "orchestrator/results/results_fidelity.h"
#include "orchestrator/results/results_paths.h"
#include "orchestrator/results/results_roce_text.h"
#include "orchestrator/results/results_symptom.h"

#define FLOWS_SHOWN 24u /* with more flows only their groups are shown */
#define PORTS_SHOWN 6u
#define NODES_SHOWN 24u
#define BAR_COLUMNS 22u

struct text {
	const struct plan *plan;
	const struct results *results;
	bool colour;
	FILE *out;
};

static void head_write(const struct text *t, const char *loops);
static void flows_write(const struct text *t);
static void groups_write(const struct text *t);
static void ports_write(const struct text *t);
static void totals_write(const struct text *t);
static void tables_write(const struct text *t);
static void fidelity_write(const struct text *t);
static void host_write(const struct text *t, const struct result_host *host);
static void expectations_write(const struct text *t);

void results_text_write(const struct plan *plan, const struct results *results,
			const struct result_host *host, const char *loops, bool colour, FILE *out)
{
	const struct text t = { .plan = plan, .results = results, .colour = colour, .out = out };

	head_write(&t, loops);
	flows_write(&t);
	groups_write(&t);
	ports_write(&t);
	results_congestion_write(plan, results, colour, out);
	results_paths_write(plan, results, colour, out);
	results_roce_write(plan, results, colour, out);
	results_fault_write(plan, results, colour, out);
	results_symptom_write(plan, results, colour, out);
	totals_write(&t);
	tables_write(&t);
	if (results->fidelity.nodes)
		fidelity_write(&t);
	if (host)
		host_write(&t, host);
	expectations_write(&t);
}

/* ---- helpers ---- */

static const char *paint(const struct text *t, const char *code)
{
	return screen_paint(t->colour, code);
}

static const char *host_name(const struct text *t, uint32_t host)
{
	return host < t->plan->host_count ? t->plan->nodes[plan_host_node(t->plan, host)].name
					  : "?";
}

static const char *workload_name(const struct text *t, uint32_t workload)
{
	return workload < t->plan->workload_count ? t->plan->workloads[workload].name : "?";
}

/* the title line of a table, after an empty line */
static void __attribute__((format(printf, 2, 3)))
title(const struct text *t, const char *format, ...)
{
	va_list arguments;

	fprintf(t->out, "\n%s", paint(t, SCREEN_BOLD));
	va_start(arguments, format);
	vfprintf(t->out, format, arguments);
	va_end(arguments);
	fprintf(t->out, "%s\n", paint(t, SCREEN_PLAIN));
}

/* the columns that the longest name of flows and groups needs */
static int name_columns(const struct text *t)
{
	size_t longest = strlen("workload");

	for (uint32_t i = 0; i < t->plan->workload_count; i++) {
		size_t length = strlen(workload_name(t, i));

		longest = length > longest ? length : longest;
	}
	return (int)longest;
}

static int node_columns(const struct text *t)
{
	size_t longest = strlen("node");

	for (uint32_t i = 0; i < t->plan->node_count; i++) {
		size_t length = strlen(t->plan->nodes[i].name);

		longest = length > longest ? length : longest;
	}
	return (int)longest;
}

/* ---- parts ---- */

static void head_write(const struct text *t, const char *loops)
{
	bool named = plan_fabric(t->plan) != FABRIC_FLOW_CHANNEL;
	char measured[HUMAN_TEXT_MAX], end[HUMAN_TEXT_MAX];

	fprintf(t->out,
		"%s%s%s: %s%s%s%" PRIu32 " switch%s, %" PRIu32 " NIC%s, %" PRIu32
		" link%s; %s clock, seed %" PRIu64 "\n",
		paint(t, SCREEN_BOLD), t->plan->scenario, paint(t, SCREEN_PLAIN),
		named ? "fabric " : "", named ? scenario_fabric_name[plan_fabric(t->plan)] : "",
		named ? ", " : "", t->plan->switch_count, t->plan->switch_count == 1 ? "" : "es",
		t->plan->host_count, t->plan->host_count == 1 ? "" : "s", t->plan->link_count,
		t->plan->link_count == 1 ? "" : "s", plan_is_real(t->plan) ? "real" : "virtual",
		t->plan->seed);
	fprintf(t->out, "ran %s of fabric time, rates measured over %s",
		human_time(t->results->end_ps, end), human_time(t->results->measured_ps, measured));
	if (t->results->end_ps > t->plan->duration_ps)
		fprintf(t->out,
			"; pauses, waits and maxima over the whole run, with %s of draining",
			human_time(t->results->end_ps - t->plan->duration_ps, measured));
	fprintf(t->out, "%s%s\n", loops ? "; " : "", loops ? loops : "");
	if (t->results->interrupted)
		fprintf(t->out, "%sinterrupted%s: the figures are those of that moment\n",
			paint(t, SCREEN_RED), paint(t, SCREEN_PLAIN));
}

/* the part of the destination's bytes in the measured interval that @flow sent */
static double share_of(const struct results *results, const struct result_flow *flow)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < results->flow_count; i++)
		sum += results->flows[i].destination == flow->destination
			       ? results->flows[i].measured_bytes
			       : 0;
	return sum ? (double)flow->measured_bytes / (double)sum : 0;
}

static void flows_write(const struct text *t)
{
	int names = name_columns(t), nodes = node_columns(t);
	double largest = 0;

	if (!t->results->flow_count || t->results->flow_count > FLOWS_SHOWN)
		return;
	for (uint32_t i = 0; i < t->results->flow_count; i++) {
		double share = share_of(t->results, &t->results->flows[i]);

		largest = share > largest ? share : largest;
	}
	title(t, "%-*s  %-*s    %-*s  %12s  %12s  %8s  %% of what the destination received", names,
	      "workload", nodes, "from", nodes, "to", "received", "goodput", "messages");
	for (uint32_t i = 0; i < t->results->flow_count; i++) {
		const struct result_flow *flow = &t->results->flows[i];
		double share = share_of(t->results, flow);
		char bytes[HUMAN_TEXT_MAX], rate[HUMAN_TEXT_MAX], marks[BAR_TEXT_MAX];

		bar_write(marks, largest > 0 ? share / largest : 0, BAR_COLUMNS, false);
		fprintf(t->out, "%-*s  %-*s -> %-*s  %12s  %12s  %8" PRIu64 "  %6.2f %%  %s", names,
			workload_name(t, flow->workload), nodes, host_name(t, flow->source), nodes,
			host_name(t, flow->destination), human_bytes(flow->bytes, bytes),
			human_rate(flow->goodput_bps, rate), flow->message_count, share * 100,
			marks);
		if (results_undelivered(flow))
			fprintf(t->out, "%sretransmits, nothing arrives%s", paint(t, SCREEN_RED),
				paint(t, SCREEN_PLAIN));
		fputc('\n', t->out);
	}
}

/* three digits, and never an exponent */
static const char *factor(double value, char *text)
{
	snprintf(text, HUMAN_TEXT_MAX, value < 999.5 ? "%.3g" : "%.0f", value);
	return text;
}

/* the number of a workload's flows that retransmit and deliver nothing, if flows have no rows of
 * their own */
static void undelivered_write(const struct text *t, const struct result_flow *flows, uint32_t count)
{
	uint32_t undelivered = results_undelivered_count(flows, count);

	if (undelivered && t->results->flow_count > FLOWS_SHOWN)
		fprintf(t->out, "  %s%" PRIu32 " flows retransmit, nothing arrives%s",
			paint(t, SCREEN_RED), undelivered, paint(t, SCREEN_PLAIN));
}

static void groups_write(const struct text *t)
{
	int names = name_columns(t);

	if (!t->results->flow_count)
		return;
	title(t, "%-*s  %6s  %8s  %12s  %7s  %10s %10s %10s  %s", names, "workload", "flows",
	      "messages", "goodput", "Jain", "FCT p50", "p99", "p99.9", "slowdown p50/p99/p99.9");
	for (uint32_t i = 0; i < t->results->group_count; i++) {
		const struct result_group *group = &t->results->groups[i];
		char rate[HUMAN_TEXT_MAX], times[3][HUMAN_TEXT_MAX], slower[3][HUMAN_TEXT_MAX];
		char jain[16] = "-";

		if (group->goodput_bps)
			snprintf(jain, sizeof(jain), "%.5f", group->jain);
		fprintf(t->out, "%-*s  %6" PRIu32 "  %8" PRIu64 "  %12s  %7s", names,
			workload_name(t, i), group->flow_count, group->message_count,
			human_rate(group->goodput_bps, rate), jain);
		if (group->fct.p50_ps)
			fprintf(t->out, "  %10s %10s %10s  %s / %s / %s",
				human_time(group->fct.p50_ps, times[0]),
				human_time(group->fct.p99_ps, times[1]),
				human_time(group->fct.p999_ps, times[2]),
				factor(group->slowdown.p50, slower[0]),
				factor(group->slowdown.p99, slower[1]),
				factor(group->slowdown.p999, slower[2]));
		else
			fprintf(t->out, "  %10s %10s %10s", "-", "-", "-");
		undelivered_write(t, &t->results->flows[group->flow_first], group->flow_count);
		fputc('\n', t->out);
	}
}

static int busier(const void *left, const void *right)
{
	const struct result_port *a = *(const struct result_port *const *)left;
	const struct result_port *b = *(const struct result_port *const *)right;

	if (a->stats.tx_busy_measured_ps != b->stats.tx_busy_measured_ps)
		return a->stats.tx_busy_measured_ps < b->stats.tx_busy_measured_ps ? 1 : -1;
	if (a->stats.queue_bytes_max != b->stats.queue_bytes_max)
		return a->stats.queue_bytes_max < b->stats.queue_bytes_max ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void ports_write(const struct text *t)
{
	const struct result_port **order = calloc(t->results->port_count, sizeof(*order));
	int nodes = node_columns(t);

	if (!order || !t->results->port_count) {
		free(order);
		return;
	}
	for (uint32_t i = 0; i < t->results->port_count; i++)
		order[i] = &t->results->ports[i];
	qsort(order, t->results->port_count, sizeof(*order), busier);
	title(t, "%-*s  %9s  %12s  %12s  %15s  %s", 2 * nodes + 4, "busiest links", "busy",
	      "queue mean", "queue max", "waited for peer", "frames lost");
	for (uint32_t i = 0; i < t->results->port_count && i < PORTS_SHOWN; i++) {
		const struct port_stats *stats = &order[i]->stats;
		char mean[HUMAN_TEXT_MAX], most[HUMAN_TEXT_MAX], paused[HUMAN_TEXT_MAX];

		if (!stats->tx_frames)
			break;
		fprintf(t->out, "%-*s -> %-*s  %7.2f %%  %12s  %12s  %15s  %" PRIu64 "\n", nodes,
			t->plan->nodes[order[i]->node].name, nodes,
			t->plan->nodes[order[i]->node].ports[order[i]->port].peer_name,
			order[i]->utilisation * 100,
			human_bytes((uint64_t)order[i]->queue_bytes_mean, mean),
			human_bytes(stats->queue_bytes_max, most),
			human_time(stats->paused_ps, paused), stats->lost_frames);
	}
	free(order);
}

/* bytes: injected, and what became of them; retransmitted packets count each time */
static void bytes_write(const struct text *t)
{
	const struct result_totals *totals = &t->results->totals;
	char injected[HUMAN_TEXT_MAX], delivered[HUMAN_TEXT_MAX], lost[HUMAN_TEXT_MAX],
		inside[HUMAN_TEXT_MAX];
	bool negative = totals->inside_bytes < 0;

	fprintf(t->out, "\ninjected %s, delivered %s, %s %s, inside %s%s\n",
		human_bytes(totals->injected_bytes, injected),
		human_bytes(totals->delivered_bytes, delivered),
		results_is_roce(t->plan) ? "dropped" : "lost",
		human_bytes(totals->lost_bytes, lost), negative ? "-" : "",
		human_bytes((uint64_t)(negative ? -totals->inside_bytes : totals->inside_bytes),
			    inside));
	if (!results_balanced(t->results))
		fprintf(t->out, "%sthe totals do not balance%s: the nodes hold %" PRIu64 " bytes\n",
			paint(t, SCREEN_RED), paint(t, SCREEN_PLAIN), totals->held_bytes);
}

static void packets_write(const struct text *t)
{
	const struct result_totals *totals = &t->results->totals;

	fprintf(t->out, "packets lost %" PRIu64, totals->lost);
	if (totals->under_way)
		fprintf(t->out, ", in flight %" PRIu64, totals->under_way);
	fprintf(t->out, ", reordered %" PRIu64, totals->reordered);
	if (plan_fabric(t->plan) == FABRIC_FLOW_CHANNEL)
		fprintf(t->out,
			", data units lost and not reported to the sender %" PRIu64
			", waits because no flow channel was free %" PRIu64,
			totals->unreported_units, totals->channel_waits);
	fputc('\n', t->out);
}

static void unlogged_write(const struct text *t)
{
	const struct result_totals *totals = &t->results->totals;

	if (totals->messages_unlogged)
		fprintf(t->out,
			"%scompletion times are incomplete%s: %" PRIu64 " of %" PRIu64
			" messages were not kept, because a NIC keeps %" PRIu32
			" (nic.messages-max)\n",
			paint(t, SCREEN_RED), paint(t, SCREEN_PLAIN), totals->messages_unlogged,
			totals->messages, t->plan->nodes[t->plan->switch_count].nic.messages_max);
}

static void drops_write(const struct text *t)
{
	const char *before = "frames dropped: ";
	bool any = false;

	for (uint32_t reason = 0; reason < DROP_REASONS; reason++) {
		if (!t->results->drops[reason])
			continue;
		fprintf(t->out, "%s%s %" PRIu64, before, stats_drop_name[reason],
			t->results->drops[reason]);
		before = ", ";
		any = true;
	}
	if (any)
		fputc('\n', t->out);
}

static void totals_write(const struct text *t)
{
	bytes_write(t);
	packets_write(t);
	unlogged_write(t);
	drops_write(t);
}

struct fullest {
	uint64_t high_water;
	const struct result_port *port;
};

static void fuller(struct fullest *fullest, const struct result_port *port, uint64_t high_water)
{
	if (high_water > fullest->high_water)
		*fullest = (struct fullest){ .high_water = high_water, .port = port };
}

/* the fullest table of each kind, and the lines still allocated */
static void tables_write(const struct text *t)
{
	static const char *const names[] = { "edge (EFCT)", "input (IFCT)", "output (OFCT)" };
	struct fullest fullest[3] = { 0 };
	const char *comma = "";

	for (uint32_t i = 0; i < t->results->port_count; i++) {
		const struct result_port *port = &t->results->ports[i];

		fuller(&fullest[0], port, port->stats.efct_used_max);
		fuller(&fullest[1], port, port->stats.ifct_used_max);
		fuller(&fullest[2], port, port->stats.ofct_used_max);
	}
	if (!fullest[0].port && !fullest[1].port && !fullest[2].port)
		return;
	fprintf(t->out, "flow channel tables, most lines in use at a port: ");
	for (int i = 0; i < 3; i++) {
		const struct result_port *port = fullest[i].port;

		if (!port)
			continue;
		fprintf(t->out, "%s%s %" PRIu64 " of %" PRIu32 " (%s port %" PRIu32 ")", comma,
			names[i], fullest[i].high_water,
			t->plan->nodes[port->node].ports[port->port].channels,
			t->plan->nodes[port->node].name, port->port);
		comma = ", ";
	}
	fprintf(t->out, "; at the end %" PRIu64 "\n", t->results->totals.channels);
}

/* the lateness of each process, and whether it matters (TB-8) */
static void lateness_write(const struct text *t, uint32_t index)
{
	const struct result_lateness *row = &t->results->fidelity.nodes[index];
	char p50[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], max[HUMAN_TEXT_MAX], made_up[HUMAN_TEXT_MAX],
		behind[HUMAN_TEXT_MAX], full[HUMAN_TEXT_MAX];

	fprintf(t->out, "%-*s  %9" PRIu64 "  %10s  %10s  %10s  %10s  %10s  %10s  %s\n",
		node_columns(t), t->plan->nodes[index].name, row->node.events,
		human_time(row->node.p50_ns * NODE_NS, p50),
		human_time(row->node.p99_ns * NODE_NS, p99),
		human_time(row->node.max_ns * NODE_NS, max),
		human_time(row->made_up_ns * NODE_NS, made_up),
		human_time(row->behind_ns * NODE_NS, behind), human_time(row->ring_full_ps, full),
		fidelity_verdict_name[row->verdict]);
}

static void fidelity_write(const struct text *t)
{
	const struct result_fidelity *fidelity = &t->results->fidelity;
	char sentence[1024], words[FIDELITY_WORDS_MAX];

	title(t, "%-*s  %9s  %10s  %10s  %10s  %10s  %10s  %10s  %s", node_columns(t), "node",
	      "turns", "late p50", "p99", "max", "absorbed", "lag max", "ring full", "verdict");
	if (t->plan->node_count <= NODES_SHOWN)
		for (uint32_t i = 0; i < t->plan->node_count; i++)
			lateness_write(t, i);
	else
		lateness_write(t, fidelity->worst);
	results_fidelity_describe(t->plan, t->results, sentence, sizeof(sentence));
	fprintf(t->out, "fidelity: %s%s%s\n%s\n",
		paint(t, results_valid(t->results) ? SCREEN_GREEN : SCREEN_RED),
		results_fidelity_words(t->plan, t->results, words), paint(t, SCREEN_PLAIN),
		sentence);
}

static void host_write(const struct text *t, const struct result_host *host)
{
	fprintf(t->out,
		"\ncost: %.3f s (start %.3f s, end %.3f s), CPU %.3f s, %" PRIu64
		" packet-hops, %.3g per CPU second",
		host->wall_s, host->start_s, host->end_s, host->cpu_s, host->packet_hops,
		host->cpu_s > 0 ? (double)host->packet_hops / host->cpu_s : 0);
	if (!plan_is_real(t->plan))
		fprintf(t->out, ", %" PRIu64 " windows of %.1f nodes, %" PRIu64 " wake-ups",
			host->windows,
			host->windows ? (double)host->node_windows / (double)host->windows : 0,
			host->wakes);
	fputc('\n', t->out);
	if (!plan_is_real(t->plan) && host->moves)
		fprintf(t->out,
			"other programs took %.3f s of the cores from waiting nodes; the nodes "
			"were moved %" PRIu64 " times\n",
			host->stolen_s, host->moves);
}

static void expectations_write(const struct text *t)
{
	const struct results *results = t->results;
	int longest = 0;

	if (!results->expectation_count)
		return;
	for (uint32_t i = 0; i < results->expectation_count; i++) {
		int length = utf8_columns(results->expectations[i].text);

		longest = length > longest ? length : longest;
	}
	title(t, "expectations%s", results->interrupted ? ", of a run that was interrupted" : "");
	for (uint32_t i = 0; i < results->expectation_count; i++) {
		const struct result_expectation *row = &results->expectations[i];

		fprintf(t->out, "%s%-6s%s  ", paint(t, row->ok ? SCREEN_GREEN : SCREEN_RED),
			row->ok ? "ok" : "FAILED", paint(t, SCREEN_PLAIN));
		utf8_pad(t->out, -longest, row->text);
		fprintf(t->out, "  %s\n", row->shown);
	}
}
