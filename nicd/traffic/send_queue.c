#include "nicd/traffic/send_queue.h"

#include <assert.h>
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
		.pool = lines_alloc(messages_max, sizeof(*queue->pool)),
		.pool_free = SEND_NONE,
		.pool_max = messages_max,
	};
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		queue->classes[c].tail = SEND_NONE;
	if (!queue->flows || !queue->specs || !queue->names || !queue->templates || !queue->pool) {
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
	free(queue->pool);
	*queue = (struct send_queue){ 0 };
}

/* the frame that the flow in @slot sends in packets of @frame_bytes */
static struct frame_spec frame_spec_of(const struct send_queue *queue, uint32_t slot,
				       uint32_t frame_bytes)
{
	const struct send_flow_spec *spec = &queue->specs[slot];

	return (struct frame_spec){
		.kind = spec->frame,
		.source = queue->host_index,
		.destination = spec->destination,
		.traffic_class = spec->traffic_class,
		.flow = slot,
		.frame_bytes = frame_bytes,
	};
}

/* read from a frame of its own: so the flow is named as whoever sees its frames would name it */
static struct flow_name name_of(const struct send_queue *queue, uint32_t slot, uint32_t frame_bytes)
{
	struct frame_spec spec = frame_spec_of(queue, slot, frame_bytes);
	struct frame_payload payload = { .source = queue->host_index };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured_bytes = frame_write(&spec, &payload, bytes);
	struct frame_fields fields = { 0 };
	int error = frame_parse(bytes, captured_bytes, frame_bytes, &fields);

	assert(!error); /* we wrote it */
	(void)error;
	return flow_name_of(&fields, spec.traffic_class);
}

uint32_t send_queue_open(struct send_queue *queue, const struct send_flow_spec *spec)
{
	uint32_t frame_bytes = message_frame_bytes(&spec->shape, spec->shape.capacity_bytes);
	uint32_t slot = queue->flow_count;

	if (slot == queue->flows_max)
		return SEND_NONE;
	queue->flow_count++;
	queue->specs[slot] = *spec;
	queue->flows[slot] = (struct send_flow){
		.first = SEND_NONE,
		.last = SEND_NONE,
		.next = SEND_NONE,
		.capacity_bytes = spec->shape.capacity_bytes,
		.overhead_bytes = (uint16_t)spec->shape.overhead_bytes,
		.frame_bytes_min = (uint16_t)spec->shape.frame_bytes_min,
		.padding_mask = (uint8_t)spec->shape.padding_mask,
		.traffic_class = (uint8_t)spec->traffic_class,
		.frame = (uint8_t)spec->frame,
	};
	queue->names[slot] = name_of(queue, slot, frame_bytes);
	if (frame_bytes > queue->turn_bytes)
		queue->turn_bytes = frame_bytes;
	return slot;
}

/* ---- messages ---- */

static uint32_t pool_take(struct send_queue *queue)
{
	uint32_t entry = queue->pool_free;

	if (entry == SEND_NONE)
		entry = queue->pool_fresh++;
	else
		queue->pool_free = queue->pool[entry].next;
	if (++queue->pool_count > queue->pool_count_max)
		queue->pool_count_max = queue->pool_count;
	return entry;
}

static void pool_give(struct send_queue *queue, uint32_t entry)
{
	queue->pool[entry].next = queue->pool_free;
	queue->pool_free = entry;
	queue->pool_count--;
}

static uint32_t payload_bytes_next(const struct send_flow *flow)
{
	return flow->left_bytes < flow->capacity_bytes ? (uint32_t)flow->left_bytes
						       : flow->capacity_bytes;
}

static uint32_t frame_bytes_next(const struct send_flow *flow)
{
	uint32_t payload_bytes = payload_bytes_next(flow);
	uint32_t frame_bytes = flow->overhead_bytes + ((payload_bytes + flow->padding_mask) &
						       ~(uint32_t)flow->padding_mask);

	return frame_bytes > flow->frame_bytes_min ? frame_bytes : flow->frame_bytes_min;
}

/* a turn begins for the flow at the head of the ring */
static void class_turn(struct send_queue *queue, struct send_class *class)
{
	struct send_flow *flow = &queue->flows[queue->flows[class->tail].next];

	flow->deficit_bytes += queue->turn_bytes;
	__builtin_prefetch(&queue->flows[flow->next]);
}

