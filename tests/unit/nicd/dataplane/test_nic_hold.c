/*  nicd/dataplane/nic_gate and nicd/host/host_hold: flows of an attached host, one of them paused
 *  (EC-17).
 *
 *  One NIC. A socket pair stands for each packet socket, and the test acts as the edge switch. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nicd/dataplane/dataplane.h"
#include "nicd/dataplane/nic.h"
#include "nicd/dataplane/nic_gate.h"
#include "nodes/base/bytes.h"
#include "nodes/base/units.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/lid_header.h"
#include "tests/testing.h"

#define QUEUES 2u
#define RING_DATA_BYTES (1u << 18)
#define FRAME_BYTES 1000u
#define FRAME_UNITS 4u
#define PAUSE_PS (500 * NODE_US)
#define ECT0 2u
#define CE 3u

static struct node_config config;
static struct port_config port;
static struct link link_;
static struct stats_page *stats;
static struct ring_page *to_nic, *from_nic;
static struct ring_tx tx;
static struct ring_rx rx;
static struct nic *nic;
static int kernel[QUEUES];
static node_time_t now;
static uint32_t sequence;

static void configure(void)
{
	now = NODE_US;
	sequence = 0;
	port = (struct port_config){ .kind = PORT_EDGE,
				     .rate_bps = 200000000000,
				     .mtu_bytes = 9216,
				     .gap_bytes = 20,
				     .ring_bytes = RING_DATA_BYTES };
	config = (struct node_config){
		.kind = NODE_NIC,
		.clock = CLOCK_REAL,
		.node_count = 2,
		.measure_to_ps = NODE_TIME_NEVER,
		.class_count = 1,
		.classes = { { .name = "bulk", .max_permille = 1000 } },
		.port_count = 1,
		.ports = &port,
		.nic = { .flows_max = 1, .fgfc_entries_max = 8, .host_queues = QUEUES }
	};
}

static void build(void)
{
	size_t size = ring_bytes(RING_DATA_BYTES);
	int pair[2], fds[QUEUES];

	to_nic = aligned_alloc(RING_LINE, size);
	from_nic = aligned_alloc(RING_LINE, size);
	memset(to_nic, 0, size);
	memset(from_nic, 0, size);
	ring_init(to_nic, RING_DATA_BYTES, RING_CAPTURED_MAX);
	ring_init(from_nic, RING_DATA_BYTES, RING_CAPTURED_MAX);
	ck_assert(!ring_tx_attach(&tx, to_nic, size) && !ring_rx_attach(&rx, from_nic, size));
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	ck_assert_int_eq(link_init(&link_, &config, 0, from_nic, size, to_nic, size, stats), 0);
	nic = nicd_ops.create(&config, &link_, stats);
	ck_assert_ptr_nonnull(nic);
	for (uint32_t i = 0; i < QUEUES; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
		fds[i] = pair[0];
		kernel[i] = pair[1];
		setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &(int){ 4 << 20 }, sizeof(int));
	}
	ck_assert_int_eq(nicd_ops.host_open(nic, fds, QUEUES), 0);
}

static void setup(void)
{
	configure();
	build();
}

/* at the end every buffer is free again */
static void teardown(void)
{
	ck_assert_uint_eq(nic->host.free_count + nic->host_hold.frames, nic->host.slot_count);
	nicd_ops.destroy(nic);
	for (uint32_t i = 0; i < QUEUES; i++)
		close(kernel[i]);
	link_fini(&link_);
	free(stats);
	free(to_nic);
	free(from_nic);
}

/* ---- the host ---- */

