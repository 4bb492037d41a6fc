/*  receive - packets that arrive at a NIC: their flow, their order, and which messages are
 *  complete.
 *
 *  A flow is identified by its sender and its slot there. With its first packet it gets the next
 *  line of the statistics page, so lines are in the order of first arrival, the same in every run.
 *  Packets of a flow are numbered from 0. If a number is higher than expected, the packets between
 *  count as lost. If it is lower, the packet was overtaken, and is no longer counted as lost. In a
 *  class that keeps order a message is complete when all of its bytes have arrived in order; one
 *  with a lost or overtaken packet never is. In an unordered class any order will do
 *  (message_set.h).
 *
 *  In a fabric of kind port-group a switch cannot detect when packets on a former path have arrived
 *  (S1 promises no order). So packets may be overtaken when a link fails or tables change. There
 *  the receiver keeps order, as an unreliable connection of InfiniBand does: an overtaken packet of
 *  a class that keeps order is dropped (out_of_order) and stays lost.
 *
 *  A packet that arrives twice in a row is dropped the second time (duplicate).
 *
 *  Memory: flows_max flows and a hash table twice as large, allocated in _init, never later. A
 *  packet of a flow beyond flows_max is dropped and counted as unknown_flow. A completion beyond
 *  the log is counted as messages_unlogged. With an attached host, where a workload may run for
 *  days, it replaces the oldest one of the log.
 *  Place: called by dataplane.c with private copies of frames; writes the statistics page. Nothing
 *  in a frame is trusted (TB-23). */
#ifndef HEDDLE_NICD_TRAFFIC_RECEIVE_H
#define HEDDLE_NICD_TRAFFIC_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/traffic/message_set.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/frame.h"

#define RECEIVE_NONE UINT32_MAX

/* slot: the index in the statistics page */
struct receive_flow {
	uint32_t source, source_slot;
	uint32_t packet;    /* number of the next packet in order */
	uint32_t message;   /* number of the message that arrives at present */
	uint64_t got_bytes; /* of that message */
	bool whole;         /* none of its packets is missing; false also between messages */
};

struct receive {
	struct stats_page *stats;
	struct receive_flow *flows;
	/* slot + 1, by hash of source and source_slot; 0: empty; linear probing */
	uint32_t *table;
	uint32_t table_shift; /* 64 - log2 of its size */
	uint32_t table_mask;
	struct message_set incomplete; /* of unordered classes */
	uint32_t unordered;            /* set of classes */
	bool late_refused; /* port-group: overtaken packets of ordered classes are dropped */
	bool log_turns;    /* a completion beyond the log replaces the oldest one */
	uint32_t frame_bytes_max;
	uint8_t mac[6]; /* own */
	node_time_t measure_from_ps, measure_to_ps;
};

/** receive_init() - for the NIC of @config. @stats borrowed, with flows_max lines.
 *  Return: 0 or -ENOMEM. */
int receive_init(struct receive *receive, const struct node_config *config,
		 struct stats_page *stats);
void receive_fini(struct receive *receive);

/** receive_frame() - a frame has arrived: counts it for its flow and message, or drops it.
 *  @bytes  a private copy of its first @captured_bytes.   @frame_bytes  its length without FCS.
 *  @now  arrival of its last bit.
 *  Return: true: it was delivered to a flow. false: it was dropped and counted as oversize,
 *  malformed (no test payload), unknown_flow (for another host, or beyond flows_max), duplicate or
 *  out_of_order. O(1) expected. */
bool receive_frame(struct receive *receive, const uint8_t *bytes, uint32_t captured_bytes,
		   uint32_t frame_bytes, uint32_t traffic_class, node_time_t now);

/* ---- the same in two parts, for a transport that decides between them (responder.h) ---- */

/** receive_place() - the flow of a frame, which may be a new one; the frame is not counted yet.
 *  Return: its slot, with @payload filled; RECEIVE_NONE: the frame was dropped and counted, as
 *  above. */
uint32_t receive_place(struct receive *receive, const uint8_t *bytes, uint32_t captured_bytes,
		       uint32_t frame_bytes, uint32_t traffic_class, node_time_t now,
		       struct frame_payload *payload);

/** receive_take() - delivers that frame to the flow in @slot. @arrived  when it arrived (<= @now):
 *  counts for the measured interval. O(1) expected. */
void receive_take(struct receive *receive, uint32_t slot, const struct frame_payload *payload,
		  uint32_t frame_bytes, node_time_t arrived, node_time_t now);

/** receive_drop() - drops a frame, counted under @reason. */
void receive_drop(struct receive *receive, enum drop_reason reason, uint32_t frame_bytes,
		  node_time_t now);

#endif
