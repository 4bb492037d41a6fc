/*  nicd/transport/dcqcn_rp: the rate of a queue pair against the formulas (RC-3), and lazily
 *  against step by step. */
#include <math.h>
#include <stdlib.h>

#include "nicd/transport/dcqcn_rp.h"
#include "nodes/base/random.h"
#include "tests/testing.h"

#define GBPS 1000000000ull
#define MBPS 1000000ull
#define LINE (40 * GBPS)
#define T (55 * NODE_US)

static struct dcqcn_config config;
static struct dcqcn_rp_setup setup;
static struct dcqcn_rp rp;

/* the paper's defaults, and byte counting out of the way */
static void reset(void)
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

static void start(void)
{
	dcqcn_rp_setup_init(&setup, &config, LINE);
	dcqcn_rp_init(&rp, &setup, 0);
}

static uint64_t rate(node_time_t now)
{
	return dcqcn_rp_rate(&rp, &setup, now);
}

static double alpha(node_time_t now)
{
	return dcqcn_rp_alpha(&rp, &setup, now) / (double)DCQCN_ALPHA_ONE;
}

/* a queue pair without CNPs is not limited, whatever it sends */
TEST(dcqcn_rp_init__line_rate)
{
	reset();
	start();
	ck_assert_uint_eq(rate(0), LINE);
	for (node_time_t now = 0; now < NODE_MS; now += NODE_US)
		dcqcn_rp_sent(&rp, &setup, 9000, now);
	ck_assert_uint_eq(rate(NODE_S), LINE);
}

TEST(dcqcn_rp_init__slower)
{
	reset();
	config.rate_initial_bps = 10 * GBPS;
	start();
	ck_assert_uint_eq(rate(0), 10 * GBPS);
	ck_assert_uint_eq(rate(5 * T), 10 * GBPS + 20 * MBPS); /* the first additive increase */
	config.rate_initial_bps = LINE + 1;
	start();
	ck_assert_uint_eq(rate(0), LINE);
}

