#include "switchd/port_group/lid_transmit.h"

#include <string.h>

#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"
#include "switchd/port_group/lid_queue.h"

/* A queue of collisions at full rate reaches 2.5 times the buffer of a link on a Clos, and half of
 * all input buffers on a fat tree (k = 8): topologies/permutation-*.yaml */
#define MARK_BUFFERS 3u
#define MARK_PERMILLE 750u

/* the lanes of a port that may send now, or later */
struct lanes_ready {
	uint32_t ready; /* set of lanes whose first packet may be sent */
	/* the earliest time at which another lane becomes ready without any event */
	node_time_t later_at;
	bool waiting; /* a lane has a packet, and only the peer keeps it from sending */
};

/* has @packet, the first of its lane, credit? (PG-9) */
static bool has_credit(struct lid_port *out, struct lid_lane *lane, const struct packet *packet,
		       node_time_t now)
{
	bool credit = link_has_credit(out->link, packet->out_lane, packet->units, now);

	lane->waited |= !credit;
	return credit;
}

static struct lanes_ready look(const struct lid_switch *lid, struct lid_port *out, node_time_t now)
{
	struct lanes_ready seen = { .later_at = NODE_TIME_NEVER };
	bool space = link_may_send_packet(out->link);

	for (uint32_t backlog = out->backlog; backlog; backlog &= backlog - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(backlog);
		const struct packet *packet = input_turns_first(&out->lanes[l].turns);
		node_time_t at = packet_ready_at(packet, out->link, lid->sw.cut_through);

		if (!space || !has_credit(out, &out->lanes[l], packet, now))
			seen.waiting = true;
		else if (at <= now)
			seen.ready |= 1u << l;
		else
			seen.later_at = node_time_min(seen.later_at, at);
	}
	return seen;
}

/* the classes that have a packet which may be sent */
static uint32_t classes_ready(const struct lid_switch *lid, const struct lanes_ready *seen)
{
	return class_set_of_lanes(seen->ready, lid->levels);
}

/* the next one of the ready lanes of the class, round robin */
static uint32_t lane_of(const struct lid_switch *lid, const struct lid_port *out,
			uint32_t traffic_class, uint32_t ready)
{
	uint32_t first = traffic_class * lid->levels, mask = ((1u << lid->levels) - 1) << first;
	uint32_t after = ready & mask & ~((2u << out->lane_turn[traffic_class]) - 1);

	return (uint32_t)__builtin_ctz(after ? after : ready & mask);
}

static bool has_work(const struct lid_port *out)
{
	const struct link *link = out->link;

	return out->backlog || link_words_due(link) || (link->guarded && link->guard.sync_due) ||
	       link_ask_at(link) != NODE_TIME_NEVER;
}

node_time_t lid_transmit_next_at(void *dataplane, uint32_t port, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	struct lid_port *out = &lid->ports[port];
	struct link *link = out->link;
	struct lanes_ready seen;
	node_time_t at, retry_at;

	if (!lid_port_up(lid, port))
		return NODE_TIME_NEVER;
	if (link->tx.busy_until_ps > now) /* what exactly is due then shows when it is free */
		return has_work(out) ? link->tx.busy_until_ps : NODE_TIME_NEVER;
	if (link_words_due(link) && link_may_send_words(link))
		return now;
	seen = look(lid, out, now);
	switch_pause_note(&lid->sw, port, seen.waiting && !seen.ready, now);
	at = seen.later_at;
	if (seen.ready)
		at = class_scheduler_pick(&out->classes, classes_ready(lid, &seen), now,
					  &retry_at) < 0
			     ? node_time_min(at, retry_at)
			     : now;
	if (at == NODE_TIME_NEVER && link->guarded && link_may_send_words(link))
		at = link->guard.sync_due ? now : link_ask_at(link);
	return node_time_max(at, now);
}

/* a destination sends a source one BECN per window at most */
static node_time_t mark_window(const struct lid_switch *lid)
{
	return node_time_max(lid->settings.becn_interval_ps, NODE_NS);
}

static uint64_t buffers_of_collision(const struct lid_switch *lid, uint64_t buffer_units)
{
	uint64_t least = MARK_BUFFERS * buffer_units;
	uint64_t most = buffer_units * (uint64_t)(__builtin_popcountll(lid->ports_up) - 1) *
			MARK_PERMILLE / 1000;

	return most > least ? most : least;
}

/* PG-10: from this length on a queue's sources are notified. A collision that choices undo soon
 * must not slow a source down for much longer. So inside the fabric, packets that may take other
 * ports do that first. Before a host, a queue of one source's packets on several paths is not
 * congestion. A queue that fills most of all input buffers is more than a collision. */
static uint64_t mark_at_units(const struct lid_switch *lid, const struct lid_port *out,
			      const struct packet *packet, node_time_t now)
{
	uint64_t units = lid->settings.fecn_units, collision_units = out->link->rx.buffer_units;

	if (!lid_may_choose(lid, packet))
		return units;
	if (out->kind == PORT_FABRIC)
		collision_units = buffers_of_collision(lid, collision_units);
	else if (fecn_mark_shared(&out->fecn, mark_window(lid), now))
		return units;
	return collision_units > units ? collision_units : units;
}

