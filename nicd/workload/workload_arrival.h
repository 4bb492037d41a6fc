/*  workload_arrival - when the next message starts (TB-12).
 *
 *  Closed loop: a number of messages (`window`, on each connection) is under way; as soon as one
 *  was sent out completely, the next starts.
 *  Open loop, whatever becomes of the messages: evenly (paced), with exponential gaps (Poisson), or
 *  in bursts. Paced gaps are exact: the fraction of a picosecond that a gap leaves over is carried
 *  into the next, so nothing drifts.
 *
 *  An arrival has a due time. Whoever takes it late (no room for the message) takes the same
 *  arrivals at the same due times later: an open loop is deferred, never thinned. No message is due
 *  at or after stop_ps. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_ARRIVAL_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_ARRIVAL_H

#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

struct workload_arrival {
	enum arrival_kind kind;
	/* the next message starts; NODE_TIME_NEVER: none, or not before one was sent */
	node_time_t due_ps;
	node_time_t stop_ps;
	uint64_t left;              /* messages that may still start */
	uint32_t window, under_way; /* closed */
	/* paced, Poisson: the mean gap is gap_ps + gap_part / gap_whole */
	uint64_t gap_ps, gap_part, gap_whole;
	uint64_t carried; /* paced: parts left over, < gap_whole */
	uint32_t burst_messages, burst_left;
	node_time_t burst_period_ps;
	struct random random;
};

/** workload_arrival_init() - as @config says.
 *  @mean_ubytes  link bytes of a message on average, in millionths.   @rate_bps  of the link.
 *  @stream       of its random numbers. */
void workload_arrival_init(struct workload_arrival *arrival, const struct workload_config *config,
			   uint64_t mean_ubytes, uint64_t rate_bps, uint64_t stream);

/** workload_arrival_load() - from the next gap on, messages take @load_permille of the link (paced,
 *  Poisson). At least a picosecond lies between two messages (ours). Load 0: the rest of the
 *  messages never start. */
void workload_arrival_load(struct workload_arrival *arrival, uint64_t mean_ubytes,
			   uint64_t rate_bps, uint32_t load_permille);

/** workload_arrival_take() - the message that is due starts; due_ps moves on.
 *  Return: when it was due. O(1). */
node_time_t workload_arrival_take(struct workload_arrival *arrival);

/** workload_arrival_on_sent() - a message of this workload is sent out completely at @at. O(1). */
void workload_arrival_on_sent(struct workload_arrival *arrival, node_time_t at);

#endif
