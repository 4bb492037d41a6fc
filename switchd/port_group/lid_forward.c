#include "switchd/port_group/lid_forward.h"

#include <string.h>

#include "switchd/port_group/lid_queue.h"

#define LOAD_CONGESTED (1ull << 63) /* more than any queue */
#define DETOUR_WEIGHT 2u            /* [Kim et al. 2008] */

/* ---- the static port, or another one of its group (PG-2 ... PG-8) ---- */

/* like link_has_credit(), but does not register as waiting for credit */
static bool would_have_credit(const struct link *link, uint32_t lane, uint32_t units)
{
	return !link->credits || credit_available(&link->credit, lane) >= (int32_t)units;
}

/* PG-3 for any port, without a memory of the last look: no credit, or packets have been marked */
static bool is_blocked(struct lid_switch *lid, uint32_t port, uint32_t lane, uint32_t units,
		       node_time_t now)
{
	const struct port_group_config *settings = &lid->settings;
	struct lid_port *out = &lid->ports[port];

	return !would_have_credit(out->link, lane, units) ||
	       congestion_log_says(&out->lanes[lane].log, settings->log_marks,
				   settings->log_window_ps, now);
}

/* PG-3: (a) credit and what is pending, (b) the congestion log, of the lane. */
static bool is_congested(struct lid_switch *lid, uint32_t port, uint32_t lane, uint32_t units,
			 node_time_t now)
{
	const struct port_group_config *settings = &lid->settings;
	struct lid_lane *pending = &lid->ports[port].lanes[lane];
	bool rising = pending->units > pending->units_seen;

	pending->units_seen = pending->units;
	return (rising && pending->units >= settings->pending_units) ||
	       is_blocked(lid, port, lane, units, now);
}

/* the lane of the packet on its next link; -1: there is no level so high */
static int lane_at(const struct lid_switch *lid, const struct packet *packet, uint32_t out)
{
	uint32_t level = packet->lane % lid->levels;
	bool by_hop = lid->sw.config->switch_.routing.lane_rule == LANES_BY_HOP;

	if (lid->ports[out].kind == PORT_EDGE || lid->ports[packet->in_port].kind == PORT_EDGE)
		level = 0;
	else if (by_hop && ++level >= lid->levels)
		return -1;
	return (int)(packet->traffic_class * lid->levels + level);
}

/* PG-7: the member with the least queue, uncongested ones first. @from the port that is avoided. */
static uint32_t choose(struct lid_switch *lid, uint64_t candidates, uint32_t from,
		       const struct packet *packet, node_time_t now)
{
	uint64_t loads[NODE_PORTS_MAX];

	for (uint64_t rest = candidates; rest; rest &= rest - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(rest);
		int lane = lane_at(lid, packet, port);

		loads[port] = lid->ports[port].gauge.bytes;
		if (lane < 0 || is_blocked(lid, port, (uint32_t)lane, packet->units, now))
			loads[port] |= LOAD_CONGESTED;
	}
	return port_group_choose(lid->settings.policy, candidates, loads, from, &lid->random);
}

/* Another member of the group than @port, which is congested or down; @port if there is none. */
static uint32_t choose_other(struct lid_switch *lid, uint32_t port, uint64_t members,
			     const struct packet *packet, node_time_t now)
{
	uint64_t others = port < NODE_PORTS_MAX ? members & ~(1ull << port) : members;
	uint32_t other;

	if (!others)
		return port;
	other = choose(lid, others, port, packet, now);
	if (lid->settings.update_lft)
		port_group_replace(&lid->tables, packet->dlid, (uint8_t)other, now);
	return other;
}

/* PG-5: are members of the group of @dlid on paths that are not minimal? */
static bool group_is_non_minimal(const struct lid_switch *lid, uint32_t dlid)
{
	return lid->settings.non_minimal && dlid < lid->tables.lid_count &&
	       lid->tables.lids[dlid].group >= PORT_GROUP_EDGE_FROM;
}

