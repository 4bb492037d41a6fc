#include "nicd/traffic/receive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ensure.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "nodes/wire/frame.h"

int receive_init(struct receive *receive, const struct node_config *config,
		 struct stats_page *stats)
{
	uint32_t bits = 4;

	while (1u << bits < 2 * stats->flows_max)
		bits++;
	*receive = (struct receive){
		.stats = stats,
		.flows = calloc(stats->flows_max, sizeof(*receive->flows)),
		.table = calloc(1u << bits, sizeof(*receive->table)),
		.table_shift = 64 - bits,
		.table_mask = (1u << bits) - 1,
		.frame_bytes_max = config->ports[0].mtu_bytes,
		.measure_from_ps = config->measure_from_ps,
		.measure_to_ps = config->measure_to_ps,
	};
	receive->log_turns = config->nic.host_queues != 0;
	receive->late_refused = config->fabric == FABRIC_PORT_GROUP;
	address_mac(config->nic.host_index, receive->mac);
	for (uint32_t c = 0; c < config->class_count; c++)
		receive->unordered |= (uint32_t)config->classes[c].unordered << c;
	if (message_set_init(&receive->incomplete) || !receive->flows || !receive->table) {
		receive_fini(receive);
		return -ENOMEM;
	}
	return 0;
}

void receive_fini(struct receive *receive)
{
	message_set_fini(&receive->incomplete);
	free(receive->flows);
	free(receive->table);
	*receive = (struct receive){ 0 };
}

/* ---- flows ---- */

/* the place of the flow in the hash table, or the empty one where it belongs */
static uint32_t *flow_place(struct receive *receive, uint32_t source, uint32_t source_slot)
{
	uint64_t key = (uint64_t)source << 32 | source_slot;
	/* Fibonacci hashing */
	uint64_t place = key * 0x9e3779b97f4a7c15ull >> receive->table_shift;

	for (;; place++) {
		uint32_t *entry = &receive->table[place & receive->table_mask];
		const struct receive_flow *flow;

		if (!*entry)
			return entry;
		flow = &receive->flows[*entry - 1];
		if (flow->source == source && flow->source_slot == source_slot)
			return entry;
	}
}

/* slot + 1 of the flow, which may be a new one; 0: there are flows_max others */
static uint32_t flow_find(struct receive *receive, const struct frame_payload *payload,
			  uint32_t traffic_class, node_time_t now)
{
	uint32_t *entry = flow_place(receive, payload->source, payload->flow_slot);
	struct stats_page *stats = receive->stats;
	uint32_t slot = (uint32_t)stats->flow_rx_count;

	if (*entry || slot == stats->flows_max)
		return *entry;
	receive->flows[slot] = (struct receive_flow){ .source = payload->source,
						      .source_slot = payload->flow_slot };
	*stats_flow_rx(stats, slot) = (struct flow_rx_stats){
		.source = payload->source,
		.source_slot = payload->flow_slot,
		.workload_index = payload->workload_index,
		.traffic_class = traffic_class,
		.first_ps = now,
	};
	stats->flow_rx_count = slot + 1;
	*entry = slot + 1;
	return *entry;
}

/* ---- order and completeness ---- */

static void message_log(const struct receive *receive, uint32_t slot,
			const struct frame_payload *payload, node_time_t now)
{
	struct stats_page *stats = receive->stats;
	uint64_t place = UINT64_MAX;

	stats_flow_rx(stats, slot)->messages++;
	trace(stats, (struct trace_entry){ .at_ps = now,
					   .kind = TRACE_MESSAGE_END,
					   .source = stats_flow_rx(stats, slot)->source + 1,
					   .detail = payload->message,
					   .value = payload->message_bytes });
	if (stats->message_count < stats->messages_max)
		place = stats->message_count;
	else if (receive->log_turns)
		place = stats->messages_unlogged % stats->messages_max;
	if (place != UINT64_MAX)
		*stats_message(stats, place) = (struct message_stats){
			.flow = slot,
			.bytes = payload->message_bytes,
			.start_ps = payload->message_start_ps,
			.end_ps = now,
		};
	if (stats->message_count < stats->messages_max)
		stats->message_count++;
	else
		stats->messages_unlogged++;
}

/* a packet in order: does it complete its message? */
static bool message_step(struct receive_flow *flow, const struct frame_payload *payload)
{
	if (payload->message_first) {
		flow->message = payload->message;
		flow->got_bytes = 0;
		flow->whole = true;
	}
	if (!flow->whole || payload->message != flow->message) {
		flow->whole = false;
		return false;
	}
	flow->got_bytes += payload->payload_bytes;
	if (!payload->message_last)
		return false;
	flow->whole = false;
	return flow->got_bytes == payload->message_bytes;
}

/* a packet of an unordered class: does it complete its message? Counts lost and overtaken
 * packets. */