/* RC-3, the first cut with alpha 1 and fast recovery: 20, 30, 35, 37.5, 38.75, then R_T grows */
TEST(dcqcn_rp_cnp__one_at_line_rate)
{
	static const uint64_t expected[] = { 30 * GBPS, 35 * GBPS, 37500 * MBPS, 38750 * MBPS };
	node_time_t at = 7 * NODE_US;

	reset();
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

/* R_C (1 - alpha / 2) with alpha (1 - g)^n; alpha (1 - g) + g */
TEST(dcqcn_rp_cnp__alpha)
{
	double g = 1.0 / 256, expected = 1;
	node_time_t at = 0;

	reset();
	start();
	ck_assert_double_eq(alpha(NODE_S), 1); /* decays only from the first CNP on */
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
	reset();
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

/* the lowest rate that a NIC can hold: no CNP goes below, and additive increase leads away from
 * it */
TEST(dcqcn_rp_cnp__rate_min)
{
	reset();
	start();
	for (uint32_t i = 0; i < 100; i++)
		dcqcn_rp_cnp(&rp, &setup, i * NODE_US);
	ck_assert_uint_eq(rate(99 * NODE_US), 40 * MBPS);
	ck_assert_uint_eq(rate(99 * NODE_US + 4 * T), 40 * MBPS); /* R_T too was there */
	ck_assert_uint_eq(rate(99 * NODE_US + 5 * T), 60 * MBPS);
	config.rate_min_bps = 2 * LINE;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE);
}

/* R_AI each T once it has settled, R_C following R_AI behind R_T; until the line rate */
TEST(dcqcn_rp_rate__additive_slope)
{
	node_time_t at = 9 * NODE_US;
	uint64_t before;

	reset();
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

/* both counters beyond F: R_T += i R_HAI, i = 1, 2, 3 ... */
TEST(dcqcn_rp_sent__hyper_increase)
{
	uint64_t target, before;

	reset();
	config.byte_counter_bytes = 1000;
	start();
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &setup, 0);
	/* all byte counter, T = 0: fast recovery to BC = 4, then additive */
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
	rate(12 * T); /* BC stands at 10: i stays 5 */
	ck_assert_uint_eq(rp.target_bps, target += 2 * 5 * 400 * MBPS);
	dcqcn_rp_sent(&rp, &setup, 1000, 12 * T); /* and the byte counter counts on: i = 6 */
	ck_assert_uint_eq(rp.target_bps, target + 6 * 400 * MBPS);
}

/* RC-3, variant: T alone decides, with or without a byte counter: fast recovery, R_AI once at T =
 * F, then R_HAI each time */
TEST_RANGE(dcqcn_rp_rate__hyper_by_timer, 0, 2)
{
	uint64_t target, before;

	reset();
	config.byte_counter_bytes = _i ? 1000 : 0;
	config.fast_recovery = 2;
	config.hyper_by_timer = true;
	start();
	for (uint32_t i = 0; i < 10; i++)
		dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_sent(&rp, &setup, 999, 1); /* counted, not enough */
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

/* every B bytes; what is above counts for the next; a CNP begins anew */
TEST(dcqcn_rp_sent__byte_counter)
{
	reset();
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

/* a CNP begins the increase timer anew */
TEST(dcqcn_rp_cnp__timer_reset)
{
	reset();
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	dcqcn_rp_cnp(&rp, &setup, T - 1);
	ck_assert_uint_eq(rate(T), rate(T - 1));
	ck_assert_uint_lt(rate(2 * T - 2), rate(2 * T - 1));
}

/* ---- variants, each against the paper's on the same CNPs ---- */

TEST(dcqcn_rp_cnp__alpha_first)
{
	reset();
	config.alpha_initial_ppm = 0;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE); /* after the cut, by which alpha was 0 */
	config.alpha_first = true;
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert_uint_eq(rate(0), LINE - LINE / 512);
	ck_assert_double_eq(alpha(0), 1.0 / 256);
}

TEST(dcqcn_rp_cnp__cut_interval)
{
	reset();
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

/* two cuts without an increase between them: R_T stays where the first one put it, and recovery
 * goes there */
TEST(dcqcn_rp_cnp__clamp_target)
{
	reset();
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
	dcqcn_rp_cnp(&rp, &setup, 1 + T); /* raised since: R_T = R_C */
	ck_assert_uint_eq(rp.target_bps, 25 * GBPS);
}

/* ---- reaction on ticks (RC-3) ---- */

#define US NODE_US

/* the numbers of the simulator of HPCC at 40 Gb/s: alpha's ticks of 1 us, those of cuts of 4 us */
static void reset_ticks(void)
{
	reset();
	config.react_on_tick = true;
	config.alpha_first = true;
	config.alpha_timer_ps = US;
	config.cut_interval_ps = 4 * US;
	config.increase_timer_ps = 300 * US;
	config.byte_counter_bytes = 0;
	config.fast_recovery = 2;
	config.hyper_by_timer = true;
	config.clamp_target = false;
	config.rate_min_bps = GBPS;
}

/* L (1 - alpha / 2) with alpha = (1 - g)^4: four ticks without another CNP before the cut, or three
 * if the cut comes first */
TEST_RANGE(dcqcn_rp_cnp__tick_one, 0, 2)
{
	double g = 1.0 / 256;

	reset_ticks();
	config.alpha_first = !_i;
	start();
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 7 * US + 3));
	ck_assert_uint_eq(rate(11 * US + 2), LINE); /* noted only */
	ck_assert_double_eq(alpha(8 * US + 2), 1);
	ck_assert_double_eq_tol(alpha(8 * US + 3), 1 - g, 1e-9); /* it does not count for alpha */
	ck_assert_double_eq_tol((double)rate(11 * US + 3),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 2), 40);
	ck_assert_double_eq_tol((double)rate(311 * US + 2),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 2),
				40); /* no cut without a CNP */
	ck_assert_double_eq_tol((double)rate(311 * US + 3),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 4),
				40); /* the timer began with the cut */
}

/* a CNP each half microsecond: alpha stays 1, and each tick of 4 us halves the rate, once; not one
 * cut for each CNP */
