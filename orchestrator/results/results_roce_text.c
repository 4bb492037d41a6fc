/*  results_roce_text - the part of the summary about a fabric of kind roce.
 *
 *  Deadlocks are first. Then the outputs that dropped, were paused, or marked most; the XOFFs of
 *  inputs; the senders of CNPs and their receivers; retransmissions, and the queue pairs that gave
 *  up. */
#include "orchestrator/results/results_roce_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/human.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/results/results_roce.h"

#define OUTPUTS_SHOWN 8u
#define ERRORS_SHOWN 4u

struct roce_text {
	const struct plan *plan;
	const struct results *results;
	bool colour;
	FILE *out;
};

static const char *const state_name[ROCE_STATES] = {
	[ROCE_ECN_NORMAL] = "normal",
	[ROCE_ECN_FAILED] = "queue too long for ECN (ECN failed)",
	[ROCE_CNP_FAILED] = "queue too long for CNPs (CNP failed)"
};

static const char *red(const struct roce_text *t)
{
	return screen_paint(t->colour, SCREEN_RED);
}

static const char *plain(const struct roce_text *t)
{
	return screen_paint(t->colour, SCREEN_PLAIN);
}

static bool is_switch(const struct roce_text *t, const struct result_class *row)
{
	return t->plan->nodes[row->node].kind == NODE_SWITCH;
}

static const char *host_name(const struct roce_text *t, uint32_t host)
{
	return host < t->plan->host_count ? t->plan->nodes[plan_host_node(t->plan, host)].name
					  : "?";
}

/* "s1 -> s2", or "s1:p3" for an input */
static const char *output_name(const struct roce_text *t, const struct result_class *row,
			       char *text, size_t text_max)
{
	snprintf(text, text_max, "%s -> %s", t->plan->nodes[row->node].name,
		 t->plan->nodes[row->node].ports[row->port].peer_name);
	return text;
}

/* ---- deadlocks ---- */

static void deadlocks_write(const struct roce_text *t)
{
	char text[1024];

	for (uint32_t i = 0; i < t->results->deadlocks.count; i++)
		fprintf(t->out, "%s%sdeadlock%s: %s\n", i ? "" : "\n", red(t), plain(t),
			pause_cycle_describe(t->plan, &t->results->deadlocks.list[i], text,
					     sizeof(text)));
}

/* ---- outputs ---- */

static bool has_news(const struct roce_text *t, const struct result_class *row)
{
	const struct class_stats *stats = &row->stats;

	return is_switch(t, row) &&
	       (stats->drops || stats->paused_ps || stats->marked || stats->state_max);
}

