/*  eca - how congested an egress edge port's traffic class is: three factors of 8 bits, the
 *  greatest counts (EC-1).
 *
 *      lbf = (qu_depth - lbf_thresh) >> lbf_shift     linear byte factor
 *      lpf = (qu_pkt - lpf_thresh) >> lpf_shift       linear packet factor: detects incasts of
 *                                                     small packets
 *      dbf = (qu_depth - qu_depth_old) >> dbf_shift   derivative byte factor, every dbf_clk_cnt
 *                                                     cycles; 0 unless qu_depth > dbf_thresh
 *
 *  A negative factor is 0, one above 255 is 255. qu_depth counts 256 bytes; the queue is what was
 *  requested from this output and has not gone out (FC-11), wherever it waits in the switch.
 *  The periods of dbf are no events: the next call computes what their ends would have computed. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ECA_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ECA_H

#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/config.h"

struct eca {
	const struct congestion_config *config;
	uint64_t qu_bytes;
	uint32_t qu_pkt;
	uint32_t qu_depth_old; /* at the end of the last period */
	node_time_t period_end_ps;
	uint32_t dbf;
};

/** eca_init() - an empty queue at time 0.  @config  borrowed; dbf_clk_cnt >= 1. */
void eca_init(struct eca *eca, const struct congestion_config *config);

/** eca_factor() - the greatest of the three factors now, 0..255; 0: no congestion. O(1). */
uint32_t eca_factor(struct eca *eca, node_time_t now);

/** eca_enqueue() - a packet of @bytes has requested the output. Return: eca_factor() with that
 *  packet (EC-1, EC-2). */
uint32_t eca_enqueue(struct eca *eca, uint32_t bytes, node_time_t now);

/** eca_dequeue() - a packet of @bytes was sent or withdrawn. Return: eca_factor() as if
 *  the packet were still there (EC-3). */
uint32_t eca_dequeue(struct eca *eca, uint32_t bytes, node_time_t now);

#endif