/* the flow in @slot has something to send: to the end of the ring */
static void class_join(struct send_queue *queue, uint32_t slot)
{
	struct send_flow *flow = &queue->flows[slot];
	struct send_class *class = &queue->classes[flow->traffic_class];

	if (class->tail == SEND_NONE) {
		flow->next = slot;
		class->tail = slot;
		queue->ready |= 1u << flow->traffic_class;
		class_turn(queue, class);
		return;
	}
	flow->next = queue->flows[class->tail].next;
	queue->flows[class->tail].next = slot;
	class->tail = slot;
}

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

	if (!flow->left_bytes) {
		message_start(flow, bytes, start_ps);
		class_join(queue, slot);
		return;
	}
	entry = pool_take(queue);
	queue->pool[entry] =
		(struct send_message){ .bytes = bytes, .start_ps = start_ps, .next = SEND_NONE };
	if (flow->first == SEND_NONE)
		flow->first = entry;
	else
		queue->pool[flow->last].next = entry;
	flow->last = entry;
}

/* ---- packets ---- */

struct send_packet send_queue_next(const struct send_queue *queue, uint32_t traffic_class)
{
	uint32_t slot = queue->flows[queue->classes[traffic_class].tail].next;
	const struct send_flow *flow = &queue->flows[slot];

	return (struct send_packet){
		.flow = slot,
		.frame_bytes = frame_bytes_next(flow),
		.captured_bytes = frame_headers_bytes(flow->frame),
		.payload_bytes = payload_bytes_next(flow),
		.message_first = flow->left_bytes == flow->message_bytes,
		.message_last = flow->left_bytes <= flow->capacity_bytes,
	};
}

/* headers hold the frame's length, so a packet of another length than the one before costs a new
 * template */
static void template_write(struct send_queue *queue, const struct send_packet *packet,
			   const struct frame_payload *payload)
{
	struct frame_spec frame = frame_spec_of(queue, packet->flow, packet->frame_bytes);

	frame_write(&frame, payload, queue->templates[packet->flow]);
	queue->flows[packet->flow].template_frame_bytes = packet->frame_bytes;
}

void send_queue_write(struct send_queue *queue, const struct send_packet *packet, uint8_t *bytes)
{
	const struct send_flow *flow = &queue->flows[packet->flow];
	struct frame_payload payload = {
		.source = queue->host_index,
		.flow_slot = packet->flow,
		.workload_index = queue->specs[packet->flow].workload_index,
		.packet = flow->packet,
		.message = flow->message,
		.message_bytes = flow->message_bytes,
		.message_start_ps = flow->start_ps,
		.payload_bytes = packet->payload_bytes,
		.message_first = packet->message_first,
		.message_last = packet->message_last,
	};

	if (flow->template_frame_bytes != packet->frame_bytes)
		template_write(queue, packet, &payload);
	memcpy(bytes, queue->templates[packet->flow], packet->captured_bytes);
	frame_payload_write(flow->frame, &payload, bytes);
}

/* the message is cut up completely: on to the next one that waits */
static void message_finish(struct send_queue *queue, struct send_flow *flow)
{
	uint32_t entry = flow->first;

	flow->message++;
	if (entry == SEND_NONE)
		return;
	message_start(flow, queue->pool[entry].bytes, queue->pool[entry].start_ps);
	flow->first = queue->pool[entry].next;
	pool_give(queue, entry);
}

/* the flow at the head of the ring leaves it */
static void class_leave(struct send_queue *queue, uint32_t traffic_class)
{
	struct send_class *class = &queue->classes[traffic_class];
	uint32_t slot = queue->flows[class->tail].next;

	queue->flows[slot].deficit_bytes = 0;
	if (slot == class->tail) {
		class->tail = SEND_NONE;
		queue->ready &= ~(1u << traffic_class);
		return;
	}
	queue->flows[class->tail].next = queue->flows[slot].next;
	class_turn(queue, class);
}

void send_queue_sent(struct send_queue *queue, uint32_t traffic_class,
		     const struct send_packet *packet)
{
	struct send_class *class = &queue->classes[traffic_class];
	struct send_flow *flow = &queue->flows[packet->flow];

	flow->packet++;
	flow->left_bytes -= packet->payload_bytes;
	flow->deficit_bytes -= packet->frame_bytes;
	if (!flow->left_bytes)
		message_finish(queue, flow);
	if (!flow->left_bytes) {
		class_leave(queue, traffic_class);
	} else if (flow->deficit_bytes < frame_bytes_next(flow)) {
		class->tail = packet->flow;
		class_turn(queue, class);
	}
}

void send_queue_park(struct send_queue *queue, uint32_t traffic_class)
{
	class_leave(queue, traffic_class);
}

void send_queue_unpark(struct send_queue *queue, uint32_t slot)
{
	class_join(queue, slot);
}

uint32_t send_queue_waiting(const struct send_queue *queue, uint32_t slot)
{
	const struct send_flow *flow = &queue->flows[slot];
	uint32_t count = flow->left_bytes != 0;

	for (uint32_t entry = flow->first; entry != SEND_NONE; entry = queue->pool[entry].next)
		count++;
	return count;
}
