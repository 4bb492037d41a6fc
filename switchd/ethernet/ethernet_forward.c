#include "switchd/ethernet/ethernet_forward.h"

#include <string.h>

#include "nodes/base/ensure.h"
#include "nodes/wire/hop_limit.h"
#include "switchd/common/ecmp.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_queue.h"

/* drops a packet that is in no queue */
static void discard(struct ethernet *eth, struct packet *packet, enum drop_reason reason,
		    node_time_t now)
{
	switch_drop_packet(&eth->sw, reason, packet, now);
	packet_free(&eth->sw.pool, packet);
}

/* 01:80:c2:00:00:00 ... 0f: bridges never forward them [IEEE 802.1Q, 8.6.3] */
static bool is_reserved(const uint8_t mac[6])
{
	static const uint8_t prefix[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

	return !memcmp(mac, prefix, sizeof(prefix)) && mac[5] <= 0x0f;
}

static void copy_send(void *dataplane, uint32_t out, struct packet *copy, node_time_t now)
{
	ethernet_queue_push(dataplane, out, copy, now);
}

/* A host that requests the MAC of its own address searches for duplicates: the request is
 * flooded. */
static bool asks_for_itself(const struct ethernet *eth, const struct frame_fields *fields,
			    const struct translate_entry *where)
{
	const struct translate_entry *source;

	if (!fields->group || !fields->target_version)
		return false;
	source = translate_source(&eth->translate, fields);
	return source && source->fabric_address == where->fabric_address &&
	       source->egress_port == where->egress_port;
}

/* the output port to @where, -1: there is none */
static int choose(const struct ethernet *eth, const struct frame_fields *fields,
		  const struct translate_entry *where)
{
	bool here = where->fabric_address == eth->routes.own_address;
	uint64_t hash = here ? 0 : ecmp_hash(fields, eth->ecmp_seed);

	return ecmp_choose(&eth->routes, where->fabric_address, where->egress_port, hash);
}

int ethernet_output_of(const void *dataplane, const struct frame_fields *fields)
{
	const struct ethernet *eth = dataplane;
	const struct translate_entry *where = translate_lookup(&eth->translate, fields);

	return where ? choose(eth, fields, where) : -1;
}

/* the packet ends here, as a signal does at the first switch */
static void consume(struct ethernet *eth, struct packet *packet)
{
	eth->sw.stats->delivered_packets++;
	eth->sw.stats->delivered_bytes += packet->frame_bytes;
	packet_free(&eth->sw.pool, packet);
}

/* Sends the packet to output @out; takes it. @here its destination is at that port. */
static void pass(struct ethernet *eth, uint32_t out, struct packet *packet,
		 const struct frame_fields *fields, bool here, node_time_t now)
{
	bool reply = fields->roce_opcode == ROCE_OPCODE_ACKNOWLEDGE ||
		     fields->roce_opcode == ROCE_OPCODE_CNP;
	enum path_verdict verdict = PATH_PASSES;
	uint32_t c = packet->traffic_class;

	if (fields->roce && reply)
		verdict = ethernet_path_reply(eth, out, packet, fields, here, now);
	if (verdict == PATH_TAKEN) {
		consume(eth, packet);
		return;
	}
	if (verdict == PATH_FORGED) {
		discard(eth, packet, DROP_MALFORMED, now);
		return;
	}
	ethernet_queue_push(eth, out, packet, now);
	if (fields->roce && !reply && eth->roce.classes[c].watched)
		ethernet_path_data(eth, out, c, fields, now);
}

/* Between hosts of one switch a frame is bridged. Over a link to or from another switch it is
 * routed if it is IP. A frame that this switch has made starts with its full TTL.
 * Return: may it be forwarded? If not, its TTL has run out. */
static bool hop_allowed(const struct ethernet *eth, struct packet *packet, uint32_t out,
			const struct frame_fields *fields)
{
	if (packet->copy ||
	    (eth->ports[packet->in_port].kind == PORT_EDGE && eth->ports[out].kind == PORT_EDGE))
		return true;
	return hop_limit_take(packet->bytes, packet_first_bytes(packet), fields);
}

/* Forwards the packet; takes it. A packet whose output is its input is dropped: the sender has no
 * route to the destination, or is the destination. What this switch has made (packet->copy) came in
 * at no port, so it is not flooded. */
static void forward(struct ethernet *eth, struct packet *packet, const struct frame_fields *fields,
		    node_time_t now)
{
	const struct translate_entry *where = translate_lookup(&eth->translate, fields);

	if (where && !asks_for_itself(eth, fields, where)) {
		int out = choose(eth, fields, where);

		if (out < 0 || (out == packet->in_port && !packet->copy))
			discard(eth, packet, DROP_NO_ROUTE, now);
		else if (!hop_allowed(eth, packet, (uint32_t)out, fields))
			discard(eth, packet, DROP_TTL, now);
		else
			pass(eth, (uint32_t)out, packet, fields,
			     where->fabric_address == eth->routes.own_address, now);
	} else if (fields->group && fields->report) {
		discard(eth, packet, DROP_NO_LISTENER, now);
	} else if (packet->copy || is_reserved(fields->destination_mac)) {
		discard(eth, packet, DROP_NO_DESTINATION, now);
	} else {
		switch_flood(&eth->sw, packet, copy_send, now);
		packet_free(&eth->sw.pool, packet);
	}
}

void ethernet_arrival(struct ethernet *eth, uint32_t port, const struct record *header,
		      const uint8_t *bytes, node_time_t now)
{
	struct ethernet_port *in = &eth->ports[port];
	struct frame_fields fields;
	enum drop_reason why;
	struct packet *packet =
		packet_copy_in(&eth->sw.pool, in->link, in->mtu_bytes, header, bytes, 0, &why);

	if (!packet) {
		switch_drop(&eth->sw, why, port, link_frame_bytes(in->link, header->wire_bytes),
			    now);
		return;
	}
	if (packet_parse(&eth->sw.pool, packet, &fields)) {
		discard(eth, packet, DROP_MALFORMED, now);
		return;
	}
	packet->traffic_class = (uint8_t)class_map_class(&eth->sw.classes, &fields);
	forward(eth, packet, &fields, now);
}

void ethernet_originate(struct ethernet *eth, const uint8_t *bytes, uint32_t frame_bytes,
			node_time_t now)
{
	struct packet *packet = packet_alloc(&eth->sw.pool, frame_bytes);
	struct frame_fields fields;
	int error;

	ENSURE(frame_bytes, <=, PACKET_FIRST_BYTES);
	eth->sw.stats->injected_packets++;
	eth->sw.stats->injected_bytes += frame_bytes;
	if (!packet) {
		switch_drop(&eth->sw, DROP_BUFFER_OVERFLOW, 0, frame_bytes, now);
		return;
	}
	error = frame_parse(bytes, frame_bytes, frame_bytes, &fields);
	ENSURE(error, ==, 0); /* this switch has made it */
	packet->frame_bytes = frame_bytes;
	packet->in_port = 0;
	packet->traffic_class = (uint8_t)class_map_class(&eth->sw.classes, &fields);
	packet->copy = true;
	packet->whole_at_ps = now;
	memcpy(packet->bytes, bytes, frame_bytes);
	forward(eth, packet, &fields, now);
}
