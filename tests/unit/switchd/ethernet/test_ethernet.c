/*  switchd/ethernet/ethernet: one Ethernet switch whose neighbours are played by hand
 *  (tests/unit/switchd/ethernet/one_ethernet.h): where frames go, in which order and share, what
 *  marks them, who is stopped and when, what is dropped and counted (RC-1, RC-5, RC-6, TB-7, TB-10,
 *  TB-23, TB-25, FC-26). */
#include <errno.h>
#include <stdio.h>

#include "nodes/base/bytes.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "switchd/ethernet/ethernet_forward.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"
#include "tests/unit/switchd/flow_channel/packet_flood.h"

/* ---- where frames go ---- */

TEST_GROUP(forward, .setup = ethernet_setup, .teardown = teardown);

/* RC-4: what comes out is what went in, and nothing in front of it, also between switches; store
 * and forward */
TEST(forward__to_a_host_and_to_a_switch)
{
	uint8_t frame[FRAME_HEADERS_MAX];
	uint32_t captured;
	node_time_t at;

	one_switch_open(&s);
	at = roce_send(0, 1000, 1, 7, ROCE, 1500);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 1500, at + 1504 * BYTE_PS + LEAD);
	captured = roce_make(0, 1, 7, ROCE, 1500, frame);
	ck_assert_uint_eq(got.header.wire_bytes, 1504);
	ck_assert_uint_eq(got.header.traffic_class, ROCE);
	ck_assert_uint_eq(got.header.captured_bytes, captured);
	ck_assert_mem_eq(got.bytes, frame, captured);
	roce_send(0, NODE_US, 3, 7, TCP, 100);
	one_switch_run(&s, FAR);
	packet_expect(2, 100);
	ck_assert_uint_eq(got.header.wire_bytes, 104);
	no_packet_expect(1);
	no_packet_expect(3);
	books_expect(0);
	ck_assert_uint_eq(s.stats->data_hops, 2);
}

TEST(forward__through)
{
	one_switch_open(&s);
	roce_send_from(2, 2, 0, 4, 1, ROCE, 500);
	one_switch_run(&s, FAR);
	packet_expect(3, 500);
}

TEST(forward__cut_through)
{
	node_time_t at;

	s.config.switch_.cut_through = true;
	one_switch_open(&s);
	at = roce_send(0, 0, 1, 7, ROCE, 1500);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 1500, at + 64 * BYTE_PS + LEAD);
}

/* a frame never goes back where it came from: a table that says so is wrong */
TEST(forward__not_back)
{
	one_switch_open(&s);
	roce_send_from(2, 4, 0, 2, 1, ROCE, 500);
	one_switch_run(&s, FAR);
	no_packet_expect(2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(stats_of(2)->dropped_bytes, 500);
	books_expect(0);
}

/* RC-5: over a link between switches a frame loses one hop, between two hosts here none; with the
 * last one it goes no further, and is counted */
TEST(forward__ttl)
{
	uint8_t frame[FRAME_HEADERS_MAX];
	uint32_t captured;

	one_switch_open(&s);
	roce_send_from(2, 2, 0, 4, 1, ROCE, 500);
	roce_send(0, 0, 2, 1, ROCE, 500);
	roce_send(0, NODE_US, 1, 1, ROCE, 500);
	one_switch_run(&s, FAR);
	packet_expect(3, 500);
	ck_assert_uint_eq(got.bytes[14 + 8], 63);
	packet_expect(2, 500);
	ck_assert_uint_eq(got.bytes[14 + 8], 63);
	packet_expect(1, 500);
	ck_assert_uint_eq(got.bytes[14 + 8], 64);
	captured = roce_make(2, 4, 1, ROCE, 500, frame);
	frame[14 + 8] = 1;
	bytes_put16(frame + 14 + 10, (uint16_t)(bytes_get16(frame + 14 + 10) + 0x3f00));
	if (bytes_get16(frame + 14 + 10) < 0x3f00)
		frame[14 + 11]++; /* the carry of the ones' complement sum */
	neighbour_send_frame(&s, 2, 2 * NODE_US, RECORD_PACKET, 504, 0, frame, captured);
	one_switch_run(&s, FAR);
	no_packet_expect(3);
	ck_assert_uint_eq(drops(DROP_TTL), 1);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 0);
	books_expect(0);
}

