#include "orchestrator/operate/top_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/number.h"
#include "nodes/config/config.h"
#include "orchestrator/base/bar.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/observe.h"

/* lines that are not rows: sums, the longest verdict; a gap, a head and "... more" for each of two
 * tables */
#define FIXED_LINES (2u + OBSERVE_FIDELITY_LINES + 2u * 3u)
#define LINK_COLUMNS 58u /* of a row of a link on a terminal, without bars and losses */
#define BAR_COLUMNS_LEAST 4u
#define BAR_COLUMNS_MOST 12u
#define ROCE_LINES 2u        /* sums and deadlocks in a fabric of kind roce */
#define LINKS_MAX (1u << 20) /* a larger number is no link */

/* a row of a table, with its sort keys */
struct row {
	const json_t *node, *port;   /* a link: at its first node */
	const json_t *back;          /* a link's other end; NULL: its node cannot be read */
	double busy, busy_otherwise; /* the second key is for equal first keys */
	size_t index;                /* then the order of the answer */
};

static double real_of(const json_t *object, const char *key)
{
	return json_real_value(json_object_get(object, key));
}

static int row_compare(const void *a, const void *b)
{
	const struct row *first = a, *second = b;

	if (first->busy != second->busy)
		return first->busy < second->busy ? 1 : -1;
	if (first->busy_otherwise != second->busy_otherwise)
		return first->busy_otherwise < second->busy_otherwise ? 1 : -1;
	return first->index < second->index ? -1 : 1;
}

static void more_print(size_t count, size_t shown_count, const char *what, FILE *out)
{
	if (shown_count < count)
		fprintf(out, "... and %zu more %s\n", count - shown_count, what);
}

/* ---- head ---- */

/* a line about congestion control, if it does anything */
static void congestion_print(const json_t *nodes, FILE *out)
{
	double limited = 0, metered = 0, held = 0, acks = 0, stops = 0;
	const json_t *node;
	size_t i;

	json_array_foreach (nodes, i, node) {
		if (strcmp(member_text(node, "kind"), "switch") != 0)
			continue;
		limited += (double)member_number(node, "limited");
		metered += (double)member_number(node, "metered");
		held += (double)member_number(node, "fgfc_held");
		acks += real_of(node, "eca_acks_per_s");
		stops += real_of(node, "stops_per_s");
	}
	if (limited + metered + held + acks + stops > 0)
		fprintf(out,
			"congestion %.0f flows limited, %.0f metered, %.0f paused at their source; "
			"%.0f ACK_ECA/s, %.0f stops/s\n",
			limited, metered, held, acks, stops);
}

static bool is_roce(const json_t *fabric)
{
	return !strcmp(member_text(fabric, "kind"), "roce");
}

/* paused outputs, full inputs, marks and CNPs of a fabric of kind roce */
static void roce_print(const json_t *nodes, FILE *out)
{
	double paused = 0, xoff = 0, in_error = 0, marked = 0, pauses = 0, cnps = 0;
	const json_t *node;
	size_t i;

	json_array_foreach (nodes, i, node) {
		cnps += real_of(node, "cnps_per_s");
		in_error += (double)member_number(node, "in_error");
		if (strcmp(member_text(node, "kind"), "switch") != 0)
			continue;
		paused += (double)member_number(node, "paused_classes");
		xoff += (double)member_number(node, "xoff_classes");
		marked += real_of(node, "marked_per_s");
		pauses += real_of(node, "pauses_per_s");
	}
	fprintf(out,
		"roce       %.0f outputs paused, %.0f inputs above XOFF; %.0f marked/s, %.0f "
		"CNPs/s, %.0f pauses/s",
		paused, xoff, marked, cnps, pauses);
	if (in_error > 0)
		fprintf(out, "; %.0f queue pairs in ERROR", in_error);
	fputc('\n', out);
}

