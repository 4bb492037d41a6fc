#include "nodes/node/window.h"

#include <stdio.h>
#include <stdlib.h>

#include "nodes/base/prefetch.h"
#include "nodes/link/link_send.h"

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

void node_window_pack(struct node_window *window, const struct clock *workers,
		      const struct node_place *place)
{
	window->workers = workers;
	window->worker = place->worker;
	window->node = place->place;
	for (uint32_t port = 0; port < window->link_count; port++) {
		window->peer[port] = place->ports[port].peer_place;
		window->peer_worker[port] = place->ports[port].peer_worker;
	}
}

void node_window_due(const struct node_window *window, node_time_t next)
{
	clock_notify(window->clock, window->node, next);
	if (window->workers)
		clock_notify(window->workers, window->worker, next);
}

/* Something arrives at the peer at @port. A worker looks at the inboxes of its own nodes when it
 * has finished a window. Another one may be emptying the peer's inbox just now. Either this notice
 * is left there, or the peer, which runs after that, sees the record: the fence pairs with the one
 * after the worker has emptied its inboxes (worker_main.c). */
static void peer_notify(const struct node_window *window, uint32_t port, node_time_t arrival)
{
	bool elsewhere = window->workers && window->peer_worker[port] != window->worker;

	if (elsewhere)
		atomic_thread_fence(memory_order_seq_cst);
	clock_notify(window->clock, window->peer[port], arrival);
	if (elsewhere)
		clock_notify(window->workers, window->peer_worker[port], arrival);
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

void node_window_prefetch(const struct node_window *window)
{
	for (uint32_t port = 0; port < window->link_count; port++) {
		const struct link *link = &window->links[port];

		if (link->down)
			continue;
		ring_rx_prefetch(&link->rx.ring);
		ring_tx_prefetch(&link->tx.ring);
		prefetch_write(link->stats);
	}
}

node_time_t node_window_handle(struct node_window *window)
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
			peer_notify(window, port, arrival);
		}
		release(window, port);
		window->broken |= (uint64_t)link->rx.ring.broken << port;
	}
	return next;
}

uint32_t node_window_run(struct node_window *window, uint32_t *wake)
{
	node_time_t next = node_window_handle(window);

	return clock_finish(window->clock, window->node, next, wake);
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

	node_window_due(window, node_time_max(next, now));
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