/* the queue pairs of two hosts differ by their UDP source port alone; each keeps its way */
TEST(forward__ecmp)
{
	uint32_t count[PORTS] = { 0 };

	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	for (uint32_t flow = 0; flow < 64; flow++) {
		roce_send(0, 0, 2, flow, ROCE, 200);
		roce_send(0, 0, 2, flow, ROCE, 200);
	}
	one_switch_run(&s, FAR);
	for (uint32_t p = 2; p < 4; p++)
		while (neighbour_receive(&s, p, RECORD_PACKET, &got)) {
			uint32_t port = bytes_get16(got.bytes + 14 + 20);

			/* the second of the flow */
			ck_assert(neighbour_receive(&s, p, RECORD_PACKET, &got));
			ck_assert_uint_eq(bytes_get16(got.bytes + 14 + 20), port);
			count[p]++;
		}
	ck_assert_uint_eq(count[2] + count[3], 64);
	ck_assert_uint_gt(count[2], 16);
	ck_assert_uint_gt(count[3], 16);
}

/* FC-3: what is for a network behind host 1 leaves at its port, though the MAC is of no host */
TEST(forward__to_a_prefix)
{
	struct prefix_config prefix = {
		.host_index = 1, .version = 4, .bits = 24, .address = { 10, 0, 99 }
	};
	uint8_t bytes[FRAME_HEADERS_MAX], *ip = bytes + 14;
	uint32_t captured = roce_make(0, 1, 0, TCP, 300, bytes), sum = 0;

	s.config.switch_.prefixes = &prefix;
	s.config.switch_.prefix_count = 1;
	one_switch_open(&s);
	memcpy(bytes, (const uint8_t[]){ 2, 9, 9, 9, 9, 9 }, 6);
	memcpy(ip + 16, (const uint8_t[]){ 10, 0, 99, 77 }, 4);
	bytes_put16(ip + 10, 0);
	for (uint32_t i = 0; i < 20; i += 2)
		sum += bytes_get16(ip + i);
	bytes_put16(ip + 10, (uint16_t) ~(sum % 0xffff));
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 304, TCP, bytes, captured);
	one_switch_run(&s, FAR);
	packet_expect(1, 300);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	ck_assert_uint_eq(drops_all(), 0);
	books_expect(0);
}

/* ---- flooding ---- */

static void broadcast_send(uint32_t port, uint32_t source, node_time_t at)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = roce_make(source, 1, 0, TCP, 300, bytes);

	memset(bytes, 0xff, 6);
	neighbour_send_frame(&s, port, at, RECORD_PACKET, 304, 0, bytes, captured);
}

TEST(flood__along_the_tree)
{
	s.config.switch_.flood_ports = 1 << 0 | 1 << 1 | 1 << 2;
	one_switch_open(&s);
	broadcast_send(0, 0, 0);
	one_switch_run(&s, FAR);
	no_packet_expect(0);
	packet_expect(1, 300);
	packet_expect(2, 300);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->flooded_packets, 2);
	ck_assert_uint_eq(s.stats->flooded_bytes, 600);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, 300);
	broadcast_send(2, 2, NODE_US);
	one_switch_run(&s, FAR);
	packet_expect(0, 300);
	packet_expect(1, 300);
	no_packet_expect(2);
	ck_assert_uint_eq(drops_all(), 0);
	books_expect(0);
}

/* what does not come along the tree would go round */
TEST(flood__not_from_beside_the_tree)
{
	s.config.switch_.flood_ports = 1 << 0 | 1 << 1 | 1 << 2;
	one_switch_open(&s);
	broadcast_send(3, 4, 0);
	one_switch_run(&s, FAR);
	for (uint32_t p = 0; p < PORTS; p++)
		no_packet_expect(p);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
}

/* 01:80:c2:00:00:01, as a host's own frame: for the next bridge only */
TEST(flood__not_reserved_addresses)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = roce_make(0, 1, 0, TCP, 300, bytes);

	one_switch_open(&s);
	memcpy(bytes, (const uint8_t[]){ 1, 0x80, 0xc2, 0, 0, 1 }, 6);
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 304, 0, bytes, captured);
	one_switch_run(&s, FAR);
	no_packet_expect(1);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), 1);
	books_expect(0);
}

/* a tree that ends here: the frame has been everywhere */
TEST(flood__end_of_the_tree)
{
	s.config.switch_.flood_ports = 1 << 2;
	one_switch_open(&s);
	broadcast_send(2, 2, 0);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, 300);
	books_expect(0);
}

/* copies count for no input: nobody is stopped for them, and they get a quarter of the buffer at
 * most */
TEST(flood__quarter_of_the_buffer)
{
	uint64_t own;

	s.config.roce.buffer_bytes = 4 * HEADROOM_BYTES + 10000;
	one_switch_open(&s);
	port_block(1);
	for (uint32_t i = 0; i < 20; i++)
		broadcast_send(0, 0, 0);
	one_switch_run(&s, NODE_MS);
	own = s.eth->buffer.own_bytes;
	ck_assert_uint_le(own, 2500);
	ck_assert_uint_gt(own + 304, 2500);
	ck_assert_uint_eq(own, class_of(1, TCP)->queue_bytes);
	ck_assert_uint_ge(drops(DROP_FLOOD_LIMIT), 20 - 2500 / 304);
	books_expect(own / 304);
}