static void head_print(const json_t *fabric, FILE *out)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node;
	double in_pps = 0, in_bps = 0, out_pps = 0, out_bps = 0, dropped_pps = 0;
	char uptime[HUMAN_TEXT_MAX], memory[HUMAN_TEXT_MAX], in[HUMAN_TEXT_MAX],
		delivered[HUMAN_TEXT_MAX];
	size_t i;

	json_array_foreach (nodes, i, node) {
		dropped_pps += real_of(node, "dropped_pps");
		if (strcmp(member_text(node, "kind"), "nic") != 0)
			continue;
		in_pps += real_of(node, "sent_pps");
		in_bps += real_of(node, "sent_bps");
		out_pps += real_of(node, "received_pps");
		out_bps += real_of(node, "received_bps");
	}
	fprintf(out, "fabric     %s, running for %s: %.1f %% of a core, %s of memory",
		member_text(fabric, "fabric"),
		human_time((node_time_t)member_number(fabric, "uptime_ns") * NODE_NS, uptime),
		real_of(fabric, "cpu_percent"),
		human_bytes((uint64_t)member_number(fabric, "memory_bytes"), memory));
	if (member_number(fabric, "dilation") > 1)
		fprintf(out, "; dilated %d times", (int)member_number(fabric, "dilation"));
	if (member_number(fabric, "dead"))
		fprintf(out, "; %d DEAD", (int)member_number(fabric, "dead"));
	fprintf(out,
		"\ntraffic    %s, %.0f packets/s from hosts; %s, %.0f packets/s to hosts; %.0f "
		"dropped/s\n",
		human_rate((uint64_t)in_bps, in), in_pps, human_rate((uint64_t)out_bps, delivered),
		out_pps, dropped_pps);
	congestion_print(nodes, out);
	if (is_roce(fabric))
		roce_print(nodes, out);
	observe_deadlocks_print(fabric, out);
	observe_fidelity_print(fabric, out);
}

/* ---- nodes ---- */

static void node_print(const json_t *node, FILE *out)
{
	char memory[HUMAN_TEXT_MAX], in[HUMAN_TEXT_MAX], away[HUMAN_TEXT_MAX],
		queue[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX];
	const char *state = member_text(node, "state");

	fprintf(out,
		"%-6s  %-12s  %6.1f  %10s  %10.0f  %10.0f  %10s  %10s  %9.0f  %10s  %10s%s%s\n",
		member_text(node, "kind"), member_text(node, "name"), real_of(node, "cpu_percent"),
		human_bytes((uint64_t)member_number(node, "memory_bytes"), memory),
		real_of(node, "received_pps"), real_of(node, "sent_pps"),
		human_rate((uint64_t)real_of(node, "received_bps"), in),
		human_rate((uint64_t)real_of(node, "sent_bps"), away), real_of(node, "dropped_pps"),
		human_bytes((uint64_t)member_number(node, "queue_bytes"), queue),
		human_time((node_time_t)member_number(node, "lateness_p99_ns") * NODE_NS, p99),
		strcmp(state, "running") ? "  " : "", strcmp(state, "running") ? state : "");
}

/* on a terminal: what has a bar comes first, since a narrow one cuts the rest */
static void node_draw(const json_t *node, double queue_share, const struct screen *screen,
		      FILE *out)
{
	char memory[HUMAN_TEXT_MAX], in[HUMAN_TEXT_MAX], away[HUMAN_TEXT_MAX],
		queue[HUMAN_TEXT_MAX], p99[HUMAN_TEXT_MAX], bar[BAR_TEXT_MAX];
	const char *state = member_text(node, "state");

	fprintf(out,
		"%-6s  %-12s  %6.1f  %10s %s%s%s  %10s  %10s%s%s  %10.0f  %10.0f  %9.0f  %10s  "
		"%10s\n",
		member_text(node, "kind"), member_text(node, "name"), real_of(node, "cpu_percent"),
		human_bytes((uint64_t)member_number(node, "queue_bytes"), queue),
		screen_paint(screen->colours, SCREEN_YELLOW),
		bar_pad(bar, queue_share, BAR_COLUMNS_MOST, screen->utf8),
		screen_paint(screen->colours, SCREEN_PLAIN),
		human_rate((uint64_t)real_of(node, "received_bps"), in),
		human_rate((uint64_t)real_of(node, "sent_bps"), away),
		strcmp(state, "running") ? "  " : "", strcmp(state, "running") ? state : "",
		real_of(node, "received_pps"), real_of(node, "sent_pps"),
		real_of(node, "dropped_pps"),
		human_bytes((uint64_t)member_number(node, "memory_bytes"), memory),
		human_time((node_time_t)member_number(node, "lateness_p99_ns") * NODE_NS, p99));
}