/* The port for a packet that may take a detour. A detour loads about twice as many links. So it is
 * taken if less than half as much waits there as at the static port: the weight of flow channels'
 * detours (UGAL-L) [Kim et al. 2008]. The entry is not replaced, else other packets would take the
 * detour when there is no congestion any more: ours. */
static uint32_t adapt_non_minimal(struct lid_switch *lid, uint64_t members,
				  const struct packet *packet, node_time_t now)
{
	uint32_t home = lid->tables.lids[packet->dlid].home, other;
	uint64_t others = home < NODE_PORTS_MAX ? members & ~(1ull << home) : members;
	bool usable = lid_port_up(lid, home) && home != packet->in_port;
	int lane = usable ? lane_at(lid, packet, home) : -1;

	if (!others || (lane >= 0 && !is_congested(lid, home, (uint32_t)lane, packet->units, now)))
		return home;
	other = choose(lid, others, home, packet, now);
	return lane >= 0 && lid->ports[home].gauge.bytes <=
				       DETOUR_WEIGHT * lid->ports[other].gauge.bytes
		       ? home
		       : other;
}

/* the port for a packet of an unordered class */
static uint32_t adapt(struct lid_switch *lid, uint64_t members, const struct packet *packet,
		      node_time_t now)
{
	uint32_t port = lid->tables.lids[packet->dlid].now;
	/* a choice of former tables counts only if these allow it, too */
	bool allowed = port == lid->tables.lids[packet->dlid].home ||
		       (port < NODE_PORTS_MAX && members >> port & 1);
	bool usable = allowed && lid_port_up(lid, port) && port != packet->in_port;
	int lane;

	if (group_is_non_minimal(lid, packet->dlid))
		return adapt_non_minimal(lid, members, packet, now);
	if (!usable)
		return choose_other(lid, port, members, packet, now);
	lane = lane_at(lid, packet, port);
	if (lane < 0 || !is_congested(lid, port, (uint32_t)lane, packet->units, now) ||
	    !port_group_may_replace(&lid->tables, packet->dlid, now, lid->settings.hold_ps))
		return port;
	return choose_other(lid, port, members, packet, now);
}

/* The ports that a packet may take instead of its static port. A detour starts only at its first
 * switch, where the lanes suffice for every path after it, and only if the packet may choose. So a
 * packet takes one detour at most. */
static uint64_t members_for(const struct lid_switch *lid, const struct packet *packet)
{
	if (group_is_non_minimal(lid, packet->dlid) &&
	    (lid->ports[packet->in_port].kind != PORT_EDGE || !lid_may_choose(lid, packet)))
		return 0;
	return port_group_members(&lid->tables, packet->dlid) & lid->ports_up &
	       ~(1ull << packet->in_port);
}

/* the port for a packet of an ordered class: the same one for all packets of a DLID */
static uint32_t fixed_port(const struct lid_switch *lid, const struct packet *packet,
			   uint64_t members)
{
	uint32_t home = lid->tables.lids[packet->dlid].home;

	return !lid_port_up(lid, home) && members ? lid_stand_in(members, packet->dlid) : home;
}

/* May @packet leave by the port on which it arrived? Tables that have changed since its last switch
 * may lead it back. If levels rise with every hop, it then takes a buffer of a higher level, so it
 * cannot be part of a deadlock, however often it returns. On one level this would close a cycle. */
static bool may_turn_back(const struct lid_switch *lid, const struct packet *packet)
{
	return lid->sw.config->switch_.routing.lane_rule == LANES_BY_HOP &&
	       lid->ports[packet->in_port].kind == PORT_FABRIC;
}

