/*  nic_transmit - the frame that the NIC sends next: the traffic class, and the source within it
 *  (nic.h). */
#include "nicd/dataplane/nic_transmit.h"

#include "nicd/dataplane/nic_gate.h"
#include "nicd/dataplane/nic_lid.h"
#include "nicd/dataplane/nic_pfc.h"
#include "nicd/dataplane/nic_transport.h"
#include "nodes/base/ensure.h"
#include "nodes/base/number.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "nodes/stats/trace.h"

/* sources that take turns within a traffic class: the send queue, flows with a transport, frames of
 * the host that waited for a gate, each queue of the host. Answers of transports go first. */
#define SOURCE_GENERATED 0u
#define SOURCE_TRANSPORT 1u
#define SOURCE_HELD 2u
#define SOURCE_HOST 3u
#define SOURCE_NONE UINT32_MAX

/* Queues of the host whose heads are due at this moment. A late NIC has read later heads too.
 * @later  when the next head is due */
static uint32_t host_ready(const struct nic *nic, node_time_t *later)
{
	uint32_t ready = 0;

	*later = NODE_TIME_NEVER;
	for (uint32_t left = nic->host_send.ready; left; left &= left - 1) {
		uint32_t queue = (uint32_t)__builtin_ctz(left);
		node_time_t at_ps = nic->host_send.heads[queue].at_ps;

		if (at_ps <= nic->now_ps)
			ready |= 1u << queue;
		else
			*later = node_time_min(*later, at_ps);
	}
	return ready;
}

/* the longest frame that the class may send next */
static uint32_t longest_next(const struct nic *nic, uint32_t traffic_class)
{
	uint32_t bytes = FRAME_BYTES_MIN;

	if (nic->queue.drr.ready >> traffic_class & 1)
		bytes = send_queue_next(&nic->queue, traffic_class).frame_bytes;
	if (nic->host_hold.ready >> traffic_class & 1)
		bytes = number_max32(bytes, host_hold_bytes(&nic->host_hold, traffic_class));
	for (uint32_t left = nic->tx.host_ready; left; left &= left - 1) {
		const struct host_head *head = &nic->host_send.heads[__builtin_ctz(left)];

		if (head->traffic_class == traffic_class)
			bytes = number_max32(bytes, head->frame_bytes);
	}
	return bytes;
}

/* May a frame of the class, which has one, be sent? Port-group: there is credit for its longest
 * next frame (PG-9). Else: the switch has neither stopped nor paused the class. */
static bool class_sendable(const struct nic *nic, uint32_t traffic_class)
{
	if (nic->by_lid)
		return link_has_credit(nic->link, nic_lane(nic, traffic_class),
				       units_of_bytes(longest_next(nic, traffic_class)),
				       nic->now_ps);
	return !link_stopped(nic->link, traffic_class) && !(nic->pfc.held >> traffic_class & 1);
}

static bool source_ready(const struct nic *nic, uint32_t source, uint32_t traffic_class)
{
	uint32_t queue = source - SOURCE_HOST;

	if (source == SOURCE_GENERATED)
		return nic->queue.drr.ready & 1u << traffic_class;
	if (source == SOURCE_TRANSPORT)
		return nic->transport.drr.ready & 1u << traffic_class;
	if (source == SOURCE_HELD)
		return nic->host_hold.ready & 1u << traffic_class;
	return nic->tx.host_ready & 1u << queue &&
	       nic->host_send.heads[queue].traffic_class == traffic_class;
}

/* the source whose turn it is in a sendable class; moves the turn, one frame for each (ours) */
static uint32_t source_pick(struct nic *nic, uint32_t traffic_class)
{
	uint32_t count = SOURCE_HOST + nic->host.queue_count, *turn = &nic->tx.turns[traffic_class];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t source = (*turn + i) % count;

		if (!source_ready(nic, source, traffic_class))
			continue;
		*turn = (source + 1) % count;
		return source;
	}
	return SOURCE_NONE;
}

uint8_t *nic_start(struct nic *nic, uint32_t traffic_class, const struct nic_packet *packet)
{
	uint32_t wire_bytes = packet->frame_bytes + FRAME_FCS_BYTES;
	uint32_t captured_bytes = packet->captured_bytes, lane = traffic_class;
	uint8_t *bytes;

	if (nic->by_lid) {
		wire_bytes += LID_HEADER_BYTES;
		captured_bytes += LID_FRONT_BYTES;
		lane = nic_lane(nic, traffic_class);
	}
	bytes = link_send_packet(nic->link, nic->now_ps, wire_bytes, captured_bytes,
				 packet->frame_bytes, lane, packet->tag);
	class_scheduler_sent(&nic->classes, traffic_class, wire_bytes + nic->link->gap_bytes,
			     nic->now_ps);
	nic->stats->injected_packets++;
	nic->stats->injected_bytes += packet->frame_bytes;
	nic->stats->data_hops++;
	if (!bytes || !nic->by_lid)
		return bytes;
	nic_lid_write(nic, traffic_class, packet, bytes);
	return bytes + LID_FRONT_BYTES;
}

