#include "nicd/transport/dcqcn_control.h"

#include <inttypes.h>

#include "nicd/transport/dcqcn_rp.h"

#define PPM 1000000u

struct dcqcn_flow {
	struct congestion_flow base;
	struct dcqcn_rp point;
};

static struct dcqcn_flow *flow_of(struct congestion_flow *flow)
{
	return (struct dcqcn_flow *)flow;
}

static void init(void *shared, const struct node_config *config, uint64_t line_bps)
{
	dcqcn_rp_setup_init(shared, &config->roce.dcqcn, line_bps);
}

static void line(void *shared, uint64_t line_bps)
{
	((struct dcqcn_rp_setup *)shared)->line_bps = line_bps;
}

static void open(const void *shared, struct congestion_flow *flow, node_time_t now)
{
	dcqcn_rp_init(&flow_of(flow)->point, shared, now);
	flow->rate_bps = flow_of(flow)->point.rate_bps;
}

static void on_sent(const void *shared, struct congestion_flow *flow, uint32_t wire_bytes,
		    bool again, node_time_t now)
{
	(void)again;
	dcqcn_rp_sent(&flow_of(flow)->point, shared, wire_bytes, now);
	flow->rate_bps = flow_of(flow)->point.rate_bps;
}

static void on_cnp(const void *shared, struct congestion_flow *flow, node_time_t now)
{
	dcqcn_rp_cnp(&flow_of(flow)->point, shared, now);
	flow->rate_bps = flow_of(flow)->point.rate_bps;
}

/* a copy, at @now: to look at a flow must not change it */
static struct dcqcn_rp point_at(const void *shared, const struct congestion_flow *flow,
				node_time_t now)
{
	struct dcqcn_rp point = ((const struct dcqcn_flow *)flow)->point;

	dcqcn_rp_rate(&point, shared, now);
	return point;
}

static uint64_t rate_bps(const void *shared, const struct congestion_flow *flow, node_time_t now)
{
	return point_at(shared, flow, now).rate_bps;
}

static enum congestion_stage stage_of(const struct dcqcn_rp_setup *setup,
				      const struct dcqcn_rp *point)
{
	if (point->rate_bps >= setup->line_bps)
		return CONGESTION_NO_STAGE;
	switch (dcqcn_rp_stage(point, setup)) {
	case DCQCN_FAST_RECOVERY:
		return CONGESTION_FAST_RECOVERY;
	case DCQCN_ADDITIVE:
		return CONGESTION_ADDITIVE;
	case DCQCN_HYPER:
		break;
	}
	return CONGESTION_HYPER;
}

static void sample(const void *shared, const struct congestion_flow *flow, node_time_t now,
		   struct congestion_sample *sample)
{
	struct dcqcn_rp point = point_at(shared, flow, now);

	*sample = (struct congestion_sample){
		.rate_bps = point.rate_bps,
		.target_bps = point.target_bps,
		.alpha_ppm = (uint32_t)((uint64_t)dcqcn_rp_alpha(&point, shared, now) * PPM /
					DCQCN_ALPHA_ONE),
		.stage = stage_of(shared, &point),
	};
}

/* R_T, alpha, T, BC, bytes that it has counted on: as of the last packet or CNP, alpha at @now */
static void show(const void *shared, const struct congestion_flow *flow, node_time_t now, FILE *out)
{
	const struct dcqcn_rp *point = &((const struct dcqcn_flow *)flow)->point;

	fprintf(out, "\t%" PRIu64 "\t%.6f\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64, point->target_bps,
		dcqcn_rp_alpha(point, shared, now) / (double)DCQCN_ALPHA_ONE, point->timers,
		point->counters, point->bytes);
}

const struct congestion_control dcqcn_control = {
	.name = "dcqcn",
	.shared_bytes = sizeof(struct dcqcn_rp_setup),
	.flow_bytes = sizeof(struct dcqcn_flow),
	.cnps = true,
	.init = init,
	.line = line,
	.open = open,
	.on_sent = on_sent,
	.on_cnp = on_cnp,
	.rate_bps = rate_bps,
	.sample = sample,
	.columns = "\ttarget_bps\talpha\ttimers\tcounters\tcounter_bytes",
	.show = show,
};