/* The output port of @packet, whose out_lane is set; -1: none, for the reason @why. */
static int output_of(struct lid_switch *lid, struct packet *packet, enum drop_reason *why,
		     node_time_t now)
{
	struct lid_port *in = &lid->ports[packet->in_port];
	uint64_t members = members_for(lid, packet);
	uint32_t home, port;
	int lane;

	*why = DROP_BAD_LID;
	if (packet->dlid >= lid->tables.lid_count ||
	    lid->tables.lids[packet->dlid].home == LFT_NO_PORT)
		return -1;
	home = lid->tables.lids[packet->dlid].home;
	port = members && lid_may_choose(lid, packet) ? adapt(lid, members, packet, now)
						      : fixed_port(lid, packet, members);
	*why = DROP_NO_ROUTE;
	if (!lid_port_up(lid, port) || (port == packet->in_port && !may_turn_back(lid, packet)))
		return -1;
	if (members) {
		in->stats->choices++;
		in->stats->choices_other += port != home;
	}
	*why = DROP_NO_LANE;
	lane = lane_at(lid, packet, port);
	packet->out_lane = (uint8_t)lane;
	return lane < 0 ? -1 : (int)port;
}

/* ---- groups of hosts ---- */

/* The tree may be deeper than there are levels. A copy stays on the last one: it holds no buffer
 * while it waits. */
static uint8_t copy_lane(const struct lid_switch *lid, const struct packet *packet, uint32_t out)
{
	int lane = lane_at(lid, packet, out);

	return (uint8_t)(lane < 0 ? packet->lane : (uint32_t)lane);
}

static void copy_send(void *dataplane, uint32_t out, struct packet *copy, node_time_t now)
{
	struct lid_switch *lid = dataplane;

	copy->out_lane = copy_lane(lid, copy, out);
	lid_enter(lid, copy);
	lid_queue_push(lid, out, copy, now);
}

/* ---- arrival ---- */

/* Forwards @packet, which is not inside yet; takes it. Return: is it in the buffer of its input? */
static bool forward(struct lid_switch *lid, struct packet *packet, node_time_t now)
{
	enum lid_kind kind = lid_kind(packet->dlid, lid->settings.lid_bits);
	enum drop_reason why = DROP_BAD_LID;
	int out = kind == LID_HOST ? output_of(lid, packet, &why, now) : -1;

	if (out >= 0) {
		lid_enter(lid, packet);
		lid_queue_push(lid, (uint32_t)out, packet, now);
		return true;
	}
	if (kind == LID_GROUP)
		switch_flood(&lid->sw, packet, copy_send, now);
	else
		switch_drop_packet(&lid->sw, why, packet, now);
	packet_free(&lid->sw.pool, packet);
	return false;
}

/* Is the lane of the link that of the header, and does the link have it? */
static bool lane_is_right(const struct lid_switch *lid, const struct lid_port *in,
			  const struct lid_header *header, uint32_t lane)
{
	return header->service_level < lid->sw.class_count && header->level < lid->levels &&
	       (in->kind == PORT_FABRIC || !header->level) &&
	       header->service_level * lid->levels + header->level == lane;
}

/* the packet of @record; NULL: dropped and counted */
static struct packet *packet_receive(struct lid_switch *lid, uint32_t port,
				     const struct record *record, const uint8_t *bytes,
				     node_time_t now)
{
	struct lid_port *in = &lid->ports[port];
	uint32_t frame_bytes = link_frame_bytes(in->link, record->wire_bytes);
	uint8_t front[LID_FRONT_BYTES]; /* a copy: shared memory may change while it is parsed */
	struct lid_header header;
	struct packet *packet;
	enum drop_reason why;

	packet = packet_copy_in(&lid->sw.pool, in->link, in->mtu_bytes, record, bytes,
				LID_FRONT_BYTES, &why);
	if (!packet) {
		switch_drop(&lid->sw, why, port, frame_bytes, now);
		return NULL;
	}
	memcpy(front, bytes, sizeof(front));
	if (lid_header_read(front, record->captured_bytes, frame_bytes, &header) ||
	    !lane_is_right(lid, in, &header, record->traffic_class)) {
		switch_drop(&lid->sw, DROP_MALFORMED, port, frame_bytes, now);
		packet_free(&lid->sw.pool, packet);
		return NULL;
	}
	packet->traffic_class = header.service_level;
	packet->lane = (uint8_t)record->traffic_class;
	packet->dlid = header.dlid;
	packet->slid = header.slid;
	packet->fecn = header.fecn;
	packet->lasting = header.lasting;
	packet->becn = header.becn;
	return packet;
}

