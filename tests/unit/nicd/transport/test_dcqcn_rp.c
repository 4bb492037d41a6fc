/*  nicd/transport/dcqcn_rp: the rate of a queue pair against the formulas, and variants (RC-3). */
#include "tests/testing.h"
#include "tests/unit/nicd/transport/dcqcn_rate.h"

TEST_GROUP(dcqcn_rp, .setup = reset);

/* a queue pair without CNPs is not limited */
TEST(dcqcn_rp_init__line_rate)
{
	start();
	ck_assert_uint_eq(rate(0), LINE);
	for (node_time_t now = 0; now < NODE_MS; now += NODE_US)
		dcqcn_rp_sent(&rp, &setup, 9000, now);
	ck_assert_uint_eq(rate(NODE_S), LINE);
}

TEST(dcqcn_rp_init__slower)
{
	config.rate_initial_bps = 10 * GBPS;
	start();
	ck_assert_uint_eq(rate(0), 10 * GBPS);
	ck_assert_uint_eq(rate(5 * T), 10 * GBPS + 20 * MBPS); /* the first additive increase */
	config.rate_initial_bps = LINE + 1;
	start();
	ck_assert_uint_eq(rate(0), LINE);
}

/* RC-3: the first cut with alpha 1, then fast recovery: 20, 30, 35, 37.5, 38.75, then R_T grows */
TEST(dcqcn_rp_cnp__one_at_line_rate)
{
	static const uint64_t expected[] = { 30 * GBPS, 35 * GBPS, 37500 * MBPS, 38750 * MBPS };
	node_time_t at = 7 * NODE_US;

	start();
	ck_assert(dcqcn_rp_cnp(&rp, &setup, at));
	ck_assert_uint_eq(rate(at), 20 * GBPS);
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(rate(at + (i + 1) * T - 1), i ? expected[i - 1] : 20 * GBPS);
		ck_assert_uint_eq(rate(at + (i + 1) * T), expected[i]);
	}
	/* R_T is at the line rate already: additive increase cannot raise it */
	ck_assert_uint_eq(rate(at + 5 * T), 39375 * MBPS);
	ck_assert_uint_eq(rate(at + NODE_S), LINE);
}

/* what the next expiry of the timer does, as R_C and R_T show: T and BC against F = 5 */
TEST(dcqcn_rp_stage__of_the_next_increase)
{
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_FAST_RECOVERY);
	rate(4 * T - 1);
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_FAST_RECOVERY);
	rate(4 * T);
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_ADDITIVE);
	rate(9 * T);
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_ADDITIVE);
	rp.counters = 6;
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_HYPER);
	rp.counters = 5;
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_ADDITIVE);
	config.hyper_by_timer = true;
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_HYPER);
	dcqcn_rp_cnp(&rp, &setup, 10 * T);
	ck_assert_int_eq(dcqcn_rp_stage(&rp, &setup), DCQCN_FAST_RECOVERY);
}

/* a cut to R_C (1 - alpha / 2); alpha decays to (1 - g)^n, and is alpha (1 - g) + g after a CNP */
TEST(dcqcn_rp_cnp__alpha)
{
	double g = 1.0 / 256, expected = 1;
	node_time_t at = 0;

	start();
	ck_assert_double_eq(alpha(NODE_S), 1); /* decays from the first CNP on */
	dcqcn_rp_cnp(&rp, &setup, at);
	ck_assert_double_eq(alpha(at), 1);
	for (uint32_t n = 1; n < 6000; n += 371) {
		ck_assert_double_eq_tol(alpha(at + n * T - 1), pow(1 - g, n - 1), 1e-9);
		ck_assert_double_eq_tol(alpha(at + n * T), pow(1 - g, n), 1e-9);
	}
	expected = pow(1 - g, 100);
	at += 100 * T + T / 2;
	ck_assert_uint_gt(rate(at), 39 * GBPS);
	for (uint32_t i = 0; i < 20; i++) {
		double before = (double)rate(at);

		dcqcn_rp_cnp(&rp, &setup, at);
		ck_assert_double_eq_tol((double)rate(at), fmax(before * (1 - expected / 2), 40e6),
					40);
		expected = expected * (1 - g) + g;
		ck_assert_double_eq_tol(alpha(at), expected, 1e-7);
		at += T + T / 2;
		expected *= 1 - g;
		ck_assert_double_eq_tol(alpha(at), expected, 1e-7);
	}
}

