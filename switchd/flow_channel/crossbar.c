#include "switchd/flow_channel/crossbar.h"

#include "nodes/base/ensure.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/ip_header.h"
#include "switchd/flow_channel/ack_upstream.h"
#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/flow_control.h"
#include "switchd/flow_channel/flow_queue.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/path_load.h"
#include "switchd/flow_channel/reroute.h"
#include "switchd/flow_channel/tree_path.h"

/* ---- requests: packets in input queues that count in the queue of their output (FC-11) ---- */

/* Has @packet, which leaves the fabric at @out, the ECN mark "congestion experienced", and does
 * that count (FC-24, [S2 fig. 6, 612])? */
static bool is_marked(const struct dataplane *dp, const struct port *out,
		      const struct packet *packet)
{
	return dp->injection.config->ecn && out->kind == PORT_EDGE &&
	       ecn_read(packet->bytes, packet_first_bytes(packet)) == ECN_CONGESTED;
}

/* Counts @packet in the queue of edge port @out.   Return: the congestion factor (ECA) of that
 * queue, or that of an ECN mark if it is greater. */
static uint32_t eca_add(struct dataplane *dp, struct port *out, const struct packet *packet,
			node_time_t now)
{
	uint32_t factor = 0;

	if (dp->injection.config->eca)
		factor = eca_enqueue(&out->output[packet->traffic_class].eca, packet->frame_bytes,
				     now);
	if (!is_marked(dp, out, packet))
		return factor;
	out->stats->ecn_packets++;
	return factor > dp->injection.config->ecn_eca ? factor : dp->injection.config->ecn_eca;
}

/* @packet requests its output. If that is an edge port whose queue is now congested, an ACK_ECA
 * goes up the flow (EC-2). */
static void request(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id), factor;

	ENSURE(packet->requested, ==, false);
	packet->requested = true;
	packet->requested_at_ps = now;
	queue_gauge_add(&out->gauge, out->stats, packet->frame_bytes, now);
	reroute_look(dp, out, ref, packet->ordered, now);
	factor = out->kind == PORT_EDGE ? eca_add(dp, out, packet, now) : 0;
	if (!factor)
		return;
	if (!out->stats->eca_first_ps)
		out->stats->eca_first_ps = now;
	if (factor > out->stats->eca_max)
		out->stats->eca_max = factor;
	out->stats->eca_acks++;
	ack_upstream(dp, ref, ACK_ECA, factor, now);
}

bool crossbar_leave(struct dataplane *dp, struct port *out, struct packet *packet, node_time_t now)
{
	ENSURE(packet->requested, ==, true);
	packet->requested = false;
	queue_gauge_add(&out->gauge, out->stats, -(int64_t)packet->frame_bytes, now);
	if (out->kind != PORT_EDGE)
		return false;
	return (dp->injection.config->eca &&
		eca_dequeue(&out->output[packet->traffic_class].eca, packet->frame_bytes, now)) ||
	       is_marked(dp, out, packet);
}

/* Requests @out for the first packet of flow @ref, which has packets, unless that has requested it.
 * At an ingress edge the packet requests only if nothing holds the flow: packets that its limits
 * delay do not load an output. Packets from another switch always request.
 * Return: IFCT_REQUESTING: it has requested; else what the flow must wait for first. */
static enum ifct_wait request_first(struct dataplane *dp, struct port *out, uint32_t ref,
				    node_time_t now)
{
	struct packet *packet = flow_of(dp->ifcts, ref)->queue.head;
	enum ifct_wait wait;

	if (packet->requested)
		return IFCT_REQUESTING;
	wait = dp->ports[packet->in_port].kind == PORT_EDGE ? flow_wait_reason(dp, out, ref, now)
							    : IFCT_REQUESTING;
	if (wait == IFCT_REQUESTING)
		request(dp, out, packet, now);
	return wait;
}

/* ---- grants ---- */

