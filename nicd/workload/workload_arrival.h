/*  workload_arrival - when the next message starts (TB-12).
 *
 *  Closed loop: `window` messages are in flight on each connection. When one is completely sent,
 *  the next starts.
 *  Open loop: messages start evenly (paced), with exponential gaps (Poisson), or in bursts, whether
 *  or not earlier ones are sent. Paced gaps are exact: the remaining fraction of a picosecond is
 *  carried into the next gap, so nothing drifts.
 *
 *  Each arrival has a due time. An arrival that is taken late, because the send queue is full,
 *  keeps its due time: an open loop is deferred, never thinned. No message is due at or after
 *  stop_ps. */
#ifndef HEDDLE_NICD_WORKLOAD_WORKLOAD_ARRIVAL_H
#define HEDDLE_NICD_WORKLOAD_WORKLOAD_ARRIVAL_H

#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

struct workload_arrival {
	enum arrival_kind kind;
	/* of the next message; NODE_TIME_NEVER: there is none, or none before one is sent */
	node_time_t due_ps;
	node_time_t start_ps, stop_ps;
	uint64_t left;              /* messages that may still start */
	uint32_t window, in_flight; /* closed loop: messages at most, and at present */
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

/** workload_arrival_run_from() - begins again at @from: its start, stop and number of messages
 *  count from there. Messages in flight stay in flight. @from NODE_TIME_NEVER: no further message
 *  starts, until it is called again. */
void workload_arrival_run_from(struct workload_arrival *arrival,
			       const struct workload_config *config, node_time_t from);

/** workload_arrival_load() - from the next gap on, messages take @load_permille of the link (paced,
 *  Poisson). Gaps are at least one picosecond (ours). Load 0: no further message starts. */
void workload_arrival_load(struct workload_arrival *arrival, uint64_t mean_ubytes,
			   uint64_t rate_bps, uint32_t load_permille);

/** workload_arrival_take() - the message that is due starts; due_ps is that of the next.
 *  Return: when it was due. O(1). */
node_time_t workload_arrival_take(struct workload_arrival *arrival);

/** workload_arrival_on_sent() - a message of this workload is completely sent at @at. O(1). */
void workload_arrival_on_sent(struct workload_arrival *arrival, node_time_t at);

#endif