/* ---- order and shares ---- */

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

/* RC-6: 70:30 while both want more than the link has; the class is what the frame says, whatever
 * the record does */
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

/* ---- ECN ---- */

static bool is_marked(void)
{
	return (got.bytes[15] & 3) == 3;
}

TEST_GROUP(congestion, .setup = ethernet_setup, .teardown = teardown);

/* RC-1: nothing is marked up to kmin, all above kmax; what is not ECN-capable never */
TEST(ecn__marks_by_queue_length)
{
	s.config.roce.classes[ROCE].ecn = s.config.roce.classes[TCP].ecn = true;
	s.config.roce.classes[ROCE].kmin_bytes = s.config.roce.classes[ROCE].kmax_bytes = 10000;
	s.config.roce.classes[TCP].pmax_ppm = 1000000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 20);
	for (uint32_t i = 0; i < 20; i++)
		roce_send_from(2, 2, 0, 1, i, TCP, FULL_BYTES); /* not ECT */
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 9); /* the 12th finds 11000 bytes */
	ck_assert_uint_eq(class_of(1, TCP)->marked, 0);
	port_unblock(1, NODE_MS);
	one_switch_run(&s, FAR);
	for (uint32_t roce = 0, i = 0; i < 40; i++) {
		struct frame_fields fields;

		ck_assert(neighbour_receive(&s, 1, RECORD_PACKET, &got));
		ck_assert_int_eq(
			frame_parse(got.bytes, got.header.captured_bytes, FULL_BYTES, &fields), 0);
		ck_assert_int_eq(is_marked(), got.header.traffic_class == ROCE && roce++ >= 11);
	}
}

/* the class on port @p as marking goes by it */
static const struct roce_class_config *at_port(uint32_t p)
{
	return &s.eth->ports[p].queues[ROCE].class;
}

/* RC-1: kmin and kmax that are for a rate are those of the port: one that is twice as fast has them
 * twice as long, and marks later. A class in bytes has them everywhere. They follow a link that
 * becomes faster, and a level that is set is that of every port. */
TEST_RANGE(ecn__levels_in_proportion_to_the_rate, 0, 2)
{
	struct roce_class_config *class = &s.config.roce.classes[ROCE];
	uint64_t rate_bps = s.ports[1].rate_bps;

	snprintf(s.config.classes[ROCE].name, NODE_NAME_MAX, "roce");
	class->ecn = true;
	class->kmin_bytes = class->kmax_bytes = 10000;
	class->kmin_per_bps = class->kmax_per_bps = _i ? rate_bps / 2 : 0;
	s.config.roce.path_per_bps = class->kmax_per_bps;
	s.ports[2].rate_bps = rate_bps / 4;
	s.ports[3].rate_bps = rate_bps / 100;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 30);
	one_switch_run(&s, NODE_MS);
	/* the 22nd finds 21000 bytes, the 12th 11000 */
	ck_assert_uint_eq(class_of(1, ROCE)->marked, _i ? 9 : 19);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, _i ? 20000 : 10000);
	ck_assert_uint_eq(s.eth->ports[1].queues[ROCE].signals.high_bytes, _i ? 1200000 : 600000);
	ck_assert_uint_eq(s.eth->ports[1].queues[ROCE].signals.low_bytes, _i ? 400000 : 200000);
	ck_assert_uint_eq(roce_queue_reference_bytes(&s.eth->ports[1].queues[ROCE].watch),
			  _i ? 30000 : 15000);
	if (!_i)
		return;
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 5000);
	ck_assert_uint_eq(at_port(2)->kmax_bytes, 2 * (s.ports[2].mtu_bytes + 4)); /* not 5000 */
	/* not 200, nor 10000 */
	ck_assert_uint_eq(at_port(3)->kmin_bytes, s.ports[3].mtu_bytes + 4);
	ck_assert_uint_eq(at_port(3)->kmax_bytes, 2 * (s.ports[3].mtu_bytes + 4));
	s.ports[2].rate_bps = rate_bps;
	s.ops->link_set(s.eth, 2);
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 20000);
	/* kmin is 20000 here */
	ck_assert_int_eq(s.ops->set(s.eth, "roce.kmax", "15000", stderr), -EINVAL);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, 20000);
	ck_assert_int_eq(s.ops->set(s.eth, "roce.kmin", "1000", stderr), 0);
	ck_assert_uint_eq(at_port(1)->kmin_bytes, 1000);
	ck_assert_uint_eq(at_port(2)->kmin_bytes, 1000);
	ck_assert_uint_eq(at_port(1)->kmax_bytes, 20000);
}