/* the level of the virtual lane on which flow @ref leaves at @out (routing_config.h) */
static uint32_t level_of(struct dataplane *dp, const struct port *out, uint32_t ref)
{
	return flow_of(dp->ifcts, ref)->out_lane % out->lanes;
}

/* Takes the first flow that waits for a channel of @out, and may have one now, out of the list;
 * FLOW_REF_NONE: none. Mostly it is the first in the list. */
static uint32_t waiting_pop(struct dataplane *dp, struct port *out)
{
	uint32_t ref = out->fabric.no_channel.first;

	while (ref != FLOW_REF_NONE && !ofct_may_take(&out->fabric.ofct, level_of(dp, out, ref)))
		ref = flow_of(dp->ifcts, ref)->next_ref;
	if (ref != FLOW_REF_NONE)
		flow_stop_waiting(dp, ref);
	return ref;
}

void crossbar_channel_freed(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *out = &dp->ports[port];
	uint32_t ref;

	if (!dataplane_port_up(dp, port))
		return;
	while ((ref = waiting_pop(dp, out)) != FLOW_REF_NONE) {
		/* its own from now on: newer flows are before it in turn */
		ofct_lookup(&out->fabric.ofct, flow_ref_port(ref), flow_ref_id(ref),
			    level_of(dp, out, ref));
		crossbar_rerequest(dp, ref, now);
	}
}

/* gives the packet its flow id and position on the output link; false if no channel is free */
static bool assign_channel(struct dataplane *dp, struct port *out, struct packet *packet,
			   uint32_t ref)
{
	int id;

	if (out->kind == PORT_EDGE)
		return true;
	id = ofct_lookup(&out->fabric.ofct, flow_ref_port(ref), flow_ref_id(ref),
			 level_of(dp, out, ref));
	if (id < 0)
		return false;
	packet->out_flow_id = (uint16_t)id;
	packet->out_position = ofct_send(&out->fabric.ofct, (uint32_t)id, packet->units,
					 flow_of(dp->ifcts, ref)->fabric_address);
	out->stats->ofct_used = out->fabric.ofct.used;
	out->stats->ofct_used_max = out->fabric.ofct.used_max;
	return true;
}

/* The arbiter's first flow leaves it, to wait for @wait. At an ingress edge its request ends: it
 * requests again when it resumes. */
static void put_aside(struct dataplane *dp, struct port *out, struct arbiter *arbiter, uint32_t ref,
		      enum ifct_wait wait, node_time_t now)
{
	arbiter_remove_first(arbiter);
	if (dp->ports[flow_ref_port(ref)].kind == PORT_EDGE)
		crossbar_leave(dp, out, flow_of(dp->ifcts, ref)->queue.head, now);
	flow_wait(dp, ref, wait);
}

/* Ends all requests of flow @ref, in no list, at its output. A channel that was reserved for it
 * there is free for the next flow. */
static void withdraw(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *out = &dp->ports[flow->follow_port];

	for (struct packet *packet = flow->queue.head; packet;
	     packet = tree_is(dp, ref) ? NULL : packet->next)
		if (packet->requested)
			crossbar_leave(dp, out, packet, now);
	if (out->kind != PORT_FABRIC ||
	    !ofct_give_back(&out->fabric.ofct, flow_ref_port(ref), flow_ref_id(ref)))
		return;
	out->stats->ofct_used = out->fabric.ofct.used;
	dp->marks.moves |= 1ull << flow->follow_port;
}

/* Flow @ref, in no list, has packets: requests its follow_port. That may be another port than the
 * one of this event, so the grant is left as a mark. */
static void request_moved(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *out = &dp->ports[flow->follow_port];
	enum ifct_wait wait = request_first(dp, out, ref, now);

	if (wait != IFCT_REQUESTING) {
		flow_wait(dp, ref, wait);
		return;
	}
	flow->wait = IFCT_REQUESTING;
	ENSURE((uint32_t)flow->out_lane, <, out->lane_count);
	arbiter_add(&out->output[flow->out_lane].arbiter, ref);
	dp->marks.moves |= 1ull << flow->follow_port;
}

