/*  ack - collects the ACKs that go up a link and decides when they are worth a frame (FC-12, FC-13,
 *  FC-18).
 *
 *  A flow waits at most once, with what it has to say summed up per ACK type, so the collector
 *  needs one line per channel and can never overflow. Three timers run from the first waiting ACK:
 *  after T1 it is sent if the link is idle; after T2 on a busy link if a set number has been
 *  collected; after T3 in any case. 48 fill a frame, which goes at once. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/table.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/wire/ack_frame.h"

/* what a HEADROOM ACK of the greatest value says (EC-13), as a type of its own */
#define ACK_HEADROOM_END ACK_TYPES

struct ack_line {
	node_time_t since_ps; /* waits since */
	uint32_t value[ACK_TYPES + 1];
	uint8_t types; /* set of the types that wait */
};

struct ack_collector {
	TABLE(struct ack_line) lines; /* one per channel of the link */
	TABLE(uint16_t) waiting;      /* ring of flow_ids, channels of them */
	uint32_t channels, first, count;
	node_time_t first_at_ps; /* since when the first one waits; undefined if none does */
	node_time_t t1_ps, t2_ps, t3_ps;
	uint32_t collect; /* the set number of T2 */
};

/** ack_collector_init() - for a link with @channels channels; timers from @config; near
 *  entries are in @arena (table.h). Return: 0 or -ENOMEM. */
int ack_collector_init(struct ack_collector *collector, uint32_t channels,
		       const struct switch_config *config, struct table_arena *arena);
void ack_collector_fini(struct ack_collector *collector);

/** ack_collect() - one more ACK for flow @flow_id. Deliveries, losses and credits add up, the
 *  latest of others counts; the end of metering (ACK_HEADROOM_END) makes credit void that still
 *  waits. O(1).
 *  What waits for a flow leaves in the order of ack.c's `order`: credit and congestion before
 *  deliveries, the last of which frees the channel; so ACK_ECA makes an ACK_DELTA that still waits
 *  an ACK_DELTA_ECA. */
void ack_collect(struct ack_collector *collector, uint32_t flow_id, uint32_t type, uint32_t value,
		 node_time_t now);

/** ack_collector_clear() - forgets all that waits: there is no link to send it on any more. */
void ack_collector_clear(struct ack_collector *collector);

/** ack_ready_at() - when a frame should be sent. @link_idle the link has nothing else to send.
 *  Return: a time, perhaps past; NODE_TIME_NEVER if no ACK waits. O(1). */
node_time_t ack_ready_at(const struct ack_collector *collector, bool link_idle);

/** ack_take() - up to 48 of the waiting ACKs into @acks.  Return: their number. */
uint32_t ack_take(struct ack_collector *collector, struct ack *acks);

#endif
