#include "nicd/transport/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/transport/queue_pair.h"
#include "nicd/transport/tcp_receiver.h"
#include "nicd/transport/transport_congestion.h"
#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"

#define LINE_BYTES 64u

_Static_assert(sizeof(struct transport_flow) == 2 * LINE_BYTES, "a flow is two cache lines");

/* ---- set-up ---- */

int transport_init(struct transport *transport, const struct node_config *config,
		   uint32_t flows_max, uint32_t messages_max, struct stats_page *stats)
{
	const struct queue_pair_config *queue_pair = &config->roce.queue_pair;
	uint32_t pool_max = messages_max + flows_max;

	*transport = (struct transport){
		.host_index = config->nic.host_index,
		.gap_bytes = config->port_count ? config->ports[0].gap_bytes : 0,
		.flows_max = flows_max,
		/* a flow more than there are: they begin at a line, see below */
		.flow_memory = calloc(flows_max + 1u, sizeof(*transport->flows)),
		.specs = calloc(flows_max, sizeof(*transport->specs)),
		.templates = calloc(flows_max, sizeof(*transport->templates)),
		.messages = calloc(pool_max, sizeof(*transport->messages)),
		.message_bytes = calloc(flows_max, sizeof(*transport->message_bytes)),
		.stats = stats,
	};
	drr_init(&transport->drr);
	transport->rules[TRANSPORT_RC] = (struct transport_rules){
		.ecn_capable = true,
		.ack_packets = queue_pair->ack_packets,
		.window_bytes = queue_pair->window_bytes,
		.timeout_ps = queue_pair->timeout_ps,
		.timeouts_max = queue_pair->retries,
	};
	if (index_pool_init(&transport->pool, pool_max) || !transport->flow_memory ||
	    !transport->specs || !transport->templates || !transport->messages ||
	    !transport->message_bytes || deadline_heap_init(&transport->timers, flows_max)) {
		transport_fini(transport);
		return -ENOMEM;
	}
	/* zeroed without being touched, and at the beginning of a line */
	transport->flows =
		(struct transport_flow *)(((uintptr_t)transport->flow_memory + LINE_BYTES - 1) &
					  ~(uintptr_t)(LINE_BYTES - 1));
	return 0;
}

void transport_fini(struct transport *transport)
{
	for (uint32_t kind = 0; kind < TRANSPORT_KINDS; kind++)
		congestion_fini(&transport->rules[kind].congestion);
	free(transport->flow_memory);
	free(transport->specs);
	free(transport->templates);
	free(transport->messages);
	free(transport->message_bytes);
	index_pool_fini(&transport->pool);
	deadline_heap_fini(&transport->timers);
	*transport = (struct transport){ 0 };
}

static uint32_t window_packets_of(const struct transport_rules *rules,
				  const struct message_shape *shape)
{
	uint64_t packets = rules->window_bytes / message_frame_bytes(shape, shape->capacity_bytes);

	if (!rules->window_bytes || packets > TRANSPORT_WINDOW_MAX)
		return TRANSPORT_WINDOW_MAX;
	return packets ? (uint32_t)packets : 1;
}

void transport_open(struct transport *transport, uint32_t slot, const struct flow_spec *spec,
		    node_time_t now)
{
	const struct transport_rules *rules = &transport->rules[spec->transport];
	uint32_t frame_bytes = message_frame_bytes(&spec->shape, spec->shape.capacity_bytes);

	transport->specs[slot] = *spec;
	transport->flows[slot] = (struct transport_flow){
		.timeout_at_ps = NODE_TIME_NEVER,
		.turn = { .next = DRR_NONE },
		.sending = INDEX_NONE,
		.window_packets = window_packets_of(rules, &spec->shape),
		.shape = spec->shape,
		.transport = (uint8_t)spec->transport,
		.traffic_class = (uint8_t)spec->traffic_class,
	};
	index_list_init(&transport->flows[slot].messages);
	transport->flow_count++;
	drr_quantum(&transport->drr, frame_bytes);
	transport_congestion_open(transport, slot, frame_bytes, now);
}

