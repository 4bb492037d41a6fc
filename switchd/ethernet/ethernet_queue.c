#include "switchd/ethernet/ethernet_queue.h"

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "switchd/ethernet/ecn.h"
#include "switchd/ethernet/ethernet_path.h"
#include "switchd/ethernet/ethernet_pause.h"

uint32_t ethernet_queue_bytes(const struct packet *packet)
{
	uint32_t bytes = packet->frame_bytes + FRAME_FCS_BYTES;

	return bytes > ETHERNET_CELL_BYTES ? bytes : ETHERNET_CELL_BYTES;
}

static uint32_t input_of(const struct packet *packet)
{
	return packet->copy ? SHARED_BUFFER_NO_INPUT : packet->in_port;
}

/* the bytes of an input in the buffer have changed */
static void note_input(struct ethernet *eth, uint32_t port, uint32_t traffic_class, node_time_t now)
{
	const struct shared_buffer_input *input = &eth->buffer.inputs[port][traffic_class];
	struct class_stats *stats = eth->ports[port].queues[traffic_class].stats;

	stats->input_bytes = input->bytes;
	if (input->bytes > stats->input_bytes_max)
		stats->input_bytes_max = input->bytes;
	if (input->headroom_bytes > stats->headroom_bytes_max)
		stats->headroom_bytes_max = input->headroom_bytes;
	ethernet_pause_tell(eth, port, traffic_class, now);
}

/* Updates the wait-for graph of deadlock detection: @packet, which counts for its input, joins (1)
 * or leaves (-1) the queue of an output. */
static void note_waits(struct ethernet *eth, const struct packet *packet, int change)
{
	struct ethernet_queue *input = &eth->ports[packet->in_port].queues[packet->traffic_class];
	uint64_t bit = 1ull << packet->egress_port;

	ENSURE((int64_t)input->packets_for[packet->egress_port] + change, >=, 0);
	input->packets_for[packet->egress_port] += (uint32_t)change;
	if (input->packets_for[packet->egress_port])
		input->stats->waits_for |= bit;
	else
		input->stats->waits_for &= ~bit;
}

static void note_queue(struct ethernet *eth, const struct packet *packet, int64_t bytes,
		       node_time_t now)
{
	struct ethernet_port *out = &eth->ports[packet->egress_port];
	struct ethernet_queue *queue = &out->queues[packet->traffic_class];

	queue_gauge_add_class(&queue->gauge, queue->stats, bytes, now);
	queue_gauge_add(&out->gauge, out->stats, bytes, now);
	if (eth->roce.classes[packet->traffic_class].watched)
		ethernet_path_on_length(eth, packet->egress_port, packet->traffic_class, now);
}

/* drops a packet that the buffer rejects */
static void refuse(struct ethernet *eth, uint32_t port, struct packet *packet,
		   enum shared_buffer_verdict verdict, node_time_t now)
{
	enum drop_reason reason = packet->copy                             ? DROP_FLOOD_LIMIT
				  : verdict == SHARED_BUFFER_HEADROOM_FULL ? DROP_HEADROOM
									   : DROP_QUEUE_FULL;

	if (reason == DROP_HEADROOM)
		port = packet->in_port;
	eth->ports[port].queues[packet->traffic_class].stats->drops++;
	switch_drop_packet(&eth->sw, reason, packet, now);
	packet_free(&eth->sw.pool, packet);
}

static void mark_trace(struct ethernet *eth, const struct ethernet_queue *queue,
		       const struct packet *packet, node_time_t now)
{
	struct trace_entry entry = { .at_ps = now,
				     .kind = TRACE_MARK,
				     .port = packet->egress_port,
				     .traffic_class = packet->traffic_class,
				     .value = queue->gauge.bytes };

	trace_hosts(&entry, packet->bytes);
	trace(eth->sw.stats, entry);
}

/* RC-1. @leaves: the packet leaves the queue now, else it joins it */
static void mark(struct ethernet *eth, struct ethernet_queue *queue, struct packet *packet,
		 bool leaves, node_time_t now)
{
	if (queue->class.mark_at_dequeue == leaves &&
	    ecn_congested(&queue->class, queue->gauge.bytes, &eth->random) &&
	    ecn_mark(packet->bytes, packet_first_bytes(packet))) {
		queue->stats->marked++;
		if (trace_often(eth->sw.stats))
			mark_trace(eth, queue, packet, now);
	}
}

void ethernet_queue_levels(struct ethernet *eth, uint32_t port)
{
	uint64_t rate_bps = eth->sw.config->ports[port].rate_bps,
		 frame_bytes = eth->ports[port].mtu_bytes + FRAME_FCS_BYTES;

	for (uint32_t c = 0; c < eth->sw.class_count; c++) {
		struct ethernet_queue *queue = &eth->ports[port].queues[c];

		queue->class = roce_class_at(&eth->roce.classes[c], rate_bps, frame_bytes);
		path_signal_levels(
			&queue->signals,
			roce_level_bytes(eth->roce.path_high_bytes, eth->roce.path_per_bps,
					 rate_bps, 6 * frame_bytes),
			roce_level_bytes(eth->roce.path_low_bytes, eth->roce.path_per_bps, rate_bps,
					 2 * frame_bytes));
	}
}

void ethernet_queue_push(struct ethernet *eth, uint32_t port, struct packet *packet,
			 node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];
	uint32_t c = packet->traffic_class, bytes = ethernet_queue_bytes(packet);
	enum shared_buffer_verdict verdict =
		shared_buffer_take(&eth->buffer, input_of(packet), port, c, bytes);
	bool first = !(out->backlog >> c & 1);

	if (verdict != SHARED_BUFFER_TAKEN) {
		refuse(eth, port, packet, verdict, now);
		return;
	}
	packet->egress_port = (uint8_t)port;
	packet->requested_at_ps = now;
	switch_enter(&eth->sw, packet);
	mark(eth, &out->queues[c], packet, false, now);
	packet_queue_push(&out->queues[c].queue, packet);
	out->backlog |= (uint8_t)(1u << c);
	note_queue(eth, packet, bytes, now);
	if (!packet->copy) {
		note_waits(eth, packet, 1);
		note_input(eth, packet->in_port, c, now);
	}
	if (first)
		ethernet_pause_note(eth, port, now);
	switch_touch(&eth->sw, port);
}

void ethernet_queue_mark_leaving(struct ethernet *eth, struct packet *packet, node_time_t now)
{
	mark(eth, &eth->ports[packet->egress_port].queues[packet->traffic_class], packet, true,
	     now);
}

struct packet *ethernet_queue_take(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
				   node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];
	struct packet *packet = packet_queue_pop(&out->queues[traffic_class].queue);
	uint32_t bytes = ethernet_queue_bytes(packet), other_port, other_class;

	if (!out->queues[traffic_class].queue.head)
		out->backlog &= (uint8_t) ~(1u << traffic_class);
	note_queue(eth, packet, -(int64_t)bytes, now);
	shared_buffer_release(&eth->buffer, input_of(packet), port, traffic_class, bytes);
	if (!packet->copy) {
		note_waits(eth, packet, -1);
		note_input(eth, packet->in_port, traffic_class, now);
	}
	if (shared_buffer_reconsider(&eth->buffer, &other_port, &other_class))
		ethernet_pause_tell(eth, other_port, other_class, now);
	return packet;
}
