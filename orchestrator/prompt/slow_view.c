#include "orchestrator/prompt/slow_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/bar.h"
#include "orchestrator/base/human.h"

#define DRAW_EVERY_NS 200000000ull
#define PRINT_EVERY_NS 1000000000ull
#define PRINTED_PORTS 3u
#define DRAWN_PORTS_MAX 24u
#define HEAD_LINES 2u
#define NAME_COLUMNS_MAX 32
#define FIXED_COLUMNS 45u /* of a row without its name and its bars */
#define BAR_COLUMNS_LEAST 4u
#define BAR_COLUMNS_MOST 30u
#define QUEUE_FULL_LEAST 10000u
#define SCORE_DECAY 0.9 /* of a picture: a port that was busy stays for a while (ours) */

#define LINE_END "\033[K\n" /* and nothing of what was there */

struct slow_port {
	uint32_t node, port;
	char name[2 * NODE_NAME_MAX + 8]; /* "s1 -> s2" */
	uint64_t tx_bytes;                /* at the last picture */
	/* at this one */
	uint64_t rate_bps, queue_bytes;
	double busy; /* share of the link's rate */
	char mark[32];
	double score;
	bool stopped, chosen;
};

/* ---- ports ---- */

static bool of_switch(const struct slow_view *view, const struct slow_port *port)
{
	return view->fabric->plan->nodes[port->node].kind == NODE_SWITCH;
}

static uint32_t ports_max(const struct plan *plan)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->node_count; i++)
		count += plan->nodes[i].port_count;
	return count;
}

int slow_view_open(struct slow_view *view, const struct fabric *fabric, node_time_t slow_ps_per_s,
		   FILE *out)
{
	const struct plan *plan = fabric->plan;

	*view = (struct slow_view){ .out = out,
				    .fabric = fabric,
				    .slow_ps_per_s = slow_ps_per_s,
				    .queue_full_bytes = QUEUE_FULL_LEAST,
				    .seen_ps = fabric_now(fabric) };
	view->ports = calloc(ports_max(plan), sizeof(*view->ports));
	if (!view->ports)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct node_config *node = &plan->nodes[i];

		for (uint32_t p = 0; p < node->port_count; p++) {
			struct slow_port *port = &view->ports[view->count];

			if (node->ports[p].vacant)
				continue;
			port->node = i;
			port->port = p;
			snprintf(port->name, sizeof(port->name), "%s -> %s", node->name,
				 node->ports[p].peer_name);
			view->count++;
		}
	}
	return 0;
}

void slow_view_close(struct slow_view *view)
{
	free(view->ports);
	*view = (struct slow_view){ 0 };
}

/* why @port does not send now; "" if nothing stops it */
static void mark_write(struct slow_port *port, struct stats_page *page, bool nic)
{
	const struct port_stats *stats = stats_port(page, port->port);
	bool paused = false;

	for (uint32_t c = 0; stats_has_classes(page) && c < NODE_CLASSES_MAX; c++)
		paused |= stats_class(page, port->port, c)->paused_since_ps != 0;
	snprintf(port->mark, sizeof(port->mark), "%s",
		 paused                   ? "paused"
		 : stats->credit_since_ps ? "no credit"
		 : stats->paused_since_ps ? "stopped"
					  : "");
	port->stopped = port->mark[0] != 0;
	if (!port->stopped && nic && stats->fgfc_held)
		snprintf(port->mark, sizeof(port->mark), "%llu held",
			 (unsigned long long)stats->fgfc_held);
}

static void port_look(const struct slow_view *view, struct slow_port *port, double passed_s)
{
	struct stats_page *page = view->fabric->nodes[port->node].stats;
	const struct port_stats *stats = stats_port(page, port->port);
	uint64_t link_bps = view->fabric->plan->nodes[port->node].ports[port->port].rate_bps;

	/* a frame counts when it begins: in a short time that can be more than the link carries */
	if (passed_s > 0)
		port->rate_bps =
			(uint64_t)((double)(stats->tx_bytes - port->tx_bytes) * 8 / passed_s);
	if (port->rate_bps > link_bps)
		port->rate_bps = link_bps;
	port->busy = link_bps ? (double)port->rate_bps / (double)link_bps : 0;
	port->tx_bytes = stats->tx_bytes;
	port->queue_bytes = stats->queue_bytes;
	mark_write(port, page, !of_switch(view, port));
}

/* 1, 2 or 5 times a power of ten */
static uint64_t rounded_up(uint64_t value)
{
	uint64_t unit = 1;

	for (;;) {
		if (value <= unit)
			return unit;
		if (value <= 2 * unit)
			return 2 * unit;
		if (value <= 5 * unit)
			return 5 * unit;
		unit *= 10;
	}
}

static double queue_share(const struct slow_view *view, const struct slow_port *port)
{
	/* a NIC holds what its program has not sent yet: that is no queue of the fabric */
	return of_switch(view, port) ? (double)port->queue_bytes / (double)view->queue_full_bytes
				     : 0;
}

static void ports_look(struct slow_view *view)
{
	node_time_t now = fabric_now(view->fabric);
	double passed_s = (double)(now - view->seen_ps) / (double)NODE_S;

	for (uint32_t i = 0; i < view->count; i++) {
		struct slow_port *port = &view->ports[i];

		port_look(view, port, passed_s);
		if (of_switch(view, port) && port->queue_bytes > view->queue_full_bytes)
			view->queue_full_bytes = rounded_up(port->queue_bytes);
	}
	for (uint32_t i = 0; i < view->count; i++) {
		struct slow_port *port = &view->ports[i];
		double score = port->busy + 2 * queue_share(view, port) + port->stopped;

		port->score *= SCORE_DECAY;
		port->score = score > port->score ? score : port->score;
		port->chosen = false;
	}
	view->seen_ps = now;
}

