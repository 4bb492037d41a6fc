/*  ack - collects the ACKs that go up a link and decides when they are worth a frame (FC-12, FC-13,
 *  FC-18).
 *
 *  The waiting ACKs of a flow are summed by type in one line. So the collector needs one line per
 *  channel and cannot overflow. Three timers run from the first waiting ACK. After T1 a frame is
 *  sent if the link is idle; after T2 also on a busy link, if a set number has been collected;
 *  after T3 in any case. 48 ACKs fill a frame, which is sent at once. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ACK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/table.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/wire/ack_frame.h"

/* a HEADROOM ACK of the greatest value, which ends metering (EC-13): a type of its own here */
#define ACK_HEADROOM_END ACK_TYPES

struct ack_line {
	node_time_t since_ps;          /* when its first ACK began to wait */
	uint32_t value[ACK_TYPES + 1]; /* by type: the sum, or the latest value: ack_collect() */
	uint8_t types;                 /* set of the types that wait */
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

/** ack_collect() - one more ACK for flow @flow_id. Values of deliveries, losses and credit add up;
 *  of other types the latest value replaces the one before. The end of metering (ACK_HEADROOM_END)
 *  cancels credit that still waits. O(1).
 *  The ACKs of a flow are sent in the order of ack.c's `order`: credit and congestion before
 *  deliveries, because the last delivery frees the channel. So that a waiting ACK_DELTA does not
 *  clear newer congestion, an ACK_ECA turns it into an ACK_DELTA_ECA. */
void ack_collect(struct ack_collector *collector, uint32_t flow_id, uint32_t type, uint32_t value,
		 node_time_t now);

/** ack_collector_clear() - discards all waiting ACKs: the link is down. */
void ack_collector_clear(struct ack_collector *collector);

/** ack_ready_at() - when a frame should be sent. @link_idle the link has nothing else to send.
 *  Return: a time, perhaps past; NODE_TIME_NEVER if no ACK waits. O(1). */
node_time_t ack_ready_at(const struct ack_collector *collector, bool link_idle);

/** ack_take() - up to 48 of the waiting ACKs into @acks.  Return: their number. */
uint32_t ack_take(struct ack_collector *collector, struct ack *acks);

#endif
