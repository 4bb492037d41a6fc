/*  efct - the edge flow channel table: tells the flows of an edge port apart (FC-2, FC-4, FC-9).
 *
 *  A flow is what a port's match set (nodes/config/flow_match.h) sees of a frame, together with
 *  destination and traffic class: the fields under a mask are the pattern, like a TCAM line. Each
 *  port has its own. Without a mask a pattern costs what its fields cost. Hit: the line's number is
 *  the flow_id. Miss: the first free line takes the pattern at once, at the cost of the lookup. The
 *  last ACK frees the line. Its flow_extent counts everything not acknowledged: what is queued at
 *  this port and what is in the fabric.
 *  When the match fields are changed while flows are in flight, packets wait until the last line is
 *  free, about one round trip: a flow that two different patterns describe could not be kept in
 *  order (FC-15). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_EFCT_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_EFCT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/base/table.h"
#include "nodes/config/config.h"
#include "nodes/config/flow_match.h"
#include "nodes/wire/frame.h"

/* what a line compares; fields outside the mask are 0 */
struct efct_pattern {
	uint8_t source_mac[6], destination_mac[6];
	/* IP addresses; the HPC endpoints of an HPC frame */
	uint8_t source_ip[16], destination_ip[16];
	uint16_t source_port, destination_port;
	uint32_t flow_label;
	uint32_t queue_pair; /* RoCEv2 queue pair, HPC process */
	uint16_t vlan;
	uint16_t fabric_address;
	uint8_t egress_port, traffic_class;
	uint8_t ip_protocol;
	uint8_t kind; /* 4, 6: IP; 1: HPC; 0: other */
};

_Static_assert(sizeof(struct efct_pattern) == 64, "a pattern is one cache line, without padding");

struct efct_line {
	uint64_t hash;
	uint32_t data_flow, ack_flow; /* units, modulo 2^32 */
	/* in its hash chain or in the free list: index + 1, 0 is the end */
	uint16_t next;
	bool active;
};

#define EFCT_NEAR_LINES 16u  /* as long as there were no more in use, the near chains suffice */
#define EFCT_NEAR_CHAINS 32u /* one cache line */
#define EFCT_KINDS 4u        /* of frames, as efct_pattern.kind tells them apart */

/* what is not needed for whole fields */
struct efct_match {
	struct flow_match now, wanted;         /* in force; to be in force once no line is in use */
	struct efct_pattern masks[EFCT_KINDS]; /* of `now`, a mask for each kind of frame */
};

struct efct {
	TABLE(struct efct_pattern) patterns;
	TABLE(struct efct_line) lines;
	/* Heads, like `next`; zero is empty. The near ones serve a port that has had few flows at a
	 * time: it does not touch the memory of the others */
	uint16_t near_chains[EFCT_NEAR_CHAINS];
	uint16_t *chains; /* chain_count of them, a power of two */
	uint32_t channels, chain_count;
	uint32_t fresh;
	uint16_t free;
	uint32_t used, used_max;
	uint32_t match_fields; /* set of enum match_field, in force: match->now.fields */
	bool masked;           /* not all of their bits count */
	/* match->wanted is not in force yet: no packet gets a line until no line is in use */
	bool draining;
	struct efct_match *match;
};

/** efct_init() - @channels lines, all free. @match what tells flows apart, in force at once;
 *  copied; near entries are in @arena (table.h). Return: 0 or -ENOMEM. */
int efct_init(struct efct *efct, uint32_t channels, const struct flow_match *match,
	      struct table_arena *arena);
void efct_fini(struct efct *efct);

/** efct_pattern_of() - what the fields in force, and their mask, see of a frame.
 *  @pattern filled completely. Return: its hash. O(1); a mask costs eight words more. */
uint64_t efct_pattern_of(const struct efct *efct, const struct frame_fields *fields,
			 uint32_t fabric_address, uint32_t egress_port, uint32_t traffic_class,
			 struct efct_pattern *pattern);

/** efct_classify() - the flow_id of a pattern, a free line's if it has none yet.
 *  Return: the flow_id; -ENOSPC if no line is free, or if none may be taken until new match fields
 *  are in force. O(1). */
int efct_classify(struct efct *efct, const struct efct_pattern *pattern, uint64_t hash);

/** efct_inject() - @units of flow @flow_id have arrived. */
static inline void efct_inject(struct efct *efct, uint32_t flow_id, uint32_t units)
{
	TABLE_AT(efct->lines, flow_id)->data_flow += units;
}

/** efct_on_ack() - @units of flow @flow_id were delivered or lost. The caller has checked them
 *  against the IFCT. */
static inline void efct_on_ack(struct efct *efct, uint32_t flow_id, uint32_t units)
{
	ENSURE(TABLE_AT(efct->lines, flow_id)->data_flow - TABLE_AT(efct->lines, flow_id)->ack_flow,
	       >=, units);
	TABLE_AT(efct->lines, flow_id)->ack_flow += units;
}

/** efct_release() - the line of @flow_id, in use and with nothing unacknowledged, is free again. */
void efct_release(struct efct *efct, uint32_t flow_id);

/** efct_match_set() - another @match, copied, in force as soon as the table is empty. */
void efct_match_set(struct efct *efct, const struct flow_match *match);

static inline uint32_t efct_flow_extent(const struct efct_line *line)
{
	return line->data_flow - line->ack_flow;
}

#endif