static void checksum_write(uint8_t *ip)
{
	uint32_t sum = 0;

	bytes_put16(ip + 10, 0);
	for (uint32_t i = 0; i < 20; i += 2)
		sum += bytes_get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	bytes_put16(ip + 10, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
}

/* Makes the headers of UDP flow @flow to host 1. */
static uint32_t headers_make(uint32_t flow, uint32_t ecn, uint8_t *bytes)
{
	struct frame_spec spec = {
		.kind = FRAME_IPV4, .destination = 1, .flow = flow, .frame_bytes = FRAME_BYTES
	};
	struct frame_payload payload = { 0 };
	uint32_t captured = frame_write(&spec, &payload, bytes);

	bytes[15] = (uint8_t)ecn;
	checksum_write(bytes + 14);
	return captured;
}

static void host_sends(uint32_t queue, uint32_t flow, uint32_t number, uint32_t ecn)
{
	uint8_t message[sizeof(struct virtio_net_hdr) + FRAME_BYTES] = { 0 };
	uint8_t *frame = message + sizeof(struct virtio_net_hdr);

	headers_make(flow, ecn, frame);
	bytes_put32(frame + FRAME_BYTES - 4, number);
	ck_assert_int_gt(send(kernel[queue], message, sizeof(message), 0), 0);
}

/* Makes TCP of port @flow, @segments times 1000 bytes in one super-frame, from sequence number
 * 0. */
static void host_sends_super(uint32_t queue, uint32_t flow, uint32_t segments)
{
	static uint8_t message[70000];
	struct virtio_net_hdr header = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
					 .gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
					 .hdr_len = 54,
					 .gso_size = 1000,
					 .csum_start = 34,
					 .csum_offset = 16 };
	uint8_t *frame = message + sizeof(header);

	memset(message, 0, sizeof(message));
	memcpy(message, &header, sizeof(header));
	headers_make(flow, ECT0, frame);
	bytes_put16(frame + 16, (uint16_t)(40 + 1000 * segments));
	frame[23] = 6;
	checksum_write(frame + 14);
	bytes_put16(frame + 34, (uint16_t)flow);
	bytes_put16(frame + 36, 80);
	bytes_put32(frame + 38, 0);
	frame[46] = 0x50;
	frame[47] = 0x10;
	ck_assert_int_gt(send(kernel[queue], message, sizeof(header) + 54 + 1000 * segments, 0), 0);
}

/* ---- the edge switch ---- */

static void fgfc_send(const struct flow_name *name, uint32_t match, node_time_t pause_ps,
		      uint32_t credit_units)
{
	static const uint8_t mac[6] = { 2 };
	struct fgfc_frame frame = { .name = flow_name_under(name, match),
				    .pause_ps = pause_ps,
				    .credit_units = credit_units };
	struct record *record = ring_reserve(&tx, FGFC_FRAME_BYTES);

	*record = (struct record){ .at_ps = now,
				   .wire_bytes = FGFC_FRAME_BYTES + FRAME_FCS_BYTES,
				   .captured_bytes = FGFC_FRAME_BYTES,
				   .sequence = sequence++,
				   .kind = RECORD_FGFC };
	fgfc_frame_write(&frame, mac, record_captured(record));
	ring_commit(&tx, FGFC_FRAME_BYTES);
	ring_publish(&tx);
}

static struct flow_name udp_name(uint32_t flow)
{
	struct frame_fields fields;
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = headers_make(flow, 0, bytes);

	ck_assert_int_eq(frame_parse(bytes, captured, FRAME_BYTES, &fields), 0);
	return flow_name_of(&fields, 0);
}

static void hold(uint32_t flow, node_time_t pause_ps, uint32_t credit_units)
{
	struct flow_name name = udp_name(flow);

	fgfc_send(&name, MATCH_ALL, pause_ps, credit_units);
}

/* runs the node for another @ps */
static void run(node_time_t ps)
{
	node_time_t until = now + ps;

	for (; now < until; now += NODE_US) {
		uint32_t readable = (1u << QUEUES) - 1;

		nicd_ops.host_receive(nic, &readable, now);
		link_refresh(&link_, 0);
		nicd_ops.run(nic, now + NODE_US);
		link_flush(&link_, &(bool){ 0 });
		ring_release(&link_.rx.ring);
	}
}

/* Receives the next frame on the link: its flow (source port) and number.  Return: false if there
 * is none. @ecn, unless NULL, is the ECN field of its IP header. */
static bool got(uint32_t *flow, uint32_t *number, uint32_t *ecn)
{
	struct frame_fields fields;
	struct record record;
	const uint8_t *bytes;

	ring_refresh(&rx);
	bytes = ring_peek(&rx, &record);
	if (!bytes)
		return false;
	ck_assert_int_eq(record.kind, RECORD_PACKET);
	ck_assert_int_eq(frame_parse(bytes, record.captured_bytes, record.captured_bytes, &fields),
			 0);
	*flow = fields.ip_protocol == 6 ? fields.source_port : fields.source_port & 0xfffu;
	*number = fields.ip_protocol == 6 ? bytes_get32(bytes + 38)
					  : bytes_get32(bytes + record.captured_bytes - 4);
	if (ecn)
		*ecn = bytes[15] & 3;
	ring_pop(&rx, &record);
	ring_release(&rx);
	return true;
}