TEST(dcqcn_rp_cnp__tick_many)
{
	uint32_t brought = 0;

	reset_ticks();
	start();
	for (uint32_t i = 0; i < 40; i++) {
		brought += dcqcn_rp_cnp(&rp, &setup, i * US / 2);
		ck_assert_uint_eq(rate(i * US / 2), LINE >> i / 8);
		ck_assert_double_eq_tol(alpha(i * US / 2), 1, 1e-8);
	}
	ck_assert_uint_eq(brought, 5);
	/* the target is kept while it has not been reached */
	ck_assert_uint_eq(rp.target_bps, LINE);
	for (uint32_t i = 40; i < 80; i++)
		dcqcn_rp_cnp(&rp, &setup, i * US / 2);
	ck_assert_uint_eq(rate(40 * US), GBPS);
}

/* at the moment of a tick: for the next one, of alpha and of cuts; ticks go on while no CNP
 * comes */
TEST(dcqcn_rp_cnp__tick_grid)
{
	double g = 1.0 / 256, expected;
	uint64_t before;

	reset_ticks();
	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 4 * US)); /* at the tick of the first cut, which was */
	before = rate(4 * US);
	ck_assert_uint_lt(before, LINE);
	ck_assert_uint_eq(rate(8 * US - 1), before);
	ck_assert_uint_lt(rate(8 * US), before);
	before = rate(8 * US);
	expected = pow(1 - g, 4) * (1 - g) + g;
	ck_assert_double_eq_tol(alpha(5 * US), expected, 1e-8);
	expected *= pow(1 - g, 3);
	ck_assert_double_eq_tol(alpha(8 * US), expected, 1e-8);
	/* the next one of the grid is at 104 us */
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 101 * US + 1));
	ck_assert(!dcqcn_rp_cnp(&rp, &setup, 103 * US));
	ck_assert_uint_eq(rate(104 * US - 1), before);
	expected *= pow(1 - g, 93); /* to 101 us */
	expected = expected * (1 - g) + g;
	/* 102, 103, 104: of the CNPs at 101 and 103 us */
	expected = expected * (1 - g) * (1 - g) + g;
	ck_assert_double_eq_tol((double)rate(104 * US), (double)before * (1 - expected / 2), 2000);
}

/* on the same CNPs as at once: one every 5 us cuts every 5 us, or at 8 of 10 ticks of 4 us */
TEST(dcqcn_rp_cnp__tick_or_at_once)
{
	uint32_t cuts[2] = { 0, 0 };

	for (uint32_t tick = 0; tick < 2; tick++) {
		uint64_t before;

		reset_ticks();
		config.react_on_tick = tick;
		config.rate_min_bps = MBPS;
		config.g_ppb = 1;
		config.alpha_initial_ppm = 1000;
		start();
		before = rate(0);
		for (node_time_t now = 0; now <= 200 * US; now += US) {
			if (now % (5 * US) == 0)
				dcqcn_rp_cnp(&rp, &setup, now);
			cuts[tick] += rate(now) < before;
			before = rate(now);
		}
	}
	ck_assert_uint_eq(cuts[0], 41);
	ck_assert_uint_eq(cuts[1], 40);
}

/* Another way to the same: every clock of its own, one event after the other, in floating point.
 * Knows no laziness. */
struct clocked {
	double rate, target, alpha;
	node_time_t alpha_at, cut_at, increase_at;
	uint64_t timers;
	bool started, alpha_flag, cut_flag;
};

static void clocked_increase(struct clocked *model)
{
	model->timers++;
	if (model->timers > config.fast_recovery)
		model->target += (double)config.hai_bps;
	else if (model->timers == config.fast_recovery)
		model->target += (double)config.ai_bps;
	model->target = fmin(model->target, (double)LINE);
	model->rate = (model->rate + model->target) / 2;
	model->increase_at += config.increase_timer_ps;
}

static void clocked_alpha(struct clocked *model)
{
	double g = config.g_ppb / 1e9;

	model->alpha = (1 - g) * model->alpha + (model->alpha_flag ? g : 0);
	model->alpha_flag = false;
	model->alpha_at += config.alpha_timer_ps;
}

