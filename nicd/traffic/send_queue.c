#include "nicd/traffic/send_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct send_flow) == 64, "a flow is one cache line");

#define LINE_BYTES 64u

/* memory that begins with a cache line; never NULL for count 0 */
static void *lines_alloc(size_t count, size_t size)
{
	return aligned_alloc(LINE_BYTES, (count * size / LINE_BYTES + 1) * LINE_BYTES);
}

int send_queue_init(struct send_queue *queue, uint32_t host_index, uint32_t flows_max,
		    uint32_t messages_max)
{
	*queue = (struct send_queue){
		.host_index = host_index,
		.flows_max = flows_max,
		.flows = lines_alloc(flows_max, sizeof(*queue->flows)),
		.specs = lines_alloc(flows_max, sizeof(*queue->specs)),
		.names = lines_alloc(flows_max, sizeof(*queue->names)),
		.templates = lines_alloc(flows_max, sizeof(*queue->templates)),
		.messages = lines_alloc(messages_max, sizeof(*queue->messages)),
		.waiting_bytes = calloc(flows_max, sizeof(*queue->waiting_bytes)),
	};
	drr_init(&queue->drr);
	if (index_pool_init(&queue->pool, messages_max) || !queue->flows || !queue->specs ||
	    !queue->names || !queue->templates || !queue->messages || !queue->waiting_bytes) {
		send_queue_fini(queue);
		return -ENOMEM;
	}
	return 0;
}

void send_queue_fini(struct send_queue *queue)
{
	free(queue->flows);
	free(queue->specs);
	free(queue->names);
	free(queue->templates);
	free(queue->messages);
	free(queue->waiting_bytes);
	index_pool_fini(&queue->pool);
	*queue = (struct send_queue){ 0 };
}

/* headers and template of the flow in @slot */
static struct flow_headers headers_of(const struct send_queue *queue, uint32_t slot)
{
	return (struct flow_headers){
		.spec = &queue->specs[slot],
		.source = queue->host_index,
		.number = slot,
		.template = queue->templates[slot],
		.frame_bytes = &queue->flows[slot].template_frame_bytes,
	};
}

/* The name of the flow in @slot, parsed from one of its frames: an edge port derives the same name
 * from them. */
static struct flow_name name_of(const struct send_queue *queue, uint32_t slot, uint32_t frame_bytes)
{
	struct flow_headers headers = headers_of(queue, slot);
	struct frame_payload payload = { .source = queue->host_index };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured_bytes = flow_headers_write(&headers, frame_bytes, &payload, bytes);
	struct frame_fields fields = { 0 };
	int error = frame_parse(bytes, captured_bytes, frame_bytes, &fields);

	ENSURE(error, ==, 0);
	return flow_name_of(&fields, headers.spec->traffic_class);
}

uint32_t send_queue_open(struct send_queue *queue, const struct flow_spec *spec)
{
	uint32_t frame_bytes = message_frame_bytes(&spec->shape, spec->shape.capacity_bytes);
	uint32_t slot = queue->flow_count;

	if (slot == queue->flows_max)
		return SEND_NONE;
	ENSURE(spec->traffic_class, <, (uint32_t)NODE_CLASSES_MAX);
	ENSURE(spec->shape.capacity_bytes, !=, 0);
	queue->flow_count++;
	queue->specs[slot] = *spec;
	queue->flows[slot] = (struct send_flow){
		.turn = { .next = DRR_NONE },
		.shape = spec->shape,
		.traffic_class = (uint8_t)spec->traffic_class,
	};
	index_list_init(&queue->flows[slot].waiting);
	queue->names[slot] = name_of(queue, slot, frame_bytes);
	drr_quantum(&queue->drr, frame_bytes);
	return slot;
}

/* ---- messages ---- */

static void message_start(struct send_flow *flow, uint64_t bytes, node_time_t start_ps)
{
	flow->message_bytes = bytes;
	flow->left_bytes = bytes;
	flow->start_ps = start_ps;
}

