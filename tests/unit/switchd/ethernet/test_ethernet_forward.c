/*  switchd/ethernet/ethernet_forward: the ports that frames leave by: hosts, routes, ECMP, TTL,
 *  networks behind a router, and flooding along a tree (RC-4, RC-5, FC-3, TB-25). */
#include "switchd/ethernet/ethernet_forward.h"

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

TEST_GROUP(forward, .setup = ethernet_setup, .teardown = teardown);

/* RC-4: a frame leaves unchanged, without any header in front, also between switches;
 * store-and-forward */
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

/* a frame is never sent back to its input: a route that says so is wrong */
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

/* RC-5: a link between switches takes one hop of the TTL, a path between two hosts of this switch
 * none; a frame without a hop left is dropped and counted */
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

/* queue pairs of two hosts differ by their UDP source port alone; each keeps its path */
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

/* FC-3: a frame for a network behind a router leaves at the port of host 1, the router, though its
 * MAC is of no host */
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

/* a frame of the switch itself is forwarded like others, and counts as injected */
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

TEST(drop__oversize_and_no_route)
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

/* a copy that does not arrive along the tree would loop */
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

/* 01:80:c2:00:00:01 from a host is for the next bridge only */
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

/* the tree, as a fabric manager reads it back, beside a table of hosts */
TEST(flood__tree_is_read_back)
{
	struct table_block block = { .table = TABLE_FLOOD };

	s.config.switch_.flood_ports = 1 << 0 | 1 << 3;
	one_switch_open(&s);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_FLOOD), 1);
	s.ops->table_read(s.dataplane, &block);
	ck_assert_uint_eq(table_get(TABLE_FLOOD, block.bytes, 0), 1 << 0 | 1 << 3);
	block = (struct table_block){ .table = TABLE_HOSTS };
	s.ops->table_read(s.dataplane, &block);
	ck_assert_uint_eq(table_get(TABLE_HOSTS, block.bytes, 2), table_host(&s.hosts[2]));
}

/* host @source, at @port, asks with a broadcast for the MAC of the address of host @target */
static void request_send(uint32_t port, uint32_t source, uint32_t target, node_time_t at)
{
	uint8_t bytes[FRAME_BYTES_MIN] = { 0 };

	memset(bytes, 0xff, 6);
	address_mac(source, bytes + 6);
	memcpy(bytes + 12, (const uint8_t[]){ 8, 6, 0, 1, 8, 0, 6, 4, 0, 1 }, 10);
	address_mac(source, bytes + 22);
	bytes_put32(bytes + 28, address_ipv4(source));
	bytes_put32(bytes + 38, address_ipv4(target));
	neighbour_send_frame(&s, port, at, RECORD_PACKET, FRAME_BYTES_MIN + FRAME_FCS_BYTES, 0,
			     bytes, FRAME_BYTES_MIN);
}

/* A request goes to its target alone: at the same switch, or at another one, there also at a port
 * with the same number. One for its own address is flooded, so that whatever has it as well can
 * say so. */
TEST(flood__requests_for_the_address_of_the_source)
{
	s.hosts[3].egress_port = s.hosts[0].egress_port;
	one_switch_open(&s);
	request_send(0, 0, 1, 0);
	one_switch_run(&s, NODE_US);
	packet_expect(1, FRAME_BYTES_MIN);
	request_send(0, 0, 3, NODE_US);
	one_switch_run(&s, 2 * NODE_US);
	packet_expect(2, FRAME_BYTES_MIN);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	for (uint32_t p = 0; p < PORTS; p++)
		no_packet_expect(p);
	request_send(0, 0, 0, 2 * NODE_US);
	one_switch_run(&s, FAR);
	no_packet_expect(0);
	for (uint32_t p = 1; p < PORTS; p++)
		packet_expect(p, FRAME_BYTES_MIN);
	ck_assert_uint_eq(drops_all(), 0);
	books_expect(0);
}

/* A report of membership is for routers of multicast, of which there are none. */
TEST(flood__not_reports_of_membership)
{
	uint8_t bytes[FRAME_BYTES_MIN] = { 1, 0, 0x5e, 1, 2, 3 };

	address_mac(0, bytes + 6);
	memcpy(bytes + 12, (const uint8_t[]){ 8, 0, 0x45, 0, 0, 28, 0,   0, 0, 0, 1,   2,
					      0, 0, 10,   0, 0, 1,  239, 1, 2, 3, 0x16 },
	       23);
	bytes_put16(bytes + 24,
		    (uint16_t) ~((0x4500u + 28 + 0x0102 + 0x0a00 + 1 + 0xef01 + 0x0203) % 0xffff));
	one_switch_open(&s);
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, FRAME_BYTES_MIN + FRAME_FCS_BYTES, 0, bytes,
			     FRAME_BYTES_MIN);
	one_switch_run(&s, FAR);
	for (uint32_t p = 0; p < PORTS; p++)
		no_packet_expect(p);
	ck_assert_uint_eq(drops(DROP_NO_LISTENER), 1);
	ck_assert_uint_eq(drops_all(), 1);
	books_expect(0);
}

/* the tree ends here: every port has had the frame */
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

/* copies count for no input, so they cause no pause; they get at most a quarter of the buffer */
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

/* a frame whose headers contradict its length is of no host */
TEST(drop__malformed)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = roce_make(0, 1, 0, TCP, 300, bytes);

	one_switch_open(&s);
	bytes[14] = 0x41; /* an IPv4 header of four bytes */
	neighbour_send_frame(&s, 0, 0, RECORD_PACKET, 304, 0, bytes, captured);
	one_switch_run(&s, FAR);
	for (uint32_t p = 0; p < PORTS; p++)
		no_packet_expect(p);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 1);
	ck_assert_uint_eq(drops_all(), 1);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, 300);
	books_expect(0);
}

/* no cell is free for a frame of the switch itself: it was made, and is dropped */
TEST(originate__pool_is_full)
{
	uint8_t bytes[FRAME_HEADERS_MAX] = { 0 };
	uint64_t used;

	roce_make(2, 0, 3, CNP, 90, bytes);
	one_switch_open(&s);
	while (packet_alloc(&s.eth->sw.pool, 90))
		;
	used = s.eth->sw.pool.used;
	ethernet_originate(s.eth, bytes, 90, NODE_US);
	ck_assert_uint_eq(s.eth->sw.pool.used, used);
	ck_assert_uint_eq(s.stats->injected_packets, 1);
	ck_assert_uint_eq(drops(DROP_BUFFER_OVERFLOW), 1);
	ck_assert_uint_eq(stats_of(0)->dropped_frames, 1);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, 90);
	ck_assert_uint_eq(s.stats->inside_packets, 0);
}
