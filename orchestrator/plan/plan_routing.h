/*  plan_routing - the part of a plan about paths: the request to the routing library, the selection
 *  of paths by switches, port groups.
 *
 *  The scenario's values are used. The others are derived from the numbers of the fabric (struct
 *  congestion_basis), where R is the rate of the fastest link to a host, T the longest round trip,
 *  L that of one link, and a frame one of the MTU:
 *    detour     bias: eight frames. Uniform traffic then takes few detours.
 *    hold       twice the time between two frames of a source if all hosts send to one, at least
 *               4 T. A source that sends gets another congestion ACK within that time.
 *    redirect   depth: four frames; full: deeper by R * T, at least by eight frames; growth: 1.
 *               interval: 8/3 T, in trees 9/2 T; pause: 3/2 T, in trees 9/2 T.
 *    pending    four frames
 *    queue      R * L / 2, at least four frames; log: one mark within the time that it takes to
 *               drain
 *    hold of an entry: L, in which the old queue drains
 *    fecn       R * (T + 2 L), at least eight frames: the links to the hosts are included
 *    becn       one in half of T + 2 L at most. Each raises the index by 4; it falls by 1 in that
 *               time, or in the time between two frames of a source if that is longer. Each step is
 *               1/8 of the frame's time on the link; at the maximum the rate is 1 / (1 + 2 hosts)
 *               of the link's. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTING_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_ROUTING_H

#include "orchestrator/plan/plan.h"
#include "orchestrator/plan/plan_congestion.h"
#include "orchestrator/routing/routing.h"

/** plan_routing_request() - the request of @scenario to routing_make(), without the routes that it
 *  names (routing_given.h). */
struct routing_request plan_routing_request(const struct scenario *scenario);

/** plan_routing_derive(), plan_port_group_derive() - derive every number from @basis. Pure, in
 *  integers.
 *  @tree  every link leads upward or downward: routing_upward.h. Then inputs request redirects;
 *         plan_routing_make() leaves that out if switches agree on too few paths up. */
struct routing_config plan_routing_derive(const struct congestion_basis *basis, bool tree);
struct port_group_config plan_port_group_derive(const struct congestion_basis *basis);

/** plan_routing_make() - fills routing of every switch except lane_rule, with a seed for each; in a
 *  fabric of kind port-group also port_group of every node. Links and routes are filled already.
 *  Return: 0 or -ENOMEM. */
int plan_routing_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan);

/** plan_routing_seed() - the seed of switch @index of a fabric with @seed. */
uint64_t plan_routing_seed(uint64_t seed, uint32_t index);

#endif
