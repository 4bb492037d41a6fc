#include "switchd/port_group/lid_queue.h"

#include "nodes/base/ensure.h"

void lid_enter(struct lid_switch *lid, struct packet *packet)
{
	switch_enter(&lid->sw, packet);
	if (!packet->copy)
		lid->ports[packet->in_port].packets_from++;
}

/* A packet from a link that is down holds no buffer any more. */
void lid_leave(struct lid_switch *lid, struct packet *packet)
{
	struct lid_port *in = &lid->ports[packet->in_port];

	if (!packet->copy) {
		ENSURE(in->packets_from, >, 0u);
		in->packets_from--;
		if (lid_port_up(lid, packet->in_port)) {
			link_release(in->link, packet->lane, packet->units);
			switch_touch(&lid->sw, packet->in_port); /* credit may be due */
		}
	}
	switch_leave(&lid->sw, packet);
}

static void count(struct lid_switch *lid, uint32_t port, const struct packet *packet, int sign,
		  node_time_t now)
{
	struct lid_port *out = &lid->ports[port];

	ENSURE((int64_t)out->units + sign * packet->units, >=, 0);
	ENSURE((int64_t)out->lanes[packet->out_lane].units + sign * packet->units, >=, 0);
	out->units += (uint32_t)(sign * packet->units);
	out->lanes[packet->out_lane].units += (uint32_t)(sign * packet->units);
	queue_gauge_add(&out->gauge, out->stats, sign * (int64_t)packet->frame_bytes, now);
}

void lid_queue_push(struct lid_switch *lid, uint32_t port, struct packet *packet, node_time_t now)
{
	struct lid_port *out = &lid->ports[port];

	input_turns_push(&out->lanes[packet->out_lane].turns, packet);
	out->backlog |= (uint8_t)(1u << packet->out_lane);
	count(lid, port, packet, 1, now);
	switch_touch(&lid->sw, port);
}

struct packet *lid_queue_take(struct lid_switch *lid, uint32_t port, uint32_t lane, node_time_t now)
{
	struct lid_port *out = &lid->ports[port];
	struct packet *packet = input_turns_pop(&out->lanes[lane].turns);

	if (!out->lanes[lane].turns.waiting)
		out->backlog &= (uint8_t) ~(1u << lane);
	out->lanes[lane].waited = false; /* of the first packet, which leaves */
	count(lid, port, packet, -1, now);
	return packet;
}
