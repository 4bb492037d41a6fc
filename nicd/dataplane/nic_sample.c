/*  nic_sample - the state of a NIC at a moment: its flows, what they may send, its port (nic.h). */
#include "nicd/dataplane/nic_sample.h"

#include "nicd/dataplane/nic_gate.h"
#include "nodes/link/link_send.h"

/* ---- flows ---- */

/* of all flows with data */
struct rates {
	uint64_t sum_bps, min_bps;
	uint64_t queued_bytes[NODE_CLASSES_MAX]; /* of messages, by class */
};

uint64_t nic_sample_rate_bps(const struct nic *nic, uint32_t slot)
{
	uint32_t key = nic_gate_of_flow(nic, slot);

	if (key == GATE_KEY_NONE)
		return nic->link->rate_bps;
	if (nic->gate.kind == GATE_RATE)
		return rate_agent_bps(&nic->config->port_group, nic->link->rate_bps,
				      nic->gate.rate.agents[key].index);
	return nic->gate.fgfc.entries[key].held ? 0 : nic->link->rate_bps;
}

/* a flow with a transport.  Return: its data that is not acknowledged, or not sent */
static uint64_t sample_transport(struct nic *nic, uint32_t slot, uint64_t *rate_bps,
				 uint64_t *queued_bytes)
{
	struct series *series = &nic->series;
	struct transport_sample sample = transport_sample(&nic->transport, slot, nic->now_ps);

	if (sample.control.rate_bps && sample.control.rate_bps < *rate_bps)
		*rate_bps = sample.control.rate_bps;
	series_flow(series, SERIES_FLOW_QUEUED_BYTES, slot, sample.queued_bytes);
	series_flow(series, SERIES_FLOW_UNACKED_BYTES, slot, sample.unacked_bytes);
	series_flow(series, SERIES_FLOW_TARGET_RATE_BPS, slot, sample.control.target_bps);
	series_flow(series, SERIES_FLOW_ALPHA_PPM, slot, sample.control.alpha_ppm);
	series_flow(series, SERIES_FLOW_STAGE, slot, sample.control.stage);
	series_flow(series, SERIES_FLOW_WINDOW_BYTES, slot, sample.window_bytes);
	*queued_bytes += sample.queued_bytes;
	return sample.queued_bytes + sample.unacked_bytes;
}

/* a flow of the send queue: the same */
static uint64_t sample_queue(struct nic *nic, uint32_t slot, uint64_t *rate_bps,
			     uint64_t *queued_bytes)
{
	uint64_t bytes = send_queue_bytes(&nic->queue, slot);

	*rate_bps = nic_sample_rate_bps(nic, slot);
	series_flow(&nic->series, SERIES_FLOW_QUEUED_BYTES, slot, bytes);
	series_flow(&nic->series, SERIES_FLOW_HELD, slot, !*rate_bps);
	*queued_bytes += bytes;
	return bytes;
}

static void sample_flow(struct nic *nic, uint32_t slot, struct rates *rates)
{
	const struct flow_tx_stats *stats = stats_flow_tx(nic->stats, slot);
	const struct flow_spec *spec = &nic->queue.specs[slot];
	uint64_t rate_bps = nic->link->rate_bps, bytes;
	uint64_t *queued_bytes = &rates->queued_bytes[spec->traffic_class];

	bytes = spec->transport == TRANSPORT_NONE
			? sample_queue(nic, slot, &rate_bps, queued_bytes)
			: sample_transport(nic, slot, &rate_bps, queued_bytes);
	series_flow(&nic->series, SERIES_FLOW_ALLOWED_RATE_BPS, slot, rate_bps);
	series_flow(&nic->series, SERIES_FLOW_SENT_BYTES, slot, stats->bytes);
	if (!bytes)
		return;
	rates->sum_bps += rate_bps;
	if (rate_bps && (!rates->min_bps || rate_bps < rates->min_bps))
		rates->min_bps = rate_bps;
}

/* ---- the port ---- */

/* time in which data waited for the switch, up to now */
static node_time_t paused_ps(const struct nic *nic)
{
	const struct port_stats *stats = nic->link->stats;
	node_time_t since_ps = stats->paused_since_ps;

	return stats->paused_ps + (since_ps && nic->now_ps > since_ps ? nic->now_ps - since_ps : 0);
}

/* lanes that the switch stops, and the credit of each */
static uint32_t sample_lanes(struct nic *nic)
{
	uint32_t lanes = nic->config->class_count * node_lanes(nic->config, PORT_EDGE), stopped = 0;

	for (uint32_t l = 0; l < lanes && !nic->roce; l++) {
		stopped |= (uint32_t)link_stopped(nic->link, l) << l;
		series_lane(&nic->series, SERIES_LANE_CREDIT_UNITS, 0, l,
			    link_credit(nic->link, l));
	}
	return stopped;
}

static void sample_port(struct nic *nic, const struct rates *rates)
{
	struct series *series = &nic->series;
	const struct port_stats *stats = nic->link->stats;
	uint64_t sum_bps = rates->sum_bps;
	uint32_t stopped = sample_lanes(nic), xoff = link_stops(nic->link);

	if (nic->roce) {
		stopped = pfc_gate_paused(&nic->pfc.gate, nic->now_ps);
		xoff = nic->pfc.teller.wanted;
	}
	if (sum_bps > nic->link->rate_bps)
		sum_bps = nic->link->rate_bps;
	series_port(series, SERIES_QUEUE_BYTES, 0, stats->queue_bytes);
	series_port(series, SERIES_TX_BYTES, 0, stats->tx_bytes);
	series_port(series, SERIES_FGFC_HELD, 0, stats->fgfc_held);
	series_port(series, SERIES_ALLOWED_RATE_SUM_BPS, 0, sum_bps);
	series_port(series, SERIES_ALLOWED_RATE_MIN_BPS, 0, rates->min_bps);
	series_port(series, SERIES_PAUSED, 0, stopped);
	series_port(series, SERIES_XOFF, 0, xoff);
	series_port(series, SERIES_RX_BYTES, 0, stats->rx_bytes);
	series_port(series, SERIES_CNPS, 0, stats->cnps + stats->becns);
	series_port(series, SERIES_CNPS_RECEIVED, 0, stats->cnps_received);
	series_port(series, SERIES_ACKS, 0, stats->replies);
	series_port(series, SERIES_DROPS, 0, stats->dropped_frames);
	series_port(series, SERIES_LOST_FRAMES, 0, stats->lost_frames);
	series_port(series, SERIES_PAUSES_SENT, 0, stats->pauses_sent + stats->stops);
	series_port(series, SERIES_PAUSES_RECEIVED, 0, stats->pauses_received);
	series_port(series, SERIES_PAUSED_PS, 0, paused_ps(nic));
	/* of the only class it is that of the port */
	for (uint32_t c = 0; nic->config->class_count > 1 && c < nic->config->class_count; c++)
		series_class(series, SERIES_CLASS_QUEUE_BYTES, 0, c, rates->queued_bytes[c]);
}

void nic_sample(struct nic *nic)
{
	struct rates rates = { 0 };

	nic->measure.sample_at_ps += nic->config->sample_ps;
	if (nic->measure.sample_at_ps > nic->config->measure_to_ps)
		nic->measure.sample_at_ps = NODE_TIME_NEVER;
	series_begin(&nic->series, nic->now_ps);
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++)
		sample_flow(nic, slot, &rates);
	sample_port(nic, &rates);
}
