/*  output_load - how much goes out at a fabric output, and how much of it is one flow's: a
 *  redirect compares loads (FC-25, ours).
 *
 *  Counts of flows are not enough: a source of endpoint congestion that is limited to some Gb/s
 *  takes up little of a link, a flow that fills the link all of it. So bytes are counted in
 *  windows, of each output and of each flow. What a flow would get at another output is
 *  estimated from the window before: what is left of the link, or the flow's share if the link
 *  is full. The share is derived from the largest flow: max-min fairness gives each flow that
 *  wants more as much as that one, so there are about load / largest flows, and with another one
 *  each gets the load over one more. Where all flows want the whole link, that is a count of
 *  flows again.
 *  Windows begin at multiples of their length, so the compared values are of the same time. A
 *  flow that will move to an output counts there already: a claim. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_OUTPUT_LOAD_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_OUTPUT_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

/* bytes in windows: this one and the one before */
struct output_load_count {
	uint64_t window; /* number of the present one */
	uint64_t bytes, last_bytes;
};

/* of an output */
struct output_load {
	struct output_load_count all;
	uint64_t most, last_most; /* of one flow, in the windows of `all` */
	node_time_t claim_until_ps;
	uint64_t claim_bytes, claim_most; /* of all flows that will move here; of the largest one */
	uint32_t claim_flows;             /* number of these flows */
	uint32_t left_flows;              /* flows that are about to leave, */
	node_time_t left_until_ps;        /* until then */
};

/** output_load_last() - bytes in the whole window before number @window. O(1). */
uint64_t output_load_last(const struct output_load_count *count, uint64_t window);

/** output_load_add() - @bytes of the flow counted in @flow go out at @out in window number @window.
 *  Both are counted. O(1). */
void output_load_add(struct output_load *out, struct output_load_count *flow, uint32_t bytes,
		     uint64_t window);

/** output_load_claim() - a flow that took @bytes in a window is about to come to @out; counts until
 *  @until_ps, or longer if others come.
 *  @now claims that have ended by then are forgotten. O(1). */
void output_load_claim(struct output_load *out, uint64_t bytes, node_time_t until_ps,
		       node_time_t now);

/** output_load_offer() - bytes that a flow which came to @out would get in a window, of @full_bytes
 *  that the link carries. O(1). */
uint64_t output_load_offer(const struct output_load *out, uint64_t full_bytes, uint64_t window,
			   node_time_t now);

/** output_load_leave() - a flow is about to leave @out (FC-25).
 *  It counts as leaving until @until_ps, or longer if more flows leave.
 *  @now  flows whose time ended by then are forgotten. O(1). */
void output_load_leave(struct output_load *out, node_time_t until_ps, node_time_t now);

/** output_load_share() - output_load_offer() for one flow of a group (FC-25), bytes.
 *  Each flow of a group takes what it can get. So claimed flows count in full: they share the free
 *  part of the link, or the whole link, with this flow and with those that are there. O(1). */
uint64_t output_load_share(const struct output_load *out, uint64_t full_bytes, uint64_t window,
			   node_time_t now);

/** output_load_present() - bytes that the flow counted in @flow gets at @out, where it is, in a
 *  window of @full_bytes. At least a fair share: one that has just begun has not got it yet. Flows
 *  that are about to leave no longer share the link with it. 0: nothing goes out. O(1). */
uint64_t output_load_present(const struct output_load *out, const struct output_load_count *flow,
			     uint64_t full_bytes, uint64_t window, node_time_t now);

/** output_load_large_flows() - estimated number of flows as large as the largest one, from the
 *  window before number @window; 0: nothing went out. O(1). */
uint32_t output_load_large_flows(const struct output_load *out, uint64_t window);

/** output_load_is_most() - is more than 5/8 of what goes out at @out of the flow counted in @flow?
 *  Then none is there to be parted from: two equal ones have 1/2 each. O(1). */
bool output_load_is_most(const struct output_load *out, const struct output_load_count *flow,
			 uint64_t window);

#endif