/* the same, but waits if the ring had no space for it yet */
static bool got_soon(uint32_t *flow, uint32_t *number, uint32_t *ecn)
{
	if (got(flow, number, ecn))
		return true;
	run(20 * NODE_US);
	return got(flow, number, ecn);
}

static void expect(uint32_t flow, uint32_t number)
{
	uint32_t flow_got, number_got;

	ck_assert(got(&flow_got, &number_got, NULL));
	ck_assert_uint_eq(flow_got, flow);
	ck_assert_uint_eq(number_got, number);
}

static void expect_none(void)
{
	uint32_t flow, number;

	ck_assert(!got(&flow, &number, NULL));
}

TEST_GROUP(nic_hold, .setup = setup, .teardown = teardown);

/* EC-17: a program in the host receives each valid FGFC frame unchanged, the end of a pause too. No
 * packet is counted. */
TEST(host__receives_fgfc_frames)
{
	struct flow_name name = udp_name(1);
	uint8_t message[2048];
	struct fgfc_frame frame;

	fgfc_send(&name, MATCH_ALL, PAUSE_PS, 7);
	run(2 * NODE_US);
	fgfc_send(&name, MATCH_ALL, 0, 0);
	run(2 * NODE_US);
	for (uint32_t i = 0; i < 2; i++) {
		nicd_ops.host_deliver(nic, now);
		ck_assert_int_eq(recv(kernel[0], message, sizeof(message), 0),
				 sizeof(struct virtio_net_hdr) + FGFC_FRAME_BYTES);
		ck_assert_int_eq(fgfc_frame_read(message + sizeof(struct virtio_net_hdr),
						 FGFC_FRAME_BYTES, &frame),
				 0);
		ck_assert(flow_name_equal(&frame.name, &name));
		ck_assert_uint_eq(frame.pause_ps, i ? 0 : PAUSE_PS);
		ck_assert_uint_eq(frame.credit_units, i ? 0 : 7);
	}
	ck_assert_int_eq(recv(kernel[0], message, sizeof(message), 0), -1);
	ck_assert_uint_eq(stats->inside_packets + stats->delivered_packets + stats->host_rx_packets,
			  0);
}

/* EC-15: other flows of the same socket continue, in order. The paused packets follow, in their own
 * order. */
TEST(nic_hold__other_flows_of_the_socket_continue)
{
	hold(1, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 10; i++) {
		host_sends(0, 1, i, 0);
		host_sends(0, 2, i, 0);
	}
	run(10 * NODE_US);
	for (uint32_t i = 0; i < 10; i++)
		expect(2, i);
	expect_none();
	ck_assert_uint_eq(stats_port(stats, 0)->fgfc_held, 1);
	ck_assert_uint_eq(stats_port(stats, 0)->paused_ps, 0);
	hold(1, 0, 0);
	host_sends(0, 1, 10, 0);
	run(10 * NODE_US);
	for (uint32_t i = 0; i <= 10; i++)
		expect(1, i);
	expect_none();
	ck_assert_uint_eq(nic->gate.fgfc.used, 0);
	ck_assert_uint_eq(stats->injected_packets, 21);
	ck_assert_uint_eq(stats->host_tx_packets, 21);
}

/* the frame that ends the pause is lost: the timer ends it */
TEST(nic_hold__timer_ends_the_pause)
{
	hold(1, PAUSE_PS, 0);
	run(NODE_US);
	host_sends(1, 1, 0, 0);
	run(PAUSE_PS - 5 * NODE_US);
	expect_none();
	run(10 * NODE_US);
	expect(1, 0);
	ck_assert_uint_eq(nic->gate.fgfc.used, 0);
}