TEST(dcqcn_rp_alpha__slow_and_long)
{
	config.g_ppb = 1;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_double_eq_tol(alpha(1000000000ull * 55 * NODE_NS), pow(1 - 1e-9, 1000000), 1e-9);
	config.g_ppb = 1000000000;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_double_eq(alpha(0), 1);
	ck_assert_double_eq(alpha(T), 0);
}

/* the lowest rate: no CNP reduces below it, and additive increase raises it */
TEST(dcqcn_rp_cnp__rate_min)
{
	start();
	for (uint32_t i = 0; i < 100; i++)
		dcqcn_rp_cnp(&rp, &setup, i * NODE_US);
	ck_assert_uint_eq(rate(99 * NODE_US), 40 * MBPS);
	ck_assert_uint_eq(rate(99 * NODE_US + 4 * T), 40 * MBPS); /* R_T is there as well */
	ck_assert_uint_eq(rate(99 * NODE_US + 5 * T), 60 * MBPS);
	config.rate_min_bps = 2 * LINE;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE);
}

/* additive increase by R_AI each T, up to the line rate; R_C stays R_AI below R_T */
TEST(dcqcn_rp_rate__additive_slope)
{
	node_time_t at = 9 * NODE_US;
	uint64_t before;

	start();
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &setup, i * NODE_US);
	before = rate(at + 59 * T);
	for (uint32_t n = 60; n < 900; n++) {
		ck_assert_uint_eq(rate(at + n * T) - before, 40 * MBPS);
		before = rate(at + n * T);
	}
	ck_assert_uint_eq(rp.target_bps - rp.rate_bps, 40 * MBPS - 1);
	ck_assert_uint_eq(rate(at + NODE_S), LINE);
}

/* a long idle time costs no more than a short one: with a step for each timer this would not end */
TEST(dcqcn_rp_rate__idle_for_long)
{
	config.increase_timer_ps = config.alpha_timer_ps = 1;
	config.ai_bps = 1;
	config.hai_bps = 0;
	start();
	for (uint32_t i = 0; i < 100; i++)
		dcqcn_rp_cnp(&rp, &setup, 0);
	/* 4 events of fast recovery */
	ck_assert_uint_eq(rate(1000 * MBPS), 40 * MBPS + 1000 * MBPS - 4);
	ck_assert_uint_eq(rate(1ull << 62), LINE);
	ck_assert_double_eq(alpha(1ull << 62), 0);
}

/* a new link, slower then faster */
TEST(dcqcn_rp_rate__line_changes)
{
	start();
	setup.line_bps = 10 * GBPS;
	ck_assert_uint_eq(rate(NODE_MS), 10 * GBPS);
	dcqcn_rp_cnp(&rp, &setup, NODE_MS);
	ck_assert_uint_eq(rate(NODE_MS), 5 * GBPS);
	setup.line_bps = LINE;
	ck_assert_uint_eq(rate(NODE_MS + 4 * T), 9687500000);
	ck_assert_uint_eq(rate(NODE_S), LINE);
}

/* both counters beyond F: R_T += i R_HAI, i = 1, 2, 3 ... */
TEST(dcqcn_rp_sent__hyper_increase)
{
	uint64_t target, before;

	config.byte_counter_bytes = 1000;
	start();
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &setup, 0);
	/* the byte counter alone, T = 0: fast recovery to BC = 4, then additive increase */
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_sent(&rp, &setup, 1000, 1);
	ck_assert_uint_eq(rp.counters, 10);
	target = rp.target_bps;
	rate(4 * T); /* T = 4: max(T, BC) = 10 >= F: additive for both */
	ck_assert_uint_eq(rp.target_bps, target += 4 * 40 * MBPS);
	rate(5 * T); /* min(T, BC) = F is not beyond it */
	ck_assert_uint_eq(rp.target_bps, target += 40 * MBPS);
	for (uint64_t i = 1; i <= 5; i++) {
		before = rp.rate_bps;
		rate((5 + i) * T);
		ck_assert_uint_eq(rp.target_bps, target += i * 400 * MBPS);
		ck_assert_uint_eq(rp.rate_bps, (target + before + 1) / 2);
	}
	rate(12 * T); /* BC stays 10: i stays 5 */
	ck_assert_uint_eq(rp.target_bps, target += 2 * 5 * 400 * MBPS);
	dcqcn_rp_sent(&rp, &setup, 1000, 12 * T); /* BC = 11: i = 6 */
	ck_assert_uint_eq(rp.target_bps, target + 6 * 400 * MBPS);
}

