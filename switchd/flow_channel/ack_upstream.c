#include "switchd/flow_channel/ack_upstream.h"

#include "nodes/base/ensure.h"
#include "switchd/flow_channel/flow_queue.h"
#include "switchd/flow_channel/flow_trace.h"

/* how congested the queue of flow @ref at its input is: an ECA, 0 if it is not */
static uint32_t input_factor(const struct dataplane *dp, uint32_t ref)
{
	const struct congestion_config *config = dp->injection.config;
	uint32_t units = ifct_queue_extent(flow_of(dp->ifcts, ref)), factor;

	if (!config->inputs || units <= config->inputs_thresh_units)
		return 0;
	factor = (units - config->inputs_thresh_units) >> config->inputs_shift;
	return factor > ECA_MAX ? ECA_MAX : factor ? factor : 1;
}

/* Sends an ACK upstream from the input of flow @ref. If the queue of the flow there is congested,
 * the ACK carries that too. An ACK_ECA gets the greater of the two factors. An ACK_DELTA becomes an
 * ACK_DELTA_ECA, and follows an ACK_ECA if the factor here is the greater one (FC-12). Upstream it
 * has the effect of congestion at the destination: the flow is a source (FC-24), and limited. */
static void send_up(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value,
		    node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];
	uint32_t factor = input_factor(dp, ref), heard = flow_of(dp->ifcts, ref)->ep_congestion;

	if (factor && type == ACK_ECA && factor > value) {
		value = factor;
		in->stats->acks_rewritten++;
	} else if (factor && (type == ACK_DELTA || type == ACK_DELTA_ECA)) {
		if (type == ACK_DELTA || factor > heard)
			ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_ECA, factor, now);
		in->stats->acks_rewritten += type == ACK_DELTA || factor > heard;
		type = ACK_DELTA_ECA;
	}
	ack_collect(&in->fabric.acks, flow_ref_id(ref), type, value, now);
	switch_touch(&dp->sw, flow_ref_port(ref));
}

/* an ACK_ECA of @factor, 1..ECA_MAX, has come up flow @ref (EC-5) */
static void on_congestion(struct dataplane *dp, uint32_t ref, uint32_t factor, node_time_t now)
{
	struct port_stats *stats = dp->ports[flow_ref_port(ref)].stats;
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (!flow->active)
		return;
	if (!stats->limited_first_ps)
		stats->limited_first_ps = now;
	if (!flow->ep_congestion)
		stats->limited++;
	injection_on_eca(&dp->injection, flow, factor,
			 dp->ports[flow_ref_port(ref)].kind == PORT_EDGE);
}

static void note_loss_report(struct dataplane *dp, uint32_t ref, uint32_t units, node_time_t now)
{
	struct port_stats *stats = dp->ports[flow_ref_port(ref)].stats;

	stats->loss_reports++;
	stats->loss_report_units += units;
	flow_trace(dp, TRACE_LOSS_REPORT, ref, units, now);
}

/* @units of flow @ref are off its flow_extent; @clears: ACK_DELTA, there is no congestion. The flow
 * may go on, or its channel may be free. */
static void on_acknowledged(struct dataplane *dp, uint32_t ref, uint32_t units, bool clears,
			    node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *in = &dp->ports[flow_ref_port(ref)];

	ENSURE(flow->active & 1, ==, 1);
	if (clears && flow->ep_congestion) {
		ENSURE(in->stats->limited, >, 0u);
		in->stats->limited--;
	}
	injection_on_ack(&dp->injection, flow, units, clears, in->kind == PORT_EDGE, now);
	if (!ifct_flow_extent(flow))
		headroom_on_ack(flow, HEADROOM_END, 0); /* it was for a channel that is free now */
	if (in->kind == PORT_EDGE) {
		efct_on_ack(&in->edge.efct, flow_ref_id(ref), units);
		flow_extent_add(in, -(int64_t)units);
		if (in->edge.port_limit.first != FLOW_REF_NONE)
			marks_port(&dp->marks, &dp->marks.limits, flow_ref_port(ref));
	}
	if (!ifct_total_extent(flow) || flow->wait == IFCT_BLOCKED || flow->wait == IFCT_ASLEEP ||
	    flow->fc_state == BLOCK_FOR_REDIRECT)
		marks_flow(&dp->marks, dp->ifcts, ref);
}

void ack_upstream(struct dataplane *dp, uint32_t ref, enum ack_type type, uint32_t value,
		  node_time_t now)
{
	uint32_t in_port = flow_ref_port(ref);
	struct port *in = &dp->ports[in_port];
	bool settles = ack_settles(type);

	if (settles && !ifct_on_ack(&dp->ifcts[in_port], flow_ref_id(ref), value)) {
		switch_drop(&dp->sw, DROP_BAD_ACK, in_port, 0, now);
		return;
	}
	if (in->kind == PORT_EDGE && type == ACK_LOSS)
		note_loss_report(dp, ref, value, now);
	/* an ACK ends at an edge port, and at a link that is down */
	if (in->kind == PORT_FABRIC && dataplane_port_up(dp, in_port))
		send_up(dp, ref, type, value, now);
	if (settles)
		on_acknowledged(dp, ref, value, type == ACK_DELTA, now);
	else if (type == ACK_ECA)
		on_congestion(dp, ref, value, now);
}
