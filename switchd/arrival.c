#include <string.h>

#include "nodes/units.h"
#include "switchd/dataplane.h"

#define PLACED_MAX 4u

/* ---- edge ports ---- */

/* the class that a frame asks for; classes beyond the configured ones are the last one */
static uint32_t class_of(const struct dataplane *dp, const struct frame_fields *fields)
{
	return fields->priority < dp->class_count ? fields->priority : dp->class_count - 1;
}

/* destination (FC-3) and match pattern of an edge frame; false (counted) if it cannot enter the fabric */
static bool translate_frame(struct dataplane *dp, struct port *in, struct packet *packet, struct efct_pattern *pattern,
			    node_time_t now)
{
	struct frame_fields fields;
	const struct translate_entry *where;

	if (frame_parse(packet->bytes, packet->captured_bytes, packet->frame_bytes, &fields) ||
	    class_of(dp, &fields) != packet->traffic_class) {
		dataplane_drop(dp, DROP_MALFORMED, packet->in_port, packet->frame_bytes, now);
		return false;
	}
	where = translate_lookup(&dp->translate, &fields);
	if (!where) {
		dataplane_drop(dp, DROP_NO_DESTINATION, packet->in_port, packet->frame_bytes, now);
		return false;
	}
	packet->fabric_address = where->fabric_address;
	packet->egress_port = where->egress_port;
	packet->hops = 0;
	packet->ordered = true;
	packet->key_hash = efct_pattern_of(&in->efct, &fields, where->fabric_address, where->egress_port,
					   packet->traffic_class, pattern);
	return true;
}

/* a packet inside the switch turns out to have no way out of it */
static void give_up(struct dataplane *dp, struct packet *packet, node_time_t now)
{
	dataplane_drop(dp, DROP_NO_ROUTE, packet->in_port, packet->frame_bytes, now);
	dataplane_return_credit(dp, packet);
	packet_leave(dp, packet);
}

/* gives the packet its EFCT line and queues it; false if no line is free (FC-4, FC-9) */
static bool inject(struct dataplane *dp, struct port *in, struct packet *packet, const struct efct_pattern *pattern,
		   node_time_t now)
{
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	int flow_id = efct_classify(&in->efct, pattern, packet->key_hash);
	struct ifct_entry *flow;
	uint32_t hole_units;

	if (flow_id < 0)
		return false;
	packet->flow_id = (uint16_t)flow_id;
	flow = ifct_arrive(ifct, packet, (uint16_t)ifct->entries[flow_id].next_data_flow, &hole_units);
	efct_inject(&in->efct, packet->flow_id, packet->units);
	if (!crossbar_request(dp, packet, flow, now)) {
		efct_on_ack(&in->efct, packet->flow_id, packet->units);
		give_up(dp, packet, now);
	}
	in->stats->efct_used = in->efct.used;
	in->stats->efct_used_max = in->efct.used_max;
	return true;
}

static void on_edge_packet(struct dataplane *dp, struct packet *packet, node_time_t now)
{
	struct port *in = &dp->ports[packet->in_port];
	struct efct_pattern pattern;

	if (!translate_frame(dp, in, packet, &pattern, now)) {
		dataplane_return_credit(dp, packet);
		packet_free(&dp->pool, packet);
		return;
	}
	packet_enter(dp, packet);
	if (inject(dp, in, packet, &pattern, now))
		return;
	in->stats->channel_waits++;
	in->no_line_match = in->efct.match_fields;
	packet_queue_push(&in->no_line, packet);
}

/* may the packet have a line now: one is free, or its flow was given one in this round? */
static bool may_have_line(const struct port *in, const struct packet *packet, const uint64_t *placed,
			  uint32_t placed_count)
{
	if (in->efct.used < in->efct.channels || placed_count > PLACED_MAX)
		return true;
	for (uint32_t i = 0; i < placed_count; i++)
		if (placed[i] == packet->key_hash)
			return true;
	return false;
}

/* A flow that has a line has no packet here, so that new packets of it never overtake: whoever is given a line leaves with
 * all its packets. One pass over what waits, which is at most an input buffer.                                       */
void arrival_lines_freed(struct dataplane *dp, uint32_t port, node_time_t now)
{
	struct port *in = &dp->ports[port];
	struct packet_queue waiting = in->no_line;
	uint64_t placed[PLACED_MAX], hash;
	uint32_t placed_count = in->no_line_match == in->efct.match_fields ? 0 : PLACED_MAX + 1;

	if (in->efct.draining)
		return;
	in->no_line.head = NULL;
	while (waiting.head) {
		struct packet *packet = packet_queue_pop(&waiting);
		uint32_t used = in->efct.used;
		struct efct_pattern pattern;

		if (!may_have_line(in, packet, placed, placed_count)) {
			packet_queue_push(&in->no_line, packet);
			continue;
		}
		if (!translate_frame(dp, in, packet, &pattern, now)) {
			give_up(dp, packet, now);
			continue;
		}
		hash = packet->key_hash;
		if (!inject(dp, in, packet, &pattern, now)) {
			packet_queue_push(&in->no_line, packet);
		} else if (in->efct.used != used) {
			if (placed_count < PLACED_MAX)
				placed[placed_count] = hash;
			placed_count++;
		}
	}
	in->no_line_match = in->efct.match_fields;
}

/* ---- fabric ports ---- */

