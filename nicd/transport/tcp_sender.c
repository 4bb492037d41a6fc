#include "nicd/transport/tcp_sender.h"

#include <errno.h>

#define OVERHEAD_PACKETS 2u
#define STREAM_OVERHEAD 0x7463706full /* of the node's random numbers: "tcpo" */

struct tcp_flow {
	struct congestion_flow base;
	struct tcp_window window;
};

static struct tcp_window *window_of(struct congestion_flow *flow)
{
	return &((struct tcp_flow *)flow)->window;
}

static struct congestion_flow *state_of(const struct tcp_sender *sender, uint32_t slot)
{
	return congestion_flow(&sender->transport->rules[TRANSPORT_TCP].congestion, slot);
}

struct tcp_window *tcp_sender_window(const struct tcp_sender *sender, uint32_t slot)
{
	return window_of(state_of(sender, slot));
}

/* the sender that the shared state of the control is a pointer to */
static struct tcp_sender *sender_of(const void *shared)
{
	return *(struct tcp_sender *const *)shared;
}

static void note_window(const struct tcp_sender *sender, const struct congestion_flow *state)
{
	struct flow_tx_stats *stats = stats_flow_tx(sender->transport->stats, state->slot);
	uint64_t bytes = (uint64_t)state->window_packets * state->packet_bytes;

	if (bytes > stats->window_bytes_max)
		stats->window_bytes_max = bytes;
}

/* what waited for an ACK is set free at @now */
static void delay(struct tcp_sender *sender, struct congestion_flow *state, node_time_t now)
{
	const struct transport *transport = sender->transport;
	const struct message_shape *shape = &transport->flows[state->slot].shape;
	uint32_t frame_bytes = shape->overhead_bytes + shape->capacity_bytes;
	node_time_t delay_max_ps =
		node_time_of_bytes(OVERHEAD_PACKETS * frame_bytes,
				   transport->rules[TRANSPORT_TCP].congestion.line_bps);

	if (state->not_before_ps <= now)
		state->not_before_ps = now + random_below(&sender->random, delay_max_ps);
}

static void open(const void *shared, struct congestion_flow *state, node_time_t now)
{
	struct tcp_sender *sender = sender_of(shared);

	state->not_before_ps = 0;
	delay(sender, state, now);
	tcp_window_init(window_of(state), sender->config);
	state->window_packets = tcp_window_packets(window_of(state), sender->config);
	note_window(sender, state);
}

static void on_sent(const void *shared, struct congestion_flow *state, uint32_t wire_bytes,
		    bool again, node_time_t now)
{
	struct tcp_window *window = window_of(state);

	(void)wire_bytes;
	window->reduced &= again;
	tcp_window_sent(window, sender_of(shared)->transport->flows[state->slot].next - 1, again,
			now);
}

static void on_loss(const void *shared, struct congestion_flow *state, bool timeout,
		    node_time_t now)
{
	const struct tcp_sender *sender = sender_of(shared);
	const struct transport_flow *flow = &sender->transport->flows[state->slot];
	struct tcp_window *window = window_of(state);

	(void)now;
	if (!timeout)
		return;
	tcp_window_timeout(window, flow->acknowledged, flow->top);
	window->reduced |= sender->config->ecn;
	state->window_packets = tcp_window_packets(window_of(state), sender->config);
}

static node_time_t timeout_of(void *protocol, uint32_t slot)
{
	const struct tcp_sender *sender = protocol;

	return tcp_window_rto_ps(tcp_sender_window(sender, slot), sender->config);
}

/* CWR goes with the first new packet after a cut [RFC 3168, 6.1.2]. Nothing changes by writing: a
 * packet that the link loses may be written for a capture only. */
static void on_write(void *protocol, uint32_t slot, uint32_t stream, bool again, uint8_t *bytes)
{
	struct tcp_fields fields = { .sequence = stream,
				     .window = TCP_WINDOW_OPEN,
				     .flags = TCP_FLAG_ACK };

	if (tcp_sender_window(protocol, slot)->reduced && !again)
		fields.flags |= TCP_FLAG_CWR;
	tcp_fields_write(&fields, bytes);
}

static void init(void *shared, const struct node_config *config, uint64_t line_bps)
{
	(void)shared; /* tcp_sender_init() sets it */
	(void)config;
	(void)line_bps;
}

static const struct congestion_control tcp_control = {
	.name = "tcp",
	.shared_bytes = sizeof(struct tcp_sender *),
	.flow_bytes = sizeof(struct tcp_flow),
	.init = init,
	.open = open,
	.on_sent = on_sent,
	.on_loss = on_loss,
};

int tcp_sender_init(struct tcp_sender *sender, const struct node_config *config, uint32_t flows_max,
		    struct transport *transport)
{
	struct transport_rules *rules = &transport->rules[TRANSPORT_TCP];

	*sender = (struct tcp_sender){ .config = &config->roce.tcp, .transport = transport };
	random_init(&sender->random, config->seed, STREAM_OVERHEAD);
	*rules = (struct transport_rules){
		.protocol = sender,
		.timeout_of = timeout_of,
		.write = on_write,
		.ecn_capable = config->roce.tcp.ecn,
		.ack_packets = 1, /* every segment is acknowledged */
		.timeouts_max = UINT32_MAX,
	};
	if (congestion_init(&rules->congestion, &tcp_control, config, config->ports[0].rate_bps,
			    flows_max))
		return -ENOMEM;
	*(struct tcp_sender **)rules->congestion.shared = sender;
	return 0;
}

uint32_t tcp_sender_on_ack(struct tcp_sender *sender, uint32_t slot, const struct tcp_fields *ack,
			   node_time_t now)
{
	struct transport *transport = sender->transport;
	const struct transport_flow *flow = &transport->flows[slot];
	struct flow_tx_stats *stats = stats_flow_tx(transport->stats, slot);
	struct congestion_flow *state = state_of(sender, slot);
	struct tcp_window *window = window_of(state);
	node_time_t timeout_at_ps = flow->timeout_at_ps;
	bool recovering = window->recovering;
	struct tcp_heard heard = { .before = flow->acknowledged,
				   .top = flow->top,
				   .echo = ack->flags & TCP_FLAG_ECE };
	struct tcp_answer answer;
	uint32_t complete;

	if (!transport_packet_at(transport, slot, ack->acknowledgement, &heard.packet))
		return 0;
	if (flow->next - flow->acknowledged >= flow->window_packets)
		delay(sender, state, now);
	answer = tcp_window_ack(window, sender->config, &heard, now);
	state->window_packets = tcp_window_packets(window, sender->config);
	complete = transport_acknowledge(transport, slot, heard.packet, NULL, now);
	stats->naks += !recovering && answer.resend;
	if (answer.reduced)
		transport_congested(transport, slot, now);
	if (answer.resend)
		transport_repeat(transport, slot, now);
	/* last: what is repeated would start it again */
	if (!answer.restart_timer)
		transport_keep_timeout(transport, slot, timeout_at_ps, now);
	transport_obey(transport, slot, now);
	note_window(sender, state);
	return complete;
}
