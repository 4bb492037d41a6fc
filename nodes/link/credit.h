/*  credit - credits of a link's virtual lanes (PG-9): who sends has been told before that there is
 *  room.
 *
 *  Running totals, as InfiniBand's FCTBS and FCCL, of data units per lane, modulo 2^32. The
 *  receiver says how much it takes in all (limit = what has been sent up to now + what is free);
 *  the sender never sends beyond. A total says all that earlier ones said, so a word may be left
 *  out, or lost, when a later one comes, and none can be counted twice. Of frames that are lost the
 *  receiver does not know how long they were: the sender says what it has sent in all
 *  (credit_total()), and what was lost is free again.
 *
 *  When a grant is due (ours): as soon as a part of the buffer has become free, or at once while
 *  the sender may have less than for the longest frame. So a lane that flows costs eight words per
 *  buffer, and one that waits hears of every frame that leaves.
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
	uint32_t sent_units, limit_units; /* ever sent; may be sent in all */
	uint32_t came_units;              /* ever sent by the peer, as far as is known here */
	uint32_t told_units;              /* may be sent by the peer in all, as it was told */
};

struct credit {
	struct credit_lane lanes[NODE_LANES_MAX];
	uint32_t buffer_units, part_units, mtu_units;
	uint8_t lane_count;
	/* sets of lanes */
	uint8_t grant_due, total_due; /* to be told to the peer: the limit; what was sent */
	uint8_t untold;               /* something was sent since the total was told */
	uint8_t lacking;              /* had too little when it was asked for */
	uint8_t withheld;             /* nothing more is granted for now */
};

/** credit_init() - nothing sent yet.
 *  @buffer_units of each lane here, 0: takes everything. @mtu_units the longest frame.
 *  @peer_units of each lane there: both ends know the other's buffer as the link comes up, as
 *  InfiniBand's do before a link is active, so all of it may be sent at once. 0: neither knows;
 *  nothing may be sent, and a grant of the whole buffer is due for every lane. */
void credit_init(struct credit *credit, uint32_t lane_count, uint32_t buffer_units,
		 uint32_t mtu_units, uint32_t peer_units);

/** credit_close() - the link is gone: nothing is due, whatever is released from now on. */
void credit_close(struct credit *credit);

/** credit_open() - it returns, with an empty buffer. Each end takes it into use when it is ready
 *  and says so by its limits, so this is as after credit_init() without peer_units. */
void credit_open(struct credit *credit);

/* ---- sending ---- */

/** credit_available() - data units that may be sent now. After a peer that broke the rules it may
 *  be less than none. */
static inline int32_t credit_available(const struct credit *credit, uint32_t lane)
{
	return (int32_t)(credit->lanes[lane].limit_units - credit->lanes[lane].sent_units);
}

static inline void credit_on_sent(struct credit *credit, uint32_t lane, uint32_t units)
{
	/* it was asked for just before */
	ENSURE(credit_available(credit, lane), >=, (int32_t)units);
	credit->lanes[lane].sent_units += units;
	credit->untold |= (uint8_t)(1u << lane);
}

/** credit_on_limit() - the peer has said what it takes in all. Return: was the lane lacking, and
 *  has it more now? */
bool credit_on_limit(struct credit *credit, uint32_t lane, uint32_t limit_units);

/** credit_say_totals() - the peer is to hear what was sent in all, of lanes where that is news. */
void credit_say_totals(struct credit *credit);

/** credit_total() - what has been sent in all, for the peer: it is told. */
uint32_t credit_total(struct credit *credit, uint32_t lane);

/* ---- receiving.  @held_units  of the lane now, in the buffer ---- */

/** credit_look() - is a grant due? To be asked whenever held_units changed. */
void credit_look(struct credit *credit, uint32_t lane, uint32_t held_units);

/** credit_on_frame() - a frame of @units has come, and is among held_units if it was taken. */
void credit_on_frame(struct credit *credit, uint32_t lane, uint32_t units, uint32_t held_units);

/** credit_on_total() - the peer has said what it has sent in all. Return: can that be? It is
 *  believed anyway: it alone knows. */
bool credit_on_total(struct credit *credit, uint32_t lane, uint32_t total_units,
		     uint32_t held_units);

/** credit_withhold() - the peer is to be granted nothing more, or as usual again. */
void credit_withhold(struct credit *credit, uint32_t lane, bool withhold, uint32_t held_units);

/** credit_say_limits() - the peer is to hear the limits of all lanes, old ones too. */
void credit_say_limits(struct credit *credit);

/** credit_grant() - the limit for the peer: it is told. While withheld, the old one. */
uint32_t credit_grant(struct credit *credit, uint32_t lane, uint32_t held_units);

#endif
