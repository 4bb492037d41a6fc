#include "nodes/node/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void node_window_init(struct node_window *window, const struct clock *clock,
		      const struct node_config *config, struct link *links,
		      const struct node_ops *ops, void *dataplane)
{
	*window = (struct node_window){ .clock = clock,
					.node = config->index,
					.link_count = config->port_count,
					.links = links,
					.ops = ops,
					.dataplane = dataplane };
	for (uint32_t port = 0; port < config->port_count; port++)
		window->peer[port] = config->ports[port].peer_index;
}

/* an arrival inside the window would be one that the neighbour may have missed already */
static void arrival_check(const struct node_window *window, uint32_t port, node_time_t arrival,
			  node_time_t end)
{
	if (arrival >= end)
		return;
	fprintf(stderr,
		"window: node %u sent on port %u what arrives at %llu ps, before the window's end "
		"at %llu ps\n",
		window->node, port, (unsigned long long)arrival, (unsigned long long)end);
	abort();
}

/* releases a ring only where something was taken: the line is in the peer's cache */
static void release(struct node_window *window, uint32_t port)
{
	struct ring_rx *rx = &window->links[port].rx.ring;

	if (rx->head == window->released[port])
		return;
	window->released[port] = rx->head;
	ring_release(rx);
}

uint32_t node_window_run(struct node_window *window, uint32_t *wake)
{
	const struct clock *clock = window->clock;
	node_time_t end = atomic_load_explicit(&clock->page->end_ps, memory_order_relaxed);
	node_time_t start = atomic_load_explicit(&clock->page->start_ps, memory_order_relaxed);
	node_time_t next;

	for (uint32_t port = 0; port < window->link_count; port++)
		link_refresh(&window->links[port], start);
	next = window->ops->run(window->dataplane, end);
	for (uint32_t port = 0; port < window->link_count; port++) {
		struct link *link = &window->links[port];
		bool packet;
		node_time_t arrival = link_flush(link, &packet);

		if (arrival != NODE_TIME_NEVER) {
			arrival_check(window, port, arrival, end);
			clock_notify(clock, window->peer[port], arrival);
		}
		release(window, port);
		window->broken |= (uint64_t)link->rx.ring.broken << port;
	}
	return clock_finish(clock, window->node, next, wake);
}

/* ---- while the clock stands ---- */

static node_time_t stopped_at(const struct node_window *window)
{
	return atomic_load_explicit(&window->clock->page->limit_ps, memory_order_relaxed);
}

/* something may be due at once: the clock learns of it as it learns of a neighbour's message */
static void settle(struct node_window *window, node_time_t now)
{
	node_time_t next = window->ops->run(window->dataplane, 0);

	clock_notify(window->clock, window->node, node_time_max(next, now));
}

void node_window_link_down(struct node_window *window, uint32_t port)
{
	node_time_t now = stopped_at(window);

	if (window->links[port].down)
		return;
	window->ops->link_down(window->dataplane, port, now);
	settle(window, now);
}

void node_window_link_up(struct node_window *window, uint32_t port)
{
	node_time_t now = stopped_at(window);

	if (!window->links[port].down)
		return;
	link_up(&window->links[port], now);
	window->ops->link_up(window->dataplane, port, now);
	settle(window, now);
}

void node_window_link_settle(struct node_window *window, uint32_t port,
			     const struct channel_set *left)
{
	node_time_t now = stopped_at(window);

	if (!window->ops->link_settle)
		return;
	window->ops->link_settle(window->dataplane, port, left, now);
	settle(window, now);
}

void node_window_changed(struct node_window *window)
{
	settle(window, stopped_at(window));
}