static int order(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int worse(const void *left, const void *right)
{
	const struct result_class *a = *(const struct result_class *const *)left;
	const struct result_class *b = *(const struct result_class *const *)right;
	int result = order(a->stats.drops, b->stats.drops);

	if (!result)
		result = order(a->stats.state_max, b->stats.state_max);
	if (!result)
		result = order(a->stats.paused_ps, b->stats.paused_ps);
	if (!result)
		result = order(a->stats.marked, b->stats.marked);
	return result ? result : a < b ? -1 : a > b;
}

/* the worst state of a watched class, and its time */
static void state_write(const struct roce_text *t, const struct class_stats *stats)
{
	node_time_t first_ps =
		stats->state_max == ROCE_CNP_FAILED ? stats->cnp_failed_ps : stats->ecn_failed_ps;
	char time[HUMAN_TEXT_MAX];

	if (stats->state_max && stats->state_max < ROCE_STATES)
		fprintf(t->out, "  %s from %s%s", state_name[stats->state_max],
			human_time(first_ps, time), stats->state ? "" : ", later normal");
	fputc('\n', t->out);
}

static void output_write(const struct roce_text *t, const struct result_class *row)
{
	char name[2 * NODE_NAME_MAX + 8], mean[HUMAN_TEXT_MAX], most[HUMAN_TEXT_MAX],
		held[HUMAN_TEXT_MAX];

	fprintf(t->out, "%-20s  %-12s  %s%9" PRIu64 "%s  %9" PRIu64 "  %10s  %10s  %10s",
		output_name(t, row, name, sizeof(name)),
		plan_class_name(t->plan, row->traffic_class), row->stats.drops ? red(t) : "",
		row->stats.drops, row->stats.drops ? plain(t) : "", row->stats.marked,
		human_time(row->stats.paused_ps, held),
		human_bytes((uint64_t)row->queue_bytes_mean, mean),
		human_bytes(row->stats.queue_bytes_max, most));
	state_write(t, &row->stats);
}

static bool outputs_write(const struct roce_text *t)
{
	const struct result_class **rows = calloc(t->results->class_count, sizeof(*rows));
	uint32_t count = 0;

	for (uint32_t i = 0; rows && i < t->results->class_count; i++) {
		if (has_news(t, &t->results->classes[i]))
			rows[count++] = &t->results->classes[i];
	}
	if (count) {
		qsort(rows, count, sizeof(*rows), worse);
		fprintf(t->out, "\n%s%-20s  %-12s  %9s  %9s  %10s  %10s  %10s  %s%s\n",
			screen_paint(t->colour, SCREEN_BOLD), "congested outputs", "class",
			"dropped", "marked", "paused for", "queue mean", "queue max", "state",
			plain(t));
	}
	for (uint32_t i = 0; i < count && i < OUTPUTS_SHOWN; i++)
		output_write(t, rows[i]);
	if (count > OUTPUTS_SHOWN)
		fprintf(t->out, "... and %" PRIu32 " more\n", count - OUTPUTS_SHOWN);
	free(rows);
	return count != 0;
}

/* ---- inputs ---- */

/* inputs that sent XOFF: their number, the first one, and the one that used most headroom */
static void inputs_write(const struct roce_text *t)
{
	const struct result_class *first = NULL, *deepest = NULL;
	char time[HUMAN_TEXT_MAX], bytes[HUMAN_TEXT_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->results->class_count; i++) {
		const struct result_class *row = &t->results->classes[i];

		if (!is_switch(t, row) || !row->stats.xoff_first_ps)
			continue;
		count++;
		if (!first || row->stats.xoff_first_ps < first->stats.xoff_first_ps)
			first = row;
		if (!deepest || row->stats.headroom_bytes_max > deepest->stats.headroom_bytes_max)
			deepest = row;
	}
	if (!count)
		return;
	fprintf(t->out, "inputs that sent XOFF: %" PRIu32 ", the first %s (class %s, to %s) at %s",
		count, t->plan->nodes[first->node].name,
		plan_class_name(t->plan, first->traffic_class),
		t->plan->nodes[first->node].ports[first->port].peer_name,
		human_time(first->stats.xoff_first_ps, time));
	if (deepest->stats.headroom_bytes_max)
		fprintf(t->out, "; most headroom used: %s, %s from %s",
			human_bytes(deepest->stats.headroom_bytes_max, bytes),
			t->plan->nodes[deepest->node].name,
			t->plan->nodes[deepest->node].ports[deepest->port].peer_name);
	fputc('\n', t->out);
}

/* ---- consequences ---- */

static void pauses_write(const struct roce_text *t, const struct roce_sums *sums)
{
	if (sums->pauses_sent || sums->pauses_received)
		fprintf(t->out, "PFC: switches sent %" PRIu64 " frames and received %" PRIu64 "\n",
			sums->pauses_sent, sums->pauses_received);
	if (sums->signals_pause || sums->path_pauses)
		fprintf(t->out,
			"path-level PFC: %" PRIu64 " pause and %" PRIu64
			" resume signals sent, forwarded %" PRIu64 " times; sources paused %" PRIu64
			" times, resumed %" PRIu64 " times\n",
			sums->signals_pause, sums->signals_resume, sums->signals_forwarded,
			sums->path_pauses, sums->path_resumes);
	if (sums->stuck)
		fprintf(t->out,
			"%sstuck%s: the watchdog found a class paused for too long %" PRIu64
			" times\n",
			red(t), plain(t), sums->stuck);
}

static void cnps_write(const struct roce_text *t, const struct roce_sums *sums)
{
	char rate[HUMAN_TEXT_MAX];

	if (!sums->cnps && !sums->cnps_made && !sums->cnps_supplemented && !sums->packets_marked)
		return;
	fprintf(t->out, "marked packets received %" PRIu64 "; CNPs sent by receivers %" PRIu64,
		sums->packets_marked, sums->cnps_made);
	if (sums->cnps_supplemented)
		fprintf(t->out, ", by switches (CNP supplementing) %" PRIu64,
			sums->cnps_supplemented);
	fprintf(t->out, ", received by senders %" PRIu64, sums->cnps);
	if (sums->rate_min_bps)
		fprintf(t->out, "; lowest rate of a queue pair %s",
			human_rate(sums->rate_min_bps, rate));
	fputc('\n', t->out);
}

static void delivery_write(const struct roce_text *t, const struct roce_sums *sums)
{
	uint32_t shown = 0;

	if (sums->resent || sums->timeouts || sums->naks)
		fprintf(t->out,
			"retransmitted: %" PRIu64 " packets, after %" PRIu64
			" timeouts and %" PRIu64 " NAKs\n",
			sums->resent, sums->timeouts, sums->naks);
	if (!sums->in_error)
		return;
	fprintf(t->out, "%squeue pairs in error%s: %" PRIu64, red(t), plain(t), sums->in_error);
	for (uint32_t i = 0; i < t->results->flow_count && shown < ERRORS_SHOWN; i++) {
		const struct result_flow *flow = &t->results->flows[i];

		if (flow->transport.in_error)
			fprintf(t->out, "%s %s -> %s", shown++ ? "," : ":",
				host_name(t, flow->source), host_name(t, flow->destination));
	}
	fprintf(t->out, "%s\n", sums->in_error > shown ? ", ..." : "");
}

static bool is_quiet(const struct roce_sums *sums)
{
	return !sums->pauses_sent && !sums->pauses_received && !sums->cnps_made &&
	       !sums->cnps_supplemented && !sums->packets_marked && !sums->resent &&
	       !sums->timeouts && !sums->naks && !sums->in_error;
}

void results_roce_write(const struct plan *plan, const struct results *results, bool colour,
			FILE *out)
{
	const struct roce_text t = {
		.plan = plan, .results = results, .colour = colour, .out = out
	};
	struct roce_sums sums;

	if (!results_is_roce(plan))
		return;
	sums = results_roce_sums(plan, results);
	deadlocks_write(&t);
	if (!outputs_write(&t) && !is_quiet(&sums))
		fputc('\n', out);
	inputs_write(&t);
	pauses_write(&t, &sums);
	cnps_write(&t, &sums);
	delivery_write(&t, &sums);
}
