/*  nicd/traffic/send_queue: messages are cut into packets; flows of a class share it fairly (FC-19,
 *  FC-21, EC-17, TB-12). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/traffic/send_queue.h"
#include "tests/testing.h"

#define HOST 3u

static struct send_queue queue;

static void queue_init(uint32_t flows_max, uint32_t messages_max)
{
	ck_assert_int_eq(send_queue_init(&queue, HOST, flows_max, messages_max), 0);
}

static uint32_t flow_open(uint32_t destination, uint32_t traffic_class, enum frame_kind frame,
			  uint32_t packet_bytes)
{
	struct flow_spec spec = {
		.workload = 9,
		.workload_index = 5,
		.destination = destination,
		.traffic_class = traffic_class,
		.shape = message_shape_of(frame, packet_bytes),
	};

	return send_queue_open(&queue, &spec);
}

/* sends the next packet of a class */
static struct flow_packet send_one(uint32_t traffic_class)
{
	struct flow_packet packet = send_queue_next(&queue, traffic_class);

	send_queue_sent(&queue, &packet);
	return packet;
}

/* TB-12: every packet is full but the last one */
TEST(send_queue_next__cuts_a_message)
{
	uint32_t overhead = frame_overhead_bytes(FRAME_IPV4), capacity = 4096 - overhead, slot;
	struct flow_packet packet;

	queue_init(4, 4);
	slot = flow_open(1, 0, FRAME_IPV4, 4096);
	ck_assert_uint_eq(queue.drr.ready, 0);
	send_queue_put(&queue, slot, 2 * capacity + 100, 0);
	ck_assert_uint_eq(queue.drr.ready, 1);
	packet = send_one(0);
	ck_assert(packet.message_first && !packet.message_last);
	ck_assert_uint_eq(packet.frame_bytes, 4096);
	packet = send_one(0);
	ck_assert(!packet.message_first && !packet.message_last);
	packet = send_one(0);
	ck_assert(!packet.message_first && packet.message_last);
	ck_assert_uint_eq(packet.payload_bytes, 100);
	ck_assert_uint_eq(packet.frame_bytes, overhead + 100);
	ck_assert_uint_eq(queue.drr.ready, 0);
	send_queue_fini(&queue);
}

TEST(send_queue_next__exact_multiple_and_padding)
{
	uint32_t capacity = 1000 - frame_overhead_bytes(FRAME_ETHERNET), slot;
	struct flow_packet packet;

	queue_init(4, 4);
	slot = flow_open(1, 0, FRAME_ETHERNET, 1000);
	send_queue_put(&queue, slot, capacity, 0);
	send_queue_put(&queue, slot, 1, 0);
	packet = send_one(0);
	ck_assert(packet.message_first && packet.message_last);
	ck_assert_uint_eq(packet.payload_bytes, capacity);
	packet = send_one(0);
	ck_assert_uint_eq(packet.payload_bytes, 1);
	ck_assert_uint_eq(packet.frame_bytes, FRAME_BYTES_MIN);
	send_queue_fini(&queue);
}

TEST(send_queue_put__messages_of_a_flow_in_order)
{
	uint32_t slot;

	queue_init(2, 8);
	slot = flow_open(1, 0, FRAME_HPC, 1500);
	for (uint32_t i = 0; i < 5; i++)
		send_queue_put(&queue, slot, 10 + i, 1000 * i);
	ck_assert_uint_eq(send_queue_waiting(&queue, slot), 5);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(queue.flows[slot].message, i);
		ck_assert_uint_eq(queue.flows[slot].start_ps, 1000 * i);
		ck_assert_uint_eq(send_one(0).payload_bytes, 10 + i);
	}
	ck_assert_uint_eq(send_queue_waiting(&queue, slot), 0);
	ck_assert_uint_eq(queue.pool.count, 0);
	ck_assert_uint_eq(queue.pool.count_max, 4);
	send_queue_fini(&queue);
}