static void clocked_cut(struct clocked *model)
{
	if (model->cut_flag) {
		if (config.clamp_target || model->timers)
			model->target = model->rate;
		model->rate = fmax(model->rate * (1 - model->alpha / 2),
				   fmin((double)config.rate_min_bps, model->rate));
		model->timers = 0;
		model->increase_at = model->cut_at + config.increase_timer_ps;
	}
	model->cut_flag = false;
	model->cut_at += config.cut_interval_ps;
}

static void clocked_until(struct clocked *model, node_time_t now)
{
	for (;;) {
		node_time_t next = model->increase_at;

		if (model->alpha_at < next || (model->alpha_at == next && config.alpha_first))
			next = model->alpha_at;
		if (model->cut_at < next)
			next = model->cut_at;
		if (next > now)
			return;
		if (model->alpha_at == next && (config.alpha_first || model->cut_at != next))
			clocked_alpha(model);
		else if (model->increase_at == next)
			clocked_increase(model);
		else
			clocked_cut(model);
	}
}

static void clocked_cnp(struct clocked *model, node_time_t now)
{
	clocked_until(model, now);
	model->cut_flag = true;
	model->alpha_flag = model->started;
	if (model->started)
		return;
	model->started = true;
	model->alpha_at = now + config.alpha_timer_ps;
	model->cut_at = now + config.cut_interval_ps;
}

TEST_RANGE(dcqcn_rp__ticks_as_by_clocks, 0, 5)
{
	struct random random;

	random_init(&random, 815, (uint64_t)_i);
	for (uint32_t round = 0; round < 40; round++) {
		struct clocked model = { .rate = LINE, .target = LINE, .alpha = 1 };
		node_time_t now = 0, step;

		reset_ticks();
		config.alpha_first = random_below(&random, 2);
		config.clamp_target = random_below(&random, 2);
		config.g_ppb = 1 + (uint32_t)random_below(&random, 100000000);
		config.alpha_timer_ps = (1 + random_below(&random, 9)) * US / 2;
		config.cut_interval_ps = (1 + random_below(&random, 20)) * US / 2;
		config.increase_timer_ps = (1 + random_below(&random, 100)) * US / 2;
		config.rate_min_bps = 10 * MBPS;
		step = (1 + random_below(&random, 40)) * US / 2;
		start();
		model.increase_at = config.increase_timer_ps;
		model.alpha_at = model.cut_at = NODE_TIME_NEVER;
		for (uint32_t i = 0; i < 400; i++) {
			now += random_below(&random, 4) ? random_below(&random, step)
							: step / (US / 2) * (US / 2);
			if (random_below(&random, 3)) {
				clocked_cnp(&model, now);
				dcqcn_rp_cnp(&rp, &setup, now);
			} else if (random_below(&random, 2)) {
				clocked_until(&model, now);
				ck_assert_double_eq_tol(alpha(now), model.alpha, 1e-6);
				ck_assert_double_eq_tol((double)rate(now), model.rate,
							model.rate * 1e-5 + 100);
				ck_assert_double_eq_tol((double)rp.target_bps, model.target,
							model.target * 1e-5 + 100);
			}
		}
	}
}

/* ---- the link ---- */

/* a new link, slower then faster */
TEST(dcqcn_rp_rate__line_changes)
{
	reset();
	start();
	setup.line_bps = 10 * GBPS;
	ck_assert_uint_eq(rate(NODE_MS), 10 * GBPS);
	dcqcn_rp_cnp(&rp, &setup, NODE_MS);
	ck_assert_uint_eq(rate(NODE_MS), 5 * GBPS);
	setup.line_bps = LINE;
	ck_assert_uint_eq(rate(NODE_MS + 4 * T), 9687500000);
	ck_assert_uint_eq(rate(NODE_S), LINE);
}

/* ---- lazily and step by step ---- */

/* the rules, an event at a time, written down plainly */
struct plain {
	uint64_t rate_bps, target_bps, bytes, timers, counters;
	node_time_t increase_at_ps;
};

