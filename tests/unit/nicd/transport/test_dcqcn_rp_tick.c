/*  nicd/transport/dcqcn_rp: reaction on ticks, against the formulas and against a model (RC-3). */
#include "nodes/base/random.h"
#include "tests/testing.h"
#include "tests/unit/nicd/transport/dcqcn_rate.h"

#define US NODE_US

/* parameters of the HPCC simulator at 40 Gb/s: ticks of alpha every 1 us, ticks of cuts every 4
 * us */
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

TEST_GROUP(tick, .setup = reset_ticks);

/* a cut to L (1 - alpha / 2) with alpha = (1 - g)^4: four ticks before the cut, or (_i) three if
 * the cut comes first */
TEST_RANGE(dcqcn_rp_cnp__tick_one, 0, 2)
{
	double g = 1.0 / 256;

	config.alpha_first = !_i;
	start();
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 7 * US + 3));
	ck_assert_uint_eq(rate(11 * US + 2), LINE); /* until the tick the CNP is noted alone */
	ck_assert_double_eq(alpha(8 * US + 2), 1);
	ck_assert_double_eq_tol(alpha(8 * US + 3), 1 - g,
				1e-9); /* the first CNP does not raise alpha */
	ck_assert_double_eq_tol((double)rate(11 * US + 3),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 2), 40);
	ck_assert_double_eq_tol((double)rate(311 * US + 2),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 2),
				40); /* no cut without CNP */
	ck_assert_double_eq_tol((double)rate(311 * US + 3),
				(double)LINE * (1 - pow(1 - g, 4 - _i) / 4),
				40); /* the timer starts at the cut */
}

/* a CNP every half microsecond: alpha stays 1, and each tick of 4 us halves the rate once */
TEST(dcqcn_rp_cnp__tick_many)
{
	uint32_t cuts = 0;

	start();
	for (uint32_t i = 0; i < 40; i++) {
		cuts += dcqcn_rp_cnp(&rp, &setup, i * US / 2);
		ck_assert_uint_eq(rate(i * US / 2), LINE >> i / 8);
		ck_assert_double_eq_tol(alpha(i * US / 2), 1, 1e-8);
	}
	ck_assert_uint_eq(cuts, 5);
	/* the target stays until it is reached */
	ck_assert_uint_eq(rp.target_bps, LINE);
	for (uint32_t i = 40; i < 80; i++)
		dcqcn_rp_cnp(&rp, &setup, i * US / 2);
	ck_assert_uint_eq(rate(40 * US), GBPS);
}

/* a CNP at a tick counts for the next one, of alpha and of cuts; the grid of ticks stays without
 * CNPs */
TEST(dcqcn_rp_cnp__tick_grid)
{
	double g = 1.0 / 256, expected;
	uint64_t before;

	start();
	dcqcn_rp_cnp(&rp, &setup, 0);
	ck_assert(dcqcn_rp_cnp(&rp, &setup, 4 * US)); /* at the tick of the first cut, after it */
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

/* a CNP every 5 us causes a cut every 5 us, or at 8 of 10 ticks of 4 us */
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

/* ---- against a model ---- */

/* A model in floating point, with a clock for each timer and one event after the other. */
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