/* RC-1, variant: a packet is marked by what it leaves in the queue, so the last ones of a burst are
 * not */
TEST(ecn__marks_at_dequeue)
{
	s.config.roce.classes[ROCE].ecn = s.config.roce.classes[ROCE].mark_at_dequeue = true;
	s.config.roce.classes[ROCE].kmin_bytes = s.config.roce.classes[ROCE].kmax_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 20);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 0);
	port_unblock(1, NODE_MS);
	one_switch_run(&s, FAR);
	/* the ninth leaves 11 behind, the tenth 10 */
	ck_assert_uint_eq(class_of(1, ROCE)->marked, 9);
	for (uint32_t i = 0; i < 20; i++) {
		ck_assert(neighbour_receive(&s, 1, RECORD_PACKET, &got));
		ck_assert_int_eq(is_marked(), i < 9);
	}
}

/* ---- PFC: what we say ---- */

/* RC-5: XOFF with the byte that is too much, XON when xon_offset less is there; times of the
 * frames; again and again as long as it lasts */
TEST(pfc__xoff_and_xon)
{
	struct pause_frame frame;
	node_time_t at;

	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 10);
	one_switch_run(&s, 20 * FULL_PS);
	ck_assert(!pause_receive(0, &frame));
	at = roce_send(0, 20 * FULL_PS, 1, 0, ROCE, SMALL_BYTES);
	one_switch_run(&s, 40 * FULL_PS);
	ck_assert(pause_receive(0, &frame));
	ck_assert(!frame.port);
	ck_assert_uint_eq(frame.enabled, 1 << ROCE);
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(got.header.at_ps, at + 100 * BYTE_PS + LEAD);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, at + 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_first_ps, at + 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(0, ROCE)->waits_for, 1 << 1);
	ck_assert_uint_eq(class_of(0, ROCE)->input_bytes, 10100);
	ck_assert_uint_eq(class_of(0, ROCE)->headroom_bytes_max, 0);
	/* half of 65535 quanta of 512 bits at 200 Gb/s: 84 us */
	one_switch_run(&s, 100 * NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, at + 100 * BYTE_PS);
	/* the third packet makes it 7100: below 8000 */
	port_unblock(1, 101 * NODE_US);
	one_switch_run(&s, FAR);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.enabled, 1 << ROCE);
	ck_assert_uint_eq(frame.quanta[ROCE], 0);
	ck_assert_uint_eq(got.header.at_ps, 101 * NODE_US + 2 * FULL_PS + LEAD);
	ck_assert(!pause_receive(0, &frame));
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, 0);
	ck_assert_uint_eq(class_of(0, ROCE)->waits_for, 0);
	ck_assert_uint_eq(stats_of(0)->pauses_sent, 3);
	books_expect(0);
}

/* RC-5: what may come after XOFF in the worst case fits into the headroom, to the last byte; one
 * frame more is lost and counted */
TEST(pfc__headroom)
{
	struct pause_frame frame;
	uint32_t late;

	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_US);
	ck_assert(pause_receive(0, &frame));
	late = HEADROOM_BYTES / 1000;
	burst_send(0, NODE_US, 1, ROCE, late);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(class_of(0, ROCE)->headroom_bytes_max, late * 1000);
	books_expect(11 + late);
	burst_send(0, 10 * NODE_US, 1, ROCE, 1);
	one_switch_run(&s, 20 * NODE_US);
	ck_assert_uint_eq(drops(DROP_HEADROOM), 1);
	ck_assert_uint_eq(class_of(0, ROCE)->drops, 1);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, FULL_BYTES);
	books_expect(11 + late);
}

/* without PFC there is no lossless class: what is too much is dropped, nobody is told */
TEST(pfc__off)
{
	struct pause_frame frame;

	s.config.roce.pfc = false;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	s.config.roce.classes[ROCE].queue_bytes_max = 20000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 30);
	one_switch_run(&s, NODE_MS);
	ck_assert(!pause_receive(0, &frame));
	ck_assert_uint_eq(drops(DROP_QUEUE_FULL), 10);
	ck_assert_uint_eq(class_of(1, ROCE)->drops, 10);
	ck_assert_uint_eq(class_of(1, ROCE)->queue_bytes_max, 20000);
	books_expect(20);
}

/* RC-5: one port per class; and in PAUSE mode the whole port */
TEST(pfc__pause_mode)
{
	struct pause_frame frame;

	s.config.roce.pause = true;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], PAUSE_QUANTA_MAX);
}

