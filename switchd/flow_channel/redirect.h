/*  redirect - moves active flows off a link that has too many (FC-25). The decisions; reroute.c
 *  has the path of a redirect.
 *
 *  At a fabric output, as the header of a packet enters its queue (queue_gauge: requests count,
 *  too):
 *      value = depth above redirect_depth
 *              + growth within redirect_interval * redirect_growth_weight
 *  If value is greater than a random number below redirect_full, a REROUTE ACK goes up the flow.
 *  So few flows move in mild congestion, more in severe congestion.
 *
 *  ours: an output requests one redirect within an interval of some round trips, because it sees
 *  the effect only later, and further requests in between would undo it
 *  (permutation-fat-tree-16.yaml: .75 of the rate with 3 us, .98 with 35 us). Where many flows
 *  wait, each one is a small part of the excess: then the output requests it for a quarter of them,
 *  eight at most (dragonfly-adaptive.yaml: .48 of the rate, one by one .40). A flow that was moved,
 *  or found nothing better, keeps its path for redirect_pause. With REDIRECT_BY_DEPTH, as in [S2],
 *  no output waits: each header is compared with a random number of its own, so the number of flows
 *  bounds the number of requests. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_REDIRECT_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_REDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/random.h"
#include "nodes/config/routing_config.h"
#include "switchd/flow_channel/output_load.h"

/* of an output */
struct redirect_gauge {
	node_time_t since_ps;       /* the interval's begin, */
	uint64_t base_bytes;        /* and the depth then */
	node_time_t quiet_until_ps; /* no redirect is requested before */
	node_time_t source_ps;      /* a source of endpoint congestion had a packet here */
};

/* Of an output: one of its flows may go to another port. That port is about to be idle, because
 * a flow is about to come from there. */
struct redirect_swap {
	node_time_t until_ps;
	uint32_t ref;  /* the flow that comes */
	uint32_t port; /* from there */
};

/* of an output, with groups: the latest number for an overloaded link downstream of it */
struct redirect_told {
	node_time_t at_ps;
	uint32_t flows; /* that shared it then */
};

/* of a flow, at the input that redirects it */
struct redirect_line {
	node_time_t not_before_ps;      /* it is not redirected before */
	struct output_load_count count; /* what of it went out here */
	uint16_t to_via;                /* with `to`: the detour */
	/* where it goes when it is empty downstream, port + 1; 0: not decided */
	uint8_t to;
	/* the port upward that has capacity, by its number; 0: not known */
	uint8_t hint;
	bool far; /* remote: another switch reported the congestion */
	/* nothing of it is in flight downstream: it selects an output again when its turn comes */
	bool choose;
};

/** redirect_wanted() - true if the flow of a header that has entered an output's queue is to be
 *  redirected. The queue is now @depth_bytes deep, and @flows flows wait. Draws a random number
 *  only if there is congestion. O(1). */
bool redirect_wanted(const struct routing_config *config, struct redirect_gauge *gauge,
		     struct random *random, uint64_t depth_bytes, uint32_t flows, node_time_t now);

/** redirect_group_most() - most flows of a group, after redirect_wanted(), if @flows wait; the
 *  flow of the header counts. At most half of them, so that the rest benefits too. Pure. */
uint32_t redirect_group_most(const struct routing_config *config, uint32_t flows);

/** redirect_also_wanted() - after redirect_wanted() returned true: whether another flow of the
 *  group, which waits, is redirected as well, by a random number of its own.
 *  @depth_bytes, @now  as in redirect_wanted(). O(1). */
bool redirect_also_wanted(const struct routing_config *config, struct redirect_gauge *gauge,
			  struct random *random, uint64_t depth_bytes, node_time_t now);

#endif
