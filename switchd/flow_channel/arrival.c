#include "switchd/flow_channel/arrival.h"

#include <string.h>

#include "nodes/base/ensure.h"
#include "switchd/flow_channel/choose.h"
#include "switchd/flow_channel/crossbar.h"
#include "switchd/flow_channel/fgfc_path.h"
#include "switchd/flow_channel/flow_trace.h"
#include "switchd/flow_channel/input_buffer.h"
#include "switchd/flow_channel/reroute.h"

#define PLACED_MAX 4u

/* ---- edge ports ---- */

/* Parses an edge frame into @fields; false if it is malformed, or of another class. */
static bool read_frame(const struct dataplane *dp, const struct packet *packet,
		       struct frame_fields *fields)
{
	return !packet_parse(&dp->sw.pool, packet, fields) &&
	       class_map_class(&dp->sw.classes, fields) == packet->traffic_class;
}

/* the match pattern of a packet whose destination is known */
static void make_pattern(struct port *in, struct packet *packet, const struct frame_fields *fields,
			 struct efct_pattern *pattern)
{
	packet->key_hash = efct_pattern_of(&in->edge.efct, fields, packet->fabric_address,
					   packet->egress_port, packet->traffic_class, pattern);
}

/* drops @packet, which is inside the switch and has no route; takes it */
static void drop_inside(struct dataplane *dp, struct packet *packet, enum drop_reason why,
			node_time_t now)
{
	switch_drop_packet(&dp->sw, why, packet, now);
	input_buffer_release(dp, packet);
	switch_leave(&dp->sw, packet);
}

/* gives the packet its EFCT line and queues it; false if no line is free (FC-4, FC-9) */
static bool inject(struct dataplane *dp, struct port *in, struct packet *packet,
		   const struct efct_pattern *pattern, node_time_t now)
{
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	int flow_id = efct_classify(&in->edge.efct, pattern, packet->key_hash);
	uint32_t flow_port = packet->in_port; /* the packet may be gone by then */
	struct ifct_entry *flow;
	enum drop_reason why;
	uint32_t hole_units;
	bool is_new;

	if (flow_id < 0)
		return false;
	packet->flow_id = (uint16_t)flow_id;
	is_new = !TABLE_AT(ifct->entries, flow_id)->active;
	flow = ifct_arrive(ifct, packet, (uint16_t)TABLE_AT(ifct->entries, flow_id)->next_data_flow,
			   &hole_units);
	if (is_new)
		injection_begin(&dp->injection, flow);
	efct_inject(&in->edge.efct, packet->flow_id, packet->units);
	if (!crossbar_request(dp, packet, flow, &why, now)) {
		efct_on_ack(&in->edge.efct, packet->flow_id, packet->units);
		if (!flow->active)
			efct_release(&in->edge.efct, packet->flow_id);
		drop_inside(dp, packet, why, now);
	} else {
		fgfc_path_queued(dp, flow_port, (uint32_t)flow_id);
	}
	in->stats->efct_used = in->edge.efct.used;
	in->stats->efct_used_max = in->edge.efct.used_max;
	return true;
}

/* the packet enters the fabric for @egress_port of switch @fabric_address; takes it */
static void enter(struct dataplane *dp, struct packet *packet, const struct frame_fields *fields,
		  uint16_t fabric_address, uint8_t egress_port, node_time_t now)
{
	struct port *in = &dp->ports[packet->in_port];
	struct efct_pattern pattern;

	packet->fabric_address = fabric_address;
	packet->egress_port = egress_port;
	packet->via = 0;
	packet->hops = 0;
	packet->ordered = !(dp->unordered >> packet->traffic_class & 1);
	make_pattern(in, packet, fields, &pattern);
	switch_enter(&dp->sw, packet);
	if (inject(dp, in, packet, &pattern, now))
		return;
	in->stats->channel_waits++;
	in->edge.no_line_match = in->edge.efct.match_fields;
	packet_queue_push(&in->edge.no_line, packet);
}

/* frees a packet that is not inside the switch; the caller has counted it */
static void discard(struct dataplane *dp, struct packet *packet)
{
	input_buffer_release(dp, packet);
	packet_free(&dp->sw.pool, packet);
}

static bool is_ingress(const struct dataplane *dp, const struct packet *packet,
		       uint32_t fabric_address, uint32_t egress_port)
{
	return fabric_address == dp->routes.own_address && egress_port == packet->in_port;
}

/* Replaces the packet by a copy to every host but those at its ingress port; takes it. Accounting:
 * each copy counts as a frame, also one that finds no cell and is dropped. The original counts as
 * replaced. */
