/*  switchd/flow_channel/arrival: frames whose MAC is that of no host: copies to all hosts, requests
 *  for one address, and networks behind a router (FC-3, TB-25). */
#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch_expect.h"

TEST_GROUP(flood, .setup = setup, .teardown = teardown);

/* host 0 sends @bytes, @length of them with padding */
static void host_0_sends(node_time_t at, const uint8_t *bytes, uint32_t length)
{
	neighbour_send_frame(&s, 0, at, RECORD_PACKET, length + FRAME_FCS_BYTES, 0, bytes, length);
}

static void group_frame(uint8_t frame[100], uint8_t first, uint16_t ethertype)
{
	memset(frame, 0, 100);
	memset(frame, first, 6);
	address_mac(0, frame + 6);
	bytes_put16(frame + 12, ethertype);
}

/* ARP request of host 0 for the IPv4 address of host @target */
static void arp_request(uint8_t frame[100], uint32_t target)
{
	group_frame(frame, 0xff, 0x0806);
	bytes_put64(frame + 14, 0x0001080006040001);
	bytes_put32(frame + 28, address_ipv4(0));
	bytes_put32(frame + 38, address_ipv4(target));
}

/* TB-25: bytes that were injected on port 0 are delivered, inside, or counted as dropped; no copy
 * is inside */
static void books_expect(uint64_t injected_bytes)
{
	uint64_t out = 0, dropped = 0;

	for (uint32_t p = 0; p < PORTS; p++) {
		dropped += stats_of(p)->dropped_bytes;
		while (neighbour_receive(&s, p, RECORD_PACKET, &got))
			out += link_frame_bytes(&s.links[p], got.header.wire_bytes);
	}
	ck_assert_uint_eq(injected_bytes + s.stats->flooded_bytes - s.stats->flood_originals_bytes,
			  out + dropped + s.stats->inside_bytes);
	ck_assert_uint_eq(s.dp->sw.flood_packets, 0);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
}

/* a broadcast is sent to every host but its sender, each copy in a channel of its own */
TEST(flood__broadcast)
{
	uint8_t frame[100];
	bool hosts[HOSTS] = { false };

	one_switch_open(&s);
	group_frame(frame, 0xff, 0x9000);
	host_0_sends(0, frame, 100);
	one_switch_run(&s, NODE_US);
	packet_expect(1, 100);
	ck_assert_mem_eq(got.bytes, frame, 100);
	for (uint32_t i = 0; i < 4; i++) {
		struct fabric_header header;

		packet_expect(2 + i / 2, 100);
		header = header_of_packet(2 + i / 2);
		ck_assert_uint_eq(header.flow_id, i % 2);
		hosts[2 * (header.fabric_address - 1) + header.egress_port] = true;
		ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, frame, 100);
		switch_send_ack(&s, 2 + i / 2, NODE_US, header.flow_id, ACK_DELTA, 1);
	}
	for (uint32_t h = 2; h < HOSTS; h++)
		ck_assert(hosts[h]);
	no_packet_expect(0);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.stats->flooded_packets, 5);
	ck_assert_uint_eq(s.stats->flooded_bytes, 500);
	ck_assert_uint_eq(s.stats->flood_originals_bytes, 100);
	ck_assert_uint_eq(drops_all(), 0);
	all_released_expect();
}

TEST(flood__unknown_unicast)
{
	one_switch_open(&s);
	host_send(&s, 0, 0, 50, 1, 0, 1500);
	one_switch_run(&s, NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 5);
	ck_assert_uint_eq(drops_all(), 0);
	books_expect(1500);
}

/* a request for a known address is sent to its host alone; one for the sender's own or an unknown
 * address is sent to all */
TEST(flood__arp)
{
	uint8_t frame[100];

	one_switch_open(&s);
	arp_request(frame, 5);
	host_0_sends(0, frame, 60);
	one_switch_run(&s, NODE_US);
	packet_expect(3, 60);
	ck_assert_uint_eq(header_of_packet(3).egress_port, 1);
	ck_assert_mem_eq(got.bytes + FABRIC_FRONT_BYTES, frame, 60);
	no_packet_expect(1);
	no_packet_expect(2);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	arp_request(frame, 0);
	host_0_sends(NODE_US, frame, 60);
	arp_request(frame, 60);
	host_0_sends(NODE_US, frame, 60);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 10);
	no_packet_expect(0);
	ck_assert_uint_eq(drops_all(), 0);
}

TEST(flood__reports_have_no_listener)
{
	uint8_t frame[100];

	one_switch_open(&s);
	group_frame(frame, 0x33, 0x86dd);
	bytes_put32(frame + 14, 0x60000000);
	bytes_put16(frame + 18, 16);
	frame[20] = 58;
	frame[54] = 143;
	host_0_sends(0, frame, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_LISTENER), 1);
	ck_assert_uint_eq(drops_all(), 1);
	books_expect(100);
	all_released_expect();
}

/* copies beyond the limit are dropped and counted; they use no input buffer, and other traffic is
 * forwarded */