/* the first @count of @rows; a full bar is the largest queue of all nodes */
static void nodes_draw(const json_t *fabric, const struct row *rows, size_t count,
		       const struct screen *screen, FILE *out)
{
	const json_t *node;
	double largest = 1;
	size_t i;

	json_array_foreach (json_object_get(fabric, "nodes"), i, node) {
		double queue = (double)member_number(node, "queue_bytes");

		largest = queue > largest ? queue : largest;
	}
	fprintf(out, "\n%-6s  %-12s  %6s  %10s %*s  %10s  %10s  %10s  %10s  %9s  %10s  %10s\n",
		"kind", "name", "cpu %", "queue", (int)BAR_COLUMNS_MOST, "", "in", "out",
		"packets in", "out (/s)", "dropped/s", "memory", "late p99");
	for (i = 0; i < count; i++)
		node_draw(rows[i].node,
			  (double)member_number(rows[i].node, "queue_bytes") / largest, screen,
			  out);
}

static void nodes_print(const json_t *fabric, size_t rows_max, struct row *rows,
			const struct screen *screen, FILE *out)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node;
	size_t i, count = json_array_size(nodes);

	json_array_foreach (nodes, i, node)
		rows[i] = (struct row){ .node = node,
					.busy = real_of(node, "cpu_percent"),
					.busy_otherwise = real_of(node, "sent_pps") +
							  real_of(node, "received_pps"),
					.index = i };
	qsort(rows, count, sizeof(*rows), row_compare);
	if (screen->terminal) {
		nodes_draw(fabric, rows, number_min(count, rows_max), screen, out);
	} else {
		fprintf(out, "\n%-6s  %-12s  %6s  %10s  %10s  %10s  %10s  %10s  %9s  %10s  %10s\n",
			"kind", "name", "cpu %", "memory", "packets in", "out (/s)", "in", "out",
			"dropped/s", "queue", "late p99");
		for (i = 0; i < number_min(count, rows_max); i++)
			node_print(rows[i].node, out);
	}
	more_print(count, number_min(count, rows_max), "nodes", out);
}

/* ---- links ---- */

/* one more than the largest number of a link */
static size_t links_bound(const json_t *fabric)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node, *port;
	size_t i, p, bound = 0;

	json_array_foreach (nodes, i, node) {
		json_array_foreach (json_object_get(node, "ports"), p, port) {
			size_t link = (size_t)member_number(port, "link");

			bound = link < LINKS_MAX && link >= bound ? link + 1 : bound;
		}
	}
	return bound;
}

/* adds one end of a link to @row */
static void link_end_take(struct row *row, const json_t *node, const json_t *port)
{
	double busy = real_of(port, "tx_percent");

	if (row->port) {
		row->back = port;
	} else {
		row->node = node;
		row->port = port;
	}
	if (busy > row->busy)
		row->busy = busy;
}

/* makes a row for each link from the ports at its ends. @bound links_bound(). Return: their
 * number. */
static size_t links_find(const json_t *fabric, struct row *rows, size_t bound)
{
	const json_t *nodes = json_object_get(fabric, "nodes"), *node, *port;
	size_t i, p, count = 0;

	memset(rows, 0, bound * sizeof(*rows));
	json_array_foreach (nodes, i, node) {
		json_array_foreach (json_object_get(node, "ports"), p, port) {
			size_t link = (size_t)member_number(port, "link");

			if (link < bound)
				link_end_take(&rows[link], node, port);
		}
	}
	for (i = 0; i < bound; i++) {
		rows[i].index = i;
		if (rows[i].port)
			rows[count++] = rows[i];
	}
	return count;
}

static void link_print(const struct row *row, FILE *out)
{
	char rate[HUMAN_TEXT_MAX], there[HUMAN_TEXT_MAX], back[HUMAN_TEXT_MAX],
		name[2 * NODE_NAME_MAX];

	snprintf(name, sizeof(name), "%s:%s", member_text(row->node, "name"),
		 member_text(row->port, "peer"));
	fprintf(out, "%-20s  %10s  %10s  %6.1f  %10s  %6.1f  %8lld  %8lld%s\n", name,
		human_rate((uint64_t)member_number(row->port, "rate_bps"), rate),
		human_rate((uint64_t)real_of(row->port, "tx_bps"), there),
		real_of(row->port, "tx_percent"),
		human_rate((uint64_t)real_of(row->back, "tx_bps"), back),
		real_of(row->back, "tx_percent"),
		(long long)member_number(row->port, "lost_packets"),
		(long long)member_number(row->back, "lost_packets"),
		json_is_true(json_object_get(row->port, "down")) ? "  down" : "");
}

