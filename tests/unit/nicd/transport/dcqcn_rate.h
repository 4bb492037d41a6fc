/*  dcqcn_rate - the reaction point of one queue pair on a line of 40 Gb/s, with the parameters of a
 *  test. */
#ifndef HEDDLE_TESTS_UNIT_NICD_TRANSPORT_DCQCN_RATE_H
#define HEDDLE_TESTS_UNIT_NICD_TRANSPORT_DCQCN_RATE_H

#include <math.h>

#include "nicd/transport/dcqcn_rp.h"
#include "nodes/base/units.h"
#include "tests/testing.h"

#define GBPS 1000000000ull
#define MBPS 1000000ull
#define LINE (40 * GBPS)
#define T (55 * NODE_US)

static struct dcqcn_config config;
static struct dcqcn_rp_setup setup;
static struct dcqcn_rp rp;

/* the defaults of DCQCN, with a byte counter that is never full */
static inline void reset(void)
{
	config = (struct dcqcn_config){
		.enabled = true,
		.g_ppb = 3906250,
		.alpha_initial_ppm = 1000000,
		.alpha_timer_ps = T,
		.increase_timer_ps = T,
		.byte_counter_bytes = 1ull << 50,
		.fast_recovery = 5,
		.ai_bps = 40 * MBPS,
		.hai_bps = 400 * MBPS,
		.rate_min_bps = 40 * MBPS,
		.clamp_target = true,
		.cnp_interval_ps = 50 * NODE_US,
	};
}

static inline void start(void)
{
	dcqcn_rp_setup_init(&setup, &config, LINE);
	dcqcn_rp_init(&rp, &setup, 0);
}

static inline uint64_t rate(node_time_t now)
{
	return dcqcn_rp_rate(&rp, &setup, now);
}

static inline double alpha(node_time_t now)
{
	return dcqcn_rp_alpha(&rp, &setup, now) / (double)DCQCN_ALPHA_ONE;
}

#endif