static void plain_increase(struct plain *plain)
{
	uint64_t least = plain->timers < plain->counters ? plain->timers : plain->counters;
	uint64_t most = plain->timers > plain->counters ? plain->timers : plain->counters;

	if (most >= config.fast_recovery && config.hyper_by_timer)
		plain->target_bps +=
			plain->timers > config.fast_recovery ? config.hai_bps : config.ai_bps;
	else if (most >= config.fast_recovery)
		plain->target_bps += least > config.fast_recovery
					     ? (least - config.fast_recovery) * config.hai_bps
					     : config.ai_bps;
	if (plain->target_bps > setup.line_bps)
		plain->target_bps = setup.line_bps;
	plain->rate_bps = (plain->target_bps + plain->rate_bps + 1) / 2;
}

static void plain_until(struct plain *plain, node_time_t now)
{
	for (; plain->increase_at_ps <= now; plain->increase_at_ps += config.increase_timer_ps) {
		plain->timers++;
		plain_increase(plain);
	}
}

static void plain_sent(struct plain *plain, uint32_t bytes, node_time_t now)
{
	plain_until(plain, now);
	if (plain->rate_bps == setup.line_bps)
		return;
	if (!config.byte_counter_bytes)
		return;
	for (plain->bytes += bytes; plain->bytes >= config.byte_counter_bytes;
	     plain->bytes -= config.byte_counter_bytes) {
		plain->counters++;
		plain_increase(plain);
	}
}

static void plain_cut(struct plain *plain, node_time_t now, uint64_t alpha_q31)
{
	uint64_t cut;

	plain_until(plain, now);
	cut = plain->rate_bps - (uint64_t)((unsigned __int128)plain->rate_bps * alpha_q31 >> 32);
	plain->target_bps = plain->rate_bps;
	plain->rate_bps = cut > config.rate_min_bps ? cut : config.rate_min_bps;
	plain->bytes = plain->timers = plain->counters = 0;
	plain->increase_at_ps = now + config.increase_timer_ps;
}

static void random_config(struct random *random)
{
	reset();
	config.g_ppb = 1 + (uint32_t)random_below(random, 500000000);
	config.increase_timer_ps = 1 + random_below(random, 100 * NODE_US);
	config.byte_counter_bytes =
		1 + random_below(random, random_below(random, 2) ? 3000 : 3000000);
	config.fast_recovery = 1 + (uint32_t)random_below(random, 9);
	config.ai_bps = random_below(random, random_below(random, 2) ? 1000 * MBPS : 3);
	config.hai_bps = random_below(random, random_below(random, 2) ? 5000 * MBPS : 2);
	config.rate_min_bps = MBPS + random_below(random, GBPS);
	config.hyper_by_timer = random_below(random, 2);
	if (!random_below(random, 4))
		config.byte_counter_bytes = 0;
}

TEST_RANGE(dcqcn_rp__as_step_by_step, 0, 10)
{
	struct random random;

	random_init(&random, 4711, (uint64_t)_i);
	for (uint32_t round = 0; round < 200; round++) {
		struct plain plain;
		node_time_t now = 0;

		random_config(&random);
		start();
		plain = (struct plain){ .rate_bps = LINE,
					.target_bps = LINE,
					.increase_at_ps = config.increase_timer_ps };
		for (uint32_t step = 0; step < 200; step++) {
			uint32_t what = (uint32_t)random_below(&random, 20),
				 bytes = 60 + (uint32_t)random_below(&random, 9000);

			now += random_below(&random, what < 2 ? 500 * config.increase_timer_ps
							      : config.increase_timer_ps);
			if (what == 3) {
				plain_cut(&plain, now, dcqcn_rp_alpha(&rp, &setup, now));
				ck_assert(dcqcn_rp_cnp(&rp, &setup, now));
			} else if (what < 12) {
				plain_sent(&plain, bytes, now);
				dcqcn_rp_sent(&rp, &setup, bytes, now);
			}
			if (what < 16)
				continue; /* looked at now and then: looking changes nothing */
			plain_until(&plain, now);
			ck_assert_uint_eq(rate(now), plain.rate_bps);
			ck_assert_uint_eq(rp.target_bps, plain.target_bps);
		}
	}
}

/* years of silence cost no more than a moment: this would not end if each timer were a step */
TEST(dcqcn_rp_rate__idle_for_long)
{
	reset();
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
