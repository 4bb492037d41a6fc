#include "nicd/transport/congestion_control.h"

#include <errno.h>
#include <stdlib.h>

#include "nicd/transport/dcqcn_control.h"
#include "nicd/transport/swift_control.h"

/* by kind: CONGESTION_ROWS */
static const struct congestion_control *const controls[CONGESTION_KINDS] = {
	[CONGESTION_DCQCN] = &dcqcn_control,
	[CONGESTION_SWIFT] = &swift_control,
};

const struct congestion_control *congestion_control_of(const struct node_config *config)
{
	const struct roce_config *roce = &config->roce;

	if (roce->congestion == CONGESTION_DCQCN && !roce->dcqcn.enabled)
		return NULL;
	return controls[roce->congestion];
}

int congestion_init(struct congestion *congestion, const struct congestion_control *control,
		    const struct node_config *config, uint64_t line_bps, uint32_t flows_max)
{
	*congestion = (struct congestion){ .control = control, .line_bps = line_bps };
	if (!control)
		return 0;
	congestion->shared = calloc(1, control->shared_bytes + 1u);
	congestion->flows = calloc(flows_max, control->flow_bytes);
	if (control->rtt)
		congestion->probes = calloc(flows_max, sizeof(*congestion->probes));
	if (!congestion->shared || !congestion->flows || (control->rtt && !congestion->probes)) {
		congestion_fini(congestion);
		return -ENOMEM;
	}
	control->init(congestion->shared, config, line_bps);
	return 0;
}

void congestion_fini(struct congestion *congestion)
{
	free(congestion->shared);
	free(congestion->flows);
	free(congestion->probes);
	*congestion = (struct congestion){ 0 };
}

void congestion_line(struct congestion *congestion, uint64_t line_bps)
{
	congestion->line_bps = line_bps;
	if (congestion->control && congestion->control->line)
		congestion->control->line(congestion->shared, line_bps);
}

void congestion_pace(const struct congestion *congestion, struct congestion_flow *flow,
		     uint32_t wire_bytes, node_time_t now)
{
	node_time_t gap_ps, late_ps;

	if (!flow->rate_bps || flow->rate_bps >= congestion->line_bps)
		return;
	gap_ps = node_time_of_bytes(wire_bytes, flow->rate_bps);
	late_ps = now > flow->paced_ps ? now - flow->paced_ps : 0;
	flow->paced_ps = (late_ps < gap_ps ? flow->paced_ps : now) + gap_ps;
}