/* ---- PFC: what we are told ---- */

/* RC-5: only the class that is named is held, for the time that is named; what was held goes on
 * then, or when it is let go */
TEST(pfc__obeyed)
{
	node_time_t held_from;

	one_switch_open(&s);
	held_from = pfc_send(1, 0, ROCE, 100) + PAUSE_PS; /* 256 ns */
	roce_send(0, held_from, 1, 0, ROCE, SMALL_BYTES);
	roce_send(0, held_from, 1, 0, TCP, 100);
	one_switch_run(&s, FAR);
	packet_expect(1, 100);
	packet_expect_at(1, SMALL_BYTES, held_from + 100 * 512 * 5 + LEAD);
	ck_assert_uint_eq(stats_of(1)->pauses_received, 1);
	ck_assert_uint_eq(class_of(1, ROCE)->paused_ps, 100 * 512 * 5 - 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(1, ROCE)->paused_since_ps, 0);
	ck_assert_uint_eq(class_of(1, TCP)->paused_ps, 0);
	/* let go early */
	pfc_send(1, 10 * NODE_US, ROCE, 60000);
	roce_send(0, 11 * NODE_US, 1, 0, ROCE, SMALL_BYTES);
	held_from = pfc_send(1, 12 * NODE_US, ROCE, 0);
	one_switch_run(&s, FAR);
	packet_expect_at(1, SMALL_BYTES, held_from + PAUSE_PS + LEAD);
	books_expect(0);
}

TEST(pfc__pause_holds_all)
{
	node_time_t until = PAUSE_PS + 100 * 512 * 5;

	one_switch_open(&s);
	pause_send(1, 0, &(struct pause_frame){ .port = true, .quanta = { 100 } });
	roce_send(0, PAUSE_PS, 1, 0, TCP, 100);
	roce_send(0, 0, 1, 0, CNP, SMALL_BYTES);
	one_switch_run(&s, until);
	no_packet_expect(1);
	ck_assert_uint_gt(class_of(1, CNP)->paused_since_ps, 0);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 100, until + LEAD);
	packet_expect(1, SMALL_BYTES);
	ck_assert_uint_eq(stats_of(1)->paused_ps, until - PAUSE_PS - 104 * BYTE_PS);
}

/* TB-23: what is no PAUSE frame is counted, and what comes from a fabric of another kind */
TEST(pfc__malformed)
{
	uint8_t bytes[PAUSE_FRAME_BYTES] = { 0 };

	one_switch_open(&s);
	neighbour_send_frame(&s, 1, 0, RECORD_PAUSE, 64, 0, bytes, sizeof(bytes));
	neighbour_send_frame(&s, 1, 0, RECORD_PAUSE, 64, 0, bytes, 3);
	neighbour_send_frame(&s, 1, 0, RECORD_ACKS, 64, 0, bytes, sizeof(bytes));
	neighbour_send_frame(&s, 1, 0, RECORD_PACKET, 64, 0, bytes, sizeof(bytes));
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 2);
	ck_assert_uint_eq(drops(DROP_BAD_RECORD), 1);
	ck_assert_uint_eq(stats_of(1)->pauses_received, 0);
	books_expect(0);
}

/* RC-5: a neighbour that holds a class for good is noticed once, and again only after a break */
TEST(pfc__watchdog)
{
	s.config.roce.watchdog_ps = 500 * NODE_US;
	one_switch_open(&s);
	roce_send(0, 0, 1, 0, ROCE, SMALL_BYTES);
	for (node_time_t at = 0; at < 1500 * NODE_US; at += 100 * NODE_US)
		pfc_send(1, at, ROCE, PAUSE_QUANTA_MAX); /* 168 us */
	one_switch_run(&s, 499 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->stuck, 0);
	one_switch_run(&s, 1400 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->stuck, 1);
	ck_assert_uint_ge(class_of(1, ROCE)->paused_ps,
			  1290 * NODE_US); /* while it lasts: up to the last frame that said so */
	ck_assert_uint_eq(stats_trace(s.stats, s.stats->trace_count - 1)->kind, TRACE_STUCK);
	/* the end of the measured interval is all that is left */
	ck_assert_uint_eq(one_switch_run(&s, FAR), NODE_S);
	packet_expect(1, SMALL_BYTES);
	ck_assert_uint_eq(class_of(1, ROCE)->stuck, 1);
	books_expect(0);
}

/* ---- drops, statistics ---- */

/* RC-6: a lossy queue has its limit, and nobody is stopped for it */
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

TEST(drop__oversize_and_unknown_way)
{
	s.config.switch_.route_count = 1;
	one_switch_open(&s);
	roce_send(0, 0, 1, 0, TCP, MTU + 1);
	roce_send(0, 0, 4, 0, TCP, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_OVERSIZE), 1);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	books_expect(0);
}

