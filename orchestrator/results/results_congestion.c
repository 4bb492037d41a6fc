/*  results_congestion - the part of the summary about congestion control; nothing if it did
 *  nothing.
 *
 *  First the congested outputs to hosts, then the consequences: packets that had to wait at inputs,
 *  hop credit, flows paused at their source, and STOPs, which a good run does not need (EC-14). */
#include "orchestrator/results/results_congestion.h"

#include <inttypes.h>
#include <stdlib.h>

#include "nodes/base/array.h"
#include "nodes/base/units.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/results/reaction.h"
#include "orchestrator/results/results_share.h"
#include "orchestrator/results/statistics.h"

#define OUTPUTS_SHOWN 6u

/* the sums over all ports of switches, and the ports with the most */
struct sums {
	struct port_stats all; /* fgfc_refused: of NICs */
	uint64_t extent_units; /* the sum of the largest ones */
	uint32_t outputs;      /* congested */
	/* largest extent, input buffer, number of stops */
	const struct result_port *widest, *fullest, *stopper;
};

static const struct result_port *greater(const struct result_port *best,
					 const struct result_port *row, uint64_t value,
					 uint64_t best_value)
{
	return value > best_value ? row : best;
}

/* True if a port to a host sent ACK_ECAs; other ports have no reason to. */
static bool is_congested(const struct plan *plan, const struct result_port *row)
{
	return row->stats.eca_acks && plan->nodes[row->node].kind == NODE_SWITCH &&
	       plan->nodes[row->node].ports[row->port].kind == PORT_EDGE;
}

static void port_add(struct sums *sums, const struct result_port *row)
{
	const struct port_stats *port = &row->stats;

	statistics_fold(&port_statistics, port, &sums->all);
	sums->extent_units += port->extent_units_max;
	sums->widest = greater(sums->widest, row, port->extent_units_max,
			       sums->widest ? sums->widest->stats.extent_units_max : 0);
	sums->fullest = greater(sums->fullest, row, port->input_units_max,
				sums->fullest ? sums->fullest->stats.input_units_max : 0);
	sums->stopper = greater(sums->stopper, row, port->stops,
				sums->stopper ? sums->stopper->stats.stops : 0);
}

static struct sums sums_of(const struct plan *plan, const struct results *results)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < results->port_count; i++) {
		sums.outputs += is_congested(plan, &results->ports[i]);
		if (plan->nodes[results->ports[i].node].kind == NODE_SWITCH)
			port_add(&sums, &results->ports[i]);
		else
			sums.all.fgfc_refused += results->ports[i].stats.fgfc_refused;
	}
	return sums;
}

static uint64_t waited(const struct port_stats *all)
{
	return all->blocked_extent + all->blocked_rate + all->blocked_empty +
	       all->blocked_headroom + all->blocked_port;
}

static bool is_quiet(const struct sums *sums)
{
	const struct port_stats *all = &sums->all;

	return !sums->outputs && !waited(all) && !all->headroom_starts && !all->fgfc_frames &&
	       !all->fgfc_refused && !all->stops;
}

/* ---- congested outputs ---- */

