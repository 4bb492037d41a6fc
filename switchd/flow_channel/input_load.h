/*  input_load - how much arrives at a fabric input, and for which hosts: the lower ends of a
 *  tree's links request redirects by it (FC-25, ours).
 *
 *  Packets that go down a tree arrive by one of several links. The ingress side selects the
 *  link, and only the switch at the lower ends sees them all. If one link is full with flows to
 *  several hosts and another is not, a flow of the first should use the second. Without these
 *  requests, flows that meet on their path down try one path after the other, and with all four
 *  paths in use chance finds few free ones (permutation-fat-tree-128.yaml: .65 of the rate; with
 *  requests of inputs .99 with eleven of twelve seeds).
 *  A report must be younger than what it changes. So flows are counted in windows that are a
 *  small part of the time between two requests, which is long enough for a flow to drain and to
 *  begin again.
 *  The request is for the oldest flow, which has been there for longest. So a flow that has
 *  just moved does not move back, nor do flows that moved because of it. Known limitation: it is
 *  not proven that moves end. With one of those seeds they do not. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_LOAD_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

struct input_load {
	node_time_t since_ps; /* the window's begin, */
	/* bytes that arrived since; mixed: after a packet to another host */
	uint64_t bytes, mixed_bytes;
	/* for how many hosts: a bit each, or few of them one together */
	uint64_t hosts;
	uint64_t last_bytes, last_mixed_bytes, last_hosts; /* the same of the window before */
	/* no flow that arrives here is requested to move before */
	node_time_t quiet_until_ps;
	node_time_t named_until_ps; /* and none to arrive here instead */
	/* when the last packet of the oldest flow arrived; 0: the next flow to arrive is it */
	node_time_t oldest_at_ps;
	uint32_t host, oldest; /* destination of the last packet; of the oldest flow */
};

/** input_load_add() - @bytes for @host have come in; windows are @window_ps long. O(1). */
void input_load_add(struct input_load *input_load, uint64_t bytes, uint32_t host,
		    node_time_t window_ps, node_time_t now);

/** input_load_is_oldest() - a packet for @host has arrived on the path of its flow: is that the
 *  oldest? A flow is the oldest until none of its packets has arrived for @absence_ps. O(1). */
bool input_load_is_oldest(struct input_load *input_load, uint32_t host, node_time_t absence_ps,
			  node_time_t now);

/** input_load_bytes() - how much comes in within a window now. */
uint64_t input_load_bytes(const struct input_load *input_load, node_time_t window_ps,
			  node_time_t now);

/** input_load_flows() - for about how many hosts something came in the last window, 64 at most. */
static inline uint32_t input_load_flows(const struct input_load *input_load)
{
	return (uint32_t)__builtin_popcountll(input_load->last_hosts);
}

/** input_load_is_full() - was the link full in the last window, with flows to several hosts?
 *  @full_bytes that it can carry. */
bool input_load_is_full(const struct input_load *input_load, uint64_t full_bytes);

#endif
