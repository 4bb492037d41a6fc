/*  plan_routing - the part of a plan about paths: what is asked of the routing library, how
 *  switches choose, virtual lanes, port groups.
 *
 *  What a scenario says stands; the rest is derived from the fabric's own numbers (struct
 *  congestion_basis), R being the link rate:
 *    bias       four frames: what one packet more or less at a port does not exceed.
 *    hold two of the pauses between two frames of a source, if all hosts send to one; at least four
 *    round trips. A source that
 *               sends at all is told again within that time.
 *    depth R times the round trip of the longest link: what a flow that has its link for itself may
 *    have asked for, and
 *               eight frames at least. full: deeper by R times the longest round trip of the
 *               fabric.
 *    growth counts as much as the depth (1); interval: a round trip of a link; pause: four round
 *    trips, so that a flow sees what
 *               its last move has done.
 *    pending, queue four frames; R times half the round trip of a link, and as many at least. hold
 *    of an entry: a round trip of a
 *               link, in which the old queue runs empty.
 *    fecn R times the round trip of a link, and eight frames at least. A log of 4 marks in two
 *    round trips of a link.
 *    becn at most one in a round trip, each raises the index by 4, half a round trip without one
 *    lowers it by 1; each step is 1/8
 *               of the link's time, and the last makes room for all hosts: rate / (1 + hosts). */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTING_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTING_H

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_congestion.h"
#include "orchestrator/routing/routing.h"

/** plan_routing_request() - what @scenario asks of routing_make(), all but the routes that it names
 *  (routing_said.h). */
struct routing_request plan_routing_request(const struct scenario *scenario);

/** plan_routing_derive(), plan_port_group_derive() - every number, from the fabric's. Pure, in
 *  integers. */
struct routing_config plan_routing_derive(const struct congestion_basis *basis, bool tree);
struct port_group_config plan_port_group_derive(const struct congestion_basis *basis);

/** plan_routing_make() - fills routing of every switch, all but lane_rule, each with a seed of its
 *  own; in a fabric of kind port-group port_group of every node. Links and routes are there.
 *  Return: 0 or -ENOMEM. */
int plan_routing_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan);

/** plan_routing_seed() - seed of the switch at place @index of a fabric with @seed. */
uint64_t plan_routing_seed(uint64_t seed, uint32_t index);

#endif