/* ---- rings and times ---- */

/* is a packet in flight that requests an ACK? */
static bool ack_is_asked(const struct transport_flow *flow)
{
	return (int32_t)(flow->ack_asked - (uint32_t)flow->acknowledged) > 0;
}

/* May the packet at `next` be sent? A control may reduce the window below the data in flight when
 * no packet in flight requests an ACK. Then neither ACK nor timeout would follow, so one more
 * packet, which requests an ACK, may be sent. */
static bool fits_window(const struct transport_flow *flow)
{
	return flow->next - flow->acknowledged < flow->window_packets || !ack_is_asked(flow);
}

static bool has_work(const struct transport_flow *flow)
{
	bool more = flow->next != flow->end && fits_window(flow);

	return (more || flow->repeat) && !flow->in_error;
}

static bool may_send(const struct transport_flow *flow, node_time_t now)
{
	return has_work(flow) && flow->pace_at_ps <= now;
}

static struct drr_flows turns(const struct transport *transport)
{
	return (struct drr_flows){ &transport->flows->turn, sizeof(*transport->flows) };
}

static node_time_t due_at(const struct transport *transport, uint32_t slot, node_time_t now)
{
	const struct transport_flow *flow = &transport->flows[slot];
	node_time_t due =
		node_time_min(flow->timeout_at_ps, transport_congestion_due_at(transport, slot));

	if (!has_work(flow) || flow->pace_at_ps <= now)
		return due;
	return node_time_min(due, flow->pace_at_ps);
}

/* After every change of the flow: updates its ring and its time in the heap. A time that is too
 * early may stay, but not of a flow that waits for nothing: an empty fabric has no events. */
static void flow_settle(struct transport *transport, uint32_t slot, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];
	node_time_t due = due_at(transport, slot, now);

	if (flow->turn.next == DRR_NONE && may_send(flow, now))
		drr_join(&transport->drr, turns(transport), flow->traffic_class, slot);
	if (due < deadline_heap_due(&transport->timers, slot) || due == NODE_TIME_NEVER)
		deadline_heap_set(&transport->timers, slot, due);
}

void transport_settle(struct transport *transport, node_time_t now)
{
	struct drr *drr = &transport->drr;

	for (uint32_t left = drr->ready; left; left &= left - 1) {
		uint32_t c = (uint32_t)__builtin_ctz(left);

		while (drr->ready >> c & 1 &&
		       !may_send(&transport->flows[drr_head(drr, turns(transport), c)], now))
			drr_leave(drr, turns(transport), c);
	}
}

/* ---- messages ---- */

static uint64_t packets_of(const struct transport_flow *flow,
			   const struct transport_message *message)
{
	return message_packets(&flow->shape, message->bytes);
}

/* what a packet has of its connection's stream beside bytes of a message: the header of the test
 * payload */
static uint32_t stream_extra_bytes(const struct transport_flow *flow)
{
	return flow->shape.overhead_bytes - TCP_SEGMENT_AT;
}

static uint32_t stream_bytes_of(const struct transport_flow *flow,
				const struct transport_message *message)
{
	if (flow->transport != TRANSPORT_TCP)
		return 0;
	return (uint32_t)(message->bytes + packets_of(flow, message) * stream_extra_bytes(flow));
}

/* where @packet of @message begins */
static uint32_t stream_of(const struct transport_flow *flow,
			  const struct transport_message *message, uint64_t packet)
{
	if (flow->transport != TRANSPORT_TCP)
		return 0;
	return message->stream +
	       (uint32_t)((packet - message->packet) *
			  (flow->shape.capacity_bytes + stream_extra_bytes(flow)));
}

bool transport_put(struct transport *transport, uint32_t slot, uint64_t bytes, node_time_t start_ps,
		   node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];
	uint32_t entry;

	if (flow->in_error) {
		transport->discarded++;
		return false;
	}
	entry = index_pool_take(&transport->pool);
	transport->messages[entry] = (struct transport_message){
		.bytes = bytes,
		.start_ps = start_ps,
		.packet = flow->end,
		.number = flow->message++,
		.stream = flow->stream_end,
	};
	index_list_append(&transport->pool, &flow->messages, entry);
	if (flow->sending == INDEX_NONE)
		flow->sending = entry;
	transport->message_bytes[slot] += bytes;
	flow->end += packets_of(flow, &transport->messages[entry]);
	flow->stream_end += stream_bytes_of(flow, &transport->messages[entry]);
	flow_settle(transport, slot, now);
	return true;
}

