#include "switchd/flow_channel/transmit.h"

#include <string.h>

#include "nodes/base/ensure.h"
#include "nodes/link/link_send.h"
#include "switchd/flow_channel/ack_path.h"
#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/fgfc_path.h"

/* does the lane have data that the peer's STOP delays: on an edge link here, on a fabric link
 * in front of the crossbar? */
static bool is_stopped(const struct dataplane *dp, const struct port *out, uint32_t lane)
{
	const struct output_lane *output = &out->output[lane];

	if (!link_stopped(out->link, lane))
		return false;
	if (out->kind == PORT_EDGE)
		return output->queue.queue.head;
	return output->stopped.first != FLOW_REF_NONE ||
	       (crossbar_paused(dp, out, lane) && !output->queue.queue.head &&
		!output->arbiter.empty);
}

/* Lanes that have a packet that may go, as a set. @later_at the earliest time another one will be
 * ready without anything else happening; @waiting whether one waits for the peer alone. */
static uint32_t lanes_ready(const struct dataplane *dp, const struct port *out, node_time_t now,
			    node_time_t *later_at, bool *waiting)
{
	uint32_t ready = 0;

	*later_at = NODE_TIME_NEVER;
	*waiting = false;
	for (uint32_t c = 0; c < out->lane_count; c++) {
		const struct packet *packet = out->output[c].queue.queue.head;
		bool stopped = is_stopped(dp, out, c);
		node_time_t at;

		*waiting |= stopped;
		if (!packet)
			continue;
		if (!link_may_send_packet(out->link)) {
			*waiting = true;
			continue;
		}
		if (stopped && out->kind == PORT_EDGE)
			continue;
		at = packet_ready_at(packet, out->link, dp->sw.cut_through);
		if (at <= now)
			ready |= 1u << c;
		else
			*later_at = node_time_min(*later_at, at);
	}
	return ready;
}

/* has lane @a sent less than lane @b, by their counts, which wrap? */
static bool served_less(const struct output_lane *a, const struct output_lane *b)
{
	return (int64_t)(a->served - b->served) < 0;
}

/* Which of a class's lanes in @ready, a set, is next: the one whose flows got least, so that within
 * a class all flows share equally, whatever their level (FC-19). */
static uint32_t lane_of(const struct port *out, uint32_t traffic_class, uint32_t ready)
{
	uint32_t first = traffic_class * out->lanes, best = first;
	bool any = false;

	if (out->lanes == 1)
		return traffic_class;
	for (uint32_t lane = first; lane < first + out->lanes; lane++) {
		if (!(ready >> lane & 1) ||
		    (any && !served_less(&out->output[lane], &out->output[best])))
			continue;
		best = lane;
		any = true;
	}
	ENSURE(any, ==, true);
	return best;
}

/* Counts @bytes sent from @lane, for each of its flows that have packets. Idle lanes of the class
 * advance to the same count, so that they do not catch up later. */
static void lane_served(struct port *out, uint32_t lane, uint32_t bytes)
{
	struct output_lane *output = &out->output[lane];
	uint32_t first = lane - lane % out->lanes, flows = output->arbiter.flow_count;

	if (out->lanes == 1)
		return;
	for (uint32_t other = first; other < first + out->lanes; other++)
		if (!out->output[other].queue.units && served_less(&out->output[other], output))
			out->output[other].served = output->served;
	output->served += (uint64_t)bytes * NODE_CHANNELS_MAX / (flows ? flows : 1);
}

/* when an FGFC frame may be due */
static node_time_t fgfc_at(const struct port *out)
{
	if (!fgfc_enabled(&out->edge.fgfc) || out->kind != PORT_EDGE || !link_may_send(out->link))
		return NODE_TIME_NEVER;
	return fgfc_ready_at(&out->edge.fgfc);
}

/* does anything at all wait to be put on the link? */
static bool has_work(const struct dataplane *dp, const struct port *out)
{
	if (link_words_due(out->link) || out->fabric.acks.count || out->edge.fgfc.count ||
	    out->edge.fgfc.on || (out->link->guarded && out->link->guard.sync_due) ||
	    link_ask_at(out->link) != NODE_TIME_NEVER)
		return true;
	for (uint32_t c = 0; c < out->lane_count; c++)
		if (out->output[c].queue.queue.head || is_stopped(dp, out, c))
			return true;
	return false;
}

node_time_t transmit_next_at(void *dataplane, uint32_t port, node_time_t now)
{
	struct dataplane *dp = dataplane;
	struct port *out = &dp->ports[port];
	struct link *link = out->link;
	node_time_t free_at = link->tx.busy_until_ps;
	node_time_t data_at, ack_at, retry_at;
	bool waiting;
	uint32_t ready;

	if (!dataplane_port_up(dp, port))
		return NODE_TIME_NEVER;
	if (free_at > now) /* computed again when the link is free */
		return has_work(dp, out) ? free_at : NODE_TIME_NEVER;
	free_at = now;
	if (link_words_due(link) && link_may_send_words(link))
		return free_at;
	ready = class_set_of_lanes(lanes_ready(dp, out, free_at, &data_at, &waiting), out->lanes);
	switch_pause_note(&dp->sw, port, waiting && !ready, now);
	if (ready)
		data_at = class_scheduler_pick(&out->classes, ready, free_at, &retry_at) < 0
				  ? node_time_min(data_at, retry_at)
				  : free_at;
	ack_at = out->kind == PORT_FABRIC && out->fabric.acks.count && link_may_send(link)
			 ? ack_ready_at(&out->fabric.acks, !ready)
			 : NODE_TIME_NEVER;
	data_at = node_time_min(data_at, ack_at);
	if (data_at == NODE_TIME_NEVER && link->guarded && link_may_send_words(link))
		data_at = link->guard.sync_due ? free_at : link_ask_at(link);
	return node_time_max(node_time_min(data_at, fgfc_at(out)), free_at);
}