TEST(send_queue_full__until_a_message_is_sent)
{
	uint32_t slot;

	queue_init(1, 2);
	slot = flow_open(1, 0, FRAME_ETHERNET, 1500);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert(!send_queue_full(&queue));
		send_queue_put(&queue, slot, 100, 0);
	}
	ck_assert(send_queue_full(&queue));
	for (uint32_t i = 0; i < 50; i++) {
		send_one(0);
		ck_assert(!send_queue_full(&queue));
		send_queue_put(&queue, slot, 100, 0);
		ck_assert(send_queue_full(&queue));
	}
	send_queue_fini(&queue);
}

TEST(send_queue_open__full_table_is_an_error)
{
	queue_init(2, 2);
	ck_assert_uint_eq(flow_open(1, 0, FRAME_ETHERNET, 1500), 0);
	ck_assert_uint_eq(flow_open(2, 0, FRAME_ETHERNET, 1500), 1);
	ck_assert_uint_eq(flow_open(3, 0, FRAME_ETHERNET, 1500), SEND_NONE);
	send_queue_fini(&queue);
}

/* FC-19: within a class, fairly per flow; equal frames alternate */
TEST(send_queue_sent__equal_frames_alternate)
{
	uint32_t slots[3];

	queue_init(3, 3);
	for (uint32_t i = 0; i < 3; i++) {
		slots[i] = flow_open(i, 0, FRAME_ETHERNET, 1500);
		send_queue_put(&queue, slots[i], 1000000, 0);
	}
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_uint_eq(send_one(0).flow, slots[i % 3]);
	send_queue_fini(&queue);
}

/* FC-19: unequal frames share by bytes */
TEST(send_queue_sent__unequal_frames_share_by_bytes)
{
	uint32_t small, large;
	int64_t sent[2] = { 0 };

	queue_init(2, 3);
	small = flow_open(1, 0, FRAME_ETHERNET, 100);
	large = flow_open(2, 0, FRAME_ETHERNET, 9000);
	send_queue_put(&queue, small, 100000000, 0);
	send_queue_put(&queue, large, 100000000, 0);
	for (uint32_t i = 0; i < 20000; i++) {
		struct flow_packet packet = send_one(0);

		sent[packet.flow] += packet.frame_bytes;
		ck_assert_int_le(llabs(sent[0] - sent[1]), 2 * 9000);
	}
	send_queue_fini(&queue);
}

/* an idle flow saves up nothing; when it returns it waits for its turn */
TEST(send_queue_sent__idle_flow_saves_up_nothing)
{
	uint32_t a, b;

	queue_init(2, 8);
	a = flow_open(1, 0, FRAME_ETHERNET, 1500);
	b = flow_open(2, 0, FRAME_ETHERNET, 1500);
	send_queue_put(&queue, a, 10, 0);
	send_queue_put(&queue, b, 100000, 0);
	ck_assert_uint_eq(send_one(0).flow, a);
	ck_assert_uint_eq(queue.flows[a].turn.deficit_bytes, 0);
	ck_assert_uint_eq(send_one(0).flow, b);
	send_queue_put(&queue, a, 100000, 0);
	ck_assert_uint_eq(send_one(0).flow, b);
	ck_assert_uint_eq(send_one(0).flow, a);
	ck_assert_uint_eq(send_one(0).flow, b);
	send_queue_fini(&queue);
}

TEST(send_queue_sent__classes_are_separate)
{
	uint32_t a, b;

	queue_init(2, 8);
	a = flow_open(1, 2, FRAME_ETHERNET, 1500);
	b = flow_open(1, 5, FRAME_ETHERNET, 1500);
	send_queue_put(&queue, a, 10, 0);
	send_queue_put(&queue, b, 10, 0);
	ck_assert_uint_eq(queue.drr.ready, 1u << 2 | 1u << 5);
	ck_assert_uint_eq(send_one(5).flow, b);
	ck_assert_uint_eq(queue.drr.ready, 1u << 2);
	ck_assert_uint_eq(send_one(2).flow, a);
	ck_assert_uint_eq(queue.drr.ready, 0);
	send_queue_fini(&queue);
}

