/*  reaction - how fast senders react to endpoint congestion: from the first ACK_ECA of an egress
 *  edge port to the moment when the last of the senders' edge ports has received one (EC-2, EC-5).
 *
 *      time  = last (limited_first_ps of the edge ports of the senders to the host)
 *              - eca_first_ps of the host's port
 *      trip  = longest of the senders' round trips on an empty fabric: the smallest frame there and
 *              the smallest back, each as plan_ideal_ps() has it
 *
 *  A port records when it received its first ACK_ECA, but not for which destination. So a scenario
 *  that expects a reaction to one host must have one congested host. A sender that received one
 *  before that port sent any is left out, and so is one that received none: `told` of `senders` is
 *  the number that counts. The time says something about senders only if they start together: their
 *  workloads have one destination each and one start, and are not an open loop. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_REACTION_H
#define HEDDLE_ORCHESTRATOR_RESULTS_REACTION_H

#include "orchestrator/results/results.h"

struct reaction {
	node_time_t first_ps; /* the first ACK_ECA; 0: none was sent, and only the trip is known */
	node_time_t time_ps;  /* valid if told */
	node_time_t trip_ps;  /* 0 without senders */
	uint32_t senders, told;
	bool together; /* the senders start together; true without senders */
};

/** reaction_of() - the reaction to the congestion of the port to host @host.  O(flows * path). */
struct reaction reaction_of(const struct plan *plan, const struct results *results, uint32_t host);

#endif
