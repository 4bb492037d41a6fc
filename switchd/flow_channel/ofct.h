/*  ofct - the output flow channel table: the flow ids of flows on the link of a fabric port (FC-5,
 *  FC-8, FC-14).
 *
 *  (input port, flow_id there) -> flow_id on this link. A miss takes a free id, the last ACK frees
 *  it. Only the transmitting end of a link allocates its ids. So along a path they form a chain,
 *  and the table read backwards forwards ACKs. ours: it also numbers the data of each id (data_flow
 *  goes into the header). So a hole in the positions means a loss on this very link. Positions
 *  continue when an id is given to another flow.
 *  Losses (FC-17). The link's other end sees a hole in front of the next packet of the channel that
 *  arrives, and reports it. What was lost last leaves none: once nothing else of the channel is
 *  in flight on the link, its positions are taken back, so that the next packet has those that
 *  the other end expects, and it is reported here. So each loss is reported once, by one of the two
 *  (ours). No level of the link's virtual lanes (routing_config.h) may take the last channels from
 *  another: each can always have one. Else flows that wait for channels could hold others' in a
 *  cycle, which buffers divided by level would not break (ours). A channel's entry is one quarter
 *  of a cache line; the key is found through a chained hash of fixed size. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_OFCT_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_OFCT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/table.h"

#define OFCT_LEVELS_MAX 8u
#define OFCT_NEAR_CHAINS 128u
#define OFCT_DESTINATIONS (UINT16_MAX + 1u)

struct ofct_entry {
	/* units, modulo 2^32; their difference is the flow_extent downstream of this table */
	uint32_t data_flow, ack_flow;
	uint16_t input_port_flow_id;
	uint16_t next;        /* in its hash chain or in the free list: index + 1, 0 is the end */
	uint16_t destination; /* fabric address of the switch that its data goes to */
	uint8_t input_port;
	bool active : 1;
	uint8_t level : 3;
	/* of a tree (flow_tree.h): what goes on needs credit, of which there is ofct.headroom */
	bool metered : 1;
};

/* what a guarded link has reported of a channel */
struct ofct_tail {
	uint32_t told_flow;  /* the fate of all units up to here is known; <= data_flow */
	uint32_t lost_units; /* the last of these units: all lost, none after them arrived */
};

struct ofct {
	TABLE(struct ofct_entry) entries;
	TABLE(struct ofct_tail) tails; /* by id */
	TABLE(int32_t) headroom;       /* units, by id; only those that are metered have any */
	/* Heads, hash_mask + 1 of them, like `next`; zero is empty. The first ones are near: a port
	 * to which each input has few flows does not touch the memory of the others */
	uint16_t near_chains[OFCT_NEAR_CHAINS];
	uint16_t *chains;
	uint32_t channels, hash_mask;
	uint32_t fresh; /* ids never used yet begin here */
	uint16_t free;
	uint32_t used, used_max;
	uint32_t levels;                   /* of its link's virtual lanes */
	uint16_t used_at[OFCT_LEVELS_MAX]; /* of `used`, by level */
	uint32_t extent_units;             /* sum of the flow_extents */
	/* the same by destination: ofct_towards(). The tables of a switch have theirs for one
	 * destination side by side: a switch touches the memory of its destinations once */
	uint32_t *towards;
	uint32_t port_count; /* of the switch: from one destination to the next */
};

/** ofct_init() - @channels ids, all free. @levels of the link, at most OFCT_LEVELS_MAX and as many
 *  as channels. @towards  zeros, its own of every @port_count, OFCT_DESTINATIONS of them;
 *  borrowed. Near entries are in @arena (table.h).
 *  Return: 0 or -ENOMEM. */
int ofct_init(struct ofct *ofct, uint32_t channels, uint32_t levels, uint32_t *towards,
	      uint32_t port_count, struct table_arena *arena);
void ofct_fini(struct ofct *ofct);

/** ofct_may_take() - is an id free for a flow of @level: the first of that level, or one that no
 *  other level may still need? O(levels). */
bool ofct_may_take(const struct ofct *ofct, uint32_t level);

/** ofct_lookup() - the id of flow (@input_port, @flow_id) of @level on this link, a new one if it
 *  has none.
 *  Return: the id, or -ENOSPC if none is free for it (FC-9). O(levels). */
int ofct_lookup(struct ofct *ofct, uint32_t input_port, uint32_t flow_id, uint32_t level);

/** ofct_find() - the same, but takes none.  Return: the id, or -ENOENT. O(1). */
int ofct_find(const struct ofct *ofct, uint32_t input_port, uint32_t flow_id);

/** ofct_send() - @units of flow @id, which goes to switch @destination, follow. The destination is
 *  the same as long as anything is in flight.
 *  Return: the position that goes into the header. */
uint16_t ofct_send(struct ofct *ofct, uint32_t id, uint32_t units, uint16_t destination);

/** ofct_on_ack() - @units of flow @id were delivered or lost; frees the id with the last of them.
 *  @flow filled with the flow they belong to, as flow_ref(). @freed filled: the id is free again.
 *  Return: false if nothing of the kind is in flight (nothing is changed). */
bool ofct_on_ack(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed);

/** ofct_seen() - the next @units of channel @id have arrived at the peer, which reports any that
 *  are missing in front of them. O(1). */
void ofct_seen(struct ofct *ofct, uint32_t id, uint32_t units);

/** ofct_missing() - the next @units of channel @id were lost on the link.
 *  Return: units that the peer cannot detect as a hole, because nothing of the channel is in flight
 *  on the link any more; mostly 0. The caller takes them back with ofct_take_back(). O(1). */
uint32_t ofct_missing(struct ofct *ofct, uint32_t id, uint32_t units);

/** ofct_take_back() - the last @units of channel @id were lost: like ofct_on_ack(), but the
 *  positions are used again. */
bool ofct_take_back(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed);

/** ofct_restart() - a new link: all positions are 0 again, as at its other end. No id is in use.
 *  O(ids ever used). */
void ofct_restart(struct ofct *ofct);

/** ofct_give_back() - the id of the flow, if it has one and nothing of it is in flight, is free.
 *  Return: was there one? O(1). */
bool ofct_give_back(struct ofct *ofct, uint32_t input_port, uint32_t flow_id);

/** ofct_lose() - the link of the table is down: frees id @id, whatever is in flight.
 *  @flow filled with the flow that it belonged to.
 *  Return: the units that were in flight; 0: the id was free. */
uint32_t ofct_lose(struct ofct *ofct, uint32_t id, uint32_t *flow);

/** ofct_towards() - what is in flight to switch @destination; units. */
static inline uint32_t *ofct_towards(const struct ofct *ofct, uint16_t destination)
{
	return &ofct->towards[(size_t)destination * ofct->port_count];
}

static inline uint32_t ofct_flow_extent(const struct ofct_entry *entry)
{
	return entry->data_flow - entry->ack_flow;
}

#endif
