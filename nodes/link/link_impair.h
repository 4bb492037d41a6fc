/*  link_impair - what a link does to packets beside losing and delaying them: some are overtaken,
 *  some arrive twice, some arrive damaged (DU-6).
 *
 *  The receiving end does it, after all that the link's own protocols do with a frame: its sequence
 *  has been checked, its credit is used, its data is charged to the input buffer. So those
 *  protocols see every frame once and in order, and nothing that they promise is broken: credit is
 *  never duplicated, and what is delayed has buffer. A copy is charged as well, and is not made
 *  if it does not fit. ACK, FGFC, PFC and PAUSE frames and control words are never impaired.
 *
 *      ring -> link_receive() -> sequence, credit, buffer
 *           -> delayed? -> damaged? -> copied? -> owner
 *
 *  A packet that is delayed stays until reorder_frames later packets have passed it, at most for
 *  reorder_wait_ps. It counts as reordered only if one has passed it. A copy follows its original
 *  at the same moment. Damage is one inverted bit after the Ethernet header, as by a memory that
 *  fails: the link's FCS is right, so only a checksum of the programs, or ICRC, finds it. Of a
 *  generated frame only the front exists; what is damaged there is the length in its test payload,
 *  which the receiving NIC checks.
 *
 *  Each packet takes one random number for each kind of impairment that is on, of a stream of this
 *  port: the same seed impairs the same packets.
 *
 *  Memory: IMPAIR_SLOTS frames for a link that can be impaired, allocated with the link, never
 *  later. A packet that finds no slot is not delayed, and not copied.
 *  Place: a part of link.c, which calls it if link->impair is not NULL. */
#ifndef HEDDLE_NODES_LINK_LINK_IMPAIR_H
#define HEDDLE_NODES_LINK_LINK_IMPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/base/ring.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

#define IMPAIR_SLOTS 16u
#define IMPAIR_NONE IMPAIR_SLOTS

struct link;

/* a packet that waits here, with its bytes */
struct impair_slot {
	bool used;
	bool copy;          /* of a packet that was delivered */
	uint32_t passes;    /* it is due when so many more packets have passed it */
	bool passed;        /* one has */
	node_time_t due_ps; /* or at this time */
	uint64_t number;    /* slots with the same time are due in this order */
	struct record header;
};

struct link_impair {
	uint32_t reorder_ppb, duplicate_ppb, corrupt_ppb;
	uint32_t frames; /* that pass a packet which is delayed */
	node_time_t wait_ps;
	struct random random;
	uint64_t numbers; /* of slots, given so far */
	uint32_t count;   /* slots in use */
	/* the slot that link_next_at() announced, and the one whose bytes the owner has;
	 * IMPAIR_NONE: the ring */
	uint32_t next, lent;
	struct impair_slot slots[IMPAIR_SLOTS];
	/* one more for a damaged packet */
	uint8_t bytes[IMPAIR_SLOTS + 1][RING_CAPTURED_MAX];
};

/** link_impair_init() - if the link at @port is impaired, or may be later (real clock).
 *  Return: 0 or -ENOMEM. */
int link_impair_init(struct link *link, const struct node_config *config, uint32_t port);

/** link_impair_set() - the shares of @port hold from the next packet on. */
void link_impair_set(struct link *link, const struct port_config *port);

/** link_impair_next_at() - the earlier of @ring_ps, when the next record of the ring is due, and
 *  the time of a packet that waits here. */
node_time_t link_impair_next_at(struct link *link, node_time_t ring_ps);

/** link_impair_waiting() - takes the packet that was announced out of its slot: its bytes, with
 *  @header filled. NULL: the record of the ring is due. */
const uint8_t *link_impair_waiting(struct link *link, struct record *header);

/** link_impair_packet() - packet @header with @bytes was received from the ring at @now.
 *  Return: the bytes for the owner; NULL: it is delayed. */
const uint8_t *link_impair_packet(struct link *link, const struct record *header,
				  const uint8_t *bytes, node_time_t now);

/** link_impair_done() - the owner has used the bytes of link_receive().
 *  Return: false if they were the ring's. */
bool link_impair_done(struct link *link);

/** link_impair_lose() - what waits here is lost with the link, and counted; its buffer is
 *  released. */
void link_impair_lose(struct link *link);

#endif