/* the same for a frame of the host */
static uint8_t *start_host_frame(struct nic *nic, uint32_t traffic_class, uint32_t dlid,
				 uint32_t frame_bytes)
{
	struct nic_packet packet = { .dlid = dlid,
				     .frame_bytes = frame_bytes,
				     .captured_bytes = frame_bytes,
				     .tag = SEND_NONE };

	nic->stats->host_tx_packets++;
	return nic_start(nic, traffic_class, &packet);
}

static void send_host_frame(struct nic *nic, uint32_t traffic_class, uint32_t queue)
{
	const struct host_head *head = &nic->host_send.heads[queue];
	uint32_t dlid = nic->by_lid ? nic_lid_of_mac(nic, head->name.destination_mac) : 0;
	uint32_t key = nic_gate_of_head(nic, queue), frame_bytes = head->frame_bytes;
	uint8_t *bytes = start_host_frame(nic, traffic_class, dlid, frame_bytes);

	host_send_next(&nic->host_send, queue, bytes, nic->now_ps);
	nic_gate_sent(nic, key, frame_bytes);
}

static void send_held_frame(struct nic *nic, uint32_t traffic_class)
{
	uint32_t key = gate_place_key(&nic->gate, host_hold_entry(&nic->host_hold, traffic_class));
	uint32_t frame_bytes = host_hold_bytes(&nic->host_hold, traffic_class);
	uint32_t dlid = nic->by_lid ? nic->gate.rate.agents[key].lid : 0;

	host_hold_next(&nic->host_hold, traffic_class,
		       start_host_frame(nic, traffic_class, dlid, frame_bytes));
	nic_gate_sent(nic, key, frame_bytes);
}

void nic_message_sent(struct nic *nic, uint32_t slot, node_time_t at)
{
	const struct flow_spec *spec = &nic->queue.specs[slot];
	struct flow_tx_stats *stats = stats_flow_tx(nic->stats, slot);

	ENSURE(stats->waiting, !=, 0u);
	stats->waiting--;
	workload_on_sent(&nic->workloads, spec->workload, spec->connection, at);
}

static void send_generated(struct nic *nic, uint32_t traffic_class)
{
	struct flow_packet packet = send_queue_next(&nic->queue, traffic_class);
	const struct send_flow *flow = &nic->queue.flows[packet.flow];
	const struct flow_spec *spec = &nic->queue.specs[packet.flow];
	struct flow_tx_stats *stats = stats_flow_tx(nic->stats, packet.flow);
	struct nic_packet start = { .dlid = lid_of_host(spec->destination),
				    .frame_bytes = packet.frame_bytes,
				    .captured_bytes = packet.captured_bytes,
				    .tag = packet.flow };
	uint8_t *bytes = nic_start(nic, traffic_class, &start);

	if (bytes)
		send_queue_write(&nic->queue, &packet, bytes);

	/* statistics */
	if (packet.message_first) {
		stats->messages++;
		trace(nic->stats, (struct trace_entry){ .at_ps = nic->now_ps,
							.kind = TRACE_MESSAGE_START,
							.destination = stats->destination + 1,
							.detail = flow->message,
							.value = flow->message_bytes });
	}
	stats->packets++;
	stats->bytes += packet.frame_bytes;
	ENSURE(nic->link->stats->queue_bytes, >=, (uint64_t)packet.payload_bytes);
	nic->link->stats->queue_bytes -= packet.payload_bytes;

	/* the flow, its gate, and its workload */
	send_queue_sent(&nic->queue, &packet);
	nic_gate_sent(nic, nic_gate_of_flow(nic, packet.flow), packet.frame_bytes);
	if (packet.message_last)
		nic_message_sent(nic, packet.flow, nic->link->tx.busy_until_ps);
}

static void send_packet(struct nic *nic, uint32_t traffic_class)
{
	uint32_t source;

	if (nic->replies.ready >> traffic_class & 1) {
		nic_transport_reply(nic, traffic_class);
		return;
	}
	if (nic->lid.ready >> traffic_class & 1) {
		nic_lid_send_becn(nic, traffic_class);
		return;
	}
	source = source_pick(nic, traffic_class);
	ENSURE(source, !=, SOURCE_NONE); /* a class is sendable only if it has something to send */
	if (source == SOURCE_GENERATED)
		send_generated(nic, traffic_class);
	else if (source == SOURCE_TRANSPORT)
		nic_transport_send(nic, traffic_class);
	else if (source == SOURCE_HELD)
		send_held_frame(nic, traffic_class);
	else
		send_host_frame(nic, traffic_class, source - SOURCE_HOST);
}

