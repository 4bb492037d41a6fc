/*  plan_congestion - derives the numbers of congestion control from the fabric's rates, delays and
 *  MTU. A scenario may give some (plan_congestion_make.h). Formulas and reasons:
 *  docs/congestion.md. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_CONGESTION_H

#include "nodes/config/config.h"
#include "orchestrator/plan/plan.h"

/* The assumed lateness of a node under the real clock, in the machine's time: the worst of 100
 * turns on a busy machine.
 * Ours: docs/congestion.md. */
#define PLAN_CONGESTION_LATE_PS (300 * NODE_US)

/* the numbers of a fabric that all others are derived from */
struct congestion_basis {
	uint64_t rate_bps; /* of the fastest link to a host */
	/* the longest round trip between two hosts' switches, on an empty fabric */
	node_time_t rtt_ps;
	node_time_t link_rtt_ps; /* the longest round trip of one link */
	uint32_t mtu_bytes;      /* the largest frame */
	uint32_t hosts;          /* all may send to one; at least 1 */
	node_time_t late_ps;     /* lateness of a node; the round trips include it */
	/* packets of one flow may take several paths at once (FC-16) */
	bool spread;
};

/** plan_congestion_derive() - derives every number, with the mechanisms that are on by default.
 *  Pure, in integers: the same on any machine.
 *  No limit of a setting is larger than that of the setting before it, and each setting satisfies
 *  nodes/config/config.h.
 *  @basis rate 1 Mb/s .. 800 Gb/s, round trips up to 3600 s, MTU 64..9216. */
struct congestion_config plan_congestion_derive(const struct congestion_basis *basis);

/** plan_congestion_levels() - fills levels and maximum queue_extent of @setting for a target level.
 *  Pure.
 *  @target_units 2 and more; less counts as 2. */
void plan_congestion_levels(struct congestion_setting *setting, uint64_t target_units);

#endif
