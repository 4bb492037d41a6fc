#include "switchd/flow_channel/flow_queue.h"

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "switchd/flow_channel/fgfc_path.h"
#include "switchd/flow_channel/flow_trace.h"
#include "switchd/flow_channel/input_buffer.h"

static void give_credit(struct dataplane *dp, uint32_t ref, uint32_t credit, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];

	if (credit == HEADROOM_END) {
		ENSURE(in->stats->metered, >, 0u);
		in->stats->headroom_stops++;
		in->stats->metered--;
		if (trace_often(dp->sw.stats))
			flow_trace(dp, TRACE_METER_END, ref,
				   ifct_queue_extent(flow_of(dp->ifcts, ref)), now);
	}
	if (!dataplane_port_up(dp, port))
		return;
	if (credit != HEADROOM_END)
		in->stats->headroom_units += credit;
	ack_collect(&in->fabric.acks, flow_ref_id(ref),
		    credit == HEADROOM_END ? ACK_HEADROOM_END : ACK_HEADROOM,
		    credit == HEADROOM_END ? ACK_VALUE_MAX : credit, now);
	switch_touch(&dp->sw, port);
}

static void start_metering(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	in->stats->metered++;
	in->stats->headroom_starts++;
	if (trace_often(dp->sw.stats))
		flow_trace(dp, TRACE_METER_START, ref, ifct_queue_extent(flow), now);
	if (in->link->guarded)
		ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_HEADROOM_END, ACK_VALUE_MAX,
			    now);
	ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_HEADROOM, headroom_start(flow), now);
	switch_touch(&dp->sw, flow_ref_port(ref));
}

void flow_credit_lost(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct port *in = &dp->ports[flow_ref_port(ref)];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (!flow->active)
		return;
	ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_HEADROOM_END, ACK_VALUE_MAX, now);
	if (flow->um)
		ack_collect(&in->fabric.acks, flow_ref_id(ref), ACK_HEADROOM, headroom_again(flow),
			    now);
}

void flow_meter(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	if (flow->um || !ifct_queue_extent(flow)) /* the usual case */
		return;
	if (dp->ports[port].kind == PORT_FABRIC && dp->injection.config->headroom &&
	    headroom_starts(flow, injection_setting(&dp->injection, flow),
			    input_buffer_left(dp, port, flow->in_lane)) &&
	    dataplane_port_up(dp, port))
		start_metering(dp, ref, now);
}

bool flow_queue(struct dataplane *dp, uint32_t ref, struct packet *packet)
{
	struct port *in = &dp->ports[packet->in_port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t promise;
	bool was_empty;

	if (!flow->um) /* the usual case: nothing is promised */
		return ifct_push(flow, packet);
	promise = headroom_promise(flow, in->mtu_units);
	was_empty = ifct_push(flow, packet);
	in->fabric.promised_units[flow->in_lane] += headroom_promise(flow, in->mtu_units) - promise;
	return was_empty;
}

struct packet *flow_unqueue(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	uint32_t port = flow_ref_port(ref);
	struct port *in = &dp->ports[port];
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t lane = flow->in_lane, promise = headroom_promise(flow, in->mtu_units);
	struct packet *packet = ifct_pop(flow);

	input_buffer_release(dp, packet);
	if (dp->ports[port].kind == PORT_EDGE)
		flow_extent_add(in, packet->units);
	if (flow->um) {
		uint32_t credit;

		ENSURE(in->fabric.promised_units[lane], >=, promise);
		in->fabric.promised_units[lane] -= promise;
		credit = headroom_on_forward(flow, injection_setting(&dp->injection, flow),
					     packet->units, input_buffer_left(dp, port, lane),
					     in->mtu_units);
		in->fabric.promised_units[lane] += headroom_promise(flow, in->mtu_units);
		if (credit)
			give_credit(dp, ref, credit, now);
		input_buffer_update(dp, port, lane);
	}
	if (in->kind == PORT_EDGE)
		fgfc_path_forwarded(dp, port, flow_ref_id(ref), packet->units);
	return packet;
}
