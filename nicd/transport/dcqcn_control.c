#include "nicd/transport/dcqcn_control.h"

#include <errno.h>
#include <stdlib.h>

static void on_open(void *state, uint32_t slot, node_time_t now)
{
	struct dcqcn_control *control = state;
	struct flow_tx_stats *stats = stats_flow_tx(control->stats, slot);

	dcqcn_rp_init(&control->points[slot], &control->setup, now);
	stats->rate_bps = stats->rate_min_bps = control->points[slot].rate_bps;
}

static void note_rate(const struct dcqcn_control *control, uint32_t slot)
{
	struct flow_tx_stats *stats = stats_flow_tx(control->stats, slot);

	stats->rate_bps = control->points[slot].rate_bps;
	if (stats->rate_bps < stats->rate_min_bps)
		stats->rate_min_bps = stats->rate_bps;
}

static void on_sent(void *state, uint32_t slot, uint32_t wire_bytes, bool again, node_time_t now)
{
	struct dcqcn_control *control = state;

	(void)again;
	dcqcn_rp_sent(&control->points[slot], &control->setup, wire_bytes, now);
	note_rate(control, slot);
}

static void on_congested(void *state, uint32_t slot, node_time_t now)
{
	struct dcqcn_control *control = state;

	dcqcn_rp_cnp(&control->points[slot], &control->setup, now);
	note_rate(control, slot);
}

static node_time_t ready_at(void *state, uint32_t slot)
{
	struct dcqcn_control *control = state;
	const struct dcqcn_rp *point = &control->points[slot];

	return point->rate_bps < control->setup.line_bps ? point->next_ps : 0;
}

static uint64_t rate_bps(void *state, uint32_t slot, node_time_t now)
{
	struct dcqcn_control *control = state;

	return dcqcn_rp_rate(&control->points[slot], &control->setup, now);
}

int dcqcn_control_init(struct dcqcn_control *control, const struct dcqcn_config *config,
		       uint64_t line_bps, uint32_t flows_max, struct stats_page *stats,
		       struct transport *transport)
{
	*control = (struct dcqcn_control){ .stats = stats };
	if (!config->enabled)
		return 0;
	control->points = calloc(flows_max + 1u, sizeof(*control->points));
	if (!control->points)
		return -ENOMEM;
	dcqcn_rp_setup_init(&control->setup, config, line_bps);
	transport->rules[TRANSPORT_RC].control = (struct transport_control){
		.state = control,
		.open = on_open,
		.sent = on_sent,
		.congested = on_congested,
		.ready_at = ready_at,
		.rate_bps = rate_bps,
	};
	return 0;
}

void dcqcn_control_fini(struct dcqcn_control *control)
{
	free(control->points);
	*control = (struct dcqcn_control){ 0 };
}

void dcqcn_control_line(struct dcqcn_control *control, uint64_t line_bps)
{
	control->setup.line_bps = line_bps;
}