void send_queue_put(struct send_queue *queue, uint32_t slot, uint64_t bytes, node_time_t start_ps)
{
	struct send_flow *flow = &queue->flows[slot];
	uint32_t entry;

	ENSURE(slot, <, queue->flow_count);
	ENSURE(bytes, !=, 0u);
	if (!flow->left_bytes) {
		message_start(flow, bytes, start_ps);
		drr_join(&queue->drr, send_queue_turns(queue), flow->traffic_class, slot);
		return;
	}
	entry = index_pool_take(&queue->pool);
	queue->messages[entry] = (struct send_message){ .bytes = bytes, .start_ps = start_ps };
	index_list_append(&queue->pool, &flow->waiting, entry);
	queue->waiting_bytes[slot] += bytes;
}

/* ---- packets ---- */

struct flow_packet send_queue_next(const struct send_queue *queue, uint32_t traffic_class)
{
	uint32_t slot = send_queue_head(queue, traffic_class);
	const struct send_flow *flow = &queue->flows[slot];

	return flow_packet_cut(slot, &flow->shape, flow->left_bytes,
			       flow->left_bytes == flow->message_bytes);
}

void send_queue_write(struct send_queue *queue, const struct flow_packet *packet, uint8_t *bytes)
{
	const struct send_flow *flow = &queue->flows[packet->flow];
	struct flow_headers headers = headers_of(queue, packet->flow);
	struct flow_packet_place place = {
		.packet = flow->packet,
		.message = flow->message,
		.message_bytes = flow->message_bytes,
		.message_start_ps = flow->start_ps,
	};

	flow_packet_write(&headers, packet, &place, bytes);
}

void send_queue_sent(struct send_queue *queue, const struct flow_packet *packet)
{
	struct send_flow *flow = &queue->flows[packet->flow];
	uint32_t next_bytes = 0;

	ENSURE(flow->left_bytes, >=, packet->payload_bytes);
	ENSURE(flow->turn.deficit_bytes, >=, packet->frame_bytes);
	flow->packet++;
	flow->left_bytes -= packet->payload_bytes;
	if (!flow->left_bytes) {
		flow->message++;
		if (flow->waiting.first != INDEX_NONE) {
			uint32_t entry = index_list_pop(&queue->pool, &flow->waiting);

			queue->waiting_bytes[packet->flow] -= queue->messages[entry].bytes;
			message_start(flow, queue->messages[entry].bytes,
				      queue->messages[entry].start_ps);
			index_pool_give(&queue->pool, entry);
		}
	}
	if (flow->left_bytes)
		next_bytes = message_frame_bytes(
			&flow->shape, message_payload_bytes(&flow->shape, flow->left_bytes));
	drr_sent(&queue->drr, send_queue_turns(queue), flow->traffic_class, packet->flow,
		 packet->frame_bytes, next_bytes);
}

/* ---- flows that are parked ---- */

void send_queue_park(struct send_queue *queue, uint32_t traffic_class, struct send_parked *parked)
{
	uint32_t slot = drr_leave(&queue->drr, send_queue_turns(queue), traffic_class);

	if (parked->first == SEND_NONE)
		parked->first = slot;
	else
		queue->flows[parked->last].turn.next = slot;
	parked->last = slot;
}

bool send_queue_unpark(struct send_queue *queue, struct send_parked *parked)
{
	uint32_t slot = parked->first;
	struct send_flow *flow;

	if (slot == SEND_NONE)
		return false;
	ENSURE(slot, <, queue->flow_count);
	flow = &queue->flows[slot];
	parked->first = flow->turn.next;
	flow->turn.next = DRR_NONE;
	drr_join(&queue->drr, send_queue_turns(queue), flow->traffic_class, slot);
	return true;
}

uint32_t send_queue_waiting(const struct send_queue *queue, uint32_t slot)
{
	const struct send_flow *flow = &queue->flows[slot];

	return (flow->left_bytes != 0) + index_list_count(&queue->pool, &flow->waiting);
}
