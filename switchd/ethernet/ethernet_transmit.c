#include "switchd/ethernet/ethernet_transmit.h"
#include "nodes/link/link_send.h"

#include "switchd/ethernet/ethernet_pause.h"
#include "switchd/ethernet/ethernet_queue.h"

/* Set of classes with a packet that may be sent. @later_at the earliest time at which another class
 * becomes ready without any event: enough of its packet has arrived, or its pause ends. */
static uint32_t classes_ready(const struct ethernet *eth, struct ethernet_port *out,
			      node_time_t now, node_time_t *later_at)
{
	uint32_t held = out->backlog & pfc_gate_paused(&out->gate, now), ready = 0;

	*later_at = held ? pfc_gate_next_at(&out->gate, held, now) : NODE_TIME_NEVER;
	if (held == out->backlog || !link_may_send_packet(out->link))
		return 0;
	for (uint32_t waiting = out->backlog & ~held; waiting; waiting &= waiting - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(waiting);
		node_time_t at =
			packet_ready_at(out->queues[c].queue.head, out->link, eth->sw.cut_through);

		if (at <= now)
			ready |= 1u << c;
		else
			*later_at = node_time_min(*later_at, at);
	}
	return ready;
}

node_time_t ethernet_transmit_next_at(void *dataplane, uint32_t port, node_time_t now)
{
	struct ethernet *eth = dataplane;
	struct ethernet_port *out = &eth->ports[port];
	node_time_t free_at = out->link->tx.busy_until_ps,
		    pause_at = ethernet_pause_due_at(eth, port, now);
	node_time_t later_at, retry_at;
	uint32_t ready;

	if (!ethernet_port_up(eth, port) || (!out->backlog && pause_at == NODE_TIME_NEVER))
		return NODE_TIME_NEVER;
	if (free_at > now) /* what is due then is computed when the link is free */
		return out->backlog ? free_at : node_time_max(free_at, pause_at);
	/* real clock: the peer is late; ethernet_transmit() notes the end */
	if (!link_may_send_packet(out->link))
		switch_pause_note(&eth->sw, port, out->backlog, now);
	if (!link_may_send(out->link))
		return NODE_TIME_NEVER;
	ready = classes_ready(eth, out, now, &later_at);
	if (ready && class_scheduler_pick(&out->classes, ready, now, &retry_at) >= 0)
		return now;
	if (ready)
		later_at = node_time_min(later_at, retry_at);
	return node_time_max(node_time_min(later_at, pause_at), now);
}

static void count_delay(const struct ethernet *eth, struct class_stats *stats,
			const struct packet *packet, node_time_t now)
{
	uint64_t delay_ns = (now - packet->requested_at_ps) / NODE_NS;

	if (delay_ns > stats->delay_ns_max)
		stats->delay_ns_max = delay_ns;
	if (now < eth->sw.config->measure_from_ps || now >= eth->sw.config->measure_to_ps)
		return;
	stats->tx_packets_measured++;
	stats->tx_bytes_measured += packet->frame_bytes + FRAME_FCS_BYTES;
	stats->delay_ns_measured += delay_ns;
}

static void send_packet(struct ethernet *eth, uint32_t port, uint32_t traffic_class,
			node_time_t now)
{
	struct ethernet_port *out = &eth->ports[port];
	struct packet *packet = ethernet_queue_take(eth, port, traffic_class, now);
	uint32_t wire_bytes = packet->frame_bytes + FRAME_FCS_BYTES;
	uint8_t *bytes;

	ethernet_queue_mark_leaving(eth, packet, now);
	class_scheduler_sent(&out->classes, traffic_class, wire_bytes + out->link->gap_bytes, now);
	count_delay(eth, out->queues[traffic_class].stats, packet, now);
	switch_sent(&eth->sw, port, packet, now);
	bytes = link_send_packet(out->link, now, wire_bytes, packet->captured_bytes,
				 packet->frame_bytes, traffic_class, 0);
	if (bytes)
		packet_copy_out(packet, bytes);
	switch_leave(&eth->sw, packet);
}

/* PFC frames first: the later they are, the more packets arrive for which no buffer is free. */
void ethernet_transmit(void *dataplane, uint32_t port, node_time_t now)
{
	struct ethernet *eth = dataplane;
	struct ethernet_port *out = &eth->ports[port];
	node_time_t later_at, retry_at;
	uint32_t ready;
	int traffic_class;

	if (out->link->tx.busy_until_ps > now || !ethernet_port_up(eth, port))
		return;
	ethernet_pause_note(eth, port, now); /* a pause may have ended */
	if (!link_may_send(out->link))
		return;
	if (ethernet_pause_due_at(eth, port, now) <= now) {
		ethernet_pause_send(eth, port, now);
		return;
	}
	ready = classes_ready(eth, out, now, &later_at);
	traffic_class = class_scheduler_pick(&out->classes, ready, now, &retry_at);
	if (traffic_class >= 0)
		send_packet(eth, port, (uint32_t)traffic_class, now);
}