/* selects the output for @packet, the first of flow @ref */
static bool choose_next(struct dataplane *dp, uint32_t ref, const struct packet *packet,
			enum drop_reason *why, node_time_t now)
{
	if (tree_is(dp, ref))
		return tree_path_choose(dp, ref, packet, why, now);
	return choose_path(dp, flow_of(dp->ifcts, ref), packet, why, now);
}

/* crossbar_select(), or with @at_once crossbar_select_grant() */
static void select_and_request(struct dataplane *dp, uint32_t ref, bool at_once, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	uint32_t lost_units = 0;
	enum drop_reason why;

	flow->wait = IFCT_NOT_WAITING;
	withdraw(dp, ref, now);
	while (flow->queue.head && !choose_next(dp, ref, flow->queue.head, &why, now)) {
		struct packet *packet = flow_unqueue(dp, ref, now);

		lost_units += packet->units;
		switch_drop_packet(&dp->sw, why, packet, now);
		switch_leave(&dp->sw, packet);
	}
	if (flow->queue.head && at_once)
		crossbar_rerequest(dp, ref, now);
	else if (flow->queue.head)
		request_moved(dp, ref, now);
	if (lost_units)
		ack_upstream(dp, ref, ACK_LOSS, lost_units, now);
}

void crossbar_select(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	select_and_request(dp, ref, false, now);
}

void crossbar_select_grant(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	select_and_request(dp, ref, true, now);
}

/* A packet of flow @ref, whose turn it was, was granted: requests for its next one, if any. */
static void next_request(struct dataplane *dp, struct port *out, struct arbiter *arbiter,
			 uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	enum ifct_wait wait;

	if (!flow->queue.head) {
		flow->wait = IFCT_NOT_WAITING;
	} else if (tree_is(dp, ref)) {
		arbiter_remove_first(arbiter);
		crossbar_select(dp, ref, now);
	} else if ((wait = request_first(dp, out, ref, now)) != IFCT_REQUESTING) {
		arbiter_remove_first(arbiter);
		flow_wait(dp, ref, wait);
	}
}

void crossbar_grant(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now)
{
	struct port *out = &dp->ports[port];
	struct output_lane *output = &out->output[lane];
	uint32_t ref;

	/* while a link goes down, flows may resume and request it: link_change.c */
	if (!dataplane_port_up(dp, port))
		return;
	if (crossbar_paused(dp, out, lane)) {
		switch_touch(&dp->sw, port); /* its pause may begin: transmit.c */
		return;
	}
	while ((ref = arbiter_first(&output->arbiter)) != FLOW_REF_NONE) {
		struct packet *packet = flow_of(dp->ifcts, ref)->queue.head;
		enum ifct_wait wait;

		if (!output_queue_has_room(&output->queue, packet->units))
			return;
		if (reroute_due(dp, ref)) {
			arbiter_remove_first(&output->arbiter);
			crossbar_move(dp, ref, now);
			continue;
		}
		wait = flow_wait_reason(dp, out, ref, now);
		if (wait == IFCT_REQUESTING && !assign_channel(dp, out, packet, ref))
			wait = IFCT_WAITING_CHANNEL;
		if (wait != IFCT_REQUESTING) {
			put_aside(dp, out, &output->arbiter, ref, wait, now);
			continue;
		}
		flow_unqueue(dp, ref, now);
		packet->via = flow_of(dp->ifcts, ref)->via;
		path_load_forwarded(dp, port, ref, packet->frame_bytes, now);
		flow_forwarded(dp, packet, now);
		tree_mark(dp, ref, packet);
		output_queue_push(&output->queue, packet);
		switch_touch(&dp->sw, port);
		arbiter_served(&output->arbiter, packet->frame_bytes);
		next_request(dp, out, &output->arbiter, ref, now);
	}
}

void crossbar_grant_port(struct dataplane *dp, uint32_t port, node_time_t now)
{
	crossbar_channel_freed(dp, port, now);
	for (uint32_t lane = 0; lane < dp->ports[port].lane_count; lane++)
		crossbar_grant(dp, port, lane, now);
}