void lid_arrival(struct lid_switch *lid, uint32_t port, const struct record *record,
		 const uint8_t *bytes, node_time_t now)
{
	struct packet *packet = packet_receive(lid, port, record, bytes, now);

	if (packet && forward(lid, packet, now))
		return;
	link_reject(lid->ports[port].link, record);
	switch_touch(&lid->sw, port); /* credit may be due */
}

void lid_forward_again(struct lid_switch *lid, struct packet *packet, node_time_t now)
{
	enum drop_reason why = DROP_NO_ROUTE;
	int out = packet->copy ? -1 : output_of(lid, packet, &why, now);

	if (out < 0) {
		/* no port is left: the former one has failed */
		switch_drop_packet(&lid->sw, why == DROP_NO_ROUTE ? DROP_LINK_DOWN : why, packet,
				   now);
		lid_leave(lid, packet);
		return;
	}
	lid_queue_push(lid, (uint32_t)out, packet, now);
}

/* ---- tables or ports have changed ---- */

/* Does @packet stay at @port, where it waits? It does if the port still leads to its destination
 * and the packet may use it, or if no other port is better. */
static bool stays(const struct lid_switch *lid, const struct packet *packet, uint32_t port)
{
	uint64_t members = members_for(lid, packet);
	uint32_t fixed;

	if (packet->copy || packet->dlid >= lid->tables.lid_count ||
	    lid->tables.lids[packet->dlid].home == LFT_NO_PORT)
		return true;
	fixed = fixed_port(lid, packet, members);
	return fixed == port || (lid_may_choose(lid, packet) && members >> port & 1) ||
	       !lid_port_up(lid, fixed) ||
	       (fixed == packet->in_port && !may_turn_back(lid, packet)) ||
	       lane_at(lid, packet, fixed) < 0;
}

/* A lane of which no packet moves keeps its round robin state: tables with the same content must
 * not change results. */
static bool all_stay(const struct lid_switch *lid, uint32_t port, uint32_t lane)
{
	const struct input_turns *turns = &lid->ports[port].lanes[lane].turns;

	for (uint64_t inputs = turns->waiting; inputs; inputs &= inputs - 1) {
		const struct packet *packet = turns->inputs[__builtin_ctzll(inputs)].queue.head;

		for (; packet; packet = packet->next)
			if (!stays(lid, packet, port))
				return false;
	}
	return true;
}

/* Packets of an input move in their order. So a packet follows all packets of its DLID that moved
 * before. */
static void move_lane(struct lid_switch *lid, uint32_t port, uint32_t lane, node_time_t now)
{
	struct packet_queue waiting = { 0 };
	struct packet *packet;

	while (lid->ports[port].backlog >> lane & 1) {
		input_turns_first(&lid->ports[port].lanes[lane].turns);
		packet_queue_push(&waiting, lid_queue_take(lid, port, lane, now));
	}
	while (waiting.head) {
		packet = packet_queue_pop(&waiting);
		if (stays(lid, packet, port))
			lid_queue_push(lid, port, packet, now);
		else
			lid_forward_again(lid, packet, now);
	}
}

void lid_follow(void *dataplane, node_time_t now)
{
	struct lid_switch *lid = dataplane;

	for (uint32_t port = 0; port < lid->sw.port_count; port++)
		for (uint32_t lanes = lid->ports[port].backlog; lanes; lanes &= lanes - 1)
			if (!all_stay(lid, port, (uint32_t)__builtin_ctz(lanes)))
				move_lane(lid, port, (uint32_t)__builtin_ctz(lanes), now);
}
