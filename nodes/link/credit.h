/*  credit - credits of a link's virtual lanes (PG-9): what is sent has free buffer at the receiver.
 *
 *  Running totals, as InfiniBand's FCTBS and FCCL, of data units per lane, modulo 2^32. The
 *  receiver sends a limit: units sent so far + free buffer. The sender's total never exceeds it. A
 *  limit includes all earlier ones, so a lost word does not matter once a later one arrives, and no
 *  credit is counted twice. The receiver does not know the length of lost frames. So the sender
 *  reports its total (credit_total()), and the credit of lost frames is free again.
 *
 *  When a grant is due (ours): as soon as a part of the buffer has become free, or at once while
 *  the sender may have less than the longest frame needs. So a lane with enough credit costs eight
 *  words per buffer, and a lane that waits gets a grant for every frame that leaves.
 *
 *  Both directions of one end of a link. Pure state: link.c makes words of it. */
#ifndef HEDDLE_NODES_LINK_CREDIT_H
#define HEDDLE_NODES_LINK_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/config/config.h"

#define CREDIT_PARTS 8u /* a grant is due for so great a part of the buffer */

struct credit_lane {
	uint32_t sent_units, limit_units; /* total sent; the peer's limit for it */
	uint32_t came_units;              /* total sent by the peer, as far as is known here */
	uint32_t told_units;              /* limit for that, as last sent to the peer */
};

struct credit {
	struct credit_lane lanes[NODE_LANES_MAX];
	uint32_t buffer_units, part_units, mtu_units;
	uint8_t lane_count;
	/* sets of lanes */
	uint8_t grant_due, total_due; /* a word is to be sent: with the limit; with the total */
	uint8_t untold;               /* units were sent since the last word with the total */
	uint8_t lacking;              /* credit was too little at the last link_has_credit() */
	uint8_t withheld;             /* nothing more is granted for now */
	bool closed;                  /* nothing is granted: credit_close() */
};

/** credit_init() - nothing sent yet.
 *  @buffer_units of each lane here, 0: takes everything. @mtu_units the longest frame.
 *  @peer_units of each lane there: both ends know the other's buffer as the link comes up, as
 *  InfiniBand's do before a link is active, so all of it may be sent at once. 0: neither knows;
 *  nothing may be sent, and a grant of the whole buffer is due for every lane. */
void credit_init(struct credit *credit, uint32_t lane_count, uint32_t buffer_units,
		 uint32_t mtu_units, uint32_t peer_units);

/** credit_close() - the link is down: no word is due until credit_open(), whatever is released. */
void credit_close(struct credit *credit);

/** credit_open() - a new link, with empty buffers. Each end sends its limits once it is ready, so
 *  the state is that of credit_init() without peer_units. */
void credit_open(struct credit *credit);

/* ---- sending ---- */

/** credit_available() - data units that may be sent now; below 0 if the peer broke the rules. */
static inline int32_t credit_available(const struct credit *credit, uint32_t lane)
{
	return (int32_t)(credit->lanes[lane].limit_units - credit->lanes[lane].sent_units);
}

static inline void credit_on_sent(struct credit *credit, uint32_t lane, uint32_t units)
{
	/* the caller has checked link_has_credit() */
	ENSURE(credit_available(credit, lane), >=, (int32_t)units);
	credit->lanes[lane].sent_units += units;
	credit->untold |= (uint8_t)(1u << lane);
}

/** credit_on_limit() - the peer has sent a limit. Return: true if the lane lacked credit and has
 *  more now. */
bool credit_on_limit(struct credit *credit, uint32_t lane, uint32_t limit_units);

/** credit_say_totals() - totals are due for the lanes where they have changed. */
void credit_say_totals(struct credit *credit);

/** credit_total() - what has been sent in all; the caller sends it to the peer. */
uint32_t credit_total(struct credit *credit, uint32_t lane);

/* ---- receiving.  @held_units  of the lane now, in the buffer ---- */

/** credit_look() - updates grant_due. For after every change of @held_units. */
void credit_look(struct credit *credit, uint32_t lane, uint32_t held_units);

/** credit_on_frame() - a frame of @units has arrived. @held_units includes it, unless it was
 *  dropped. */
void credit_on_frame(struct credit *credit, uint32_t lane, uint32_t units, uint32_t held_units);

/** credit_on_total() - the peer has reported its total. Return: false if that is impossible; it is
 *  used all the same, since only the peer has the number. */
bool credit_on_total(struct credit *credit, uint32_t lane, uint32_t total_units,
		     uint32_t held_units);

/** credit_withhold() - @withhold: no more credit is granted to the peer; else grants resume. */
void credit_withhold(struct credit *credit, uint32_t lane, bool withhold, uint32_t held_units);

/** credit_say_limits() - limits are due for all lanes, unchanged ones too. */
void credit_say_limits(struct credit *credit);

/** credit_grant() - the limit; the caller sends it to the peer. While withheld, the old one. */
uint32_t credit_grant(struct credit *credit, uint32_t lane, uint32_t held_units);

#endif
