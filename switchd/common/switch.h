/*  switch - the shell around every kind of switch: events and their order, drops, floods, pauses.
 *
 *  The operations of a kind, struct switch_ops, say what happens to an arrival and what is sent.
 *  The order of the calls is the same for all kinds: switch_run.h and switch.c.
 *
 *  Events have a fixed set of sources (event_tree.h). Those of one instant are handled in this
 *  order:
 *      arrivals (lower ports first) < transmissions < port timers, if the kind has such
 *      < the sample < the end of the measured interval < the kind's timer, if it has one.
 *  After each event the transmissions of touched ports are computed again.
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
#include "nodes/stats/series.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/class_map.h"
#include "switchd/common/packet.h"
#include "switchd/common/path_watch.h"
#include "switchd/common/route.h"
#include "switchd/common/switch_set.h"
#include "switchd/common/switch_show.h"
#include "switchd/common/translate.h"

/* stream of a switch's random numbers: its links have those below */
#define SWITCH_STREAM NODE_PORTS_MAX

/* What a kind of fabric does. `now` is the time of the event, ps. Only members that begin with
 * "NULL:" may be NULL. */
struct switch_ops {
	/* A record has arrived on @port. @bytes  its captured bytes in shared memory, as from
	 * link_receive(); NULL: the link has handled it.
	 * Return: true if @port itself may have something to transmit now. */
	bool (*arrive)(void *dataplane, uint32_t port, const struct record *header,
		       const uint8_t *bytes, node_time_t now);

	/* Sends one frame on the link of @port, if one may be sent. */
	void (*transmit)(void *dataplane, uint32_t port, node_time_t now);

	/* When touched port @port transmits next; NODE_TIME_NEVER: it has nothing that may be
	 * sent. On a free link it notes whether that is a pause (switch_pause_note()). */
	node_time_t (*transmit_next_at)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: there are no port timers. The one of @port is due (switch_port_timer_set()).
	 * Return: when it is due again, NODE_TIME_NEVER. */
	node_time_t (*port_timer)(void *dataplane, uint32_t port, node_time_t now);

	/* NULL: there is no timer. It is due (switch_timer_set()). This or settle() sets its next
	 * time. */
	void (*timer)(void *dataplane, node_time_t now);

	/* NULL: no packet that waits depends on tables. Routes or hosts have changed
	 * (tables_changed): what waits follows them. Called before the next event. */
	void (*follow)(void *dataplane, node_time_t now);

	/* NULL: nothing is deferred. Does what the event has deferred, before the transmissions of
	 * touched ports are computed. */
	void (*settle)(void *dataplane, node_time_t now);

	/* Records the kind's series of @port: series_port() and the others. switch.c records those
	 * that follow from counters of all kinds. */
	void (*sample)(void *dataplane, struct series *series, uint32_t port, node_time_t now);

	/* The measured interval is over: counts the queue of @port, and a pause that lasts, up to
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

	/* Releases what init() has built, also if init() failed before its end. */
	void (*fini)(void *dataplane);

	/* NULL: it depends on more than the frame. The output of a frame with @fields, -1: none.
	 * Nothing changes. */
	int (*output_of)(const void *dataplane, const struct frame_fields *fields);

	bool flood_tree;                        /* floods by switch_flood() */
	const struct switch_table *tables;      /* of switch_show() */
	const struct switch_settings *settings; /* of switch_set() */
};