/* the busiest port that is not chosen yet; NULL: the others do nothing. */
static struct slow_port *port_choose(struct slow_view *view)
{
	struct slow_port *best = NULL;

	for (uint32_t i = 0; i < view->count; i++) {
		struct slow_port *port = &view->ports[i];

		if (!port->chosen && port->score > 0 && (!best || port->score > best->score))
			best = port;
	}
	if (best)
		best->chosen = true;
	return best;
}

/* ---- a line ---- */

static void line_print(struct slow_view *view)
{
	char text[HUMAN_TEXT_MAX], queue[HUMAN_TEXT_MAX];
	const struct slow_port *port;

	fprintf(view->out, "at %s", human_us(view->seen_ps, text));
	for (unsigned i = 0; i < PRINTED_PORTS && (port = port_choose(view)); i++)
		fprintf(view->out, "; %s %s, queue %s%s%s", port->name,
			human_rate(port->rate_bps, text), human_bytes(port->queue_bytes, queue),
			port->mark[0] ? ", " : "", port->mark);
	fputc('\n', view->out);
}

/* ---- a picture ---- */

static const char *paint(const struct slow_view *view, const char *colour)
{
	return screen_paint(view->screen.colours, colour);
}

/* columns of each of the two bars; 0: the terminal is too narrow for them */
static unsigned bar_columns(const struct slow_view *view, unsigned name_columns)
{
	unsigned fixed = FIXED_COLUMNS + name_columns, columns;

	if (view->screen.columns < fixed + 2 * BAR_COLUMNS_LEAST)
		return 0;
	columns = (view->screen.columns - fixed) / 2;
	return columns < BAR_COLUMNS_MOST ? columns : BAR_COLUMNS_MOST;
}

static void port_draw(const struct slow_view *view, const struct slow_port *port, int name_columns,
		      unsigned columns)
{
	char rate[HUMAN_TEXT_MAX], queue[HUMAN_TEXT_MAX], rate_bar[BAR_TEXT_MAX],
		queue_bar[BAR_TEXT_MAX];

	fprintf(view->out, "%-*.*s  %10s  %s%s%s  %10s  %s%s%s  %s%s%s" LINE_END, name_columns,
		name_columns, port->name, human_rate(port->rate_bps, rate),
		paint(view, SCREEN_GREEN),
		bar_pad(rate_bar, port->busy, columns, view->screen.utf8),
		paint(view, SCREEN_PLAIN), human_bytes(port->queue_bytes, queue),
		paint(view, SCREEN_YELLOW),
		bar_pad(queue_bar, queue_share(view, port), columns, view->screen.utf8),
		paint(view, SCREEN_PLAIN), paint(view, SCREEN_RED), port->mark,
		paint(view, SCREEN_PLAIN));
}

static void head_draw(const struct slow_view *view, int name_columns, unsigned columns)
{
	const struct plan *plan = view->fabric->plan;
	char now[HUMAN_TEXT_MAX], end[HUMAN_TEXT_MAX], speed[HUMAN_TEXT_MAX], full[HUMAN_TEXT_MAX];

	fprintf(view->out, "%s at %s of %s, %s per second; queue bars: %s" LINE_END, plan->scenario,
		human_us(view->seen_ps, now), human_us(plan->duration_ps, end),
		human_time(view->slow_ps_per_s, speed), human_bytes(view->queue_full_bytes, full));
	fprintf(view->out, "%-*s  %10s  %-*s  %10s" LINE_END, name_columns, "port", "rate",
		(int)columns, "", "queue");
}

static void picture_draw(struct slow_view *view, bool resized)
{
	unsigned rows =
		view->screen.lines > HEAD_LINES + 2 ? view->screen.lines - HEAD_LINES - 2 : 1;
	int name_columns = (int)strlen("port");
	unsigned columns, drawn = HEAD_LINES;

	rows = rows < DRAWN_PORTS_MAX ? rows : DRAWN_PORTS_MAX;
	for (unsigned i = 0; i < rows && port_choose(view); i++)
		continue;
	for (uint32_t i = 0; i < view->count; i++) {
		int length = (int)strlen(view->ports[i].name);

		name_columns = length > name_columns ? length : name_columns;
	}
	name_columns = name_columns < NAME_COLUMNS_MAX ? name_columns : NAME_COLUMNS_MAX;
	columns = bar_columns(view, (unsigned)name_columns);
	fputs(SCREEN_CUT, view->out);
	if (view->drawn && resized)
		fputs(SCREEN_CLEAR, view->out); /* the terminal has broken what was there */
	else if (view->drawn)
		fprintf(view->out, "\033[%uA\r", view->drawn);
	head_draw(view, name_columns, columns);
	for (uint32_t i = 0; i < view->count; i++) {
		if (!view->ports[i].chosen)
			continue;
		port_draw(view, &view->ports[i], name_columns, columns);
		drawn++;
	}
	fputs(SCREEN_BELOW_CLEAR SCREEN_WRAP, view->out);
	view->drawn = drawn;
}

void slow_view_show(void *viewer, bool last)
{
	struct slow_view *view = viewer;
	const struct screen before = view->screen;
	uint64_t now_ns = monotonic_ns();

	if (!last && now_ns < view->next_ns)
		return;
	view->screen = screen_look(view->out);
	view->next_ns = now_ns + (view->screen.terminal ? DRAW_EVERY_NS : PRINT_EVERY_NS);
	ports_look(view);
	if (view->screen.terminal)
		picture_draw(view, before.columns != view->screen.columns ||
					   before.lines != view->screen.lines);
	else
		line_print(view);
	fflush(view->out);
	if (last)
		view->drawn = 0;
}
