/*  window - what a node does in one window of the virtual clock: read its links, run its dataplane,
 *  notify its peers, publish when it is due next (TB-7).
 *
 *  Node processes (node_main.c), workers (worker_main.c) and the simulation of whole fabrics in one
 *  process (tests/sim) share it. It makes no system call, except that the last node to finish
 *  before the clock stops wakes those that wait for that. A record that a peer publishes while a
 *  window is open arrives after the window's end. If the node reads it in this window, it counts in
 *  the time of its next event; else the peer's clock_notify() does. So the result is the same. */
#ifndef HEDDLE_NODES_NODE_WINDOW_H
#define HEDDLE_NODES_NODE_WINDOW_H

#include <stdint.h>

#include "nodes/clock/clock.h"
#include "nodes/link/link.h"
#include "nodes/node/node.h"
#include "nodes/node/place.h"

struct node_window {
	const struct clock *clock;
	uint32_t node; /* slot on the clock page */
	uint32_t link_count;
	struct link *links;
	const struct node_ops *ops;
	void *dataplane;
	/* bit per link whose peer broke the ring's rules; such a link is dead */
	uint64_t broken;
	uint32_t peer[NODE_PORTS_MAX];     /* the peer's slot on the clock page */
	uint64_t released[NODE_PORTS_MAX]; /* up to where each receive ring was released */
	/* of a packed node; NULL: it is a process of its own */
	const struct clock *workers;
	uint32_t worker, peer_worker[NODE_PORTS_MAX];
};

/** node_window_init() - everything is borrowed and outlives @window. */
void node_window_init(struct node_window *window, const struct clock *clock,
		      const struct node_config *config, struct link *links,
		      const struct node_ops *ops, void *dataplane);

/** node_window_run() - the node's part of the window that is open now; only if it takes part.
 *  @wake node_count entries: filled with the nodes that the caller must wake.
 *  Return: how many. Adds to window->broken. */
uint32_t node_window_run(struct node_window *window, uint32_t *wake);

/** node_window_pack() - @window is of a packed node: slots of its clock are places, and its notices
 *  go to the worker of the notified node as well, on the clock @workers. Borrows @workers. */
void node_window_pack(struct node_window *window, const struct clock *workers,
		      const struct node_place *place);

/** node_window_prefetch() - asks for what node_window_handle() needs first, while another node of
 *  the worker runs. */
void node_window_prefetch(const struct node_window *window);

/** node_window_handle() - the first part of node_window_run(): all but clock_finish().
 *  Return: the time of the node's next event. */
node_time_t node_window_handle(struct node_window *window);

/** node_window_due() - while the clock stands: the node has its next event at @next. */
void node_window_due(const struct node_window *window, node_time_t next);

/* ---- changes while the clock is stopped, at clock_page.limit_ps, the time up to which it ran.
 * They take effect at that time, before any event that is due then, so they are the same in every
 * run (TB-7). ---- */

/** node_window_link_down(), node_window_link_up() - the link at @port fails, or returns. No effect
 *  on one that is in that state already. The caller does the same at the other end before the clock
 *  is resumed. */
void node_window_link_down(struct node_window *window, uint32_t port);
void node_window_link_up(struct node_window *window, uint32_t port);

/** node_window_link_settle() - node_ops.link_settle. */
void node_window_link_settle(struct node_window *window, uint32_t port,
			     const struct channel_set *left);

/** node_window_changed() - tables were changed while the clock stands: something may be due at
 *  once. */
void node_window_changed(struct node_window *window);

#endif