/* Files of a kind read and write the members, unless a comment says which file writes. */
struct switch_shell {
	const struct switch_ops *ops;
	const struct node_config *config;
	struct link *links; /* by port */
	struct stats_page *stats;
	/* the fabric's time at the last node_ops.show */
	node_time_t shown_ps;
	uint32_t port_count, class_count;
	struct class_map classes; /* of frames */
	bool cut_through;
	/* follow() is due: packets may wait at ports that new tables do not select */
	bool tables_changed;
	/* ports whose next transmission must be computed again: switch_touch() */
	uint64_t touched;
	uint64_t *ports_up; /* set of ports whose link is in use: of the kind's routes */
	/* switch_tables_init(); NULL: the kind has no such tables */
	struct route_table *routes;
	struct translate *translate;
	/* ports with a new link that waits until nothing of the former one is in use */
	uint64_t ports_coming;
	uint64_t flood_ports;   /* of the present tables: switch_config.flood_ports */
	uint32_t flood_packets; /* copies of flooded frames inside */
	uint32_t flood_packets_max;
	/* switch_pause_note(); NODE_TIME_NEVER: not paused */
	node_time_t paused_since_ps[NODE_PORTS_MAX];
	struct series series;
	struct path_watch paths;
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

/** switch_settle() - the end of an event, or of a change of links. */
void switch_settle(struct switch_shell *sw, node_time_t now);

/** switch_look_at_arrivals() - sets the arrival events of @ports, a set, that have none. */
void switch_look_at_arrivals(struct switch_shell *sw, uint64_t ports);

/** switch_touch() - port @port may transmit now, or earlier than computed. */
static inline void switch_touch(struct switch_shell *sw, uint32_t port)
{
	sw->touched |= 1ull << port;
}

/** switch_port_timer_set() - ops->port_timer() is called for @port at @due. Kinds with port timers
 *  only. */
static inline void switch_port_timer_set(struct switch_shell *sw, uint32_t port, node_time_t due)
{
	event_tree_set(&sw->events, 2 * sw->port_count + port, due);
}

/** switch_timer_set() - ops->timer() is called at @due; NODE_TIME_NEVER: not. Kinds with a timer
 *  only. */
void switch_timer_set(struct switch_shell *sw, node_time_t due);

/* ---- packets ---- */

/** switch_drop() - counts a frame that arrived on @port as dropped for @reason. @frame_bytes of a
 *  packet's inner frame, without FCS; else 0. */
void switch_drop(struct switch_shell *sw, enum drop_reason reason, uint32_t port,
		 uint32_t frame_bytes, node_time_t now);

/** switch_drop_packet() - the same of @packet, which is the caller's. */
void switch_drop_packet(struct switch_shell *sw, enum drop_reason reason,
			const struct packet *packet, node_time_t now);

/** switch_enter(), switch_leave() - @packet is inside the switch, is no longer inside. Leaving
 *  frees it. O(1). */
static inline void switch_enter(struct switch_shell *sw, const struct packet *packet)
{
	sw->stats->inside_packets++;
	sw->stats->inside_bytes += packet->frame_bytes;
	sw->flood_packets += packet->copy;
}

static inline void switch_leave(struct switch_shell *sw, struct packet *packet)
{
	ENSURE(sw->stats->inside_bytes, >=, (uint64_t)packet->frame_bytes);
	sw->stats->inside_packets--;
	sw->stats->inside_bytes -= packet->frame_bytes;
	sw->flood_packets -= packet->copy;
	packet_free(&sw->pool, packet);
}

/** switch_sent() - counts @packet, which leaves by @port. */
static inline void switch_sent(struct switch_shell *sw, uint32_t port, const struct packet *packet,
			       node_time_t now)
{
	sw->stats->data_hops++;
	path_watch_sent(&sw->paths, sw->stats, port, packet, now);
}

/** switch_copy() - a copy of @original, marked as such, not yet inside; the caller owns it. Return:
 *  NULL if flood_packets_max copies are inside or the pool is empty. */
struct packet *switch_copy(struct switch_shell *sw, const struct packet *original);

/* queues @copy at output @out; takes it */
typedef void switch_copy_fn(void *dataplane, uint32_t out, struct packet *copy, node_time_t now);

/** switch_flood() - sends copies of @packet (borrowed, in no queue) along the tree of flood_ports,
 *  by @send. Each copy counts as a frame, also one that finds no cell and is dropped; the original
 *  counts as replaced. A packet from a port outside the tree is dropped: the switch there knows its
 *  destination, and the copies might never reach the end of the tree. O(ports). */
void switch_flood(struct switch_shell *sw, const struct packet *packet, switch_copy_fn *send,
		  node_time_t now);

/* ---- pauses: a port has packets, and only the peer prevents it from sending ---- */

/** switch_pause_note() - @port is @paused from @now on, or not. A pause on a busy link begins when
 *  the link is free. O(1). */
void switch_pause_note(struct switch_shell *sw, uint32_t port, bool paused, node_time_t now);

/** switch_paused_ps() - time in which @port was paused, up to @now. */
node_time_t switch_paused_ps(const struct switch_shell *sw, uint32_t port, node_time_t now);

/** switch_pause_settle() - counts a pause of @port that lasts up to @now. */
void switch_pause_settle(struct switch_shell *sw, uint32_t port, node_time_t now);

#endif
