/*  host_hold - frames of an attached host whose flow is held (FGFC, EC-17): out of the way of its
 *  other flows, in order.
 *
 *  A socket of the host carries many flows, so a frame that may not go must not stay in front of
 *  it. It moves here, into the queue of the entry of the gate that names its flow; newer ones
 *  follow it, also when credit is there, so nothing overtakes. When the pause is over, what is here
 *  goes first, at full rate; then the flow is its socket's again.
 *
 *  Telling the program. A socket has no call by which a NIC could say "less of this": its kernel is
 *  told in the words that transport protocols know. From HOST_HOLD_MARK_* on, frames that are
 *  ECN-capable are marked (RFC 3168: the sender halves its window, or as DCTCP does); to every
 *  sender the round trip grows with the queue; and at HOST_HOLD_*_MAX a frame is dropped and
 *  counted (DROP_FGFC_QUEUE), as a router's full queue would. Back-pressure on the socket would
 *  stop its other flows. A super-frame counts with all its bytes, and may be cut in the midst: it
 *  waits with what is left of it.
 *
 *      socket -> host_if -> host_send -------------------------> link
 *                                |  flow is held                  ^
 *                                +-> host_hold, queue by entry ---+ per class, a frame each in turn
 *
 *  Memory: slots of host_if's pool, HOST_HOLD_FRAMES_MAX more than its queues can fill, and a small
 *  state per entry and slot, if a host can be attached. Place: called by nic_gate.c and
 *  nic_transmit.c. No I/O, no time. */
#ifndef HEDDLE_NICD_HOST_HOST_HOLD_H
#define HEDDLE_NICD_HOST_HOST_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/host/host_if.h"
#include "nicd/host/host_send.h"
#include "nodes/config/config.h"

#define HOST_HOLD_BYTES_MAX (256u << 10) /* of one flow: a few super-frames. Ours */
#define HOST_HOLD_FLOW_FRAMES_MAX 256u   /* of one flow, however short they are */
#define HOST_HOLD_MARK_BYTES (HOST_HOLD_BYTES_MAX / 4)
#define HOST_HOLD_MARK_FRAMES (HOST_HOLD_FLOW_FRAMES_MAX / 4)

#define HOST_HOLD_NONE UINT32_MAX

struct host_hold_queue {
	uint32_t first, last; /* slots; HOST_HOLD_NONE: none */
	uint32_t frames, bytes;
	uint32_t next; /* in the ring of its class */
	uint8_t traffic_class;
	bool open, turning; /* may send; stands in the ring */
};

struct host_hold {
	struct host_if *host;
	struct host_hold_queue *queues; /* by entry of the gate */
	struct host_cut *cuts;          /* by slot: what is left of a frame */
	uint32_t *next;                 /* by slot: the one behind it */
	uint32_t entries_max;
	uint32_t frames; /* in all queues */
	/* ring of the queues that may send: the last; its next is the one whose turn it is */
	uint32_t tails[NODE_CLASSES_MAX];
	uint32_t ready; /* set of classes with such queues */
};

/** host_hold_init() - empty queues for @entries_max entries; nothing if @host can have no host.
 *  Return: 0 or -ENOMEM. */
int host_hold_init(struct host_hold *hold, struct host_if *host, uint32_t entries_max);
void host_hold_fini(struct host_hold *hold);

/** host_hold_put() - the head of a socket's queue, with what is left of it, goes behind what waits
 *  for @entry. Marks it if the queue
 *  is long. @slot from host_send_take(); taken. Return: false: there is no room, the slot is still
 *  the caller's. O(1). */
bool host_hold_put(struct host_hold *hold, uint32_t entry, uint32_t slot,
		   const struct host_head *head);

/** host_hold_open() - may the frames that wait for @entry be sent? To be said whenever that
 *  changes. O(1). */
void host_hold_open(struct host_hold *hold, uint32_t entry, bool open);

static inline bool host_hold_empty(const struct host_hold *hold, uint32_t entry)
{
	return !hold->queues || !hold->queues[entry].frames;
}

/** host_hold_entry() - the entry whose turn it is in @traffic_class, which must be in hold->ready.
 *  O(1). */
static inline uint32_t host_hold_entry(const struct host_hold *hold, uint32_t traffic_class)
{
	return hold->queues[hold->tails[traffic_class]].next;
}

/** host_hold_bytes() - length of the frame that it would send, without FCS. O(1). */
uint32_t host_hold_bytes(const struct host_hold *hold, uint32_t traffic_class);

/** host_hold_next() - writes that frame to @bytes (NULL: it is lost on the link); the turn goes to
 *  the next entry. O(bytes). */
void host_hold_next(struct host_hold *hold, uint32_t traffic_class, uint8_t *bytes);

#endif