/* columns of each of the two bars of a link */
static unsigned link_bar_columns(const struct screen *screen)
{
	unsigned columns =
		screen->columns > LINK_COLUMNS ? (screen->columns - LINK_COLUMNS) / 2 : 0;

	return columns < BAR_COLUMNS_LEAST  ? BAR_COLUMNS_LEAST
	       : columns > BAR_COLUMNS_MOST ? BAR_COLUMNS_MOST
					    : columns;
}

/* on a terminal: as node_draw() */
static void link_draw(const struct row *row, const struct screen *screen, FILE *out)
{
	char rate[HUMAN_TEXT_MAX], there[HUMAN_TEXT_MAX], back[HUMAN_TEXT_MAX],
		name[2 * NODE_NAME_MAX], bar[BAR_TEXT_MAX], other[BAR_TEXT_MAX];
	const char *colour = screen_paint(screen->colours, SCREEN_GREEN),
		   *plain = screen_paint(screen->colours, SCREEN_PLAIN);
	unsigned columns = link_bar_columns(screen);

	snprintf(name, sizeof(name), "%s:%s", member_text(row->node, "name"),
		 member_text(row->port, "peer"));
	fprintf(out, "%-20s  %10s %s%s%s  %10s %s%s%s  %10s%s  %8lld  %8lld\n", name,
		human_rate((uint64_t)real_of(row->port, "tx_bps"), there), colour,
		bar_pad(bar, real_of(row->port, "tx_percent") / 100, columns, screen->utf8), plain,
		human_rate((uint64_t)real_of(row->back, "tx_bps"), back), colour,
		bar_pad(other, real_of(row->back, "tx_percent") / 100, columns, screen->utf8),
		plain, human_rate((uint64_t)member_number(row->port, "rate_bps"), rate),
		json_is_true(json_object_get(row->port, "down")) ? "  down" : "",
		(long long)member_number(row->port, "lost_packets"),
		(long long)member_number(row->back, "lost_packets"));
}

static void links_draw(const struct row *rows, size_t count, const struct screen *screen, FILE *out)
{
	int columns = (int)link_bar_columns(screen);

	fprintf(out, "\n%-20s  %10s %*s  %10s %*s  %10s  %8s  %8s\n", "link a:b", "a -> b", columns,
		"", "b -> a", columns, "", "rate", "lost ->", "lost <-");
	for (size_t i = 0; i < count; i++)
		link_draw(&rows[i], screen, out);
}

static void links_print(struct row *rows, size_t count, size_t rows_max,
			const struct screen *screen, FILE *out)
{
	qsort(rows, count, sizeof(*rows), row_compare);
	if (screen->terminal) {
		links_draw(rows, number_min(count, rows_max), screen, out);
		more_print(count, number_min(count, rows_max), "links", out);
		return;
	}
	fprintf(out, "\n%-20s  %10s  %10s  %6s  %10s  %6s  %8s  %8s\n", "link a:b", "rate",
		"a -> b", "%", "b -> a", "%", "lost ->", "lost <-");
	for (size_t i = 0; i < number_min(count, rows_max); i++)
		link_print(&rows[i], out);
	more_print(count, number_min(count, rows_max), "links", out);
}

/* ---- all of it ---- */

/* how many of @lines are for nodes: what the links leave, at least half of them */
static size_t node_lines(size_t lines, size_t nodes, size_t links)
{
	if (nodes <= lines / 2)
		return nodes;
	return links < lines / 2 ? number_min(nodes, lines - links) : lines / 2;
}

void top_text_print(const json_t *fabric, const struct screen *screen, FILE *out)
{
	/* the last line of a terminal stays free */
	unsigned lines_max = !screen->terminal ? 0 : screen->lines > 2 ? screen->lines - 1 : 1;
	size_t node_count = json_array_size(json_object_get(fabric, "nodes")),
	       bound = links_bound(fabric);
	size_t fixed = FIXED_LINES + (is_roce(fabric) ? ROCE_LINES : 0);
	size_t lines = lines_max > fixed + 2 ? lines_max - fixed : 2, nodes_max = node_count,
	       link_count;
	struct row *rows = calloc(node_count > bound ? node_count : bound, sizeof(*rows));

	if (!rows)
		return;
	head_print(fabric, out);
	link_count = links_find(fabric, rows, bound);
	if (lines_max)
		nodes_max = node_lines(lines, node_count, link_count);
	nodes_print(fabric, nodes_max, rows, screen, out);
	link_count = links_find(fabric, rows, bound);
	links_print(rows, link_count, lines_max ? lines - nodes_max : link_count, screen, out);
	free(rows);
}