TEST_GROUP(ops, .setup = ethernet_setup, .teardown = teardown);

TEST(stats__delay_and_queue)
{
	one_switch_open(&s);
	burst_send(0, 0, 1, ROCE, 2);
	/* together with the first: waits for it, and the second for it */
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

/* what the switch says itself goes the way of any frame, and counts as injected */
TEST(originate__to_a_host)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = roce_make(2, 0, 3, CNP, 90, bytes);

	one_switch_open(&s);
	one_switch_run(&s, NODE_US);
	memset(bytes + captured, 0, sizeof(bytes) - captured);
	ethernet_originate(s.eth, bytes, 90, NODE_US);
	ck_assert_uint_eq(s.stats->injected_packets, 1);
	ck_assert_uint_eq(s.stats->injected_bytes, 90);
	ck_assert_uint_eq(s.eth->buffer.own_bytes, 94);
	books_expect(1);
	pfc_send(0, NODE_US, ROCE, 0);
	one_switch_run(&s, FAR);
	packet_expect(0, 90);
	ck_assert_uint_eq(got.header.traffic_class, CNP);
	books_expect(0);
}

/* TB-7: nothing depends on how time is cut into windows */
TEST_RANGE(run__any_window, 0, 3)
{
	static struct stats_page *first;
	static const node_time_t windows[] = { FAR, NODE_US, 365 * NODE_NS };
	uint32_t kept;

	s.config.roce.classes[ROCE] = (struct roce_class_config){ .lossless = true,
								  .ecn = true,
								  .kmin_bytes = 1000,
								  .kmax_bytes = 30000,
								  .pmax_ppm = 500000,
								  .xoff_bytes = 8000,
								  .xon_offset_bytes = 2000 };
	one_switch_open(&s);
	burst_send(0, 0, 1, ROCE, 30);
	for (uint32_t i = 0; i < 40; i++)
		roce_send_from(2, 2, 0, 1, i, i % 3, FULL_BYTES);
	pfc_send(1, NODE_US, ROCE, 1000);
	for (node_time_t end = windows[_i]; end < 40 * NODE_US; end += windows[_i])
		one_switch_run(&s, end);
	one_switch_run(&s, FAR);
	kept = packets_receive(1);
	ck_assert_uint_eq(kept, 70);
	ck_assert_uint_gt(class_of(1, ROCE)->marked, 3);
	if (!first) {
		first = zeroed(s.stats->size_bytes);
		memcpy(first, s.stats, s.stats->size_bytes);
		ck_assert_uint_gt(class_of(0, ROCE)->xoff_first_ps, 0);
	}
	ck_assert_mem_eq(first, s.stats, s.stats->size_bytes);
}

TEST(run__samples)
{
	const struct sample_stats *sample;

	s.config.sample_ps = NODE_US;
	s.config.samples_max = 100;
	s.config.measure_to_ps = 10 * NODE_US;
	one_switch_open(&s);
	pfc_send(1, 0, ROCE, 1000);
	burst_send(0, 0, 1, ROCE, 3);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.stats->sample_count, 11 * PORTS);
	sample = stats_sample(s.stats, 1 * PORTS + 1);
	ck_assert_uint_eq(sample->at_ps, NODE_US);
	ck_assert_uint_eq(sample->port, 1);
	ck_assert_uint_eq(sample->queue_bytes, 3000);
	ck_assert_uint_eq(sample->paused, 1 << ROCE);
	ck_assert_uint_eq(stats_sample(s.stats, 1 * PORTS)->input_units, 3000 / 256);
}

/* ---- links that change (real clock) ---- */

/* FC-26: what waits for a dead link is dropped and counted; others go on; a flow takes another way
 * while one is there */
TEST(link__down_and_up)
{
	s.config.clock = CLOCK_REAL;
	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	port_block(2);
	port_block(3);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, 0, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, NODE_MS);
	books_expect(20);
	ethernet_ops.link_down(s.eth, 2, NODE_MS);
	ck_assert_uint_gt(drops(DROP_LINK_DOWN), 4);
	books_expect(20 - drops(DROP_LINK_DOWN));
	ck_assert_uint_eq(s.stats->inside_bytes, s.stats->inside_packets * FULL_BYTES);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, NODE_MS, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, 2 * NODE_MS);
	books_expect(40 - drops(DROP_LINK_DOWN));
	ck_assert_uint_eq(class_of(2, ROCE)->queue_bytes, 0);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	ethernet_ops.link_up(s.eth, 2, 3 * NODE_MS);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, 3 * NODE_MS, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_MS);
	ck_assert_uint_eq(packets_receive(2), drops(DROP_LINK_DOWN)); /* the same flows as before */
}