/* may control words that are @due be sent? */
static bool may_send_words(const struct nic *nic, bool due)
{
	return due && !nic->link->down && link_may_send_words(nic->link);
}

/* when a PFC or PAUSE frame of ours is due */
static node_time_t pfc_at(const struct nic *nic)
{
	return nic->roce && link_may_send(nic->link) ? pfc_teller_due_at(&nic->pfc.teller)
						     : NODE_TIME_NEVER;
}

void nic_transmit(struct nic *nic)
{
	node_time_t retry_at = NODE_TIME_NEVER;
	int traffic_class;

	ENSURE(nic->link->tx.busy_until_ps, <=, nic->now_ps);
	if (pfc_at(nic) <= nic->now_ps) {
		nic_pfc_send(nic);
		return;
	}
	if (may_send_words(nic, link_words_due(nic->link))) {
		link_send_words(nic->link, nic->now_ps, !nic->tx.sendable);
		return;
	}
	traffic_class =
		class_scheduler_pick(&nic->classes, nic->tx.sendable, nic->now_ps, &retry_at);
	if (traffic_class >= 0) {
		send_packet(nic, (uint32_t)traffic_class);
		return;
	}
	nic->tx.shaped = nic->tx.sendable;
	nic->tx.shaped_until_ps = retry_at;
	if (may_send_words(nic, nic->link->guard.sync_due || link_ask_at(nic->link) <= nic->now_ps))
		link_send_words(nic->link, nic->now_ps, true);
}

/* when nic_transmit() has something to send next */
static node_time_t transmit_at(const struct nic *nic)
{
	const struct link *link = nic->link;
	node_time_t free_ps = node_time_max(nic->now_ps, link->tx.busy_until_ps);
	node_time_t pause_ps = node_time_max(pfc_at(nic), free_ps);

	if (may_send_words(nic, link_words_due(link)))
		return free_ps;
	/* all sendable classes are at their maximum rate: wait until one is below it */
	if (nic->tx.sendable && nic->tx.sendable == nic->tx.shaped &&
	    nic->tx.shaped_until_ps > nic->now_ps)
		return node_time_min(node_time_max(free_ps, nic->tx.shaped_until_ps), pause_ps);
	if (nic->tx.sendable || may_send_words(nic, link->guard.sync_due))
		return free_ps;
	return may_send_words(nic, true)
		       ? node_time_min(node_time_max(free_ps, link_ask_at(link)), pause_ps)
		       : pause_ps;
}

/* Counts, up to now, the time in which data waited and none was sendable. @waiting  classes with
 * data. */
static void note_pause(struct nic *nic, uint32_t waiting)
{
	bool waits = waiting && !nic->tx.sendable && !nic->link->down;

	if (nic->tx.paused && nic->now_ps > nic->tx.paused_since_ps) {
		nic->link->stats->paused_ps += nic->now_ps - nic->tx.paused_since_ps;
		nic->tx.paused_since_ps = nic->now_ps;
	}
	if (waits && !nic->tx.paused) {
		nic->tx.paused_since_ps = node_time_max(nic->now_ps, nic->link->tx.busy_until_ps);
		trace(nic->stats,
		      (struct trace_entry){ .at_ps = nic->now_ps,
					    .kind = TRACE_STOP_WAIT,
					    .traffic_class = (uint8_t)__builtin_ctz(waiting) });
	}
	nic->tx.paused = waits;
	nic->link->stats->paused_since_ps = waits ? node_time_max(nic->tx.paused_since_ps, 1) : 0;
}

void nic_transmit_plan(struct nic *nic)
{
	uint32_t waiting, sendable = 0;

	/* each ring begins with a flow that may send */
	nic_gate_heads(nic);
	nic->tx.host_ready = host_ready(nic, &nic->tx.host_at_ps);

	/* classes that have something to send ... */
	waiting = nic->queue.drr.ready | nic->host_hold.ready | nic->lid.ready;
	if (nic->roce)
		waiting |= nic->transport.drr.ready | nic->replies.ready;
	for (uint32_t left = nic->tx.host_ready; left; left &= left - 1)
		waiting |= 1u << nic->host_send.heads[__builtin_ctz(left)].traffic_class;

	/* ... and those of them that the link and the switch take */
	if (nic->roce)
		nic_pfc_plan(nic, waiting);
	for (uint32_t left = link_may_send_packet(nic->link) ? waiting : 0; left; left &= left - 1)
		if (class_sendable(nic, (uint32_t)__builtin_ctz(left)))
			sendable |= left & -left;
	nic->tx.sendable = sendable;

	note_pause(nic, waiting);
	nic->tx.at_ps = transmit_at(nic);
}
