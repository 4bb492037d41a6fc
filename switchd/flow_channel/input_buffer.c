#include "switchd/flow_channel/input_buffer.h"

#include "nodes/base/units.h"
#include "nodes/stats/trace.h"

/* The peer resumes at an eighth below the stop level: fewer control words (ours). */
#define GO_PART 8u

uint32_t input_buffer_left(const struct dataplane *dp, uint32_t port, uint32_t lane)
{
	const struct port *in = &dp->ports[port];
	uint32_t units = input_buffer_charged(in, lane);

	return units < in->stop_units ? in->stop_units - units : 0;
}

void input_buffer_configure(struct dataplane *dp, uint32_t port)
{
	const struct port_config *config = &dp->sw.config->ports[port];
	uint32_t part_units = config->stop_units / GO_PART,
		 mtu_units = units_of_bytes(config->mtu_bytes);
	uint32_t below_units = part_units > mtu_units ? part_units : mtu_units;
	struct port *in = &dp->ports[port];

	in->stop_units = config->buffer_units ? config->stop_units : UINT32_MAX;
	in->go_units = config->stop_units > below_units ? config->stop_units - below_units : 0;
}

void input_buffer_stop(struct dataplane *dp, uint32_t port, uint32_t lane, bool stop)
{
	struct port *in = &dp->ports[port];

	in->stats->stops += stop;
	trace(dp->sw.stats,
	      (struct trace_entry){ .at_ps = dp->sw.stats->now_ps,
				    .kind = stop ? TRACE_XOFF : TRACE_XON,
				    .port = (uint8_t)port,
				    .traffic_class = (uint8_t)lane,
				    .value = (uint64_t)input_buffer_charged(in, lane) *
					     UNIT_BYTES });
	link_stop_set(in->link, lane, stop);
}

void input_buffer_release(struct dataplane *dp, const struct packet *packet)
{
	if (packet->copy || !dataplane_port_up(dp, packet->in_port))
		return;
	link_release(dp->ports[packet->in_port].link, packet->lane, packet->units);
	input_buffer_update(dp, packet->in_port, packet->lane);
}