/* the first message is complete or was given up */
static void message_leave(struct transport *transport, struct transport_flow *flow)
{
	uint32_t entry = index_list_pop(&transport->pool, &flow->messages);

	transport->message_bytes[flow - transport->flows] -= transport->messages[entry].bytes;
	index_pool_give(&transport->pool, entry);
}

/* ---- packets ---- */

/* the packet that a flow sends next, and its message */
static uint64_t packet_next(const struct transport_flow *flow)
{
	return flow->repeat ? flow->acknowledged : flow->next;
}

static const struct transport_message *message_next(const struct transport *transport,
						    const struct transport_flow *flow)
{
	return &transport->messages[flow->repeat ? flow->messages.first : flow->sending];
}

static uint64_t left_bytes(const struct transport_flow *flow,
			   const struct transport_message *message)
{
	return message->bytes - (packet_next(flow) - message->packet) * flow->shape.capacity_bytes;
}

static uint32_t frame_bytes_next(const struct transport *transport,
				 const struct transport_flow *flow)
{
	uint64_t left = left_bytes(flow, message_next(transport, flow));

	return message_frame_bytes(&flow->shape, message_payload_bytes(&flow->shape, left));
}

/* often enough, at the end of a message, and when no more may go before an ACK comes */
static bool ack_is_due(const struct transport *transport, const struct transport_flow *flow,
		       bool message_last)
{
	uint64_t end = packet_next(flow) + 1;

	return message_last ||
	       (uint32_t)end - flow->ack_asked >= transport->rules[flow->transport].ack_packets ||
	       end - flow->acknowledged >= flow->window_packets;
}

struct flow_packet transport_next(const struct transport *transport, uint32_t traffic_class)
{
	uint32_t slot = drr_head(&transport->drr, turns(transport), traffic_class);
	const struct transport_flow *flow = &transport->flows[slot];
	const struct transport_message *message = message_next(transport, flow);
	struct flow_packet packet = flow_packet_cut(slot, &flow->shape, left_bytes(flow, message),
						    packet_next(flow) == message->packet);

	packet.again = packet_next(flow) < flow->top;
	packet.ack_request = ack_is_due(transport, flow, packet.message_last);
	return packet;
}

void transport_write(struct transport *transport, const struct flow_packet *packet, uint8_t *bytes)
{
	struct transport_flow *flow = &transport->flows[packet->flow];
	const struct transport_rules *rules = &transport->rules[flow->transport];
	const struct transport_message *message = message_next(transport, flow);
	bool reliable = flow->transport == TRANSPORT_RC;
	struct flow_headers headers = {
		.spec = &transport->specs[packet->flow],
		.source = transport->host_index,
		.number = reliable ? QUEUE_PAIR_RELIABLE | packet->flow : packet->flow,
		.ecn_capable = rules->ecn_capable,
		.template = transport->templates[packet->flow],
		.frame_bytes = &flow->template_frame_bytes,
	};
	struct flow_packet_place place = {
		.packet = (uint32_t)packet_next(flow),
		.message = message->number,
		.message_bytes = message->bytes,
		.message_start_ps = message->start_ps,
	};

	flow_packet_write(&headers, packet, &place, bytes);
	if (reliable)
		roce_ack_request(bytes, packet->ack_request);
	if (rules->write)
		rules->write(rules->protocol, packet->flow,
			     stream_of(flow, message, packet_next(flow)), packet->again, bytes);
}

static void flow_trace(struct transport *transport, enum trace_kind kind, uint32_t slot,
		       uint32_t detail, uint64_t value, node_time_t now)
{
	trace(transport->stats,
	      (struct trace_entry){ .at_ps = now,
				    .kind = (uint16_t)kind,
				    .destination =
					    stats_flow_tx(transport->stats, slot)->destination + 1,
				    .detail = detail,
				    .value = value });
}