/* Does congestion begin at this port? Not if its packets wait for credit: then it begins
 * downstream, unless a host gives no credit. */
static bool is_marked(const struct lid_switch *lid, const struct lid_port *out,
		      const struct lid_lane *lane, const struct packet *packet, node_time_t now)
{
	return lid->settings.fecn && !out->fecn.falling &&
	       out->units >= mark_at_units(lid, out, packet, now) &&
	       (!lane->waited || out->kind == PORT_EDGE);
}

/* Congestion detected at a port inside the fabric (PG-3): packets that leave it are marked, and its
 * log makes other packets avoid it. Packets that wait for credit show congestion on their own, and
 * it begins downstream. */
static bool is_detected(const struct lid_switch *lid, const struct lid_port *out,
			const struct lid_lane *lane)
{
	return lid->settings.fecn && out->kind == PORT_FABRIC &&
	       out->units >= lid->settings.queue_units && !lane->waited;
}

/* of @packet, still queued */
static void mark(const struct lid_switch *lid, struct lid_port *out, struct lid_lane *lane,
		 struct packet *packet, node_time_t now)
{
	bool lasting;

	fecn_mark_on_packet(&out->fecn, packet->slid, out->units, out->link->rate_bps,
			    mark_window(lid), now);
	if (packet->becn)
		return;
	lasting = is_marked(lid, out, lane, packet, now);
	if (!lasting && !is_detected(lid, out, lane))
		return;
	packet->fecn = true;
	packet->lasting |= lasting;
	out->stats->fecn_marked++;
	if (trace_often(lid->sw.stats))
		trace(lid->sw.stats, (struct trace_entry){ .at_ps = now,
							   .kind = TRACE_MARK,
							   .port = (uint8_t)out->link->port,
							   .traffic_class = packet->traffic_class,
							   .source = packet->slid,
							   .destination = packet->dlid,
							   .value = out->gauge.bytes });
	congestion_log_add(&lane->log, packet->dlid, packet->slid, now);
}

static void packet_send_bytes(struct lid_switch *lid, struct lid_port *out,
			      const struct packet *packet, node_time_t now)
{
	uint32_t wire_bytes = LID_HEADER_BYTES + packet->frame_bytes + FRAME_FCS_BYTES;
	struct lid_header header = { .dlid = packet->dlid,
				     .slid = packet->slid,
				     .frame_bytes = (uint16_t)packet->frame_bytes,
				     .service_level = packet->traffic_class,
				     .level = (uint8_t)(packet->out_lane % lid->levels),
				     .fecn = packet->fecn,
				     .lasting = packet->lasting,
				     .becn = packet->becn };
	uint8_t *bytes;

	class_scheduler_sent(&out->classes, packet->traffic_class,
			     wire_bytes + out->link->gap_bytes, now);
	switch_sent(&lid->sw, out->link->port, packet, now);
	bytes = link_send_packet(out->link, now, wire_bytes,
				 LID_FRONT_BYTES + packet->captured_bytes, packet->frame_bytes,
				 packet->out_lane, 0);
	if (!bytes)
		return;
	memcpy(bytes, out->envelope, FABRIC_ENVELOPE_BYTES);
	lid_header_write(&header, bytes + FABRIC_ENVELOPE_BYTES);
	packet_copy_out(packet, bytes + LID_FRONT_BYTES);
}

static void send_packet(struct lid_switch *lid, uint32_t port, uint32_t lane, node_time_t now)
{
	struct lid_port *out = &lid->ports[port];
	struct packet *packet = input_turns_first(&out->lanes[lane].turns);

	mark(lid, out, &out->lanes[lane], packet, now);
	lid_queue_take(lid, port, lane, now);
	out->lane_turn[packet->traffic_class] = (uint8_t)lane;
	packet_send_bytes(lid, out, packet, now);
	lid_leave(lid, packet);
}

void lid_transmit(void *dataplane, uint32_t port, node_time_t now)
{
	struct lid_switch *lid = dataplane;
	struct lid_port *out = &lid->ports[port];
	struct link *link = out->link;
	struct lanes_ready seen;
	node_time_t retry_at;
	int traffic_class;

	if (link->tx.busy_until_ps > now || !lid_port_up(lid, port))
		return;
	if (link_words_due(link) && link_may_send_words(link)) {
		link_send_words(link, now, false);
		return;
	}
	seen = look(lid, out, now);
	traffic_class =
		class_scheduler_pick(&out->classes, classes_ready(lid, &seen), now, &retry_at);
	if (traffic_class >= 0)
		send_packet(lid, port, lane_of(lid, out, (uint32_t)traffic_class, seen.ready), now);
	else if (link->guarded && !seen.ready && seen.later_at == NODE_TIME_NEVER &&
		 link_may_send_words(link))
		link_send_words(link, now, true);
}
