#include "nicd/transport/tcp_sender.h"

#include <errno.h>
#include <stdlib.h>

/* the receiver's, which does not limit: tcp_receiver.h has room for what may be under way */
#define WINDOW_FIELD UINT16_MAX

#define OVERHEAD_PACKETS 2u
#define STREAM_OVERHEAD 0x7463706full /* of the node's random numbers: "tcpo" */

static struct tcp_window *window_of(void *state, uint32_t slot)
{
	return &((struct tcp_sender *)state)->windows[slot];
}

static void note_window(const struct tcp_sender *sender, uint32_t slot)
{
	struct flow_tx_stats *stats = stats_flow_tx(sender->transport->stats, slot);
	uint64_t bytes = (uint64_t)tcp_window_packets(&sender->windows[slot], sender->config) *
			 sender->transport->flows[slot].shape.capacity_bytes;

	if (bytes > stats->window_bytes_max)
		stats->window_bytes_max = bytes;
}

/* what waited for an ACK is set free at @now */
static void delay(struct tcp_sender *sender, uint32_t slot, node_time_t now)
{
	const struct transport_flow *flow = &sender->transport->flows[slot];
	uint32_t frame_bytes = flow->shape.overhead_bytes + flow->shape.capacity_bytes;

	if (sender->ready_ps[slot] <= now)
		sender->ready_ps[slot] =
			now + random_below(&sender->random,
					   node_time_of_bytes(OVERHEAD_PACKETS * frame_bytes,
							      sender->rate_bps));
}

static void on_open(void *state, uint32_t slot, node_time_t now)
{
	struct tcp_sender *sender = state;

	sender->ready_ps[slot] = 0;
	delay(sender, slot, now);
	tcp_window_init(&sender->windows[slot], sender->config);
	note_window(sender, slot);
}

static void on_sent(void *state, uint32_t slot, uint32_t wire_bytes, bool again, node_time_t now)
{
	struct tcp_sender *sender = state;

	(void)wire_bytes;
	sender->windows[slot].reduced &= again;
	tcp_window_sent(&sender->windows[slot], sender->transport->flows[slot].next - 1, again,
			now);
}

static void on_lost(void *state, uint32_t slot, bool timeout, node_time_t now)
{
	struct tcp_sender *sender = state;
	const struct transport_flow *flow = &sender->transport->flows[slot];

	(void)now;
	if (timeout)
		tcp_window_timeout(&sender->windows[slot], flow->acknowledged, flow->top);
}

static node_time_t ready_at(void *state, uint32_t slot)
{
	return ((struct tcp_sender *)state)->ready_ps[slot];
}

static uint32_t window_packets(void *state, uint32_t slot)
{
	return tcp_window_packets(window_of(state, slot), ((struct tcp_sender *)state)->config);
}

static node_time_t timeout_ps(void *state, uint32_t slot)
{
	return tcp_window_rto_ps(window_of(state, slot), ((struct tcp_sender *)state)->config);
}

/* CWR goes with the first new packet behind a cut [RFC 3168, 6.1.2]. Nothing changes by writing: a
 * packet that the link loses may be written for a capture only. */
static void on_write(void *state, uint32_t slot, uint32_t stream, bool again, uint8_t *bytes)
{
	struct tcp_fields fields = { .sequence = stream,
				     .window = WINDOW_FIELD,
				     .flags = TCP_FLAG_ACK };

	if (window_of(state, slot)->reduced && !again)
		fields.flags |= TCP_FLAG_CWR;
	tcp_fields_write(&fields, bytes);
}

int tcp_sender_init(struct tcp_sender *sender, const struct node_config *config, uint32_t flows_max,
		    struct transport *transport)
{
	*sender = (struct tcp_sender){
		.config = &config->roce.tcp,
		.transport = transport,
		.windows = calloc(flows_max + 1u, sizeof(*sender->windows)),
		.ready_ps = calloc(flows_max + 1u, sizeof(*sender->ready_ps)),
		.rate_bps = config->ports[0].rate_bps,
	};
	random_init(&sender->random, config->seed, STREAM_OVERHEAD);
	if (!sender->windows || !sender->ready_ps) {
		tcp_sender_fini(sender);
		return -ENOMEM;
	}
	transport->rules[TRANSPORT_TCP] = (struct transport_rules){
		.control = {
			.state = sender,
			.open = on_open,
			.sent = on_sent,
			.lost = on_lost,
			.ready_at = ready_at,
			.window_packets = window_packets,
			.timeout_ps = timeout_ps,
			.write = on_write,
		},
		.ecn_capable = config->roce.tcp.ecn,
		.ack_packets = 1, /* every segment is acknowledged */
		.timeouts_max = UINT32_MAX,
	};
	return 0;
}

void tcp_sender_fini(struct tcp_sender *sender)
{
	free(sender->windows);
	free(sender->ready_ps);
	*sender = (struct tcp_sender){ 0 };
}

uint32_t tcp_sender_on_ack(struct tcp_sender *sender, uint32_t slot, const struct tcp_fields *ack,
			   node_time_t now)
{
	struct transport *transport = sender->transport;
	const struct transport_flow *flow = &transport->flows[slot];
	struct flow_tx_stats *stats = stats_flow_tx(transport->stats, slot);
	node_time_t timeout_at_ps = flow->timeout_at_ps;
	bool recovering = sender->windows[slot].recovering;
	struct tcp_heard heard = { .before = flow->acknowledged,
				   .top = flow->top,
				   .echo = ack->flags & TCP_FLAG_ECE };
	struct tcp_answer answer;
	uint32_t complete;

	if (!transport_packet_at(transport, slot, ack->acknowledgement, &heard.packet))
		return 0;
	if (flow->next - flow->acknowledged >= flow->window_packets)
		delay(sender, slot, now);
	answer = tcp_window_ack(&sender->windows[slot], sender->config, &heard, now);
	complete = transport_acknowledge(transport, slot, heard.packet, now);
	if (!answer.restart_timer)
		transport_keep_timeout(transport, slot, timeout_at_ps, now);
	stats->naks += !recovering && answer.resend;
	if (answer.reduced)
		transport_congested(transport, slot, now);
	if (answer.resend)
		transport_repeat(transport, slot, now);
	transport_ask(transport, slot, now);
	note_window(sender, slot);
	return complete;
}