/* writes a packet as it goes over a fabric link: envelope, fabric header with this link's flow_id,
 * inner frame */
static void send_on_fabric(struct port *out, const struct packet *packet, uint32_t lane,
			   node_time_t now)
{
	struct fabric_header header = {
		.flow_id = packet->out_flow_id,
		.data_flow = packet->out_position,
		.fabric_address = packet->fabric_address,
		.units = packet->units,
		.egress_port = packet->egress_port,
		.via = packet->via,
		.traffic_class = packet->traffic_class,
		.level = (uint8_t)(lane - packet->traffic_class * out->lanes),
		.hops = (uint8_t)(packet->hops < FABRIC_HOPS_MAX ? packet->hops + 1u
								 : FABRIC_HOPS_MAX),
		.ordered = packet->ordered,
	};
	uint32_t wire_bytes = FABRIC_HEADER_BYTES + packet->frame_bytes + FRAME_FCS_BYTES;
	uint8_t *bytes = link_send_packet(out->link, now, wire_bytes,
					  FABRIC_FRONT_BYTES + packet->captured_bytes,
					  packet->frame_bytes, lane, packet->out_flow_id);

	if (!bytes)
		return;
	memcpy(bytes, out->envelope, FABRIC_ENVELOPE_BYTES);
	fabric_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	packet_copy_out(packet, bytes + FABRIC_FRONT_BYTES);
}

/* The frame itself leaves the fabric, and its ACK starts back; on a guarded link once the receiver
 * has it.
 * @congested the queue that it leaves was (EC-3) */
static void send_on_edge(struct dataplane *dp, struct port *out, const struct packet *packet,
			 bool congested, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	uint32_t tag = congested ? ref | ACK_TAG_CONGESTED : ref;
	uint8_t *bytes = link_send_packet(out->link, now, packet->frame_bytes + FRAME_FCS_BYTES,
					  packet->captured_bytes, packet->frame_bytes,
					  packet->traffic_class, tag);

	if (bytes)
		packet_copy_out(packet, bytes);
	if (!out->link->guarded)
		ack_path_delivered(dp, tag, packet->units, now);
}

static void send_packet(struct dataplane *dp, uint32_t port, uint32_t lane, node_time_t now)
{
	struct port *out = &dp->ports[port];
	struct packet *packet = output_queue_pop(&out->output[lane].queue);
	bool congested = crossbar_leave(dp, out, packet, now);

	uint32_t bytes = packet->frame_bytes + out->link->front_bytes + FRAME_FCS_BYTES +
			 out->link->gap_bytes;

	class_scheduler_sent(&out->classes, packet->traffic_class, bytes, now);
	lane_served(out, lane, bytes);
	switch_sent(&dp->sw, port, packet, now);
	if (out->kind == PORT_FABRIC)
		send_on_fabric(out, packet, lane, now);
	else
		send_on_edge(dp, out, packet, congested, now);
	switch_leave(&dp->sw, packet);
}

static void send_acks(struct port *out, node_time_t now)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint8_t bytes[LINK_ACK_BYTES_MAX];
	uint32_t count = ack_take(&out->fabric.acks, acks);
	uint32_t length = ack_frame_write(out->envelope, acks, count, bytes);

	out->stats->acks += count;
	link_send_acks(out->link, now, bytes, length, ack_frame_wire_bytes(count));
}

int transmit(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *out = &dp->ports[port];
	node_time_t later_at, retry_at;
	bool waiting;
	uint32_t lanes, ready, lane;
	int traffic_class;

	if (out->link->tx.busy_until_ps > now || !dataplane_port_up(dp, port))
		return -1;
	if (link_words_due(out->link) && link_may_send_words(out->link)) {
		link_send_words(out->link, now, false);
		return -1;
	}
	if (fgfc_at(out) <= now && fgfc_path_send(dp, port, now))
		return -1;
	lanes = lanes_ready(dp, out, now, &later_at, &waiting);
	ready = class_set_of_lanes(lanes, out->lanes);
	if (out->kind == PORT_FABRIC && out->fabric.acks.count && link_may_send(out->link) &&
	    ack_ready_at(&out->fabric.acks, !ready) <= now) {
		send_acks(out, now);
		return -1;
	}
	traffic_class = class_scheduler_pick(&out->classes, ready, now, &retry_at);
	if (traffic_class >= 0) {
		lane = lane_of(out, (uint32_t)traffic_class, lanes);
		send_packet(dp, port, lane, now);
		return (int)lane;
	}
	if (out->link->guarded && !ready && later_at == NODE_TIME_NEVER &&
	    link_may_send_words(out->link))
		link_send_words(out->link, now, true);
	return -1;
}
