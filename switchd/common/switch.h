/*  switch - the shell around every kind of switch: its events and their order, its drops, floods
 *  and pauses.
 *
 *  A kind of fabric says in a struct switch_ops what it does with an arrival and what it transmits.
 *  When it is called, and in which order, is the same for all kinds and stands in switch_run.h and
 *  switch.c.
 *
 *  Events come from a fixed set of sources (event_tree.h), of one instant in this order:
 *      arrivals (lower ports first) < transmissions < port timers, if the kind has such
 *      < the sample < the end of the measured interval < the kind's timer, if it has one.
 *  After each event the transmissions of touched ports are computed anew.
 *
 *  Memory: struct switch_shell is the first member of a kind's switch. So a pointer to one is a
 *  pointer to the other, and ops are given it as node_ops are: `void *dataplane`. */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/event_tree.h"
#include "nodes/config/config.h"
#include "nodes/link/link.h"
#include "nodes/stats/stats.h"
#include "switchd/common/packet.h"
#include "switchd/common/route.h"
#include "switchd/common/switch_set.h"
#include "switchd/common/switch_show.h"
#include "switchd/common/translate.h"

/* What a kind of fabric does; `now` is the time of the event, in picoseconds. None may be NULL but
 * where it is said. */
struct switch_ops {
	/* A record has arrived on @port; @bytes of it, in shared memory, as from link_receive():
	 * NULL if there is
	 * nothing in it but for the link. Return: may it have given the port something to
	 * transmit? */
	bool (*arrive)(void *dataplane, uint32_t port, const struct record *header,
		       const uint8_t *bytes, node_time_t now);

	/* Puts one thing on the link of @port, if something may go. */
	void (*transmit)(void *dataplane, uint32_t port, node_time_t now);

	/* When @port, which was touched, should transmit next; NODE_TIME_NEVER: it has nothing that
	 * it may send. */
	node_time_t (*transmit_next_at)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: there are no port timers. The one of @port is due (switch_port_timer_set()).
	 * Return: when it is due again, NODE_TIME_NEVER. */
	node_time_t (*port_timer)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: there is no timer. It is due (switch_timer_set()); its next time is set here or by
	 * settle(). */
	void (*timer)(void *dataplane, node_time_t now);

	/* NULL: no packet waits by tables. They have changed (tables_changed); the next event comes
	 * after this. */
	void (*follow)(void *dataplane, node_time_t now);

	/* NULL: nothing is put off. What the event has left to do, before touched ports look at
	 * what they have. */
	void (*settle)(void *dataplane, node_time_t now);

	/* Adds to @sample of @port, in which time, port and transmitted bytes stand, what this kind
	 * knows. */
	void (*sample)(void *dataplane, uint32_t port, struct sample_stats *sample,
		       node_time_t now);

	/* The measured interval is over: queues and pauses of @port that last are counted up to
	 * @now. */
	void (*measured)(void *dataplane, uint32_t port, node_time_t now);

	/* ---- links (switch_links.h) ---- */

	/* The link of @port, which was in use, is down, and the port no longer up. What waits for
	 * it is lost or takes another port. */
	void (*link_down)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: every link starts at once. A new link is at @port. Return: may it start at once? */
	bool (*link_coming)(void *dataplane, uint32_t port);

	/* May the link of @port, of ports_coming, start, because nothing of the former link is in
	 * use? NULL if link_coming is. */
	bool (*link_may_start)(void *dataplane, uint32_t port);

	/* The new link of @port starts: the port becomes what config->ports[@port] says. It is up
	 * after that. */
	void (*link_start)(void *dataplane, uint32_t port, node_time_t now);

	/* The rate of the link of @port has changed. */
	void (*link_set)(void *dataplane, uint32_t port);

	/* ---- set-up, show and set ---- */

	size_t bytes; /* of the kind's switch */

	/* Builds the kind's part: the rest is zero. Return: 0 or -ENOMEM. */
	int (*init)(void *dataplane);

	/* Releases what init() has built, also if it failed half-way. */
	void (*fini)(void *dataplane);

	bool flood_tree;                        /* floods by switch_flood() */
	const struct switch_table *tables;      /* of switch_show() */
	const struct switch_settings *settings; /* of switch_set() */
};

