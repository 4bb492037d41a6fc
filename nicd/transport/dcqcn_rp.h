/*  dcqcn_rp - DCQCN's reaction point: the rate of one queue pair, cut by CNPs and raised by a timer
 *  and a byte counter (RC-3).
 *
 *      on a CNP     R_T = R_C, R_C = R_C (1 - alpha / 2), alpha = (1 - g) alpha + g;
 *                   timers and counters start again
 *      alpha timer  alpha = (1 - g) alpha
 *      increase     T counts expiries of the rate increase timer, BC runs of the byte counter.
 *                   With each of them:
 *                       max(T, BC) < F   fast recovery
 *                       min(T, BC) > F   hyper increase      R_T += (min(T, BC) - F) R_HAI
 *                       else             additive increase   R_T += R_AI
 *                   and always               R_C = (R_T + R_C) / 2
 *
 *  R_C stays within [lowest rate, line rate], R_T never exceeds the line rate. A queue pair at the
 *  line rate is not limited: its packets go at once. alpha begins to decay with the first CNP. At
 *  one moment the order is: alpha timer, increase timer, then the present call.
 *
 *  No timer calls this module. Each call first replays, in their order, the timers that have
 *  expired since the last one; the result is the same to the last bit. An idle queue pair costs
 *  nothing. The replay is short however long the time was: decay is a power; R_T - R_C is constant
 *  after some 40 equal increases, and from then on both grow by the same. Integers only: a rate is
 *  rounded up to 1 b/s, alpha is in 2^-31.
 *
 *  Variants, by dcqcn_config: no byte counter; hyper_by_timer (hyper increase as soon as T > F,
 *  whatever BC is, and R_T += R_HAI each time; additive otherwise, once fast recovery is over);
 *  alpha_first; cut_interval_ps (a CNP so soon after a cut has no effect); clamp_target;
 *  react_on_tick:
 *
 *      a CNP            is noted only. The first one starts two clocks, which never stop.
 *      alpha_timer_ps   at each tick: alpha = (1 - g) alpha + g if a CNP came since the last one,
 *                       else (1 - g) alpha
 *      cut_interval_ps  at each tick, if a CNP came since the last one: R_T and R_C as on a CNP
 *                       above; timers and counters start again
 *
 *  The first CNP counts for the first cut, not for alpha. A CNP at the moment of a tick counts for
 *  the next one. alpha_first gives the order of two ticks at one moment.
 *
 *  Memory: 64 bytes per queue pair, the rest is shared. No I/O; `now` is given, never goes back.
 *  Sources: [Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section
 *  3 and figures 5 to 7]; the ticks: the reaction point called "Mlx" in the simulator of HPCC [Li
 *  et al., SIGCOMM 2019]. */
#ifndef HEDDLE_NICD_TRANSPORT_DCQCN_RP_H
#define HEDDLE_NICD_TRANSPORT_DCQCN_RP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"
#include "nodes/config/roce_config.h"

#define DCQCN_ALPHA_ONE (1u << 31)

/* what all queue pairs of a NIC have in common */
struct dcqcn_rp_setup {
	const struct dcqcn_config *config; /* within its limits */
	uint64_t line_bps;                 /* 1 Mb/s .. 800 Gb/s */
	uint64_t keep_q63;                 /* 1 - g, in 2^-63 */
};

struct dcqcn_rp {
	uint64_t rate_bps, target_bps; /* R_C, R_T: R_C <= R_T <= line rate */
	/* time of the last cut; on ticks: of the next one if cut_waits, else of any former tick of
	 * cuts */
	node_time_t cut_ps;
	/* alpha is that of then: the last cut; on ticks: a tick of alpha */
	node_time_t alpha_ps;
	node_time_t increase_at_ps; /* the increase timer runs out */
	uint64_t bytes;             /* since the byte counter ran out last */
	/* T and BC: times that each ran out since the last cut, to UINT32_MAX */
	uint32_t timers, counters;
	uint32_t alpha;              /* at alpha_ps, after the cut; in 2^-31 */
	bool congested;              /* a CNP has come, ever */
	bool alpha_waits, cut_waits; /* on ticks: a CNP has come since the last tick */
};

/** dcqcn_rp_setup_init() - @config is borrowed and within its limits; @line_bps may be changed
 *  later (a new link): the queue pairs then are cut to it, or raised to it as by the rules. */
void dcqcn_rp_setup_init(struct dcqcn_rp_setup *setup, const struct dcqcn_config *config,
			 uint64_t line_bps);

/** dcqcn_rp_init() - a new queue pair, at its initial rate. */
void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now);

/** dcqcn_rp_cnp() - a CNP has come. Return: was the rate cut, or will it be on the next tick
 *  because of this CNP? false: it came within the cut interval of another one. */
bool dcqcn_rp_cnp(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now);

/** dcqcn_rp_sent() - a packet of @bytes (to 2 MB, as they count on the link) has been sent at
 *  @now. */
void dcqcn_rp_sent(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, uint32_t bytes,
		   node_time_t now);

/** dcqcn_rp_rate() - R_C at @now, as many bits per second; the line rate: not limited. */
uint64_t dcqcn_rp_rate(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now);

/* what a counter of increases has reached */
enum dcqcn_stage { DCQCN_FAST_RECOVERY, DCQCN_ADDITIVE, DCQCN_HYPER };

/** dcqcn_rp_stage() - what T and BC say of the next increase, if T is the one that runs out next;
 *  after dcqcn_rp_rate(). Pure. */
enum dcqcn_stage dcqcn_rp_stage(const struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup);

/** dcqcn_rp_alpha() - alpha at @now, in 2^-31. O(log(@now - last cut)). */
uint32_t dcqcn_rp_alpha(const struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup,
			node_time_t now);

#endif