static void flood(struct dataplane *dp, struct packet *packet, const struct frame_fields *fields,
		  node_time_t now)
{
	uint32_t copies = 0;

	for (uint32_t i = 0; i < dp->translate.index_end; i++) {
		const struct translate_entry *host = translate_host(&dp->translate, i);
		struct packet *copy;

		if (!host || is_ingress(dp, packet, host->fabric_address, host->egress_port))
			continue;
		copies++;
		dp->sw.stats->flooded_bytes += packet->frame_bytes;
		copy = switch_copy(&dp->sw, packet);
		if (!copy) {
			switch_drop_packet(&dp->sw, DROP_FLOOD_LIMIT, packet, now);
			continue;
		}
		enter(dp, copy, fields, host->fabric_address, host->egress_port, now);
	}
	dp->sw.stats->flooded_packets += copies;
	if (copies)
		dp->sw.stats->flood_originals_bytes += packet->frame_bytes;
	else
		switch_drop_packet(&dp->sw, DROP_NO_DESTINATION, packet, now);
	discard(dp, packet);
}

/* FC-3. A host that asks for its own address checks whether another host has it: the frame is
 * flooded. Reports of listeners are for multicast routers, of which there are none [RFC 4541,
 * 2.1.1]. */
static void on_edge_packet(struct dataplane *dp, struct packet *packet, node_time_t now)
{
	const struct translate_entry *where;
	struct frame_fields fields;

	if (!read_frame(dp, packet, &fields)) {
		switch_drop_packet(&dp->sw, DROP_MALFORMED, packet, now);
		discard(dp, packet);
		return;
	}
	where = translate_lookup(&dp->translate, &fields);
	if (where && !(fields.group && fields.target_version &&
		       is_ingress(dp, packet, where->fabric_address, where->egress_port))) {
		enter(dp, packet, &fields, where->fabric_address, where->egress_port, now);
	} else if (fields.group && fields.report) {
		switch_drop_packet(&dp->sw, DROP_NO_LISTENER, packet, now);
		discard(dp, packet);
	} else {
		flood(dp, packet, &fields, now);
	}
}

/* may the packet have a line now: one is free, or its flow was given one in this round? */
static bool may_have_line(const struct port *in, const struct packet *packet,
			  const uint64_t *placed, uint32_t placed_count)
{
	if (in->edge.efct.used < in->edge.efct.channels || placed_count > PLACED_MAX)
		return true;
	for (uint32_t i = 0; i < placed_count; i++)
		if (placed[i] == packet->key_hash)
			return true;
	return false;
}

/* Order: a flow with a line has no packet in no_line, since a flow that gets a line takes all its
 * packets along. So its new packets overtake none. One pass over the packets that wait, which are
 * no more than an input buffer holds. */
void arrival_lines_freed(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *in = &dp->ports[port];
	struct packet_queue waiting = in->edge.no_line;
	uint64_t placed[PLACED_MAX], hash;
	uint32_t placed_count =
		in->edge.no_line_match == in->edge.efct.match_fields ? 0 : PLACED_MAX + 1;

	if (in->edge.efct.draining)
		return;
	in->edge.no_line.head = NULL;
	while (waiting.head) {
		struct packet *packet = packet_queue_pop(&waiting);
		uint32_t used = in->edge.efct.used;
		struct efct_pattern pattern;
		struct frame_fields fields;
		bool readable;

		if (!may_have_line(in, packet, placed, placed_count)) {
			packet_queue_push(&in->edge.no_line, packet);
			continue;
		}
		readable = read_frame(dp, packet, &fields);
		ENSURE(readable, ==, true); /* on_edge_packet() has parsed it before */
		make_pattern(in, packet, &fields, &pattern);
		hash = packet->key_hash;
		if (!inject(dp, in, packet, &pattern, now)) {
			packet_queue_push(&in->edge.no_line, packet);
		} else if (in->edge.efct.used != used) {
			if (placed_count < PLACED_MAX)
				placed[placed_count] = hash;
			placed_count++;
		}
	}
	in->edge.no_line_match = in->edge.efct.match_fields;
}

/* ---- fabric ports ---- */

/* A hole in a flow: @hole_units were lost on the link at @port. A LOSS ACK starts (FC-17). */
static void on_hole(struct dataplane *dp, uint32_t port, uint32_t flow_id, uint32_t hole_units,
		    node_time_t now)
{
	struct port *in = &dp->ports[port];

	in->stats->hole_units += hole_units;
	flow_trace(dp, TRACE_HOLE, flow_ref(port, flow_id), hole_units, now);
	ack_collect(&in->fabric.acks, flow_id, ACK_LOSS, hole_units, now);
	switch_touch(&dp->sw, port);
}

/* A packet was dropped because it is too long or finds no cell. If its fabric header is valid, its
 * sender waits for an ACK: a LOSS ACK starts here. */
