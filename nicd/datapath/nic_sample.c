/*  nic_sample - the state of a NIC of a RoCE fabric at a moment: rates of queue pairs, queue,
 *  paused classes (nic.h). */
#include "nicd/datapath/nic_sample.h"

#include "nodes/base/ensure.h"

/* The allowed rates of flows with packets to send or in flight. Together they send at most the rate
 * of the link. */
static void sample_rates(const struct nic *nic, struct sample_stats *sample)
{
	for (uint32_t slot = 0; slot < nic->queue.flow_count; slot++) {
		const struct transport_flow *flow = &nic->transport.flows[slot];
		uint64_t rate_bps;

		if (flow->acknowledged == flow->end || flow->in_error)
			continue;
		rate_bps = transport_rate_bps(&nic->transport, slot, nic->now_ps);
		sample->rate_bps += rate_bps;
		if (rate_bps && (!sample->rate_min_bps || rate_bps < sample->rate_min_bps))
			sample->rate_min_bps = rate_bps;
	}
	if (sample->rate_bps > nic->link->rate_bps)
		sample->rate_bps = nic->link->rate_bps;
}

void nic_sample(struct nic *nic)
{
	const struct node_config *config = nic->config;
	struct stats_page *stats = nic->stats;
	struct sample_stats *sample;

	ENSURE(stats->sample_count, <, (uint64_t)stats->samples_max);
	sample = stats_sample(stats, stats->sample_count++);

	*sample = (struct sample_stats){
		.at_ps = nic->now_ps,
		.queue_bytes = nic->link->stats->queue_bytes,
		.tx_bytes = nic->link->stats->tx_bytes,
		.paused = (uint8_t)pfc_gate_held(&nic->pfc.gate, nic->now_ps),
		.xoff = nic->pfc.teller.wanted,
	};
	sample_rates(nic, sample);
	nic->measure.sample_at_ps += config->sample_ps;
	if (nic->measure.sample_at_ps > config->measure_to_ps ||
	    stats->sample_count >= stats->samples_max)
		nic->measure.sample_at_ps = NODE_TIME_NEVER;
}