void crossbar_rerequest(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	/* a flow that waits to be redirected has no outstanding request */
	enum ifct_wait wait = IFCT_BLOCKED;

	if (flow->fc_state != BLOCK_FOR_REDIRECT)
		wait = request_first(dp, &dp->ports[flow->follow_port], ref, now);
	if (wait != IFCT_REQUESTING) {
		flow_wait(dp, ref, wait);
		return;
	}
	flow->wait = IFCT_REQUESTING;
	arbiter_add(&dp->ports[flow->follow_port].output[flow->out_lane].arbiter, ref);
	crossbar_grant(dp, flow->follow_port, flow->out_lane, now);
}

bool crossbar_move(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct packet *packet = flow->queue.head;

	flow->wait = IFCT_NOT_WAITING;
	withdraw(dp, ref, now);
	if (!reroute_choose(dp, ref, now)) {
		crossbar_lose(dp, ref, DROP_NO_ROUTE, now);
		return false;
	}
	request_moved(dp, ref, now);
	while (!tree_is(dp, ref) && dp->ports[flow_ref_port(ref)].kind == PORT_FABRIC &&
	       (packet = packet->next))
		request(dp, &dp->ports[flow->follow_port], packet, now);
	return true;
}

/* ---- losses ---- */

void crossbar_drop(struct dataplane *dp, struct port *out, struct packet *packet,
		   enum drop_reason why, node_time_t now)
{
	if (packet->requested)
		crossbar_leave(dp, out, packet, now);
	switch_drop_packet(&dp->sw, why, packet, now);
	switch_leave(&dp->sw, packet);
}

void crossbar_lose(struct dataplane *dp, uint32_t ref, enum drop_reason why, node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct port *out = &dp->ports[flow->follow_port];
	uint32_t units = 0;

	flow->wait = IFCT_NOT_WAITING;
	while (flow->queue.head) {
		struct packet *packet = flow_unqueue(dp, ref, now);

		units += packet->units;
		crossbar_drop(dp, out, packet, why, now);
		if (tree_is(dp, ref)) {
			crossbar_select(dp, ref, now);
			break;
		}
	}
	ack_upstream(dp, ref, ACK_LOSS, units, now);
}

/* ---- packets that arrive ---- */

/* No port leads to the destination of @packet. Its channel is free again, unless a tree has packets
 * downstream: then the flow continues after the packet. */
static void refuse(struct dataplane *dp, const struct packet *packet, struct ifct_entry *flow)
{
	ifct_skip(&dp->ifcts[packet->in_port], packet->flow_id, (uint16_t)flow->next_data_flow,
		  packet->units);
	if (!ifct_total_extent(flow))
		flow_free(dp, flow_ref(packet->in_port, packet->flow_id));
}

bool crossbar_request(struct dataplane *dp, struct packet *packet, struct ifct_entry *flow,
		      enum drop_reason *why, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	struct port *in = &dp->ports[packet->in_port];
	bool begins = !ifct_total_extent(flow), tree;

	packet->requested = false;
	packet->blocked = 0;
	if (begins) {
		tree_path_begin(dp, ref, packet);
		reroute_begin(dp, ref, now);
	}
	tree = tree_is(dp, ref);
	if (tree && flow->queue.head) {
		flow_queue(dp, ref, packet); /* it selects its output once it is the first */
		flow_meter(dp, ref, now);
		return true;
	}
	if ((begins || tree) && !choose_next(dp, ref, packet, why, now)) {
		refuse(dp, packet, flow);
		return false;
	}
	in->stats->ifct_used = ifct->used;
	in->stats->ifct_used_max = ifct->used_max;
	if (flow_queue(dp, ref, packet))
		crossbar_rerequest(dp, ref, now);
	else if (in->kind == PORT_FABRIC)
		request(dp, &dp->ports[flow->follow_port], packet, now);
	flow_meter(dp, ref, now);
	return true;
}
