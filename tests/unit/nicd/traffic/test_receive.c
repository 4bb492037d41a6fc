/*  nicd/traffic/receive: frames are checked, flows are followed, losses and complete messages are
 *  counted (FC-17, TB-7, TB-13, TB-23). */
#include <stdlib.h>
#include <string.h>

#include "nicd/traffic/receive.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define HOST 4u
#define FLOWS_MAX 64u
#define MESSAGES_MAX 8u
#define FRAME_BYTES 1000u

static struct port_config port = { .mtu_bytes = 9000 };
static struct node_config config;
static struct stats_page *stats;
static struct receive receive;

static void setup(void)
{
	config = (struct node_config){
		.kind = NODE_NIC,
		.port_count = 1,
		.ports = &port,
		.measure_from_ps = 100,
		.measure_to_ps = 200,
		.nic = { .host_index = HOST, .flows_max = FLOWS_MAX, .messages_max = MESSAGES_MAX },
	};
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	ck_assert_int_eq(receive_init(&receive, &config, stats), 0);
}

static void teardown(void)
{
	receive_fini(&receive);
	free(stats);
}

/* a frame from @payload->source to @destination arrives */
static bool arrives_at(uint32_t destination, const struct frame_payload *payload, node_time_t now)
{
	struct frame_spec spec = {
		.kind = FRAME_IPV4,
		.source = payload->source,
		.destination = destination,
		.flow = payload->flow_slot,
		.frame_bytes = FRAME_BYTES,
	};
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured_bytes = frame_write(&spec, payload, bytes);

	return receive_frame(&receive, bytes, captured_bytes, FRAME_BYTES, 0, now);
}

/* Packet @packet of flow (source 1, slot 0) arrives. Each message has three packets of 300
 * bytes. */
static bool packet_arrives(uint32_t packet, node_time_t now)
{
	struct frame_payload payload = {
		.source = 1,
		.packet = packet,
		.message = packet / 3,
		.message_bytes = 900,
		.message_start_ps = 10 * (packet / 3),
		.payload_bytes = 300,
		.message_first = packet % 3 == 0,
		.message_last = packet % 3 == 2,
	};

	return arrives_at(HOST, &payload, now);
}

TEST_GROUP(receive, .setup = setup, .teardown = teardown);

/* TB-13: a complete message is logged with its times */
TEST(receive_frame__complete_message_is_logged)
{
	const struct flow_rx_stats *flow = stats_flow_rx(stats, 0);

	for (uint32_t i = 0; i < 6; i++)
		ck_assert(packet_arrives(i, 50 + i));
	ck_assert_uint_eq(stats->message_count, 2);
	ck_assert_uint_eq(stats_message(stats, 1)->bytes, 900);
	ck_assert_uint_eq(stats_message(stats, 1)->start_ps, 10);
	ck_assert_uint_eq(stats_message(stats, 1)->end_ps, 55);
	ck_assert_uint_eq(flow->messages, 2);
	ck_assert_uint_eq(flow->packets, 6);
	ck_assert_uint_eq(flow->bytes, 6 * FRAME_BYTES);
	ck_assert_uint_eq(flow->first_ps, 50);
	ck_assert_uint_eq(flow->last_ps, 55);
	ck_assert_uint_eq(flow->lost + flow->reordered, 0);
	ck_assert_uint_eq(stats->delivered_packets, 6);
	ck_assert_uint_eq(stats->delivered_bytes, 6 * FRAME_BYTES);
}

/* FC-17: a gap is detected. The message with the gap never completes; the next one does. _i: the
 * lost packet. */
TEST_RANGE(receive_frame__gap_leaves_its_message_incomplete, 0, 3)
{
	for (uint32_t i = 0; i < 6; i++) {
		if (i != (uint32_t)_i)
			ck_assert(packet_arrives(i, 50));
	}
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->lost, 1);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->reordered, 0);
	ck_assert_uint_eq(stats->message_count, 1);
	ck_assert_uint_eq(stats_message(stats, 0)->start_ps, 10);
}

/* FC-17: the end of one message and the beginning of the next are lost */
TEST(receive_frame__gap_over_two_messages)
{
	packet_arrives(0, 50);
	packet_arrives(1, 50);
	packet_arrives(5, 50);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->lost, 3);
	ck_assert_uint_eq(stats->message_count, 0);
	for (uint32_t i = 6; i < 9; i++)
		packet_arrives(i, 50);
	ck_assert_uint_eq(stats->message_count, 1);
}

/* FC-17: a packet that was overtaken is counted, and is no longer lost */
TEST(receive_frame__reordered_is_not_lost)
{
	packet_arrives(0, 50);
	packet_arrives(2, 50);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->lost, 1);
	packet_arrives(1, 50);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->lost, 0);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->reordered, 1);
	ck_assert_uint_eq(stats->message_count, 0);
}

/* FC-17: the first packet of a message, late or repeated, does not start the message again. The
 * present message completes, the old one never does. */
TEST_RANGE(receive_frame__late_first_packet_starts_nothing, 0, 2)
{
	if (_i)
		packet_arrives(0, 50); /* it arrives twice */
	packet_arrives(1, 50);
	packet_arrives(2, 50);
	packet_arrives(3, 50);
	packet_arrives(4, 50);
	packet_arrives(0, 50);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->reordered, 1);
	packet_arrives(5, 50);
	ck_assert_uint_eq(stats->message_count, 1u + (uint32_t)_i);
	ck_assert_uint_eq(stats_message(stats, (uint32_t)_i)->start_ps, 10);
}

