/*  plan_congestion - the numbers of congestion control, from the fabric's own: its rates, delays
 *  and MTU.
 *
 *  What a scenario says of them stands; the rest is derived. Formulas and what they are for:
 *  docs/congestion.md. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_H

#include "nodes/config/config.h"
#include "orchestrator/plan/plan.h"

/* How late a node is taken to be under the real clock: the worst of 100 turns on a busy machine.
 * Ours: docs/congestion.md. */
#define PLAN_CONGESTION_LATE_PS (300 * NODE_US)

/* what everything is derived from */
struct congestion_basis {
	uint64_t rate_bps; /* of the fastest link to a host */
	/* the longest round trip between two hosts' switches, on an empty fabric */
	node_time_t rtt_ps;
	node_time_t link_rtt_ps; /* the longest round trip of one link */
	uint32_t mtu_bytes;      /* the largest frame */
	uint32_t hosts;          /* that may all send to one; at least 1 */
	node_time_t late_ps;     /* how late a node may be; in the round trips already */
	/* packets of one flow may come over several ways at once (FC-16) */
	bool spread;
};

/** plan_congestion_derive() - every number, all mechanisms on. Pure, in integers: the same on any
 *  machine.
 *  Of the settings none has anything larger than the one before it, and each holds what
 *  nodes/config/config.h asks.
 *  @basis rate 1 Mb/s .. 800 Gb/s, round trips up to 3600 s, MTU 64..9216. */
struct congestion_config plan_congestion_derive(const struct congestion_basis *basis);

/** plan_congestion_levels() - water levels and maximum queue_extent that go with a target level.
 *  Pure.
 *  @target_units 2 and more; less counts as 2. */
void plan_congestion_levels(struct congestion_setting *setting, uint64_t target_units);

#endif