/* a port for later: no frames until there is a link, but its headroom is kept, so that what is
 * shared stays what was configured */
TEST(link__vacant)
{
	uint64_t shared;

	s.config.clock = CLOCK_REAL;
	s.ports[3] = (struct port_config){
		.vacant = true, .mtu_bytes = MTU, .channels = 1, .headroom_bytes = HEADROOM_BYTES
	};
	one_switch_open(&s);
	shared = s.eth->buffer.shared_bytes;
	ck_assert_uint_eq(shared, BUFFER_BYTES - 4 * HEADROOM_BYTES);
	roce_send(0, 0, 4, 0, ROCE, 100);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	s.ports[3] = s.ports[2];
	s.ports[3].peer_index = 4;
	one_switch_plug(&s, 3);
	ethernet_ops.link_up(s.eth, 3, NODE_MS);
	ck_assert_uint_eq(s.eth->buffer.shared_bytes, shared);
	roce_send(0, NODE_MS, 4, 0, ROCE, 100);
	one_switch_run(&s, 2 * NODE_MS);
	packet_expect(3, 100);
}

/* the input of a link that went still holds too much: whoever comes there is told so at once */
TEST(link__up_while_stopped)
{
	struct pause_frame frame;

	s.config.clock = CLOCK_REAL;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_MS);
	ck_assert(pause_receive(0, &frame));
	ethernet_ops.link_down(s.eth, 0, NODE_MS);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, 0);
	one_switch_unplug(&s, 0);
	one_switch_plug(&s, 0);
	ethernet_ops.link_up(s.eth, 0, NODE_MS);
	one_switch_run(&s, NODE_MS + NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
}

TEST(tables__replace_the_former)
{
	struct switch_config config;

	one_switch_open(&s);
	config = s.config.switch_;
	config.flood_ports = 1;
	config.route_count = 0;
	config.routes = NULL;
	ck_assert_uint_eq(s.eth->sw.stats->tables_taken, 1);
	ck_assert_int_eq(ethernet_ops.tables(s.eth, &config), 0);
	ck_assert_uint_eq(s.eth->sw.stats->tables_taken, 2);
	roce_send(0, 0, 2, 0, ROCE, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(s.eth->sw.flood_ports, 1);
}

/* ---- tables and parameters ---- */

static int show_at(const char *table, int port, node_time_t now, char **text)
{
	size_t length;
	FILE *out = open_memstream(text, &length);
	int error;

	ck_assert_ptr_nonnull(out);
	error = ethernet_ops.show(s.eth, table, port, now, out);
	fclose(out);
	return error;
}

static int show(const char *table, int port, char **text)
{
	return show_at(table, port, 0, text);
}

/* TB-9, RC-5: a pause that goes on counts to the fabric's time, whenever the switch had its last
 * event */
TEST(ethernet_show__pause_counts_to_the_fabrics_time)
{
	node_time_t until = PAUSE_PS + 100 * 512 * 5, since;
	char *text, line[128];

	one_switch_open(&s);
	pause_send(1, 0, &(struct pause_frame){ .port = true, .quanta = { 100 } });
	roce_send(0, 0, 1, 0, CNP, SMALL_BYTES);
	one_switch_run(&s, until - 1);
	since = class_of(1, CNP)->paused_since_ps;
	ck_assert_uint_gt(since, 0);
	for (node_time_t now = until / 2; now < until; now += until / 4) {
		double us = (double)(now - since) / NODE_US;

		ck_assert_int_eq(show_at("pfc", 1, now, &text), 0);
		snprintf(line, sizeof(line), " XOFF     %12.3f %12.3f ", us, us);
		ck_assert_msg(strstr(text, line) != NULL, "'%s' is not in\n%s", line, text);
		free(text);
	}
}

/* TB-10 */
TEST(ethernet_show__every_table)
{
	static const char *const names[] = { "ports", "queues", "buffer", "pfc", "ecn", "routes" };
	char *text;

	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_MS);
	ck_assert_int_eq(show("what", -1, &text), -ENOENT);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *table;

		ck_assert_ptr_nonnull(strstr(text, names[i]));
		ck_assert_int_eq(show(names[i], -1, &table), 0);
		ck_assert_ptr_nonnull(strchr(table, '\n'));
		free(table);
	}
	free(text);
	ck_assert_int_eq(show("queues", 1, &text), 0);
	ck_assert_ptr_nonnull(strstr(text, "11000"));
	ck_assert_ptr_null(strstr(text, "p0"));
	free(text);
	ck_assert_int_eq(show("queues", PORTS, &text), -EINVAL);
	free(text);
}