/* FC-17, DU-6: repeated bytes count in no message, and the packet as a duplicate */
TEST(receive_frame__repeated_bytes_do_not_count)
{
	packet_arrives(0, 50);
	packet_arrives(1, 50);
	packet_arrives(1, 50);
	packet_arrives(2, 50);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->reordered, 0);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->duplicates, 1);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->packets, 3);
	ck_assert_uint_eq(stats->drops[DROP_DUPLICATE], 1);
	ck_assert_uint_eq(stats->message_count, 1);
	ck_assert_uint_eq(stats_message(stats, 0)->bytes, 900);
}

/* in a fabric of kind port-group nothing else detects a loss: the late packet stays lost, unless
 * its class may be reordered */
TEST(receive_frame__late_packet_is_dropped_if_refused)
{
	receive.late_refused = true;
	packet_arrives(0, 10);
	packet_arrives(2, 20);
	ck_assert(!packet_arrives(1, 30));
	ck_assert_uint_eq(stats->drops[DROP_OUT_OF_ORDER], 1);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->reordered, 0);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->lost, 1);
	receive.unordered = 1;
	ck_assert(packet_arrives(1, 40));
}

TEST(receive_frame__message_with_missing_bytes)
{
	struct frame_payload payload = { .source = 1,
					 .message_bytes = 900,
					 .payload_bytes = 899,
					 .message_first = true,
					 .message_last = true };

	ck_assert(arrives_at(HOST, &payload, 50));
	ck_assert_uint_eq(stats->message_count, 0);
}

/* TB-13: only bytes that arrive within [measure_from, measure_to) count */
TEST(receive_frame__only_the_measured_interval_counts)
{
	static const node_time_t times[] = { 99, 100, 199, 200 };

	for (uint32_t i = 0; i < 4; i++)
		packet_arrives(i, times[i]);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->measured_bytes, 2 * FRAME_BYTES);
}

/* with a host the last completions stay */
TEST(receive_frame__full_log_keeps_the_last_with_a_host)
{
	config.nic.host_queues = 1;
	receive_fini(&receive);
	ck_assert_int_eq(receive_init(&receive, &config, stats), 0);
	for (uint32_t i = 0; i < 3 * (MESSAGES_MAX + 2); i++)
		packet_arrives(i, 200);
	ck_assert_uint_eq(stats->message_count, MESSAGES_MAX);
	ck_assert_uint_eq(stats->messages_unlogged, 2);
	ck_assert_uint_eq(stats_message(stats, 0)->start_ps, 10 * MESSAGES_MAX);
	ck_assert_uint_eq(stats_message(stats, 1)->start_ps, 10 * (MESSAGES_MAX + 1));
	ck_assert_uint_eq(stats_message(stats, 2)->start_ps, 20);
}

TEST(receive_frame__full_log_is_counted)
{
	for (uint32_t i = 0; i < 3 * (MESSAGES_MAX + 2); i++)
		packet_arrives(i, 50);
	ck_assert_uint_eq(stats->message_count, MESSAGES_MAX);
	ck_assert_uint_eq(stats->messages_unlogged, 2);
	ck_assert_uint_eq(stats_flow_rx(stats, 0)->messages, MESSAGES_MAX + 2);
}

/* TB-7: slots follow the order of first arrival; one flow too many is dropped and counted */
TEST(receive_frame__slots_by_first_arrival)
{
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < FLOWS_MAX; i++) {
			struct frame_payload payload = { .source = 1000 - 7 * i,
							 .flow_slot = i * 5,
							 .packet = round };

			ck_assert(arrives_at(HOST, &payload, 50));
			ck_assert_uint_eq(stats_flow_rx(stats, i)->source, 1000 - 7 * i);
			ck_assert_uint_eq(stats_flow_rx(stats, i)->source_slot, i * 5);
			ck_assert_uint_eq(stats_flow_rx(stats, i)->packets, round + 1);
		}
	}
	ck_assert_uint_eq(stats->flow_rx_count, FLOWS_MAX);
	ck_assert(!packet_arrives(0, 50));
	ck_assert_uint_eq(stats->drops[DROP_UNKNOWN_FLOW], 1);
	ck_assert_uint_eq(stats->delivered_packets, 2 * FLOWS_MAX);
}

/* TB-23: a frame that is for another host, too long or no generated frame is dropped, each under
 * its own reason */
TEST(receive_frame__bad_frames_are_dropped_by_reason)
{
	struct frame_payload payload = { .source = 1 };
	uint8_t bytes[FRAME_HEADERS_MAX] = { 0 };

	ck_assert(!arrives_at(HOST + 1, &payload, 50));
	ck_assert_uint_eq(stats->drops[DROP_UNKNOWN_FLOW], 1);
	ck_assert(!receive_frame(&receive, bytes, 60, 9001, 0, 50));
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE], 1);
	ck_assert(!receive_frame(&receive, bytes, 60, 60, 0, 50));
	ck_assert(!receive_frame(&receive, bytes, 60, 50, 0, 50));
	ck_assert(!receive_frame(&receive, bytes, 0, 100, 0, 50));
	ck_assert_uint_eq(stats->drops[DROP_MALFORMED], 3);
	ck_assert_uint_eq(stats->flow_rx_count, 0);
	ck_assert_uint_eq(stats->delivered_packets, 0);
}
