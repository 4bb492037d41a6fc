/*  input_load - how much comes in over a fabric input, and for whom: the lower ends of a tree's
 *  links ask for redirects by it (FC-25, ours).
 *
 *  What comes down a tree comes by one of several links, which the ingress side chooses, and only
 *  the switch at their lower ends sees them all. Where one is full with flows to several hosts and
 *  another is not, a flow of the first should come by the second. Flows that meet on the way down
 *  would otherwise try one way after the other, and four ways that all are in use leave little to
 *  be found by luck (permutation-fat-tree-128.yaml: .65 of the rate; with inputs that ask .99 with
 *  eleven of twelve seeds). What is told must be younger than what it changes: flows are counted in
 *  windows that are a small part of the time between two askings, which is long enough for a flow
 *  to empty and to begin anew.
 *  The one that has been there for longest is asked, the tenant. So a flow that has just moved, and
 *  others before it for whose sake it did, are not moved to and fro: a chain of moves goes on
 *  rather than back. That it ends is not proven: with one of those seeds it does not. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_LOAD_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_INPUT_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

struct input_load {
	node_time_t since_ps; /* the window's begin, */
	/* and what has come in since; mixed: behind a packet to another host */
	uint64_t bytes, mixed_bytes;
	/* for how many hosts: a bit each, or few of them one together */
	uint64_t hosts;
	uint64_t last_bytes, last_mixed_bytes, last_hosts; /* the same of the window before */
	/* no flow that comes in here is asked to move before, */
	node_time_t quiet_until_ps;
	node_time_t named_until_ps; /* and none to come in here */
	/* when the tenant's last packet came; 0: whoever comes next is tenant */
	node_time_t tenant_at_ps;
	uint32_t host, tenant; /* whom the last packet is for; whose flow the tenant is */
};

/** input_load_add() - @bytes for @host have come in; windows are @window_ps long. O(1). */
void input_load_add(struct input_load *input_load, uint64_t bytes, uint32_t host,
		    node_time_t window_ps, node_time_t now);

/** input_load_is_tenant() - a packet for @host has come in that goes the way of its flow: is that
 *  the tenant's? One is tenant until nothing of it has come for @absence_ps. O(1). */
bool input_load_is_tenant(struct input_load *input_load, uint32_t host, node_time_t absence_ps,
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
