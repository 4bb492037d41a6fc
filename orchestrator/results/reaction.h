/*  reaction - how fast endpoint congestion is answered: from the first ACK_ECA that an egress edge port makes to the moment
 *  when the last of the senders' edge ports has heard of it (EC-2, EC-5).
 *
 *      time  = last (limited_first_ps of the edge ports of those that send to the host) - eca_first_ps of the host's port
 *      trip  = longest of the senders' round trips on an empty fabric: the smallest frame there and the smallest back,
 *              each as plan_ideal_ps() has it
 *
 *  A port knows when it heard its first ACK_ECA, not of which destination; so a scenario that asks for the reaction to
 *  one host has one that is congested. A sender that has heard before that port made any is left out, and so is one that
 *  has not heard at all: `heard` of `senders` says how many count.                                                    */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_REACTION_H
#define HEDDLE_ORCHESTRATOR_RESULTS_REACTION_H

#include "orchestrator/results/results.h"

struct reaction {
	node_time_t first_ps; /* the first ACK_ECA; 0: none was made, and nothing else is known but the trip */
	node_time_t time_ps;  /* valid if heard */
	node_time_t trip_ps;  /* 0 without senders */
	uint32_t senders, heard;
};

/** reaction_of() - to the congestion of the port that leads to host @host.  O(flows * path). */
struct reaction reaction_of(const struct plan *plan, const struct results *results, uint32_t host);

#endif
