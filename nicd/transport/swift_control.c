#include "nicd/transport/swift_control.h"

#include <inttypes.h>

#include "nodes/base/number.h"

#define PPM 1000000u

/* ---- target delay ---- */

/* the root of @square, rounded down */
static uint64_t root_of(uint64_t square)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	return root;
}

/* 1 / sqrt(@cwnd), in 2^-20; @cwnd in 2^-24 */
static uint64_t inverse_root(uint64_t cwnd)
{
	return root_of(UINT64_MAX / cwnd);
}

static uint64_t window_of_ppm(uint32_t ppm)
{
	uint64_t window = (uint64_t)ppm * SWIFT_ONE / PPM;

	return window ? window : 1;
}

/* a / sqrt(cwnd) + b, in [0, fs_range]. A root between the two means that they differ, which those
 * of fs_min and fs_max close to each other do not. */
static node_time_t flow_scaling_ps(const struct swift_shared *shared, uint64_t cwnd)
{
	uint64_t root;

	if (cwnd <= shared->fs_min)
		return shared->config->fs_range_ps;
	root = inverse_root(cwnd);
	if (root <= shared->root_max)
		return 0;
	return (node_time_t)((unsigned __int128)shared->config->fs_range_ps *
			     (root - shared->root_max) / (shared->root_min - shared->root_max));
}

node_time_t swift_target_ps(const struct swift_shared *shared, uint64_t cwnd, uint32_t hops)
{
	return shared->config->base_target_ps + hops * shared->config->hop_ps +
	       flow_scaling_ps(shared, cwnd);
}

/* ---- window ---- */

static struct swift_flow *flow_of(struct congestion_flow *flow)
{
	return (struct swift_flow *)flow;
}

/* cwnd a round trip, in bit/s */
static uint64_t window_bps(const struct swift_flow *flow)
{
	unsigned __int128 bits = (unsigned __int128)flow->base.frame_bytes * 8 * flow->cwnd;

	return flow->rtt_ps ? (uint64_t)(bits * NODE_S / flow->rtt_ps >> 24) : 0;
}

/* the transport is told of the window */
static void window_put(const struct swift_shared *shared, struct swift_flow *flow, uint64_t cwnd,
		       node_time_t now)
{
	uint64_t before = flow->cwnd;

	flow->cwnd =
		cwnd > shared->cwnd_min ? number_min(cwnd, shared->cwnd_max) : shared->cwnd_min;
	if (flow->cwnd < before)
		flow->reduced_ps = now;
	flow->base.window_packets = flow->cwnd < SWIFT_ONE ? 1 : (uint32_t)(flow->cwnd >> 24);
	flow->base.rate_bps = 0;
	if (flow->cwnd < SWIFT_ONE && flow->rtt_ps) {
		flow->base.rate_bps = window_bps(flow);
		flow->base.rate_bps += !flow->base.rate_bps;
	}
}

static bool may_reduce(const struct swift_flow *flow, node_time_t now)
{
	return !flow->reduced_ps || now - flow->reduced_ps >= flow->rtt_ps;
}

static uint64_t increased(const struct swift_config *config, uint64_t cwnd, uint32_t packets)
{
	uint64_t all = (uint64_t)((unsigned __int128)config->ai_ppm * packets * SWIFT_ONE / PPM);

	if (cwnd < SWIFT_ONE)
		return cwnd + all;
	return cwnd + (uint64_t)((unsigned __int128)all * SWIFT_ONE / cwnd);
}

/* 1 - @cut_ppm of @cwnd, but not less than 1 - max_mdf */
static uint64_t decreased(const struct swift_config *config, uint64_t cwnd, uint64_t cut_ppm)
{
	return cwnd -
	       (uint64_t)((unsigned __int128)cwnd * number_min(cut_ppm, config->mdf_max_ppm) / PPM);
}

/* ---- events ---- */

static void init(void *state, const struct node_config *config, uint64_t line_bps)
{
	struct swift_shared *shared = state;
	const struct swift_config *swift = &config->roce.swift;

	(void)line_bps;
	*shared = (struct swift_shared){
		.config = swift,
		.cwnd_min = window_of_ppm(swift->cwnd_min_ppm),
		.cwnd_max = window_of_ppm(swift->cwnd_max_ppm),
		.cwnd_initial = window_of_ppm(swift->cwnd_initial_ppm),
		.fs_min = window_of_ppm(swift->fs_min_ppm),
	};
	shared->root_min = inverse_root(shared->fs_min);
	shared->root_max = inverse_root(window_of_ppm(swift->fs_max_ppm));
}

static void open(const void *shared, struct congestion_flow *flow, node_time_t now)
{
	*flow_of(flow) = (struct swift_flow){ .base = *flow };
	window_put(shared, flow_of(flow), ((const struct swift_shared *)shared)->cwnd_initial, now);
}

static void on_ack(const void *state, struct congestion_flow *base,
		   const struct congestion_ack *ack, node_time_t now)
{
	const struct swift_shared *shared = state;
	struct swift_flow *flow = flow_of(base);
	uint64_t cwnd = flow->cwnd;
	node_time_t target_ps;

	flow->timeouts = 0;
	flow->hops = ack->hops;
	if (ack->rtt_ps)
		flow->rtt_ps = ack->rtt_ps;
	if (!flow->rtt_ps)
		return;
	target_ps = swift_target_ps(shared, cwnd, flow->hops);
	if (flow->rtt_ps < target_ps)
		cwnd = increased(shared->config, cwnd, ack->packets);
	else if (may_reduce(flow, now))
		cwnd = decreased(shared->config, cwnd,
				 (uint64_t)((unsigned __int128)shared->config->beta_ppm *
					    (flow->rtt_ps - target_ps) / flow->rtt_ps));
	window_put(shared, flow, cwnd, now);
}

static void on_loss(const void *state, struct congestion_flow *base, bool timeout, node_time_t now)
{
	const struct swift_shared *shared = state;
	struct swift_flow *flow = flow_of(base);
	uint64_t cwnd = flow->cwnd;

	flow->timeouts = timeout ? flow->timeouts + 1 : 0;
	if (timeout && flow->timeouts >= shared->config->retransmits)
		cwnd = shared->cwnd_min;
	else if (may_reduce(flow, now))
		cwnd = decreased(shared->config, cwnd, PPM);
	window_put(shared, flow, cwnd, now);
}

static uint64_t rate_bps(const void *shared, const struct congestion_flow *flow, node_time_t now)
{
	(void)shared;
	(void)now;
	return window_bps((const struct swift_flow *)flow);
}

static void show(const void *shared, const struct congestion_flow *base, node_time_t now, FILE *out)
{
	const struct swift_flow *flow = (const struct swift_flow *)base;

	(void)now;
	fprintf(out, "\t%.4f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32, flow->cwnd / (double)SWIFT_ONE,
		flow->rtt_ps, swift_target_ps(shared, flow->cwnd, flow->hops), flow->hops);
}

const struct congestion_control swift_control = {
	.name = "swift",
	.shared_bytes = sizeof(struct swift_shared),
	.flow_bytes = sizeof(struct swift_flow),
	.rtt = true,
	.init = init,
	.open = open,
	.on_ack = on_ack,
	.on_loss = on_loss,
	.rate_bps = rate_bps,
	.columns = "\tcwnd\trtt_us:ps\ttarget_us:ps\thops",
	.show = show,
};