static bool unordered_step(struct receive *receive, uint32_t slot, struct flow_rx_stats *stats,
			   const struct frame_payload *payload)
{
	struct receive_flow *flow = &receive->flows[slot];
	uint32_t ahead = payload->packet - flow->packet;

	if (ahead > INT32_MAX) {
		stats->out_of_order++;
		stats->lost -= stats->lost != 0;
	} else {
		stats->lost += ahead;
		flow->packet = payload->packet + 1;
	}
	return message_set_add(&receive->incomplete, slot, payload->message, payload->payload_bytes,
			       payload->message_bytes);
}

/* is the packet the next one in order, or ahead of it? Counts lost and overtaken packets. */
static bool order_step(struct receive_flow *flow, struct flow_rx_stats *stats, uint32_t packet)
{
	uint32_t ahead = packet - flow->packet;

	if (ahead > INT32_MAX) {
		stats->reordered++;
		stats->lost -= stats->lost != 0;
		return false;
	}
	if (ahead) {
		stats->lost += ahead;
		flow->whole = false;
	}
	flow->packet = packet + 1;
	return true;
}

void receive_drop(struct receive *receive, enum drop_reason reason, uint32_t frame_bytes,
		  node_time_t now)
{
	stats_port(receive->stats, 0)->dropped_bytes += frame_bytes;
	trace_drop(receive->stats, reason, 0, frame_bytes, NULL, now);
}

/* drops a frame.   Return: RECEIVE_NONE, for the caller to return */
static uint32_t refuse(struct receive *receive, enum drop_reason reason, uint32_t frame_bytes,
		       node_time_t now)
{
	receive_drop(receive, reason, frame_bytes, now);
	return RECEIVE_NONE;
}

uint32_t receive_place(struct receive *receive, const uint8_t *bytes, uint32_t captured_bytes,
		       uint32_t frame_bytes, uint32_t traffic_class, node_time_t now,
		       struct frame_payload *payload)
{
	uint32_t found;

	if (frame_bytes > receive->frame_bytes_max)
		return refuse(receive, DROP_OVERSIZE, frame_bytes, now);
	if (frame_payload_read(bytes, captured_bytes, frame_bytes, payload))
		return refuse(receive, DROP_MALFORMED, frame_bytes, now);
	found = memcmp(bytes, receive->mac, sizeof(receive->mac))
			? 0
			: flow_find(receive, payload, traffic_class, now);
	return found ? found - 1 : refuse(receive, DROP_UNKNOWN_FLOW, frame_bytes, now);
}

void receive_take(struct receive *receive, uint32_t slot, const struct frame_payload *payload,
		  uint32_t frame_bytes, node_time_t arrived, node_time_t now)
{
	struct stats_page *stats = receive->stats;
	struct flow_rx_stats *flow = stats_flow_rx(stats, slot);

	ENSURE((uint64_t)slot, <, stats->flow_rx_count);
	ENSURE(arrived, <=, now);
	flow->packets++;
	flow->bytes += frame_bytes;
	if (arrived >= receive->measure_from_ps && arrived < receive->measure_to_ps)
		flow->measured_bytes += frame_bytes;
	flow->last_ps = now;
	stats->delivered_packets++;
	stats->delivered_bytes += frame_bytes;
	if (receive->unordered >> flow->traffic_class & 1
		    ? unordered_step(receive, slot, flow, payload)
		    : order_step(&receive->flows[slot], flow, payload->packet) &&
			      message_step(&receive->flows[slot], payload))
		message_log(receive, slot, payload, now);
}

/* is it the packet that arrived last in order, once more? A link may duplicate packets
 * (link_impair.h) */
static bool is_duplicate(const struct receive *receive, uint32_t slot,
			 const struct frame_payload *payload)
{
	return receive->flows[slot].packet && payload->packet + 1 == receive->flows[slot].packet;
}

/* port-group: was the packet overtaken in a class that keeps order? */
static bool is_out_of_order(const struct receive *receive, uint32_t slot,
			    const struct frame_payload *payload)
{
	uint32_t traffic_class = stats_flow_rx(receive->stats, slot)->traffic_class;

	return receive->late_refused && !(receive->unordered >> traffic_class & 1) &&
	       payload->packet - receive->flows[slot].packet > INT32_MAX;
}

bool receive_frame(struct receive *receive, const uint8_t *bytes, uint32_t captured_bytes,
		   uint32_t frame_bytes, uint32_t traffic_class, node_time_t now)
{
	struct frame_payload payload;
	uint32_t slot = receive_place(receive, bytes, captured_bytes, frame_bytes, traffic_class,
				      now, &payload);

	if (slot == RECEIVE_NONE)
		return false;
	if (is_duplicate(receive, slot, &payload)) {
		stats_flow_rx(receive->stats, slot)->duplicates++;
		receive_drop(receive, DROP_DUPLICATE, frame_bytes, now);
		return false;
	}
	if (is_out_of_order(receive, slot, &payload)) {
		receive_drop(receive, DROP_OUT_OF_ORDER, frame_bytes, now);
		return false;
	}
	receive_take(receive, slot, &payload, frame_bytes, now, now);
	return true;
}