/* EC-17: one flow is parked with all its packets; the other continues */
TEST(send_queue_park__others_continue)
{
	struct send_parked parked = { .first = SEND_NONE };
	uint32_t a, b;

	queue_init(2, 8);
	a = flow_open(1, 0, FRAME_ETHERNET, 1500);
	b = flow_open(2, 0, FRAME_ETHERNET, 1500);
	send_queue_put(&queue, a, 100000, 0);
	send_queue_put(&queue, b, 100000, 0);
	ck_assert_uint_eq(send_queue_head(&queue, 0), a);
	send_queue_park(&queue, 0, &parked);
	send_queue_put(&queue, a, 10, 0);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(send_one(0).flow, b);
	ck_assert_uint_eq(send_queue_waiting(&queue, a), 2);
	send_queue_park(&queue, 0, &parked);
	ck_assert_uint_eq(queue.drr.ready, 0);
	ck_assert(send_queue_unpark(&queue, &parked));
	ck_assert(send_queue_unpark(&queue, &parked));
	ck_assert(!send_queue_unpark(&queue, &parked));
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(send_one(0).flow, a);
		ck_assert_uint_eq(send_one(0).flow, b);
	}
	send_queue_fini(&queue);
}

TEST(send_queue_open__names_the_flow)
{
	uint32_t a, b;

	queue_init(2, 8);
	a = flow_open(1, 3, FRAME_IPV4, 1500);
	b = flow_open(1, 3, FRAME_IPV4, 1500);
	ck_assert_uint_eq(queue.names[a].kind, FLOW_IPV4);
	ck_assert_uint_eq(queue.names[a].traffic_class, 3);
	ck_assert_uint_eq(queue.names[a].source_port, 0xc000);
	ck_assert_uint_eq(queue.names[b].source_port, 0xc001);
	ck_assert_uint_eq(queue.names[a].destination_ip[3], 2);
	send_queue_fini(&queue);
}

/* FC-21: the written bytes are a frame of the given kind and length, with its payload; _i is the
 * kind */
TEST_RANGE(send_queue_write__frame_reads_back, 0, FRAME_KINDS)
{
	uint32_t capacity = frame_payload_max((enum frame_kind)_i, 1500), slot;
	uint8_t bytes[FRAME_HEADERS_MAX];

	queue_init(2, 8);
	slot = flow_open(7, 1, (enum frame_kind)_i, 1500);
	send_queue_put(&queue, slot, 2 * capacity + 1, 77);
	send_queue_put(&queue, slot, 3, 78);
	for (uint32_t i = 0; i < 4; i++) {
		struct flow_packet packet = send_queue_next(&queue, 1);
		struct frame_payload payload;
		struct frame_fields fields;

		memset(bytes, 0xaa, sizeof(bytes));
		send_queue_write(&queue, &packet, bytes);
		send_queue_sent(&queue, &packet);
		ck_assert_int_eq(
			frame_parse(bytes, packet.captured_bytes, packet.frame_bytes, &fields), 0);
		ck_assert_uint_eq(fields.priority, 1);
		ck_assert_int_eq(frame_payload_read(bytes, packet.captured_bytes,
						    packet.frame_bytes, &payload),
				 0);
		ck_assert_uint_eq(payload.source, HOST);
		ck_assert_uint_eq(payload.flow_slot, slot);
		ck_assert_uint_eq(payload.workload_index, 5);
		ck_assert_uint_eq(payload.packet, i);
		ck_assert_uint_eq(payload.message, i / 3);
		ck_assert_uint_eq(payload.message_bytes, i < 3 ? 2 * capacity + 1 : 3);
		ck_assert_uint_eq(payload.message_start_ps, i < 3 ? 77 : 78);
		ck_assert_uint_eq(payload.payload_bytes, packet.payload_bytes);
		ck_assert_uint_eq(payload.message_first, i % 3 == 0);
		ck_assert_uint_eq(payload.message_last, i >= 2);
	}
	send_queue_fini(&queue);
}

TEST_SIGNAL(send_queue_put__no_bytes_aborts, SIGABRT)
{
	queue_init(2, 8);
	send_queue_put(&queue, flow_open(1, 0, FRAME_IPV4, 1500), 0, 0);
}

/* a class without messages has no next packet */
TEST_SIGNAL(send_queue_next__of_an_empty_class_aborts, SIGABRT)
{
	queue_init(2, 8);
	send_queue_next(&queue, 0);
}
