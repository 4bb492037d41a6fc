#include "nicd/transport/dcqcn_rp.h"

#include "nodes/base/number.h"

#define PPB 1000000000u
#define PPM 1000000u
#define Q63_ONE (1ull << 63)

_Static_assert(sizeof(struct dcqcn_rp) <= 64, "there may be 65536 of them");

void dcqcn_rp_setup_init(struct dcqcn_rp_setup *setup, const struct dcqcn_config *config,
			 uint64_t line_bps)
{
	*setup = (struct dcqcn_rp_setup){
		.config = config,
		.line_bps = line_bps,
		.keep_q63 = (uint64_t)((unsigned __int128)Q63_ONE * (PPB - config->g_ppb) / PPB),
	};
}

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	const struct dcqcn_config *config = setup->config;
	uint64_t rate_bps = config->rate_initial_bps
				    ? number_min(config->rate_initial_bps, setup->line_bps)
				    : setup->line_bps;

	*rp = (struct dcqcn_rp){
		.rate_bps = rate_bps,
		.target_bps = rate_bps,
		.increase_at_ps = now + config->increase_timer_ps,
		.alpha = (uint32_t)((uint64_t)config->alpha_initial_ppm * DCQCN_ALPHA_ONE / PPM),
	};
}

/* ---- alpha ---- */

static uint64_t q63_multiply(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 63);
}

static uint64_t q63_power(uint64_t base, uint64_t exponent)
{
	uint64_t power = Q63_ONE;

	for (; exponent && power; exponent >>= 1) {
		if (exponent & 1)
			power = q63_multiply(power, base);
		base = q63_multiply(base, base);
	}
	return power;
}

/* alpha = (1 - g) alpha + g */
static uint32_t alpha_after_cnp(uint32_t alpha, uint32_t g_ppb)
{
	return (uint32_t)(((uint64_t)alpha * (PPB - g_ppb) + (uint64_t)DCQCN_ALPHA_ONE * g_ppb) /
			  PPB);
}

static uint64_t alpha_ticks(const struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup,
			    node_time_t now)
{
	return rp->congested ? (now - rp->alpha_ps) / setup->config->alpha_timer_ps : 0;
}

uint32_t dcqcn_rp_alpha(const struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup,
			node_time_t now)
{
	uint64_t ticks = alpha_ticks(rp, setup, now);
	uint32_t alpha = rp->alpha;

	if (ticks && rp->alpha_waits) {
		alpha = alpha_after_cnp(alpha, setup->config->g_ppb);
		ticks--;
	}
	return (uint32_t)q63_multiply(alpha, q63_power(setup->keep_q63, ticks));
}

/* alpha is that of the last tick up to @now */
static void alpha_step(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	uint64_t ticks = alpha_ticks(rp, setup, now);

	rp->alpha = dcqcn_rp_alpha(rp, setup, now);
	rp->alpha_ps += ticks * setup->config->alpha_timer_ps;
	rp->alpha_waits &= !ticks;
}

static uint64_t rate_after_cut(uint64_t rate_bps, uint32_t alpha)
{
	return rate_bps -
	       (uint64_t)((unsigned __int128)rate_bps * alpha / (2ull * DCQCN_ALPHA_ONE));
}

/* ---- increase ---- */

enum dcqcn_stage dcqcn_rp_stage(const struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup)
{
	uint64_t f = setup->config->fast_recovery, timers = (uint64_t)rp->timers + 1;
	uint64_t hyper = setup->config->hyper_by_timer ? timers : number_min(timers, rp->counters);

	if (number_max(timers, rp->counters) < f)
		return DCQCN_FAST_RECOVERY;
	return hyper > f ? DCQCN_HYPER : DCQCN_ADDITIVE;
}

/* a run of increases that all add the same to R_T */
struct increase {
	uint64_t add_bps;
	uint64_t count; /* at most; the run ends earlier if there are no more events */
};

/* after fast recovery, where T alone decides. @timer: the event is an expiry of T */
static struct increase increase_by_timer(const struct dcqcn_config *config, uint32_t own,
					 uint32_t other, bool timer)
{
	uint32_t f = config->fast_recovery;

	if (timer ? own >= f : other > f)
		return (struct increase){ config->hai_bps, UINT64_MAX };
	return (struct increase){ config->ai_bps, timer ? f - own : UINT64_MAX };
}

/* What the counter that stands at @own does, the other one being at @other, with its next events.
 * @timer: is it T? */
static struct increase increase_next(const struct dcqcn_config *config, uint64_t line_bps,
				     uint32_t own, uint32_t other, bool timer)
{
	uint32_t f = config->fast_recovery;
	uint64_t next = (uint64_t)own + 1, i;

	if (number_max(next, other) < f)
		return (struct increase){ 0, f - next };
	if (config->hyper_by_timer)
		return increase_by_timer(config, own, other, timer);
	if (number_min(next, other) <= f)
		return (struct increase){ config->ai_bps, other > f ? f - own : UINT64_MAX };
	i = number_min(next, other) - f;
	if (!config->hai_bps)
		return (struct increase){ 0, UINT64_MAX };
	return (struct increase){ number_min(i, line_bps / config->hai_bps + 1) * config->hai_bps,
				  next < other ? 1 : UINT64_MAX };
}