static void count_sent(struct transport *transport, const struct flow_packet *packet,
		       node_time_t now)
{
	struct flow_tx_stats *stats = stats_flow_tx(transport->stats, packet->flow);
	const struct transport_message *message =
		message_next(transport, &transport->flows[packet->flow]);

	stats->packets++;
	stats->bytes += packet->frame_bytes;
	stats->resent += packet->again;
	if (!packet->message_first || packet->again)
		return;
	stats->messages++;
	flow_trace(transport, TRACE_MESSAGE_START, packet->flow, message->number, message->bytes,
		   now);
}

static node_time_t timeout_ps_of(const struct transport *transport, uint32_t slot)
{
	const struct transport_rules *rules = &transport->rules[transport->flows[slot].transport];

	return rules->timeout_of ? rules->timeout_of(rules->protocol, slot) : rules->timeout_ps;
}

/* @packet, the one at `next`, has been sent */
static void step_on(struct transport *transport, struct transport_flow *flow,
		    const struct flow_packet *packet)
{
	flow->next++;
	if (flow->top < flow->next)
		flow->top = flow->next;
	if (packet->ack_request)
		flow->ack_asked = (uint32_t)flow->next;
	if (packet->message_last)
		flow->sending = transport->pool.next[flow->sending];
}

void transport_sent(struct transport *transport, const struct flow_packet *packet,
		    uint32_t wire_bytes, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[packet->flow];
	uint64_t number = packet_next(flow);

	ENSURE(flow->acknowledged, <=, flow->next);
	ENSURE(number, <, flow->end);
	ENSURE(flow->top, <=, flow->end);
	count_sent(transport, packet, now);
	if (flow->repeat)
		flow->repeat = false;
	else
		step_on(transport, flow, packet);
	if (packet->ack_request && flow->timeout_at_ps == NODE_TIME_NEVER)
		flow->timeout_at_ps = now + timeout_ps_of(transport, packet->flow);
	transport_congestion_sent(transport, packet, number, wire_bytes, now);
	drr_sent(&transport->drr, turns(transport), flow->traffic_class, packet->flow,
		 packet->frame_bytes, may_send(flow, now) ? frame_bytes_next(transport, flow) : 0);
	flow_settle(transport, packet->flow, now);
}

/* ---- events of the protocol ---- */

/* those whose last packet is acknowledged */
static uint32_t messages_complete(struct transport *transport, struct transport_flow *flow)
{
	uint32_t count = 0;

	while (flow->messages.first != INDEX_NONE) {
		const struct transport_message *message =
			&transport->messages[flow->messages.first];

		if (message->packet + packets_of(flow, message) > flow->acknowledged)
			break;
		message_leave(transport, flow);
		count++;
	}
	return count;
}

/* payload of the packets before @packet that are not acknowledged; @packet <= end.
 * O(messages that end there) */
static uint64_t payload_bytes_before(const struct transport *transport,
				     const struct transport_flow *flow, uint64_t packet)
{
	uint64_t at = flow->acknowledged, bytes = 0;

	for (uint32_t entry = flow->messages.first; at < packet;
	     entry = transport->pool.next[entry]) {
		const struct transport_message *message = &transport->messages[entry];
		uint64_t end = message->packet + packets_of(flow, message);

		if (packet < end)
			return bytes + (packet - at) * flow->shape.capacity_bytes;
		bytes += message->bytes - (at - message->packet) * flow->shape.capacity_bytes;
		at = end;
	}
	return bytes;
}

