/*  pace - what a node does under the real clock: the counterpart of window.h and turn.h (TB-1,
 *  TB-8).
 *
 *  Fabric time follows CLOCK_MONOTONIC (fabric_time.h), in picoseconds. A turn handles every event
 *  that is due by then, in the same order and with the same due times as under the virtual clock. A
 *  late node handles an event late, but stamps what follows from it as if it had been in time. So a
 *  link absorbs lateness that is shorter than its delay, and rates are exact. Only what comes from
 *  outside (a host, a veth) is stamped when it is seen.
 *
 *  Waiting. A node with nothing due stays awake for a moment, unless another process wants its
 *  core. Then it sleeps until its next event, its doorbell, a descriptor or a control message; an
 *  idle node costs nothing. Its doorbell is an eventfd that its peers hold. A peer that puts a
 *  record into a ring uses it only if the node sleeps beyond the arrival of that record
 *  (ring_rouse()). No node writes a word that a third one reads.
 *
 *  A node alone calls pace_wait(). Packed nodes wait together: pace_group.h.
 *
 *  Lateness is a node's own: from the moment when it could have known that an event is due to the
 *  moment when it handled it. One sample a turn, the worst; the distribution is in the statistics
 *  page, and so is the most that a node was late. A very late node catches up in portions, turn by
 *  turn. */
#ifndef HEDDLE_NODES_NODE_PACE_H
#define HEDDLE_NODES_NODE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/clock/clock.h"
#include "nodes/clock/event_loop.h"
#include "nodes/clock/home_core.h"
#include "nodes/config/config.h"
#include "nodes/link/carrier.h"
#include "nodes/link/link.h"
#include "nodes/node/node.h"
#include "nodes/stats/stats.h"

struct pace_group;

/* how long a node stays awake after the last event unless the user says so: a few changes of
 * processes */
#define PACE_AWAKE_PS (30 * NODE_US)

struct pace {
	const struct clock *clock;
	const struct node_config *config;
	struct link *links;
	struct stats_page *stats;
	const struct node_ops *ops;
	void *dataplane;
	struct event_loop *loop;
	uint32_t first_number;                    /* of its descriptors in the event loop */
	int doorbell;                             /* own */
	int peer_doorbell[NODE_PORTS_MAX];        /* -1: a veth link, or nothing plugged in */
	struct carrier *carriers[NODE_PORTS_MAX]; /* veth links, else NULL; owned by the node */
	uint64_t released[NODE_PORTS_MAX];        /* how far each receive ring was released */
	uint64_t plugged;                         /* ports that have a link: of many, few may */
	/* ports whose peer was sent ACKs, and whose doorbell was not rung for them yet */
	uint64_t owed;
	node_time_t owed_ps[NODE_PORTS_MAX]; /* when the first of them was due there */
	uint64_t readable;                   /* ports whose veth may hold more */
	uint32_t host_count;
	uint32_t host_readable;   /* host sockets that may hold more */
	node_time_t host_wait_ps; /* they are left for so long: no free buffer */
	uint64_t broken;          /* ports whose peer broke the ring's rules */
	node_time_t now_ps;       /* up to here the last turn has handled everything */
	node_time_t turned_ps;    /* when it began */
	node_time_t next_ps;      /* next event known */
	node_time_t looked_ps;    /* when the event loop was asked last */
	node_time_t busy_ps;      /* when something was handled last */
	bool slept;               /* since the last turn */
	struct home_core *home;   /* of the process; NULL: there is none */
	node_time_t awake_ps;     /* so long it stays awake after the last event, */
	bool polls;               /* also if another process wants its core */
	/* packed: the nodes that wait together, its place among them, the ports whose peer is one
	 * of them, and their places */
	struct pace_group *group;
	uint32_t place;
	uint64_t inside;
	uint32_t peer_place[NODE_PORTS_MAX];
};

/** pace_init() - everything is borrowed and outlives @pace. @doorbell the node's own eventfd.
 *  Its descriptors have EVENT_LOOP_FDS_MAX numbers in @loop from @first_number on.
 *  Return: 0 or -errno. */
int pace_init(struct pace *pace, const struct clock *clock, const struct node_config *config,
	      struct link *links, struct stats_page *stats, const struct node_ops *ops,
	      void *dataplane, struct event_loop *loop, uint32_t first_number, int doorbell);

/** pace_poll() - the node stays awake for @awake_ps (of the machine) after the last event, also if
 *  another process wants its core (bounded busy polling). 0: as without. */
void pace_poll(struct pace *pace, node_time_t awake_ps);

/** pace_host() - the NIC's host sockets are watched from now on.   Return: 0 or -errno. */
int pace_host(struct pace *pace, const int *fds, uint32_t count);

/** pace_plug() - port @port has a new link: @peer_doorbell of a shared-memory link, or @carrier
 *  with its @socket. pace_unplug() - it has none any more; the caller closes what it gave. */
int pace_plug(struct pace *pace, uint32_t port, int peer_doorbell, struct carrier *carrier,
	      int socket);
void pace_unplug(struct pace *pace, uint32_t port);

/** pace_leave() - unplugs all ports, and watches neither host sockets nor doorbell any more. */
void pace_leave(struct pace *pace);

/** pace_begun() - has fabric time begun (or ended)? Sleeps until then, and returns false if it was
 *  woken for something else.
 *  @control as in pace_wait(). */
bool pace_begun(struct pace *pace, bool *control);

/** pace_now() - fabric time; 0 before it has begun. */
node_time_t pace_now(const struct pace *pace);

/** pace_reached() - the time up to which the dataplane has handled events: fabric time, or less if
 *  the node is late. A change that is made now takes effect at that time. */
static inline node_time_t pace_reached(const struct pace *pace)
{
	return pace->now_ps < pace->turned_ps ? pace->now_ps : pace_now(pace);
}

/** pace_turn() - handles everything that is due now, of a node that is very late a part of it, and
 *  sends and delivers what follows from it. */
void pace_turn(struct pace *pace);

/** pace_wait() - waits until there may be something for the node to do.
 *  @control  set to whether the control socket may be readable.
 *  Return: false if the fabric has ended. */
bool pace_wait(struct pace *pace, bool *control);

/* ---- parts of it, for pace_group.c ---- */

#define PACE_NEAR_PS (15 * NODE_US)  /* what is due sooner is not worth a sleep */
#define PACE_SHARED_PS (2 * NODE_US) /* a core that is back later was used by another process */
/* how often a node that never sleeps checks its descriptors: not every event loop reports input */
#define PACE_LOOK_PS (100 * NODE_US)
#define PACE_SLEEP_MAX_PS NODE_S /* a node sleeps no longer than this */

/** pace_ended() - has the fabric ended? */
bool pace_ended(const struct pace *pace);

/** pace_ring_news() - has a neighbour in another process published something that was not looked at
 *  yet? */
bool pace_ring_news(const struct pace *pace);

/** pace_sleep_tell() - neighbours in other processes see that the node sleeps until @until; 0: it
 *  is awake. */
void pace_sleep_tell(struct pace *pace, node_time_t until);

/** pace_owed_ring() - wakes the peers to which ACKs were sent and nothing else since. */
void pace_owed_ring(struct pace *pace);

/** pace_take_ready() - descriptor @number, counted from the node's first one, has input. */
void pace_take_ready(struct pace *pace, uint32_t number);

/** pace_mute_known() - input that was left for lack of buffer does not end a sleep: the node reads
 *  it later anyway. */
void pace_mute_known(const struct pace *pace);

#endif
