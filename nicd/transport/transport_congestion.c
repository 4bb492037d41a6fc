#include "nicd/transport/transport_congestion.h"

#include "nodes/base/ensure.h"

void transport_congestion_obey(struct transport *transport, uint32_t slot)
{
	struct transport_flow *flow = &transport->flows[slot];
	const struct congestion *congestion = transport_congestion(transport, slot);
	const struct congestion_flow *state;

	if (!congestion->control)
		return;
	state = congestion_flow(congestion, slot);
	flow->pace_at_ps = congestion_ready_at(congestion, state);
	flow->window_packets = state->window_packets < state->window_packets_max
				       ? state->window_packets
				       : state->window_packets_max;
}

/* the rate of the flow in @slot for its statistics */
static void note_rate(struct transport *transport, uint32_t slot,
		      const struct congestion_flow *state)
{
	struct flow_tx_stats *stats = stats_flow_tx(transport->stats, slot);

	stats->rate_bps = state->rate_bps;
	if (stats->rate_bps && (!stats->rate_min_bps || stats->rate_bps < stats->rate_min_bps))
		stats->rate_min_bps = stats->rate_bps;
}

void transport_congestion_open(struct transport *transport, uint32_t slot, uint32_t frame_bytes,
			       node_time_t now)
{
	const struct transport_flow *flow = &transport->flows[slot];
	const struct congestion *congestion = transport_congestion(transport, slot);
	struct congestion_flow *state;

	if (!congestion->control)
		return;
	state = congestion_flow(congestion, slot);
	*state = (struct congestion_flow){
		.timer_ps = NODE_TIME_NEVER,
		.window_packets = flow->window_packets,
		.window_packets_max = flow->window_packets,
		.packet_bytes = flow->shape.capacity_bytes,
		.frame_bytes = frame_bytes + FRAME_FCS_BYTES + transport->gap_bytes,
		.slot = slot,
		.paced_ps = now,
	};
	congestion->control->open(congestion->shared, state, now);
	note_rate(transport, slot, state);
	transport_congestion_obey(transport, slot);
}

node_time_t transport_congestion_due_at(const struct transport *transport, uint32_t slot)
{
	const struct transport_flow *flow = &transport->flows[slot];
	const struct congestion *congestion = transport_congestion(transport, slot);

	if (!congestion->control || !congestion->control->on_timer ||
	    flow->messages.first == INDEX_NONE)
		return NODE_TIME_NEVER;
	return congestion_flow(congestion, slot)->timer_ps;
}

void transport_congestion_sent(struct transport *transport, const struct flow_packet *packet,
			       uint64_t number, uint32_t wire_bytes, node_time_t now)
{
	const struct congestion *congestion = transport_congestion(transport, packet->flow);
	const struct congestion_control *control = congestion->control;
	struct congestion_flow *state;

	if (!control)
		return;
	state = congestion_flow(congestion, packet->flow);
	if (congestion->probes && packet->ack_request && !packet->again)
		rtt_probe_sent(&congestion->probes[packet->flow], number, now);
	if (control->on_sent)
		control->on_sent(congestion->shared, state, wire_bytes, packet->again, now);
	congestion_pace(congestion, state, wire_bytes, now);
	note_rate(transport, packet->flow, state);
	transport_congestion_obey(transport, packet->flow);
}

void transport_congestion_ack(struct transport *transport, uint32_t slot, uint64_t packet,
			      const struct transport_signs *signs, uint64_t bytes, node_time_t now)
{
	const struct transport_flow *flow = &transport->flows[slot];
	const struct congestion *congestion = transport_congestion(transport, slot);
	struct congestion_ack ack = {
		.packets = (uint32_t)(packet - flow->acknowledged),
		.bytes = bytes,
		.in_flight = (uint32_t)(flow->top - packet),
		.hops = signs ? signs->hops : 0,
		.echo = signs && signs->echo,
	};

	if (congestion->probes)
		ack.rtt_ps = rtt_probe_acknowledged(&congestion->probes[slot], packet, now);
	congestion->control->on_ack(congestion->shared, congestion_flow(congestion, slot), &ack,
				    now);
}

void transport_congestion_loss(struct transport *transport, uint32_t slot, bool timeout,
			       node_time_t now)
{
	const struct congestion *congestion = transport_congestion(transport, slot);

	if (congestion->probes)
		rtt_probe_lost(&congestion->probes[slot]);
	if (congestion->control && congestion->control->on_loss)
		congestion->control->on_loss(congestion->shared, congestion_flow(congestion, slot),
					     timeout, now);
}

bool transport_congestion_cnp(struct transport *transport, uint32_t slot, node_time_t now)
{
	const struct congestion *congestion = transport_congestion(transport, slot);
	struct congestion_flow *state;

	if (!congestion->control || !congestion->control->on_cnp)
		return false;
	state = congestion_flow(congestion, slot);
	congestion->control->on_cnp(congestion->shared, state, now);
	note_rate(transport, slot, state);
	transport_congestion_obey(transport, slot);
	return true;
}

void transport_congestion_step(struct transport *transport, uint32_t slot, node_time_t now)
{
	const struct congestion *congestion = transport_congestion(transport, slot);
	struct congestion_flow *state;

	if (transport_congestion_due_at(transport, slot) > now)
		return;
	state = congestion_flow(congestion, slot);
	congestion->control->on_timer(congestion->shared, state, now);
	ENSURE(state->timer_ps, >, now);
	transport_congestion_obey(transport, slot);
}