static int set(const char *name, const char *value)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	ck_assert_ptr_nonnull(out);
	error = ethernet_ops.set(s.eth, name, value, out);
	fclose(out);
	ck_assert_int_eq(length != 0, error != 0);
	if (error == -EINVAL) /* the reason, then what there is */
		ck_assert(strchr(text, '\n') < strstr(text, "[CLASS.]"));
	free(text);
	return error;
}

/* TB-9 */
TEST(ethernet_set__values)
{
	snprintf(s.config.classes[ROCE].name, NODE_NAME_MAX, "roce");
	one_switch_open(&s);
	ck_assert_int_eq(set("kmax", "200000"), 0);
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmax_bytes, 200000);
	ck_assert_int_eq(set("roce.kmin", "5000"), 0);
	ck_assert_uint_eq(s.eth->roce.classes[ROCE].kmin_bytes, 5000);
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmin_bytes, 0);
	ck_assert_int_eq(set("roce.ecn", "on"), 0);
	ck_assert(s.eth->roce.classes[ROCE].ecn && !s.eth->roce.classes[TCP].ecn);
	ck_assert_int_eq(set("roce.pmax", "10000"), 0);
	ck_assert_int_eq(set("alpha", "125"), 0);
	ck_assert_int_eq(set("roce.xoff", "4000"), 0);
	ck_assert_int_eq(set("roce.xon-offset", "1000"), 0);
	ck_assert_int_eq(set("queue", "9000"), 0);
	ck_assert_int_eq(set("watchdog", "100"), 0);
	ck_assert_uint_eq(s.eth->roce.watchdog_ps, 100 * NODE_US);
	ck_assert_int_eq(set("roce.kmax", "4999"), -EINVAL); /* below kmin */
	ck_assert_int_eq(set("kmax", "4999"), -EINVAL);      /* below that of one: then of none */
	ck_assert_uint_eq(s.eth->roce.classes[TCP].kmax_bytes, 200000);
	ck_assert_int_eq(set("roce.xon-offset", "4001"), -EINVAL); /* more than xoff */
	ck_assert_int_eq(set("roce.ecn", "maybe"), -EINVAL);
	ck_assert_int_eq(set("pmax", "1000001"), -EINVAL);
	ck_assert_int_eq(set("queue", "9kB"), -EINVAL);
	ck_assert_int_eq(set("queue", "-1"), -EINVAL);
	ck_assert_int_eq(set("queue", ""), -EINVAL);
	ck_assert_int_eq(set("watchdog", "0"), -EINVAL);
	ck_assert_int_eq(set("nobody.queue", "1"), -ENOENT);
	ck_assert_int_eq(set("what", "1"), -ENOENT);
	/* in force at once */
	port_block(1);
	burst_send(0, 0, 1, ROCE, 5);
	one_switch_run(&s, NODE_MS);
	ck_assert(neighbour_receive(&s, 0, RECORD_PAUSE, &got));
}

/* ---- memory ---- */

TEST_GROUP(memory, .setup = ethernet_setup, .teardown = teardown);

/* TB-26: floods of every length fill the buffer, not the pool, which is three times the buffer and
 * the greatest frame for each port and one more. What is refused is refused by the buffer. In a
 * lossy class, and in a lossless one whose neighbour does not stop. */
TEST_RANGE(pool_init__floods, 0, 2)
{
	uint32_t cells = BUFFER_BYTES / 8 * 3 / PACKET_CELL_BYTES;
	struct flood *flood = zeroed(sizeof(*flood));
	size_t most_bytes;

	flood_configure();
	s.config.roce.buffer_bytes = BUFFER_BYTES / 8;
	s.config.roce.pfc = _i;
	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].headroom_bytes = _i ? HEADROOM_BYTES / 4 : 0;
	s.config.roce.classes[TCP].lossless = _i;
	s.config.roce.classes[TCP].xoff_bytes = _i ? 500000 : 0;
	one_switch_open(&s);
	flood->pool = &s.eth->sw.pool;
	ck_assert_uint_le(packet_pool_bytes(flood->pool),
			  BUFFER_BYTES / 8 * 3 + (PORTS + 2) * FLOOD_GREATEST_BYTES);
	most_bytes = flood_all(flood, cells + FLOOD_GREATEST_CELLS);
	ck_assert_uint_eq(drops(DROP_BUFFER_OVERFLOW), 0);
	ck_assert_uint_gt(drops(_i ? DROP_HEADROOM : DROP_QUEUE_FULL), FLOOD_LENGTHS);
	ck_assert_uint_gt(most_bytes, BUFFER_BYTES / 8 * (_i ? 20 : 29) / 10);
	books_expect(0);
	free(flood);
}
