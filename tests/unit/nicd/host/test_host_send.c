/*  nicd/host/host_send: the next frame of each queue of an attached host, with its class; frames
 *  that cannot be sent are dropped and counted, and the one after them is the next (TB-15). Socket
 *  pairs stand for packet sockets, as in test_host_if.c. */
#include "nicd/host/host_send.h"

#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/stats/trace.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define QUEUES NIC_HOST_QUEUES_MAX
#define CLASSES 4u
#define MTU 1500u

static struct host_if host;
static struct host_send host_send;
static struct node_config config;
static struct port_config port;
static struct stats_page *stats;
static int kernel[QUEUES]; /* the other ends */

static void setup(void)
{
	int pair[2], fds[QUEUES];

	port = (struct port_config){ .mtu_bytes = MTU };
	config = (struct node_config){
		.kind = NODE_NIC, .class_count = CLASSES, .port_count = 1, .ports = &port
	};
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	ck_assert_int_eq(host_if_init(&host, QUEUES, stats), 0);
	for (uint32_t i = 0; i < QUEUES; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
		fds[i] = pair[0];
		kernel[i] = pair[1];
	}
	ck_assert_int_eq(host_if_open(&host, fds, QUEUES), 0);
	host_send_init(&host_send, &host, &config, stats);
}

static void teardown(void)
{
	host_if_fini(&host);
	for (uint32_t i = 0; i < QUEUES; i++)
		close(kernel[i]);
	free(stats);
}

/* the host has a frame of @frame_bytes for the fabric, with priority @traffic_class */
static void host_gives(uint32_t queue, uint32_t frame_bytes, uint32_t traffic_class)
{
	static uint8_t message[10000];
	struct frame_spec spec = { .kind = FRAME_ETHERNET,
				   .source = 3,
				   .destination = 4,
				   .traffic_class = traffic_class,
				   .frame_bytes = frame_bytes };
	struct frame_payload payload = { .source = 3 };

	memset(message, 0, sizeof(message));
	if (frame_bytes >= 64)
		frame_write(&spec, &payload, message + sizeof(struct virtio_net_hdr));
	ck_assert_int_gt(
		send(kernel[queue], message, sizeof(struct virtio_net_hdr) + frame_bytes, 0), 0);
}

static void refill(node_time_t now)
{
	host_if_receive(&host, &(uint32_t){ (1u << QUEUES) - 1 }, now);
	host_send_refill(&host_send, now);
}

static void head_expect(uint32_t queue, uint32_t frame_bytes, uint32_t traffic_class,
			node_time_t at)
{
	ck_assert(host_send.ready >> queue & 1);
	ck_assert_uint_eq(host_send.heads[queue].frame_bytes, frame_bytes);
	ck_assert_uint_eq(host_send.heads[queue].traffic_class, traffic_class);
	ck_assert_uint_eq(host_send.heads[queue].at_ps, at);
}

TEST_GROUP(host_send, .setup = setup, .teardown = teardown);

TEST_RANGE(host_send_refill__each_queue_and_class, 0, QUEUES)
{
	uint32_t queue = (uint32_t)_i;

	refill(10);
	ck_assert_uint_eq(host_send.ready, 0);
	for (uint32_t c = 0; c < CLASSES; c++)
		host_gives(queue, 100 + c, c);
	refill(77);
	for (uint32_t c = 0; c < CLASSES; c++) {
		uint8_t bytes[200] = { 0 };

		ck_assert_uint_eq(host_send.ready, 1u << queue);
		head_expect(queue, 100 + c, c, 77);
		host_send_next(&host_send, queue, c % 2 ? bytes : NULL, 80);
		if (c % 2)
			ck_assert_uint_eq(bytes[0] & 2, 2); /* a local address */
	}
	ck_assert_uint_eq(host_send.ready, 0);
	ck_assert_uint_eq(host.free_count, host.slot_count);
}

/* a head stays until it is sent; others of its queue wait */
TEST(host_send_refill__a_head_stays)
{
	host_gives(0, 100, 1);
	refill(5);
	host_gives(0, 200, 2);
	host_gives(1, 300, 3);
	refill(9);
	head_expect(0, 100, 1, 5);
	head_expect(1, 300, 3, 9);
	ck_assert_uint_eq(host_send.ready, 3);
	host_send_next(&host_send, 0, NULL, 9);
	head_expect(0, 200, 2, 9);
}

/* the longest frame is one of the MTU; the next that can be sent becomes the head */
TEST(host_send_refill__what_cannot_be_sent_is_dropped)
{
	host_gives(0, MTU, 0);
	host_gives(0, MTU + 1, 0);
	host_gives(0, 8, 0);
	host_gives(0, MTU + 2, 0);
	host_gives(0, 90, 1);
	refill(5);
	head_expect(0, MTU, 0, 5);
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE] + stats->drops[DROP_MALFORMED], 0);
	host_send_next(&host_send, 0, NULL, 6);
	head_expect(0, 90, 1, 5);
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE], 2);
	ck_assert_uint_eq(stats->drops[DROP_MALFORMED], 1);
	ck_assert_uint_eq(stats->trace.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct trace_entry *entry = stats_trace(stats, i);

		ck_assert_uint_eq(entry->kind, TRACE_DROP);
		ck_assert_uint_eq(entry->port, 0);
		ck_assert_uint_eq(entry->at_ps, 6);
		ck_assert_uint_eq(entry->value, i == 1 ? 8 : MTU + 1 + i / 2);
	}
	port.mtu_bytes = 80; /* it may change */
	host_gives(1, 90, 1);
	refill(7);
	ck_assert_uint_eq(host_send.ready, 1);
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE], 3);
}

/* a head that is taken keeps its slot, and the next one is there */
TEST(host_send_take__the_next_is_the_head)
{
	uint32_t slot;

	host_gives(2, 100, 1);
	host_gives(2, MTU + 1, 1);
	host_gives(2, 120, 2);
	refill(5);
	slot = host_send_take(&host_send, 2, 6);
	ck_assert_uint_eq(host.frames[slot].frame_bytes, 100);
	head_expect(2, 120, 2, 5);
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE], 1);
	host_if_give(&host, slot);
	slot = host_send_take(&host_send, 2, 6);
	ck_assert_uint_eq(host_send.ready, 0);
	host_if_give(&host, slot);
	ck_assert_uint_eq(host.free_count, host.slot_count);
}