static int more_congested(const void *left, const void *right)
{
	const struct result_port *a = *(const struct result_port *const *)left;
	const struct result_port *b = *(const struct result_port *const *)right;

	if (a->stats.eca_max != b->stats.eca_max)
		return a->stats.eca_max < b->stats.eca_max ? 1 : -1;
	if (a->stats.eca_acks != b->stats.eca_acks)
		return a->stats.eca_acks < b->stats.eca_acks ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void reaction_write(const struct plan *plan, const struct results *results, uint32_t host,
			   FILE *out)
{
	struct reaction reaction = reaction_of(plan, results, host);
	char time[HUMAN_TEXT_MAX];

	if (!reaction.together) {
		fprintf(out, "-\n");
		return;
	}
	if (reaction.told && reaction.trip_ps)
		fprintf(out, "%s (%.2f round trips), ", human_time(reaction.time_ps, time),
			(double)reaction.time_ps / (double)reaction.trip_ps);
	fprintf(out, "%" PRIu32 " of %" PRIu32 " senders\n", reaction.told, reaction.senders);
}

static void output_write(const struct plan *plan, const struct results *results,
			 const struct result_port *row, FILE *out)
{
	const struct port_config *port = &plan->nodes[row->node].ports[row->port];
	char name[2 * NODE_NAME_MAX + 8], mean[HUMAN_TEXT_MAX], most[HUMAN_TEXT_MAX];

	snprintf(name, sizeof(name), "%s -> %s", plan->nodes[row->node].name, port->peer_name);
	fprintf(out, "%-24s  %12" PRIu64 "  %13" PRIu64 "  %12s  %12s  ", name, row->stats.eca_max,
		row->stats.eca_acks, human_bytes((uint64_t)row->queue_bytes_mean, mean),
		human_bytes(row->stats.queue_bytes_max, most));
	reaction_write(plan, results, port->peer_index - plan->switch_count, out);
}

static void outputs_write(const struct plan *plan, const struct results *results, uint32_t count,
			  FILE *out)
{
	const struct result_port **order = calloc(count, sizeof(*order));
	uint32_t found = 0;

	if (!order || !count) {
		free(order);
		return;
	}
	for (uint32_t i = 0; i < results->port_count; i++) {
		if (is_congested(plan, &results->ports[i]))
			order[found++] = &results->ports[i];
	}
	qsort(order, found, sizeof(*order), more_congested);
	for (uint32_t i = 0; i < found && i < OUTPUTS_SHOWN; i++)
		output_write(plan, results, order[i], out);
	if (found > OUTPUTS_SHOWN)
		fprintf(out, "... and %" PRIu32 " more\n", found - OUTPUTS_SHOWN);
	free(order);
}

/* ---- consequences ---- */

static const char *place(const struct plan *plan, const struct result_port *row,
			 char text[NODE_NAME_MAX + 16])
{
	snprintf(text, NODE_NAME_MAX + 16, "%s port %" PRIu32, plan->nodes[row->node].name,
		 row->port);
	return text;
}

static void waits_write(const struct port_stats *all, FILE *out)
{
	const struct {
		const char *name;
		uint64_t count;
	} causes[] = {
		{ "flow limit", all->blocked_extent },
		{ "rate limit", all->blocked_rate },
		{ "ACKs of all before", all->blocked_empty },
		{ "hop credit", all->blocked_headroom },
		{ "port limit", all->blocked_port },
	};
	const char *comma = "packets that waited at an input, by cause: ";

	if (!waited(all))
		return;
	for (size_t i = 0; i < COUNT_OF(causes); i++) {
		if (!causes[i].count)
			continue;
		fprintf(out, "%s%s %" PRIu64, comma, causes[i].name, causes[i].count);
		comma = ", ";
	}
	fputc('\n', out);
}

static void room_write(const struct plan *plan, const struct sums *sums, FILE *out)
{
	char bytes[HUMAN_TEXT_MAX], all[HUMAN_TEXT_MAX], at[NODE_NAME_MAX + 16];
	double share;

	if (sums->fullest) {
		fprintf(out, "fullest input buffer: %s, %s",
			human_bytes(sums->fullest->stats.input_units_max * UNIT_BYTES, bytes),
			place(plan, sums->fullest, at));
		if (results_buffer_share(plan, sums->fullest, &share))
			fprintf(out, " (%.1f %% of it)", share * 100);
		fputc('\n', out);
	}
	if (sums->widest)
		fprintf(out,
			"most bytes unacknowledged: %s at one input (%s), at most %s in total\n",
			human_bytes(sums->widest->stats.extent_units_max * UNIT_BYTES, bytes),
			place(plan, sums->widest, at),
			human_bytes(sums->extent_units * UNIT_BYTES, all));
}

static void means_write(const struct port_stats *all, FILE *out)
{
	char bytes[HUMAN_TEXT_MAX];

	if (all->headroom_starts)
		fprintf(out,
			"flows under hop credit: began %" PRIu64 ", ended %" PRIu64
			"; %s granted\n",
			all->headroom_starts, all->headroom_stops,
			human_bytes(all->headroom_units * UNIT_BYTES, bytes));
	if (all->fgfc_frames || all->fgfc_refused)
		fprintf(out,
			"per-flow pause: %" PRIu64 " FGFC frames sent to NICs, %" PRIu64
			" flows without an entry there\n",
			all->fgfc_frames, all->fgfc_refused);
	if (all->limited || all->metered || all->fgfc_held)
		fprintf(out,
			"at the end: flows limited %" PRIu64 ", under hop credit %" PRIu64
			", paused at their source %" PRIu64 "\n",
			all->limited, all->metered, all->fgfc_held);
}

void results_congestion_write(const struct plan *plan, const struct results *results, bool colour,
			      FILE *out)
{
	struct sums sums = sums_of(plan, results);
	char at[NODE_NAME_MAX + 16];

	if (is_quiet(&sums))
		return;
	if (sums.outputs)
		fprintf(out, "\n%s%-24s  %12s  %13s  %12s  %12s  %s%s\n",
			screen_paint(colour, SCREEN_BOLD), "congested ports to hosts",
			"ECA (0..255)", "ACK_ECAs sent", "queue mean", "queue max",
			"last sender told after", screen_paint(colour, SCREEN_PLAIN));
	else
		fputc('\n', out);
	outputs_write(plan, results, sums.outputs, out);
	waits_write(&sums.all, out);
	room_write(plan, &sums, out);
	means_write(&sums.all, out);
	if (sums.all.stops)
		fprintf(out,
			"%sSTOPs sent to peers%s, because a buffer was full: %" PRIu64
			", most of them by %s\n",
			screen_paint(colour, SCREEN_RED), screen_paint(colour, SCREEN_PLAIN),
			sums.all.stops, place(plan, sums.stopper, at));
}
