#include "nicd/transport/rtt_probe.h"

void rtt_probe_sent(struct rtt_probe *probe, uint64_t packet, node_time_t now)
{
	uint32_t entry = (probe->first + probe->count) % RTT_PROBES;

	if (probe->count == RTT_PROBES)
		return;
	probe->packets[entry] = (uint32_t)packet;
	probe->sent_ps[entry] = now;
	probe->count++;
}

node_time_t rtt_probe_acknowledged(struct rtt_probe *probe, uint64_t packet, node_time_t now)
{
	node_time_t rtt_ps = 0;

	while (probe->count && (int32_t)(probe->packets[probe->first] - (uint32_t)packet) < 0) {
		rtt_ps = now - probe->sent_ps[probe->first];
		probe->first = (probe->first + 1) % RTT_PROBES;
		probe->count--;
	}
	return rtt_ps;
}