uint32_t transport_acknowledge(struct transport *transport, uint32_t slot, uint64_t packet,
			       const struct transport_signs *signs, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];
	const struct congestion_control *control = transport_congestion(transport, slot)->control;
	uint32_t complete;

	ENSURE(packet, >=, flow->acknowledged);
	ENSURE(packet, <=, flow->top);
	if (packet == flow->acknowledged || flow->in_error)
		return 0;
	if (control && control->on_ack)
		transport_congestion_ack(transport, slot, packet, signs,
					 payload_bytes_before(transport, flow, packet), now);
	flow->acknowledged = packet;
	flow->repeat = false;
	flow->timeouts = 0;
	complete = messages_complete(transport, flow);
	if (flow->next <= packet) { /* what went back needs not be sent again, after all */
		flow->next = packet;
		flow->sending = flow->messages.first;
	}
	flow->timeout_at_ps =
		ack_is_asked(flow) ? now + timeout_ps_of(transport, slot) : NODE_TIME_NEVER;
	transport_congestion_obey(transport, slot);
	flow_settle(transport, slot, now);
	return complete;
}

static void go_back(struct transport *transport, uint32_t slot, bool timeout, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];

	flow->next = flow->acknowledged;
	flow->repeat = false;
	flow->sending = flow->messages.first;
	flow->ack_asked = (uint32_t)flow->next;
	flow->timeout_at_ps = NODE_TIME_NEVER;
	transport_congestion_loss(transport, slot, timeout, now);
	transport_congestion_obey(transport, slot);
	flow_settle(transport, slot, now);
}

void transport_go_back(struct transport *transport, uint32_t slot, node_time_t now)
{
	if (transport->flows[slot].in_error)
		return;
	stats_flow_tx(transport->stats, slot)->naks++;
	go_back(transport, slot, false, now);
}

void transport_repeat(struct transport *transport, uint32_t slot, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];

	ENSURE(flow->acknowledged, <, flow->top);
	if (flow->in_error)
		return;
	flow->repeat = flow->acknowledged < flow->next; /* else it is the next one as it is */
	flow->timeout_at_ps = now + timeout_ps_of(transport, slot);
	flow_settle(transport, slot, now);
}

void transport_keep_timeout(struct transport *transport, uint32_t slot, node_time_t at_ps,
			    node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];

	if (flow->timeout_at_ps == NODE_TIME_NEVER)
		return;
	flow->timeout_at_ps = node_time_min(flow->timeout_at_ps, at_ps);
	flow_settle(transport, slot, now);
}

void transport_obey(struct transport *transport, uint32_t slot, node_time_t now)
{
	transport_congestion_obey(transport, slot);
	flow_settle(transport, slot, now);
}

bool transport_packet_at(const struct transport *transport, uint32_t slot, uint32_t stream,
			 uint64_t *packet)
{
	const struct transport_flow *flow = &transport->flows[slot];
	uint32_t full_bytes = flow->shape.capacity_bytes + stream_extra_bytes(flow),
		 entry = flow->messages.first;
	uint64_t at = flow->acknowledged, ahead;

	ahead = stream - (entry == INDEX_NONE ? flow->stream_end
					      : stream_of(flow, &transport->messages[entry], at));
	ahead &= UINT32_MAX;
	for (; ahead && entry != INDEX_NONE && at <= flow->top;
	     entry = transport->pool.next[entry]) {
		const struct transport_message *message = &transport->messages[entry];
		uint64_t end = message->packet + packets_of(flow, message);
		uint64_t last_bytes = message->bytes -
				      (end - 1 - message->packet) * flow->shape.capacity_bytes +
				      stream_extra_bytes(flow);
		uint64_t left = (end - 1 - at) * full_bytes + last_bytes;

		if (ahead < left) {
			at += ahead / full_bytes;
			ahead %= full_bytes;
			break;
		}
		ahead -= left;
		at = end;
	}
	*packet = at;
	return !ahead && at <= flow->top;
}

void transport_congested(struct transport *transport, uint32_t slot, node_time_t now)
{
	stats_flow_tx(transport->stats, slot)->cnps++;
	if (!transport_congestion_cnp(transport, slot, now))
		return;
	if (trace_often(transport->stats))
		flow_trace(transport, TRACE_CNP_RECEIVED, slot, 0,
			   transport_rate_bps(transport, slot, now), now);
	flow_settle(transport, slot, now);
}

/* ---- times ---- */

