/*  nicd/transport/dcqcn_rp: the rate, which is computed when it is read, against a model that
 *  handles each timer (RC-3). */
#include "nodes/base/random.h"
#include "tests/testing.h"
#include "tests/unit/nicd/transport/dcqcn_rate.h"

/* the rules, one event at a time */
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
				continue; /* read from time to time: reading changes nothing */
			plain_until(&plain, now);
			ck_assert_uint_eq(rate(now), plain.rate_bps);
			ck_assert_uint_eq(rp.target_bps, plain.target_bps);
		}
	}
}
