/*  host_hold - frames of an attached host whose flow may not send now (gate.h), in queues of their
 *  own.
 *
 *  A socket of the host carries many flows, so a frame of a paused flow must not block it. The
 *  frame moves here, into the queue of its place of the gate. Later frames of that place follow it,
 *  also if there is credit, so a flow keeps its order. When the pause is over, these frames are
 *  sent first, at full rate. Then the flow is sent from its socket again.
 *
 *  Congestion of the host. A socket has no call that limits one of its flows, so the host's
 *  transports are notified as by any network. From HOST_HOLD_MARK_* on, ECN-capable frames are
 *  marked (RFC 3168: the sender halves its window, or as DCTCP does). For every sender the round
 *  trip grows with the queue. At HOST_HOLD_*_MAX a frame is dropped and counted (DROP_FGFC_QUEUE),
 *  as by a router's full queue. Back-pressure on the socket would stop its other flows. A
 *  super-frame counts with all its bytes. If part of it is sent already, the rest of it waits.
 *
 *      socket -> host_if -> host_send -------------------------> link
 *                                |  flow may not send             ^
 *                                +-> host_hold, queue by place ---+ per class, a frame each in turn
 *
 *  Memory: slots of host_if's pool, HOST_HOLD_FRAMES_MAX more than its queues can fill, and a small
 *  state per place and slot, if a host can be attached.
 *  Place: called by nic_gate.c and nic_transmit.c. No I/O, no time. */
#ifndef HEDDLE_NICD_HOST_HOST_HOLD_H
#define HEDDLE_NICD_HOST_HOST_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/host/host_if.h"
#include "nicd/host/host_send.h"
#include "nodes/config/config.h"

#define HOST_HOLD_BYTES_MAX (256u << 10) /* of one place: a few super-frames. Ours */
#define HOST_HOLD_FLOW_FRAMES_MAX 256u   /* of one place, however short they are */
#define HOST_HOLD_MARK_BYTES (HOST_HOLD_BYTES_MAX / 4)
#define HOST_HOLD_MARK_FRAMES (HOST_HOLD_FLOW_FRAMES_MAX / 4)

#define HOST_HOLD_NONE UINT32_MAX

struct host_hold_queue {
	uint32_t first, last; /* slots; HOST_HOLD_NONE: none */
	uint32_t frames, bytes;
	uint32_t next; /* in the ring of its class */
	uint8_t traffic_class;
	bool open, turning; /* may send; is in the ring */
};

struct host_hold {
	struct host_if *host;
	struct host_hold_queue *queues; /* by place of the gate */
	struct host_cut *cuts;          /* by slot: what is left of a frame */
	uint32_t *next;                 /* by slot: the one after it in its queue */
	uint32_t entries_max;
	uint32_t frames; /* in all queues */
	/* ring of the queues that may send: the last one; the one after it has the turn */
	uint32_t tails[NODE_CLASSES_MAX];
	uint32_t ready; /* set of classes with such queues */
};

/** host_hold_init() - empty queues for @entries_max places; nothing if @host can have no host.
 *  Return: 0 or -ENOMEM. */
int host_hold_init(struct host_hold *hold, struct host_if *host, uint32_t entries_max);
void host_hold_fini(struct host_hold *hold);

/** host_hold_put() - enqueues the head of a socket's queue, with what is left of it, at @entry.
 *  Marks it if the queue is long. @slot from host_send_take(); taken.
 *  Return: false: the queue is full, and the caller still owns the slot. O(1). */
bool host_hold_put(struct host_hold *hold, uint32_t entry, uint32_t slot,
		   const struct host_head *head);

/** host_hold_open() - the frames that wait at @entry may be sent (@open), or may not. To be called
 *  whenever that changes. O(1). */
void host_hold_open(struct host_hold *hold, uint32_t entry, bool open);

static inline bool host_hold_empty(const struct host_hold *hold, uint32_t entry)
{
	return !hold->queues || !hold->queues[entry].frames;
}

/** host_hold_entry() - the place that has the turn in @traffic_class, which must be in hold->ready.
 *  O(1). */
static inline uint32_t host_hold_entry(const struct host_hold *hold, uint32_t traffic_class)
{
	return hold->queues[hold->tails[traffic_class]].next;
}

/** host_hold_bytes() - length of its next frame, without FCS. O(1). */
uint32_t host_hold_bytes(const struct host_hold *hold, uint32_t traffic_class);

/** host_hold_next() - writes that frame to @bytes (NULL: the link has lost it). The next place has
 *  the turn then. O(bytes). */
void host_hold_next(struct host_hold *hold, uint32_t traffic_class, uint8_t *bytes);

#endif