/* Members are read by all files of a kind, and written by them where nothing else is said. */
struct switch_shell {
	const struct switch_ops *ops;
	const struct node_config *config;
	struct link *links; /* by port */
	struct stats_page *stats;
	/* the fabric's time when tables were asked for last (node_ops.show) */
	node_time_t shown_ps;
	uint32_t port_count, class_count;
	bool cut_through;
	/* since then nobody has looked whether all packets wait at the right ports */
	bool tables_changed;
	/* ports whose next transmission must be computed anew: switch_touch() */
	uint64_t touched;
	uint64_t *ports_up; /* set of ports whose link is in use: of the kind's routes */
	/* switch_tables_init(); NULL: the kind has no such tables */
	struct route_table *routes;
	struct translate *translate;
	/* ports with a new link that waits for the end of what came over the former one */
	uint64_t ports_coming;
	uint64_t flood_ports;   /* switch_config.flood_ports as of now */
	uint32_t flood_packets; /* copies of flooded frames inside */
	uint32_t flood_packets_max;
	/* switch_pause_note(); NODE_TIME_NEVER: not paused */
	node_time_t paused_since_ps[NODE_PORTS_MAX];
	struct event_tree events; /* of switch.c and switch_run.h */
	struct packet_pool pool;
};

/** switch_create(), switch_destroy() - node_ops.create and destroy, of a switch with @ops. */
void *switch_create(const struct switch_ops *ops, const struct node_config *config,
		    struct link *links, struct stats_page *stats);
void switch_destroy(void *dataplane);

/** switch_on_sample(), switch_on_measured() - events of switch_run(). O(ports). */
void switch_on_sample(struct switch_shell *sw, node_time_t now);
void switch_on_measured(struct switch_shell *sw, node_time_t now);

/** switch_settle() - the end of an event, or of what a change of links was. */
void switch_settle(struct switch_shell *sw, node_time_t now);

/** switch_look_at_arrivals() - the links of @ports, a set, may have a record that no event is set
 *  for. */
void switch_look_at_arrivals(struct switch_shell *sw, uint64_t ports);

/** switch_touch() - something changed that may let port @port transmit, or transmit earlier. */
static inline void switch_touch(struct switch_shell *sw, uint32_t port)
{
	sw->touched |= 1ull << port;
}

/** switch_port_timer_set() - ops->port_timer() is to be called for @port at @due. Kinds with port
 *  timers only. */
static inline void switch_port_timer_set(struct switch_shell *sw, uint32_t port, node_time_t due)
{
	event_tree_set(&sw->events, 2 * sw->port_count + port, due);
}

/** switch_timer_set() - ops->timer() is to be called at @due; NODE_TIME_NEVER: not. Kinds with a
 *  timer only. */
void switch_timer_set(struct switch_shell *sw, node_time_t due);

/* ---- packets ---- */

/** switch_drop() - counts a dropped frame under its reason, as one that came in at @port.
 *  @frame_bytes  of a packet's inner frame, without FCS; else 0. */
void switch_drop(struct switch_shell *sw, enum drop_reason reason, uint32_t port,
		 uint32_t frame_bytes, node_time_t now);

/** switch_enter(), switch_leave() - @packet is inside the switch, is no longer inside. Leaving frees
 *  it. O(1). */
static inline void switch_enter(struct switch_shell *sw, const struct packet *packet)
{
	sw->stats->inside_packets++;
	sw->stats->inside_bytes += packet->frame_bytes;
	sw->flood_packets += packet->copy;
}

static inline void switch_leave(struct switch_shell *sw, struct packet *packet)
{
	ENSURE(sw->stats->inside_packets, >, 0u);
	ENSURE(sw->stats->inside_bytes, >=, (uint64_t)packet->frame_bytes);
	ENSURE(sw->flood_packets, >=, (uint32_t)packet->copy);
	sw->stats->inside_packets--;
	sw->stats->inside_bytes -= packet->frame_bytes;
	sw->flood_packets -= packet->copy;
	packet_free(&sw->pool, packet);
}

/** switch_copy() - one more of @original, marked as a copy, not yet inside. Return: NULL if
 *  flood_packets_max copies are inside or the pool is empty. */
struct packet *switch_copy(struct switch_shell *sw, const struct packet *original);

/* queues @copy at output @out; takes it */
typedef void switch_copy_fn(void *dataplane, uint32_t out, struct packet *copy, node_time_t now);

/** switch_flood() - copies of @packet (borrowed, in no queue) along the tree of flood_ports, by
 *  @send. The books: each copy counts as a frame of its own, whether there is a cell for it or not;
 *  the original as one that is no more. What comes in over a port that is not of the tree has been
 *  sent by a switch that knows its destination, and would not end where the tree ends: it is
 *  dropped. O(ports). */
void switch_flood(struct switch_shell *sw, const struct packet *packet, switch_copy_fn *send,
		  node_time_t now);

/* ---- pauses: packets of a port wait for the peer alone ---- */

/** switch_pause_note() - from now on the port is @paused, or not: from when its link is free, if it
 *  is busy. O(1). */
void switch_pause_note(struct switch_shell *sw, uint32_t port, bool paused, node_time_t now);

/** switch_pause_settle() - counts a pause of @port that lasts up to @now. */
void switch_pause_settle(struct switch_shell *sw, uint32_t port, node_time_t now);

#endif