TEST(flood__limit)
{
	uint8_t frame[100];

	one_switch_open(&s);
	port_block(2);
	port_block(3);
	group_frame(frame, 0xff, 0x9000);
	for (uint32_t i = 0; i < 100; i++)
		host_0_sends(0, frame, 100);
	one_switch_run(&s, 20 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 500);
	/* the last one for p1 has left */
	ck_assert_uint_eq(s.dp->sw.flood_packets + 1, s.dp->sw.flood_packets_max);
	ck_assert_uint_gt(drops(DROP_FLOOD_LIMIT), 0);
	ck_assert_uint_eq(drops(DROP_FLOOD_LIMIT), drops_all());
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
	while (neighbour_receive(&s, 1, RECORD_PACKET, &got))
		;
	host_send(&s, 0, 30 * NODE_US, 1, 1, 0, 1500);
	one_switch_run(&s, 40 * NODE_US);
	packet_expect(1, 1500);
	flow_channel_ops.link_down(s.dp, 2, 40 * NODE_US);
	flow_channel_ops.link_down(s.dp, 3, 40 * NODE_US);
	ck_assert_uint_eq(s.stats->flooded_packets, 500);
	/* nothing is left of the packets that had passed */
	flow_channel_ops.link_settle(s.dp, 2, &none_left, 40 * NODE_US);
	flow_channel_ops.link_settle(s.dp, 3, &none_left, 40 * NODE_US);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.dp->sw.flood_packets, 0);
	all_released_expect();
}

/* copies wait for EFCT lines as other packets do, and keep their destinations */
TEST(flood__waits_for_lines)
{
	uint8_t frame[100];
	uint32_t packets[2] = { 0 };

	s.ports[0].channels = 1;
	one_switch_open(&s);
	group_frame(frame, 0xff, 0x9000);
	host_0_sends(0, frame, 100);
	for (uint32_t i = 1; i < 10; i++) {
		one_switch_run(&s, i * NODE_US);
		for (uint32_t p = 2; p < 4; p++)
			while (neighbour_receive(&s, p, RECORD_PACKET, &got)) {
				ck_assert_uint_eq(header_of_packet(p).fabric_address, p);
				packets[p - 2]++;
				switch_send_ack(&s, p, i * NODE_US, header_of_packet(p).flow_id,
						ACK_DELTA, 1);
			}
	}
	ck_assert_uint_eq(packets[0], 2);
	ck_assert_uint_eq(packets[1], 2);
	packet_expect(1, 100);
	all_released_expect();
}

/* ---- networks behind hosts ---- */

/* a frame for 10.9.@third.1 with the MAC of a gateway that the fabric does not know, from the host
 * at port 0 */
static void gateway_send(node_time_t at, uint8_t third, uint32_t frame_bytes)
{
	uint8_t bytes[FRAME_HEADERS_MAX], *ip = bytes + 14;
	uint32_t captured = frame_make(0, 1, 1, 0, frame_bytes, bytes), sum = 0;

	memcpy(bytes, (const uint8_t[]){ 2, 9, 9, 9, 9, 9 }, 6);
	memcpy(ip + 16, (const uint8_t[]){ 10, 9, third, 1 }, 4);
	bytes_put16(ip + 10, 0);
	for (uint32_t i = 0; i < 20; i += 2)
		sum += bytes_get16(ip + i);
	bytes_put16(ip + 10, (uint16_t) ~(sum % 0xffff));
	neighbour_send_frame(&s, 0, at, RECORD_PACKET, frame_bytes + FRAME_FCS_BYTES, 0, bytes,
			     captured);
}

/* FC-3: a frame for an address behind a router leaves at the router's port, which the fabric
 * manager may move */
TEST(prefix__leaves_at_the_port_of_its_router)
{
	struct prefix_config prefixes[] = {
		{ .host_index = 3, .version = 4, .bits = 16, .address = { 10, 9 } },
		{ .host_index = 1, .version = 4, .bits = 24, .address = { 10, 9, 8 } },
	};
	struct switch_config moved;
	struct host_config hosts[] = { { .host_index = 3, .fabric_address = 3, .egress_port = 1 } };

	s.config.switch_.prefixes = prefixes;
	s.config.switch_.prefix_count = 2;
	one_switch_open(&s);
	gateway_send(0, 7, 1000);
	gateway_send(0, 8, 1001);
	one_switch_run(&s, NODE_US);
	packet_expect(2, 1000);
	ck_assert_uint_eq(header_of_packet(2).fabric_address, 2);
	ck_assert_uint_eq(header_of_packet(2).egress_port, 1);
	packet_expect(1, 1001);
	no_packet_expect(3);
	ck_assert_uint_eq(s.stats->flooded_packets, 0);
	moved = s.config.switch_;
	moved.hosts = hosts;
	moved.host_count = 1;
	moved.prefix_count = 0; /* the fabric manager does not know them */
	ck_assert_int_eq(flow_channel_ops.tables(s.dp, &moved), 0);
	gateway_send(NODE_US, 7, 1002);
	one_switch_run(&s, FAR);
	packet_expect(3, 1002);
	ck_assert_uint_eq(header_of_packet(3).egress_port, 1);
	ck_assert_uint_eq(drops_all(), 0);
}