/* an increase every B bytes; bytes above B count for the next one; a CNP starts the counter
 * again */
TEST(dcqcn_rp_sent__byte_counter)
{
	config.byte_counter_bytes = 10000;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	for (uint32_t i = 0; i < 6; i++)
		dcqcn_rp_sent(&rp, &setup, 1500, i);
	ck_assert_uint_eq(rate(5), 20 * GBPS);
	dcqcn_rp_sent(&rp, &setup, 1500, 6);
	ck_assert_uint_eq(rate(6), 30 * GBPS);
	dcqcn_rp_sent(&rp, &setup, 9500, 7);
	ck_assert_uint_eq(rate(7), 35 * GBPS);
	dcqcn_rp_sent(&rp, &setup, 9999, 8);
	dcqcn_rp_cnp(&rp, &setup, 8);
	dcqcn_rp_sent(&rp, &setup, 9999, 8);
	ck_assert_uint_eq(rp.counters, 0);
	dcqcn_rp_sent(&rp, &setup, 30001, 8); /* four times in one packet */
	ck_assert_uint_eq(rp.counters, 4);
}

/* a CNP starts the increase timer again */
TEST(dcqcn_rp_cnp__timer_reset)
{
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_cnp(&rp, &setup, T - 1);
	ck_assert_uint_eq(rate(T), rate(T - 1));
	ck_assert_uint_lt(rate(2 * T - 2), rate(2 * T - 1));
}

/* ---- variants, each against the default on the same CNPs ---- */

/* RC-3, variant: T alone decides: fast recovery, R_AI once at T = F, then R_HAI each T; _i: with a
 * byte counter */
TEST_RANGE(dcqcn_rp_rate__hyper_by_timer, 0, 2)
{
	uint64_t target, before;

	config.byte_counter_bytes = _i ? 1000 : 0;
	config.fast_recovery = 2;
	config.hyper_by_timer = true;
	start();
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_sent(&rp, &setup, 999, 1); /* counted, but too few */
	ck_assert_uint_eq(rp.bytes, _i ? 999 : 0);
	target = rp.target_bps;
	rate(T);
	ck_assert_uint_eq(rp.target_bps, target);
	rate(2 * T);
	ck_assert_uint_eq(rp.target_bps, target += 40 * MBPS);
	for (uint64_t i = 3; i <= 6; i++) {
		before = rp.rate_bps;
		rate(i * T);
		ck_assert_uint_eq(rp.target_bps, target += 400 * MBPS);
		ck_assert_uint_eq(rp.rate_bps, (target + before + 1) / 2);
	}
	dcqcn_rp_sent(&rp, &setup, 1000, 6 * T);
	ck_assert_uint_eq(rp.counters, _i);
	ck_assert_uint_eq(rp.target_bps, target + (_i ? 400 * MBPS : 0)); /* T > F */
}

TEST(dcqcn_rp_cnp__alpha_first)
{
	config.alpha_initial_ppm = 0;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE); /* alpha was 0 at the cut */
	config.alpha_first = true;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE - LINE / 512);
	ck_assert_double_eq(alpha(0), 1.0 / 256);
}

TEST(dcqcn_rp_cnp__cut_interval)
{
	config.cut_interval_ps = 4 * NODE_US;
	start();
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 0));
	ck_assert(!dcqcn_rp_cnp(&rp, &setup, 4 * NODE_US - 1));
	ck_assert_uint_eq(rate(4 * NODE_US - 1), 20 * GBPS);
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 4 * NODE_US));
	ck_assert_uint_eq(rate(4 * NODE_US), 10 * GBPS);
	config.cut_interval_ps = 0;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 0));
	ck_assert_uint_eq(rate(0), 10 * GBPS);
}

/* two cuts without an increase between them: without clamp_target R_T stays that of the first
 * cut */
TEST(dcqcn_rp_cnp__clamp_target)
{
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_cnp(&rp, &setup, 1);
	ck_assert_uint_eq(rate(1 + T), 15 * GBPS);
	config.clamp_target = false;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_cnp(&rp, &setup, 1);
	ck_assert_uint_eq(rate(1), 10 * GBPS);
	ck_assert_uint_eq(rate(1 + T), 25 * GBPS);
	dcqcn_rp_cnp(&rp, &setup, 1 + T); /* after an increase: R_T = R_C */
	ck_assert_uint_eq(rp.target_bps, 25 * GBPS);
}