/* bytes of messages that have never been sent */
static uint64_t unsent_bytes(const struct transport *transport, const struct transport_flow *flow)
{
	uint64_t bytes = 0;

	for (uint32_t entry = flow->messages.first; entry != INDEX_NONE;
	     entry = transport->pool.next[entry]) {
		const struct transport_message *message = &transport->messages[entry];
		uint64_t sent = flow->top > message->packet
					? (flow->top - message->packet) * flow->shape.capacity_bytes
					: 0;

		bytes += sent < message->bytes ? message->bytes - sent : 0;
	}
	return bytes;
}

/* the flow gives up: its messages never end */
static void fail(struct transport *transport, uint32_t slot, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];

	stats_port(transport->stats, 0)->queue_bytes -= unsent_bytes(transport, flow);
	while (flow->messages.first != INDEX_NONE) {
		message_leave(transport, flow);
		transport->discarded++;
	}
	flow->in_error = true;
	flow->repeat = false;
	flow->sending = INDEX_NONE;
	flow->timeout_at_ps = NODE_TIME_NEVER;
	stats_flow_tx(transport->stats, slot)->in_error = 1;
	flow_trace(transport, TRACE_PAIR_ERROR, slot, (uint32_t)flow->acknowledged, flow->timeouts,
		   now);
	flow_settle(transport, slot, now);
}

static void on_timeout(struct transport *transport, uint32_t slot, node_time_t now)
{
	struct transport_flow *flow = &transport->flows[slot];

	stats_flow_tx(transport->stats, slot)->timeouts++;
	flow_trace(transport, TRACE_TIMEOUT, slot, (uint32_t)flow->acknowledged, flow->timeouts,
		   now);
	if (++flow->timeouts > transport->rules[flow->transport].timeouts_max)
		fail(transport, slot, now);
	else
		go_back(transport, slot, true, now);
}

void transport_step(struct transport *transport, node_time_t now)
{
	while (deadline_heap_next_at(&transport->timers) <= now) {
		uint32_t slot = deadline_heap_first(&transport->timers);

		if (transport->flows[slot].timeout_at_ps <= now)
			on_timeout(transport, slot, now);
		transport_congestion_step(transport, slot, now);
		deadline_heap_set(&transport->timers, slot, NODE_TIME_NEVER);
		flow_settle(transport, slot, now);
	}
}

/* ---- observing ---- */

uint64_t transport_rate_bps(const struct transport *transport, uint32_t slot, node_time_t now)
{
	const struct congestion *congestion = transport_congestion(transport, slot);
	const struct congestion_flow *state;

	if (!congestion->control)
		return 0;
	state = congestion_flow(congestion, slot);
	return congestion->control->rate_bps
		       ? congestion->control->rate_bps(congestion->shared, state, now)
		       : state->rate_bps;
}

struct transport_sample transport_sample(const struct transport *transport, uint32_t slot,
					 node_time_t now)
{
	const struct transport_flow *flow = &transport->flows[slot];
	const struct congestion *congestion = transport_congestion(transport, slot);
	uint32_t first = flow->messages.first;
	struct transport_sample sample = { 0 };

	/* a flow in error has given up its messages, acknowledged or not */
	if (first != INDEX_NONE) {
		sample.unacked_bytes = payload_bytes_before(transport, flow, flow->top);
		sample.queued_bytes = transport->message_bytes[slot] - sample.unacked_bytes -
				      (flow->acknowledged - transport->messages[first].packet) *
					      flow->shape.capacity_bytes;
	}
	if (flow->window_packets < TRANSPORT_WINDOW_MAX)
		sample.window_bytes = (uint64_t)flow->window_packets * flow->shape.capacity_bytes;
	if (congestion->control && congestion->control->sample)
		congestion->control->sample(congestion->shared, congestion_flow(congestion, slot),
					    now, &sample.control);
	else
		sample.control.rate_bps = transport_rate_bps(transport, slot, now);
	return sample;
}

uint32_t transport_waiting(const struct transport *transport, uint32_t slot)
{
	return index_list_count(&transport->pool, &transport->flows[slot].messages);
}