/* 12 units are three frames. New frames do not overtake those that wait, whatever the credit. */
TEST(nic_hold__credit_is_used_in_order)
{
	hold(1, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 5; i++)
		host_sends(0, 1, i, 0);
	run(10 * NODE_US);
	expect_none();
	hold(1, PAUSE_PS, 3 * FRAME_UNITS);
	host_sends(0, 1, 5, 0);
	run(10 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		expect(1, i);
	expect_none();
	hold(1, PAUSE_PS, 100 * FRAME_UNITS);
	run(10 * NODE_US);
	for (uint32_t i = 3; i < 6; i++)
		expect(1, i);
	host_sends(0, 1, 6, 0); /* of the remaining credit */
	run(10 * NODE_US);
	expect(1, 6);
	ck_assert_int_eq(nic->gate.fgfc.entries[0].credit_units, 96 * FRAME_UNITS);
}

/* two paused flows with credit send a frame each in turn */
TEST(nic_hold__two_flows_take_turns)
{
	hold(1, PAUSE_PS, 0);
	hold(2, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 4; i++) {
		host_sends(0, 1, i, 0);
		host_sends(1, 2, i, 0);
	}
	run(10 * NODE_US);
	expect_none();
	hold(1, PAUSE_PS, 2 * FRAME_UNITS);
	hold(2, PAUSE_PS, 4 * FRAME_UNITS);
	run(10 * NODE_US);
	for (uint32_t i = 0; i < 2; i++) {
		expect(1, i);
		expect(2, i);
	}
	expect(2, 2);
	expect(2, 3);
	expect_none();
}

/* RFC 3168: from a quarter of the limit on, frames are marked if they can be. Beyond the limit they
 * are dropped and counted. The other flow is not affected. */
TEST(nic_hold__marks_then_drops)
{
	uint32_t flow, number, ecn;

	hold(1, PAUSE_PS, 0);
	hold(3, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < HOST_HOLD_FLOW_FRAMES_MAX + 16; i++) {
		host_sends(0, 1, i, ECT0);
		host_sends(0, 3, i, 0);
		run(NODE_US);
	}
	host_sends(0, 2, 0, ECT0);
	run(10 * NODE_US);
	ck_assert(got(&flow, &number, &ecn) && flow == 2 && ecn == ECT0);
	ck_assert_uint_eq(stats->drops[DROP_FGFC_QUEUE], 2 * 16);
	hold(1, 0, 0);
	run(20 * NODE_US);
	for (uint32_t i = 0; i < HOST_HOLD_FLOW_FRAMES_MAX; i++) {
		ck_assert(got_soon(&flow, &number, &ecn));
		ck_assert_uint_eq(flow, 1);
		ck_assert_uint_eq(number, i);
		ck_assert_uint_eq(ecn, i < HOST_HOLD_MARK_FRAMES ? ECT0 : CE);
	}
	hold(3, 0, 0);
	run(20 * NODE_US);
	for (uint32_t i = 0; i < HOST_HOLD_FLOW_FRAMES_MAX; i++)
		ck_assert(got_soon(&flow, &number, &ecn) && flow == 3 && number == i && !ecn);
	expect_none();
}

/* many paused flows: the buffer of all of them is limited, too, and the sockets are still read */
TEST(nic_hold__all_flows_share_a_limit)
{
	uint32_t flow, number, frames = 0;

	for (uint32_t f = 1; f <= 6; f++)
		hold(f, PAUSE_PS, 0);
	run(10 * NODE_US);
	for (uint32_t i = 0; i < 200; i++) {
		for (uint32_t f = 1; f <= 6; f++)
			host_sends(f % QUEUES, f, i, 0);
		run(NODE_US);
	}
	ck_assert_uint_eq(nic->host_hold.frames, HOST_HOLD_FRAMES_MAX);
	ck_assert_uint_eq(stats->drops[DROP_FGFC_QUEUE], 1200 - HOST_HOLD_FRAMES_MAX);
	for (uint32_t i = 0; i < 2 * HOST_QUEUE_FRAMES_MAX; i++)
		host_sends(i % QUEUES, 9, i, 0);
	run(30 * NODE_US);
	while (got(&flow, &number, NULL))
		frames += flow == 9;
	ck_assert_uint_eq(frames, 2 * HOST_QUEUE_FRAMES_MAX);
	frames = 0;
	run(PAUSE_PS);
	while (got_soon(&flow, &number, NULL))
		frames++;
	ck_assert_uint_eq(frames, HOST_HOLD_FRAMES_MAX);
}

/* a super-frame counts with all its bytes, and may be paused when a part of it is sent */
TEST(nic_hold__super_frame_counts_with_all_bytes)
{
	struct flow_name name = udp_name(0);

	name.source_port = 77;
	name.destination_port = 80;
	name.ip_protocol = 6;
	fgfc_send(&name, MATCH_ALL, PAUSE_PS, 0);
	run(NODE_US);
	host_sends_super(0, 77, 10);
	run(10 * NODE_US);
	expect_none();
	ck_assert_uint_eq(nic->host_hold.queues[0].bytes, 54 + 10 * 1000);
	fgfc_send(&name, MATCH_ALL, PAUSE_PS, 2 * units_of_bytes(1054) + 1);
	run(10 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		expect(77, i * 1000);
	expect_none();
	host_sends(0, 2, 0, 0);
	run(10 * NODE_US);
	expect(2, 0);
	fgfc_send(&name, MATCH_ALL, 0, 0);
	run(10 * NODE_US);
	for (uint32_t i = 3; i < 10; i++)
		expect(77, i * 1000);
	expect_none();
	ck_assert_uint_eq(nic->gate.fgfc.used, 0);
}

/* The flow is paused while its first super-frame is being sent: the rest of it is parked. */
TEST(nic_hold__rest_of_a_super_frame_is_parked)
{
	struct flow_name name = udp_name(0);
	uint32_t flow, number, segments = 0, expected = 0;

	name.source_port = 77;
	name.destination_port = 80;
	name.ip_protocol = 6;
	host_sends_super(0, 77, 60); /* takes 2.6 us */
	fgfc_send(&name, MATCH_ALL, PAUSE_PS, 0);
	run(10 * NODE_US);
	for (; got(&flow, &number, NULL); expected += 1000, segments++)
		ck_assert(flow == 77 && number == expected);
	ck_assert_uint_lt(segments, 60);
	host_sends(0, 2, 0, 0);
	run(10 * NODE_US);
	expect(2, 0);
	expect_none();
	fgfc_send(&name, MATCH_ALL, 0, 0);
	run(10 * NODE_US);
	for (; got(&flow, &number, NULL); expected += 1000, segments++)
		ck_assert(flow == 77 && number == expected);
	ck_assert_uint_eq(segments, 60);
}

/* the pause has ended, but packets still wait, and the flow is paused again */
TEST(nic_hold__paused_again_keeps_the_order)
{
	uint32_t flow, number, next = 0;

	hold(1, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 60; i++)
		host_sends(0, 1, i, 0);
	run(10 * NODE_US);
	for (uint32_t round = 0; round < 20; round++) {
		hold(1, 0, 0);
		hold(1, PAUSE_PS, round);
		run(3 * NODE_US);
		host_sends(0, 1, 60 + round, 0);
		while (got(&flow, &number, NULL))
			ck_assert_uint_eq(number, next++);
	}
	hold(1, 0, 0);
	run(20 * NODE_US);
	while (got(&flow, &number, NULL))
		ck_assert_uint_eq(number, next++);
	ck_assert_uint_eq(next, 80);
	ck_assert_uint_eq(nic->gate.fgfc.used + nic->gate.fgfc.held, 0);
}

/* one name for all flows of the host pair, over both sockets */
TEST(nic_hold__one_name_pauses_a_group)
{
	struct flow_name name = udp_name(1);
	uint32_t flow, number, next[3] = { 0 };

	fgfc_send(&name, MATCH_IP_PAIR, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 10; i++) {
		host_sends(0, 1, i, 0);
		host_sends(1, 2, i, 0);
	}
	run(10 * NODE_US);
	expect_none();
	fgfc_send(&name, MATCH_IP_PAIR, 0, 0);
	run(10 * NODE_US);
	while (got(&flow, &number, NULL))
		ck_assert_uint_eq(number, next[flow]++);
	ck_assert(next[1] == 10 && next[2] == 10);
}

/* frames that waited and are then lost on the link: their buffers are free, and their credit is
 * used */
TEST(nic_hold__lost_on_the_link)
{
	hold(1, PAUSE_PS, 0);
	run(NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		host_sends(0, 1, i, 0);
	run(10 * NODE_US);
	link_.loss.any = true;
	link_.loss.ppb = 1000000000;
	hold(1, PAUSE_PS, 2 * FRAME_UNITS);
	run(10 * NODE_US);
	expect_none();
	ck_assert_uint_eq(stats_port(stats, 0)->lost_packets, 2);
	ck_assert_uint_eq(nic->host_hold.frames, 1);
	link_.loss.any = false;
	link_.loss.ppb = 0;
	hold(1, 0, 0);
	run(10 * NODE_US);
	expect(1, 2);
	expect_none();
	ck_assert_uint_eq(stats->host_tx_packets, 3);
}

/* the sockets take nothing: what was delivered waits, and is tried again after HOST_RETRY_PS */
TEST(nic_hold__host_takes_nothing)
{
	uint8_t bytes[FRAME_BYTES];
	struct record record = { .wire_bytes = FRAME_BYTES + FRAME_FCS_BYTES,
				 .captured_bytes = FRAME_BYTES,
				 .kind = RECORD_PACKET };
	node_time_t due = NODE_TIME_NEVER;

	memset(bytes, 0, sizeof(bytes));
	headers_make(1, 0, bytes);
	setsockopt(nic->host.queues[0].fd, SOL_SOCKET, SO_SNDBUF, &(int){ 1 }, sizeof(int));
	setsockopt(nic->host.queues[1].fd, SOL_SOCKET, SO_SNDBUF, &(int){ 1 }, sizeof(int));
	for (uint32_t i = 0; i < 100 && due == NODE_TIME_NEVER; i++) {
		struct record *slot = ring_reserve(&tx, FRAME_BYTES);

		record.at_ps = now;
		record.sequence = sequence++;
		*slot = record;
		memcpy(record_captured(slot), bytes, FRAME_BYTES);
		ring_commit(&tx, FRAME_BYTES);
		ring_publish(&tx);
		run(NODE_US);
		due = nicd_ops.host_deliver(nic, now);
	}
	ck_assert_uint_eq(due, now + HOST_RETRY_PS);
}

/* ---- fabric kind port-group: rates of destinations hold frames, too ---- */

static void setup_lid(void)
{
	configure();
	port.buffer_units = 64;
	config.fabric = FABRIC_PORT_GROUP;
	config.lanes = 1;
	config.port_group = (struct port_group_config){ .lid_bits = 16,
							.becn = true,
							.ccti_increase = 100,
							.ccti_max = 100,
							.ccti_step_permille = 10000,
							.ccti_timer_ps = NODE_S };
	build();
}

/* the switch has buffer for @units in total */
static void grant(uint32_t units)
{
	struct record *record = ring_reserve(&tx, 0);

	*record = (struct record){ .at_ps = now,
				   .wire_bytes = LINK_WORD_BYTES,
				   .kind = RECORD_WORD,
				   .word = (uint64_t)LINK_WORD_CREDIT << 32 | units };
	ring_commit(&tx, 0);
	ring_publish(&tx);
	run(NODE_US);
}

/* the number of frames on the link, all of them for LID 2 */
static uint32_t frames_got(void)
{
	struct lid_header header;
	struct record record;
	const uint8_t *bytes;
	uint32_t count = 0;

	for (ring_refresh(&rx); (bytes = ring_peek(&rx, &record)); ring_pop(&rx, &record)) {
		if (record.kind != RECORD_PACKET)
			continue;
		ck_assert_int_eq(
			lid_header_read(bytes, record.captured_bytes, FRAME_BYTES, &header), 0);
		ck_assert_uint_eq(header.dlid, 2);
		ck_assert_uint_eq(header.slid, 1);
		count++;
	}
	ring_release(&rx);
	return count;
}

TEST_GROUP(nic_hold_lid, .setup = setup_lid, .teardown = teardown);

/* PG-9, PG-10: frames to a destination that is congested wait for their turn; then each has its
 * LID, and waits for credit of its own length */
TEST(nic_hold_lid__by_rate_and_credit)
{
	grant(2 * FRAME_UNITS + 1);
	nic_gate_on_becn(nic, 2);
	for (uint32_t i = 0; i < 4; i++)
		host_sends(0, 1, i, 0);
	run(2 * NODE_US);
	ck_assert_uint_eq(frames_got(), 1);
	ck_assert_uint_eq(nic->host_hold.frames, 3);
	run(100 * NODE_US);
	ck_assert_uint_eq(frames_got(), 1); /* for the next one a unit is not enough */
	ck_assert_uint_eq(nic->host_hold.frames, 2);
	grant(4 * FRAME_UNITS);
	run(100 * NODE_US);
	ck_assert_uint_eq(frames_got(), 2);
	ck_assert_uint_eq(nic->host_hold.frames, 0);
	ck_assert_uint_eq(stats->host_tx_packets, 4);
}
