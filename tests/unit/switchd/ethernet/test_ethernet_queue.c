/*  switchd/ethernet: the queues of an output: order, shares of classes, limits and statistics
 *  (RC-6). */
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

TEST_GROUP(queue, .setup = ethernet_setup, .teardown = teardown);

TEST(order__within_a_class)
{
	struct frame_payload payload;

	one_switch_open(&s);
	port_block(1);
	for (uint32_t i = 0; i < 50; i++) {
		roce_send(0, 0, 1, i, ROCE, 100 + i);
		roce_send_from(2, 2, 0, 1, i, TCP, 1000 + i);
	}
	one_switch_run(&s, NODE_MS);
	books_expect(100);
	port_unblock(1, NODE_MS);
	one_switch_run(&s, FAR);
	for (uint32_t tcp = 0, roce = 0, i = 0; i < 100; i++) {
		uint32_t bytes;

		ck_assert(neighbour_receive(&s, 1, RECORD_PACKET, &got));
		bytes = link_frame_bytes(&s.links[1], got.header.wire_bytes);
		ck_assert_int_eq(
			frame_payload_read(got.bytes, got.header.captured_bytes, bytes, &payload),
			0);
		ck_assert_uint_eq(bytes,
				  got.header.traffic_class == ROCE ? 100 + roce++ : 1000 + tcp++);
	}
	books_expect(0);
}

/* RC-6: 70:30 while both classes need more than the link has; the class is that of the frame, not
 * that of the record */
TEST(order__shares)
{
	uint64_t bytes[NODE_CLASSES_MAX] = { 0 };

	s.config.classes[TCP].min_permille = 700;
	s.config.classes[ROCE].min_permille = 300;
	one_switch_open(&s);
	for (uint32_t round = 0; round < 10; round++) {
		burst_send(0, round * 100 * FULL_PS, 1, TCP, 100);
		for (uint32_t i = 0; i < 100; i++)
			roce_send_from(2, 2, round * 100 * FULL_PS, 1, i, ROCE, FULL_BYTES);
		one_switch_run(&s, (round + 1) * 100 * FULL_PS);
		while (neighbour_receive(&s, 1, RECORD_PACKET, &got))
			bytes[got.header.traffic_class] += got.header.wire_bytes;
	}
	ck_assert_uint_ge(bytes[TCP] * 100, (bytes[TCP] + bytes[ROCE]) * 68);
	ck_assert_uint_le(bytes[TCP] * 100, (bytes[TCP] + bytes[ROCE]) * 72);
}

/* A class with half of the link has a frame in two frame times, though nothing else waits. */
TEST(order__class_with_a_limit)
{
	node_time_t before_ps = 0;

	s.config.classes[TCP].max_permille = 500;
	one_switch_open(&s);
	burst_send(0, 0, 1, TCP, 6);
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 6; i++) {
		packet_expect(1, FULL_BYTES);
		if (i >= 2) /* two may follow each other */
			ck_assert_uint_eq(got.header.at_ps - before_ps, 2 * FULL_PS);
		before_ps = got.header.at_ps;
	}
	books_expect(0);
}

/* RC-6: a lossy queue has its limit, and causes no pause */
TEST(drop__lossy_queue)
{
	struct pause_frame frame;

	s.config.roce.classes[TCP].queue_bytes_max = 5000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, TCP, 8);
	one_switch_run(&s, NODE_MS);
	ck_assert(!pause_receive(0, &frame));
	ck_assert_uint_eq(drops(DROP_QUEUE_FULL), 3);
	ck_assert_uint_eq(class_of(1, TCP)->drops, 3);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, 3 * FULL_BYTES);
	books_expect(5);
}

/* before and after the measured interval only the maximum counts */
TEST_RANGE(stats__delay_outside_of_the_measured_interval, 0, 2)
{
	if (_i)
		s.config.measure_to_ps = NODE_NS;
	else
		s.config.measure_from_ps = NODE_S;
	one_switch_open(&s);
	burst_send(0, 0, 1, ROCE, 2);
	roce_send_from(2, 2, 0, 1, 0, ROCE, FULL_BYTES);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(stats_of(1)->tx_packets, 3);
	ck_assert_uint_eq(class_of(1, ROCE)->tx_packets_measured, 0);
	ck_assert_uint_eq(class_of(1, ROCE)->tx_bytes_measured, 0);
	ck_assert_uint_eq(class_of(1, ROCE)->delay_ns_measured, 0);
	ck_assert_uint_eq(class_of(1, ROCE)->delay_ns_max, FULL_PS / NODE_NS);
}

TEST(stats__delay_and_queue)
{
	one_switch_open(&s);
	burst_send(0, 0, 1, ROCE, 2);
	/* arrives with the first: waits for it, and the second one waits for both */
	roce_send_from(2, 2, 0, 1, 0, ROCE, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(class_of(1, ROCE)->tx_packets_measured, 3);
	ck_assert_uint_eq(class_of(1, ROCE)->tx_bytes_measured, 3000);
	ck_assert_uint_eq(class_of(1, ROCE)->delay_ns_max, FULL_PS / NODE_NS);
	ck_assert_uint_eq(class_of(1, ROCE)->delay_ns_measured, 2 * (FULL_PS / NODE_NS));
	ck_assert_uint_eq(class_of(1, ROCE)->queue_bytes_max, 2000);
	ck_assert_uint_eq(class_of(1, ROCE)->queue_byte_ns_sum, 2 * 1000 * FULL_PS / NODE_NS);
	ck_assert_uint_eq(stats_of(1)->queue_bytes_max, 2000);
	ck_assert_uint_eq(stats_of(1)->queue_bytes, 0);
}
