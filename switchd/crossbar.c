#include "nodes/trace.h"
#include "switchd/dataplane.h"

/* the flow waits until its output's link has a free channel */
static void wait_for_channel(struct dataplane *dp, struct port *out, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	flow->wait = IFCT_WAITING_CHANNEL;
	flow->next_ref = FLOW_REF_NONE;
	out->stats->channel_waits++;
	trace(dp->stats, dp->stats->now_ps, TRACE_CHANNEL_WAIT, flow_ref_port(ref), flow_ref_id(ref),
	      flow->follow_port);
	if (out->no_channel_first == FLOW_REF_NONE)
		out->no_channel_first = ref;
	else
		flow_of(dp->ifcts, out->no_channel_last)->next_ref = ref;
	out->no_channel_last = ref;
}

void crossbar_channel_freed(struct dataplane *dp, uint32_t port)
{
	struct port *out = &dp->ports[port];
	uint32_t ref = out->no_channel_first;
	struct ifct_entry *flow;

	if (ref == FLOW_REF_NONE || !dataplane_port_up(dp, port))
		return;
	flow = flow_of(dp->ifcts, ref);
	out->no_channel_first = flow->next_ref;
	flow->wait = IFCT_REQUESTING;
	ofct_lookup(&out->ofct, flow_ref_port(ref),
		    flow_ref_id(ref)); /* its own from now on: newer flows are before it in turn */
	arbiter_add(&out->output[flow->traffic_class].arbiter, ref);
	crossbar_grant(dp, port, flow->traffic_class);
}

/* gives the packet its channel on the output link; false if there is none */
static bool name_on_link(struct port *out, struct packet *packet, uint32_t ref)
{
	int id;

	if (out->kind == PORT_EDGE)
		return true;
	id = ofct_lookup(&out->ofct, flow_ref_port(ref), flow_ref_id(ref));
	if (id < 0)
		return false;
	packet->out_flow_id = (uint16_t)id;
	packet->out_position = ofct_send(&out->ofct, (uint32_t)id, packet->units);
	out->stats->ofct_used = out->ofct.used;
	out->stats->ofct_used_max = out->ofct.used_max;
	return true;
}

void crossbar_grant(struct dataplane *dp, uint32_t port, uint32_t traffic_class)
{
	struct port *out = &dp->ports[port];
	struct output_class *output = &out->output[traffic_class];
	uint32_t ref;

	if (out->kind == PORT_FABRIC && link_stopped(out->link, traffic_class)) {
		dataplane_touch(dp, port); /* its pause may begin: transmit.c */
		return;
	}
	while ((ref = arbiter_first(&output->arbiter)) != FLOW_REF_NONE) {
		struct ifct_entry *flow = flow_of(dp->ifcts, ref);
		struct packet *packet = flow->queue.head;

		if (!output_queue_has_room(&output->queue, packet->units))
			return;
		if (!name_on_link(out, packet, ref)) {
			arbiter_remove_first(&output->arbiter);
			wait_for_channel(dp, out, ref);
			continue;
		}
		ifct_pop(flow);
		if (!flow->queue.head)
			flow->wait = IFCT_NOT_WAITING;
		arbiter_served(&output->arbiter, packet->frame_bytes);
		room_release(dp, packet);
		output_queue_push(&output->queue, packet);
		dataplane_touch(dp, port);
	}
}

/* the output of the flow's next packet: free to choose only while nothing of it is downstream (FC-15) */
static bool choose_port(struct dataplane *dp, struct ifct_entry *flow)
{
	int port;

	if (ifct_total_extent(flow))
		return true;
	port = route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
	if (port < 0 || (uint32_t)port >= dp->port_count ||
	    (dp->ports[port].kind == PORT_EDGE) != (flow->fabric_address == dp->routes.own_address))
		return false;
	flow->follow_port = (uint8_t)port;
	return true;
}

bool crossbar_request(struct dataplane *dp, struct packet *packet, struct ifct_entry *flow, node_time_t now)
{
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	struct port_stats *in_stats = dp->ports[packet->in_port].stats;
	struct port *out;

	if (!choose_port(dp, flow)) {
		flow->active = false;
		ifct->used--;
		return false;
	}
	in_stats->ifct_used = ifct->used;
	in_stats->ifct_used_max = ifct->used_max;
	out = &dp->ports[flow->follow_port];
	queue_gauge_add(&out->gauge, out->stats, packet->frame_bytes, now);
	if (ifct_push(flow, packet)) {
		flow->wait = IFCT_REQUESTING;
		arbiter_add(&out->output[flow->traffic_class].arbiter, flow_ref(packet->in_port, packet->flow_id));
		crossbar_grant(dp, flow->follow_port, flow->traffic_class);
	}
	return true;
}