/* @count times R_T += @add_bps, R_C = (R_T + R_C) / 2. As soon as R_T - R_C is the same before and
 * after, all further ones up to the line rate are done at once: the difference stays. It does
 * settle, as each step halves the difference to add_bps. */
static void increase_run(struct dcqcn_rp *rp, uint64_t line_bps, uint64_t add_bps, uint64_t count)
{
	while (count && rp->rate_bps < line_bps) {
		uint64_t before_bps = rp->target_bps - rp->rate_bps,
			 room_bps = line_bps - rp->target_bps, same;

		rp->target_bps += number_min(add_bps, room_bps);
		rp->rate_bps += (rp->target_bps - rp->rate_bps + 1) / 2;
		count--;
		if (rp->target_bps - rp->rate_bps != before_bps || add_bps > room_bps)
			continue;
		same = add_bps ? number_min(count, (line_bps - rp->target_bps) / add_bps) : count;
		rp->target_bps += same * add_bps;
		rp->rate_bps += same * add_bps;
		count -= same;
	}
}

/* the counter *@own counts @events on */
static void increase(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, uint32_t *own,
		     uint32_t other, uint64_t events)
{
	while (events) {
		struct increase run = increase_next(setup->config, setup->line_bps, *own, other,
						    own == &rp->timers);
		uint64_t count = number_min(events, run.count);

		if (rp->rate_bps >= setup->line_bps)
			count = events; /* nothing to gain */
		increase_run(rp, setup->line_bps, run.add_bps, count);
		*own = (uint32_t)number_min((uint64_t)*own + number_min(count, UINT32_MAX),
					    UINT32_MAX);
		events -= count;
	}
}

/* the times that the timer has run out up to @now */
static void timer_step(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	node_time_t period_ps = setup->config->increase_timer_ps;
	uint64_t expired;

	rp->target_bps = number_min(rp->target_bps, setup->line_bps);
	rp->rate_bps = number_min(rp->rate_bps, setup->line_bps);
	if (now < rp->increase_at_ps)
		return;
	expired = (now - rp->increase_at_ps) / period_ps + 1;
	rp->increase_at_ps += expired * period_ps;
	increase(rp, setup, &rp->timers, rp->counters, expired);
}

static void counter_step(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, uint32_t bytes)
{
	uint64_t period_bytes = setup->config->byte_counter_bytes, expired;

	if (!period_bytes)
		return;
	rp->bytes += bytes;
	if (rp->bytes < period_bytes)
		return;
	expired = rp->bytes / period_bytes;
	rp->bytes -= expired * period_bytes;
	increase(rp, setup, &rp->counters, rp->timers, expired);
}

/* ---- cuts ---- */

/* by @alpha, at @at, up to which all timers are done */
static void cut(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, uint32_t alpha,
		node_time_t at)
{
	const struct dcqcn_config *config = setup->config;
	bool raised = rp->timers || rp->counters;

	if (config->clamp_target || raised)
		rp->target_bps = rp->rate_bps;
	rp->rate_bps = number_max(rate_after_cut(rp->rate_bps, alpha),
				  number_min(config->rate_min_bps, rp->rate_bps));
	rp->cut_ps = at;
	rp->increase_at_ps = at + config->increase_timer_ps;
	rp->timers = rp->counters = 0;
	rp->bytes = 0;
}

/* all that was due up to @now */
static void step(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	if (rp->cut_waits && rp->cut_ps <= now) {
		timer_step(rp, setup, rp->cut_ps);
		cut(rp, setup, dcqcn_rp_alpha(rp, setup, rp->cut_ps - !setup->config->alpha_first),
		    rp->cut_ps);
		rp->cut_waits = false;
	}
	timer_step(rp, setup, now);
}

/* Return: does it bring a cut on? */
static bool note_for_ticks(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	node_time_t interval_ps = setup->config->cut_interval_ps;

	step(rp, setup, now);
	if (rp->congested) {
		alpha_step(rp, setup, now);
		rp->alpha_waits = true;
	} else {
		rp->congested = true;
		rp->alpha_ps = rp->cut_ps = now;
	}
	if (rp->cut_waits)
		return false;
	rp->cut_ps += ((now - rp->cut_ps) / interval_ps + 1) * interval_ps;
	rp->cut_waits = true;
	return true;
}

/* ---- events ---- */

bool dcqcn_rp_cnp(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	const struct dcqcn_config *config = setup->config;
	uint32_t alpha, alpha_new;

	if (config->react_on_tick)
		return note_for_ticks(rp, setup, now);
	if (rp->congested && now - rp->cut_ps < config->cut_interval_ps)
		return false;
	timer_step(rp, setup, now);
	alpha = dcqcn_rp_alpha(rp, setup, now);
	alpha_new = alpha_after_cnp(alpha, config->g_ppb);
	cut(rp, setup, config->alpha_first ? alpha_new : alpha, now);
	rp->alpha = alpha_new;
	rp->alpha_ps = now;
	rp->congested = true;
	return true;
}

void dcqcn_rp_sent(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, uint32_t bytes,
		   node_time_t now)
{
	step(rp, setup, now);
	if (rp->rate_bps != setup->line_bps)
		counter_step(rp, setup, bytes);
}

uint64_t dcqcn_rp_rate(struct dcqcn_rp *rp, const struct dcqcn_rp_setup *setup, node_time_t now)
{
	step(rp, setup, now);
	return rp->rate_bps;
}