static void report_unheld(struct dataplane *dp, uint32_t port, const struct record *header,
			  const uint8_t *bytes, node_time_t now)
{
	uint32_t frame_bytes = link_frame_bytes(dp->ports[port].link, header->wire_bytes),
		 hole_units;
	struct ifct *ifct = &dp->ifcts[port];
	uint8_t front[FABRIC_FRONT_BYTES];
	struct fabric_header fabric;

	if (header->captured_bytes < sizeof(front))
		return;
	memcpy(front, bytes, sizeof(front));
	if (fabric_header_read(front, sizeof(front), frame_bytes, &fabric) ||
	    fabric.flow_id >= ifct->channels)
		return;
	hole_units = ifct_skip(ifct, fabric.flow_id, fabric.data_flow, fabric.units);
	if (hole_units)
		on_hole(dp, port, fabric.flow_id, hole_units, now);
	ack_collect(&dp->ports[port].fabric.acks, fabric.flow_id, ACK_LOSS, fabric.units, now);
}

/* Fills @packet from its fabric header.   Return: the entry of its channel; NULL: the header is
 * invalid or contradicts the channel, which was counted. */
static struct ifct_entry *read_fabric_header(struct dataplane *dp, struct packet *packet,
					     const uint8_t *front, uint32_t captured_bytes,
					     node_time_t now)
{
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	struct fabric_header fabric;
	struct ifct_entry *flow;
	uint32_t hole_units;

	if (fabric_header_read(front, captured_bytes, packet->frame_bytes, &fabric) ||
	    fabric.level >= dp->ports[packet->in_port].lanes ||
	    fabric.traffic_class * dp->ports[packet->in_port].lanes + fabric.level !=
		    packet->lane) {
		switch_drop_packet(&dp->sw, DROP_MALFORMED, packet, now);
		return NULL;
	}
	if (fabric.flow_id >= ifct->channels) {
		switch_drop_packet(&dp->sw, DROP_BAD_CHANNEL, packet, now);
		return NULL;
	}
	packet->flow_id = fabric.flow_id;
	packet->fabric_address = fabric.fabric_address;
	packet->egress_port = fabric.egress_port;
	packet->traffic_class = fabric.traffic_class;
	packet->via = choose_via_left(dp, packet->in_port, &fabric);
	packet->hops = fabric.hops;
	packet->ordered = fabric.ordered;
	flow = ifct_arrive(ifct, packet, fabric.data_flow, &hole_units);
	if (!flow)
		switch_drop_packet(&dp->sw, DROP_BAD_CHANNEL, packet, now);
	else if (hole_units)
		on_hole(dp, packet->in_port, packet->flow_id, hole_units, now);
	return flow;
}

static void on_fabric_packet(struct dataplane *dp, struct packet *packet, const uint8_t *front,
			     const struct record *header, node_time_t now)
{
	struct ifct_entry *flow =
		read_fabric_header(dp, packet, front, header->captured_bytes, now);
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	bool ordered = packet->ordered;
	enum drop_reason why;

	if (!flow) {
		discard(dp, packet);
		return;
	}
	switch_enter(&dp->sw, packet);
	if (!crossbar_request(dp, packet, flow, &why, now)) {
		/* the sender waits for an ACK of it */
		ack_collect(&dp->ports[packet->in_port].fabric.acks, packet->flow_id, ACK_LOSS,
			    packet->units, now);
		switch_touch(&dp->sw, packet->in_port);
		drop_inside(dp, packet, why, now);
		return;
	}
	reroute_arrived(dp, ref, ordered, header->wire_bytes, now);
}

/* ---- both ---- */

void arrival_packet(struct dataplane *dp, uint32_t port, const struct record *header,
		    const uint8_t *bytes, node_time_t now)
{
	struct port *in = &dp->ports[port];
	bool edge = in->kind == PORT_EDGE;
	uint8_t front[FABRIC_FRONT_BYTES];
	enum drop_reason why;
	struct packet *packet;
	uint32_t held_units;

	/* Before the frame: a load that spans two stores waits for all stores before it. A record
	 * has a line at least, however few bytes are captured. */
	_Static_assert(sizeof(struct record) + sizeof(front) <= RING_LINE, "in the first line");
	if (!edge)
		memcpy(front, bytes, sizeof(front));
	/* a cell with the captured part of the inner frame */
	packet = packet_copy_in(&dp->sw.pool, in->link, in->mtu_bytes, header, bytes,
				edge ? 0 : FABRIC_FRONT_BYTES, &why);
	if (!packet) {
		switch_drop(&dp->sw, why, port, link_frame_bytes(in->link, header->wire_bytes),
			    now);
		if (!edge)
			report_unheld(dp, port, header, bytes, now);
		link_reject(in->link, header);
		switch_touch(&dp->sw, port);
		return;
	}

	/* the high-water mark of the input buffer */
	held_units = link_held_units(in->link);
	if (held_units > in->stats->input_units_max)
		in->stats->input_units_max = held_units;

	if (edge)
		on_edge_packet(dp, packet, now);
	else
		on_fabric_packet(dp, packet, front, header, now);
}