/* a hole in a flow: on a guarded link its sender is told frame by frame (link.h), else the report starts here (FC-17) */
static void on_hole(struct dataplane *dp, uint32_t port, const struct packet *packet, uint32_t hole_units,
		    node_time_t now)
{
	struct port *in = &dp->ports[port];

	in->stats->hole_units += hole_units;
	if (in->link->guarded)
		return;
	ack_collect(&in->acks, packet->flow_id, ACK_LOSS, hole_units, now);
	dataplane_touch(dp, port);
}

/* fills in what the fabric header says; the channel it belongs to, or NULL (counted) if it is no good */
static struct ifct_entry *read_fabric_header(struct dataplane *dp, struct packet *packet, const uint8_t *front,
					     uint32_t captured_bytes, node_time_t now)
{
	struct ifct *ifct = &dp->ifcts[packet->in_port];
	struct fabric_header fabric;
	struct ifct_entry *flow;
	uint32_t hole_units;

	if (fabric_header_read(front, captured_bytes, packet->frame_bytes, &fabric) ||
	    fabric.traffic_class != packet->traffic_class) {
		dataplane_drop(dp, DROP_MALFORMED, packet->in_port, packet->frame_bytes, now);
		return NULL;
	}
	if (fabric.flow_id >= ifct->channels) {
		dataplane_drop(dp, DROP_BAD_CHANNEL, packet->in_port, packet->frame_bytes, now);
		return NULL;
	}
	packet->flow_id = fabric.flow_id;
	packet->fabric_address = fabric.fabric_address;
	packet->egress_port = fabric.egress_port;
	packet->hops = fabric.hops;
	packet->ordered = fabric.ordered;
	flow = ifct_arrive(ifct, packet, fabric.data_flow, &hole_units);
	if (!flow)
		dataplane_drop(dp, DROP_BAD_CHANNEL, packet->in_port, packet->frame_bytes, now);
	else if (hole_units)
		on_hole(dp, packet->in_port, packet, hole_units, now);
	return flow;
}

static void on_fabric_packet(struct dataplane *dp, struct packet *packet, const uint8_t *front, uint32_t captured_bytes,
			     node_time_t now)
{
	struct ifct_entry *flow = read_fabric_header(dp, packet, front, captured_bytes, now);

	if (!flow) {
		dataplane_return_credit(dp, packet);
		packet_free(&dp->pool, packet);
		return;
	}
	packet_enter(dp, packet);
	if (!crossbar_request(dp, packet, flow, now)) {
		/* the sender counts on an ACK for it */
		ack_collect(&dp->ports[packet->in_port].acks, packet->flow_id, ACK_LOSS, packet->units, now);
		dataplane_touch(dp, packet->in_port);
		give_up(dp, packet, now);
	}
}

/* ---- both ---- */

/* a cell with the captured part of the inner frame copied out of shared memory; NULL (counted) if it cannot be held */
static struct packet *copy_in(struct dataplane *dp, uint32_t port, const struct record *header, const uint8_t *bytes,
			      uint32_t front_bytes, node_time_t now)
{
	struct port *in = &dp->ports[port];
	uint32_t frame_bytes = link_frame_bytes(in->link, header->wire_bytes);
	struct packet *packet;

	if (header->captured_bytes < front_bytes || header->captured_bytes - front_bytes > frame_bytes) {
		dataplane_drop(dp, DROP_MALFORMED, port, frame_bytes, now);
		return NULL;
	}
	if (frame_bytes > in->mtu_bytes || header->captured_bytes - front_bytes > dp->pool.captured_max) {
		dataplane_drop(dp, DROP_OVERSIZE, port, frame_bytes, now);
		return NULL;
	}
	packet = packet_alloc(&dp->pool);
	if (!packet) {
		dataplane_drop(dp, DROP_BUFFER_OVERFLOW, port, frame_bytes, now);
		return NULL;
	}
	packet->frame_bytes = frame_bytes;
	packet->captured_bytes = (uint16_t)(header->captured_bytes - front_bytes);
	packet->units = (uint16_t)units_of_bytes(frame_bytes);
	packet->in_port = (uint8_t)port;
	packet->traffic_class = (uint8_t)header->traffic_class;
	packet->whole_at_ps = header->at_ps + link_frame_time_of(in->link, header->wire_bytes);
	memcpy(packet->bytes, bytes + front_bytes, packet->captured_bytes);
	return packet;
}

void arrival_packet(struct dataplane *dp, uint32_t port, const struct record *header, const uint8_t *bytes,
		    node_time_t now)
{
	struct port *in = &dp->ports[port];
	bool edge = in->kind == PORT_EDGE;
	uint8_t front[FABRIC_FRONT_BYTES];
	struct packet *packet = copy_in(dp, port, header, bytes, edge ? 0 : FABRIC_FRONT_BYTES, now);
	uint64_t held = 0;

	if (!packet) {
		link_reject(in->link, header);
		dataplane_touch(dp, port);
		return;
	}
	for (uint32_t c = 0; c < dp->class_count; c++)
		held += in->link->held_units[c];
	if (held > in->stats->input_units_max)
		in->stats->input_units_max = held;
	if (edge) {
		on_edge_packet(dp, packet, now);
		return;
	}
	memcpy(front, bytes, sizeof(front));
	on_fabric_packet(dp, packet, front, header->captured_bytes, now);
}
