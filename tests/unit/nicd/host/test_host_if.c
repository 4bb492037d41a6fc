/*  nicd/host/host_if: frames from and to an attached host, in order, without loss where there is
 *  space (TB-15).
 *
 *  Socket pairs stand for packet sockets: a message is a virtio_net_hdr and a frame, as with
 *  PACKET_VNET_HDR. */
#include "nicd/host/host_if.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/bytes.h"
#include "tests/testing.h"
#include "tests/unit/nicd/host/plain_sum.h"

#define QUEUES 2u

static struct host_if host;
static struct node_config config;
static struct port_config port;
static struct stats_page *stats;
static int kernel[QUEUES]; /* the other ends */

static void setup(void)
{
	int pair[2], fds[QUEUES];

	config = (struct node_config){
		.kind = NODE_NIC, .class_count = 1, .port_count = 1, .ports = &port
	};
	stats = calloc(1, stats_bytes(&config));
	stats_init(stats, &config);
	ck_assert_int_eq(host_if_init(&host, QUEUES, stats), 0);
	for (uint32_t i = 0; i < QUEUES; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
		fds[i] = pair[0];
		kernel[i] = pair[1];
		setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &(int){ 4 << 20 }, sizeof(int));
	}
	ck_assert_int_eq(host_if_open(&host, fds, QUEUES - 1), -EINVAL);
	ck_assert_int_eq(host_if_open(&host, fds, QUEUES), 0);
	ck_assert_int_eq(host_if_open(&host, fds, QUEUES), -EINVAL);
}

static void teardown(void)
{
	host_if_fini(&host);
	for (uint32_t i = 0; i < QUEUES; i++)
		close(kernel[i]);
	free(stats);
}

/* the host sends a frame of @frame_bytes, all of value @mark */
static bool host_sends(uint32_t queue, uint8_t mark, uint32_t frame_bytes)
{
	static uint8_t message[100000];

	memset(message, 0, sizeof(struct virtio_net_hdr));
	memset(message + sizeof(struct virtio_net_hdr), mark, frame_bytes);
	return send(kernel[queue], message, sizeof(struct virtio_net_hdr) + frame_bytes, 0) > 0;
}

/* ---- from the host ---- */

/* Return: those of @readable that may have more frames */
static uint32_t receive(uint32_t readable, node_time_t now)
{
	host_if_receive(&host, &readable, now);
	return readable;
}

TEST_GROUP(host_if, .setup = setup, .teardown = teardown);

TEST(host_if_receive__in_order)
{
	for (uint8_t i = 0; i < 40; i++)
		ck_assert(host_sends(1, i, 100u + i));
	ck_assert_ptr_null(host_if_head(&host, 1));
	ck_assert_uint_eq(receive(3, 55), 0);
	ck_assert_ptr_null(host_if_head(&host, 0));
	for (uint8_t i = 0; i < 40; i++) {
		const struct host_frame *frame = host_if_head(&host, 1);

		ck_assert_uint_eq(frame->frame_bytes, 100u + i);
		ck_assert_uint_eq(frame->bytes[0], i);
		ck_assert_uint_eq(frame->bytes[99], i);
		ck_assert_uint_eq(frame->at_ps, 55);
		host_if_pop(&host, 1);
	}
	ck_assert_ptr_null(host_if_head(&host, 1));
}

/* TB-15: A queue that is not read fills up to its limit. The rest stays in the kernel, and the
 * other queue continues. */
TEST(host_if_receive__full_queue_leaves_the_rest_to_the_kernel)
{
	uint32_t sent = 0, got = 0;

	while (sent < 200 && host_sends(0, (uint8_t)sent, 1000))
		sent++;
	ck_assert_uint_gt(sent, HOST_QUEUE_FRAMES_MAX);
	ck_assert(host_sends(1, 7, 1000));
	ck_assert_uint_eq(receive(3, 0), 1);
	ck_assert_uint_eq(host.queues[0].count, HOST_QUEUE_FRAMES_MAX);
	ck_assert_uint_eq(host.queues[1].count, 1);
	ck_assert_uint_eq(receive(1, 0), 1);
	for (uint32_t more = 1; host_if_head(&host, 0); more = receive(more, 0)) {
		ck_assert_uint_eq(host_if_head(&host, 0)->bytes[0], (uint8_t)got++);
		host_if_pop(&host, 0);
	}
	ck_assert_uint_eq(got, sent);
}

/* a queue that was full asks the kernel once, when the socket is empty, what it has dropped */
TEST(host_if_receive__empty_after_a_full_queue)
{
	for (uint32_t i = 0; i < HOST_QUEUE_FRAMES_MAX; i++)
		ck_assert(host_sends(0, 1, 60));
	ck_assert_uint_eq(receive(1, 5), 1);
	ck_assert(host.queues[0].pressed);
	while (host_if_head(&host, 0))
		host_if_pop(&host, 0);
	ck_assert_uint_eq(receive(1, 6), 0);
	ck_assert(!host.queues[0].pressed);
	/* the same if the last frames come with the end */
	for (uint32_t i = 0; i < HOST_QUEUE_FRAMES_MAX + 1; i++)
		ck_assert(host_sends(0, 1, 60));
	ck_assert_uint_eq(receive(1, 7), 1);
	while (host_if_head(&host, 0))
		host_if_pop(&host, 0);
	ck_assert_uint_eq(receive(1, 8), 0);
	ck_assert_uint_eq(host.queues[0].count, 1);
	ck_assert(!host.queues[0].pressed);
}

TEST(host_if_receive__unusable_frames_are_dropped)
{
	ck_assert(host_sends(0, 1, 80000));
	ck_assert_int_eq(send(kernel[0], "short", 5, 0), 5);
	ck_assert(host_sends(0, 2, 65550));
	ck_assert_uint_eq(receive(1, 0), 0);
	ck_assert_uint_eq(stats->drops[DROP_OVERSIZE], 1);
	ck_assert_uint_eq(stats->drops[DROP_MALFORMED], 1);
	ck_assert_uint_eq(host.queues[0].count, 1);
	ck_assert_uint_eq(host_if_head(&host, 0)->frame_bytes, 65550);
	ck_assert_uint_eq(host.free_count, host.slot_count - 1);
}

/* ---- to the host ---- */

/* segment @number of flow @flow, 1000 bytes of payload, arrives for the host */
static void arrives(uint32_t flow, uint32_t number, uint8_t flags)
{
	uint8_t *frame = host_if_place(&host), *ip = frame + 14, *tcp = ip + 20;

	ck_assert_ptr_nonnull(frame);
	memset(frame, 0, 1054);
	bytes_put16(frame + 12, 0x0800);
	bytes_put32(ip, 0x45000000u | 1040);
	bytes_put32(ip + 4, number << 16 | 0x4000);
	bytes_put32(ip + 8, 0x40060000);
	bytes_put32(ip + 12, 0x0a000001);
	bytes_put32(ip + 16, 0x0a000002);
	bytes_put16(ip + 10, (uint16_t)~plain_sum(ip, 20, 0));
	bytes_put32(tcp, flow << 16 | 80);
	bytes_put32(tcp + 4, number * 1000);
	bytes_put16(tcp + 12, (uint16_t)(0x5000 | flags));
	memset(tcp + 20, (int)(flow + number), 1000);
	bytes_put16(tcp + 16, (uint16_t)~plain_sum(tcp, 1020, plain_sum(ip + 12, 8, 6 + 1020)));
	host_if_put(&host, 1054);
}

/* Return: the length of the next frame that the host receives; 0 if there is none. */
static uint32_t host_gets(struct virtio_net_hdr *header, uint8_t *frame, uint32_t frame_max)
{
	uint8_t message[70000];
	ssize_t length = recv(kernel[0], message, sizeof(message), MSG_DONTWAIT);

	if (length < (ssize_t)sizeof(*header))
		return 0;
	memcpy(header, message, sizeof(*header));
	length -= (ssize_t)sizeof(*header);
	ck_assert_uint_le((uint32_t)length, frame_max);
	memcpy(frame, message + sizeof(*header), (size_t)length);
	return (uint32_t)length;
}

/* TB-15: Mixed segments of two flows are merged, each flow in order. A segment that is not plain
 * data ends a super-frame. */
TEST(host_if_deliver__merges_segments_in_order)
{
	static const struct {
		uint32_t flow, sequence, bytes;
	} expected[] = { { 1, 0, 3054 }, { 2, 0, 2054 }, { 1, 3000, 1054 }, { 1, 4000, 2054 } };
	struct virtio_net_hdr header;
	uint8_t frame[70000];

	arrives(1, 0, 0x10);
	arrives(2, 0, 0x10);
	arrives(1, 1, 0x10);
	arrives(2, 1, 0x18);
	arrives(1, 2, 0x10);
	arrives(1, 3, 0x11); /* FIN */
	arrives(1, 4, 0x10);
	arrives(1, 5, 0x10);
	ck_assert(host_if_pending(&host));
	ck_assert_uint_eq(stats->inside_packets, 8);
	host_if_deliver(&host);
	ck_assert(!host_if_pending(&host));
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(host_gets(&header, frame, sizeof(frame)), expected[i].bytes);
		ck_assert_uint_eq(bytes_get16(frame + 34), expected[i].flow);
		ck_assert_uint_eq(bytes_get32(frame + 38), expected[i].sequence);
		ck_assert_uint_eq(header.gso_size, expected[i].bytes > 1054 ? 1000 : 0);
		for (uint32_t b = 54; b < expected[i].bytes; b++)
			ck_assert_uint_eq(frame[b], expected[i].flow +
							    (expected[i].sequence + b - 54) / 1000);
	}
	ck_assert_uint_eq(host_gets(&header, frame, sizeof(frame)), 0);
	ck_assert_uint_eq(stats->delivered_packets, 8);
	ck_assert_uint_eq(stats->delivered_bytes, 8 * 1054);
	ck_assert_uint_eq(stats->host_rx_packets, 8);
	ck_assert_uint_eq(stats->inside_packets + stats->inside_bytes, 0);
}

/* Frames for which the kernel has no space are delivered later, in order, once. After too many
 * turns they are dropped and counted. */
TEST(host_if_deliver__retries_then_drops)
{
	struct virtio_net_hdr header;
	uint8_t frame[70000];
	uint32_t put = 0, got = 0, turns = 0;

	setsockopt(host.queues[0].fd, SOL_SOCKET, SO_SNDBUF, &(int){ 20000 }, sizeof(int));
	while (host_if_place(&host)) {
		arrives(put % 40, put, 0x14);
		put++;
	}
	ck_assert_uint_gt(put, 500);
	while (host_if_pending(&host)) {
		host_if_deliver(&host);
		while (host_gets(&header, frame, sizeof(frame)))
			ck_assert_uint_eq(bytes_get32(frame + 38), 1000 * got++);
		ck_assert_uint_lt(turns++, 1000);
	}
	ck_assert_uint_eq(got, put);
	ck_assert_uint_eq(stats->drops[DROP_HOST], 0);

	for (put = 0; host_if_place(&host); put++)
		arrives(put % 40, put, 0x14);
	for (turns = 0; host_if_pending(&host); turns++)
		host_if_deliver(&host);
	ck_assert_uint_eq(turns, HOST_RETRIES_MAX);
	for (got = 0; host_gets(&header, frame, sizeof(frame));)
		got++;
	ck_assert_uint_eq(stats->drops[DROP_HOST], put - got);
	ck_assert_uint_eq(stats_port(stats, 0)->dropped_bytes, (put - got) * 1054);
	ck_assert_uint_eq(stats->inside_bytes, 0);
}

/* the host has closed its socket: every frame is dropped and counted at once */
TEST(host_if_deliver__closed_host_drops_at_once)
{
	close(kernel[0]);
	for (uint32_t i = 0; i < 10; i++)
		arrives(i, i, 0x10);
	host_if_deliver(&host);
	ck_assert(!host_if_pending(&host));
	ck_assert_uint_eq(stats->drops[DROP_HOST], 10);
	kernel[0] = open("/dev/null", O_RDONLY);
}

/* a NIC that sends generated traffic only, under the real clock: it has no buffers for a host */
TEST(host_if_deliver__without_a_host)
{
	struct host_if none;

	ck_assert_int_eq(host_if_init(&none, 0, stats), 0);
	host_if_deliver(&none);
	ck_assert(!host_if_pending(&none));
	host_if_fini(&none);
}

/* the caller closes the sockets; no host is attached any more, and another one may come */
TEST(host_if_release__gives_the_sockets_back)
{
	int fds[NIC_HOST_QUEUES_MAX], again[NIC_HOST_QUEUES_MAX];
	uint32_t readable = ~0u;

	ck_assert_uint_eq(host_if_release(&host, fds), QUEUES);
	ck_assert_uint_eq(host_if_release(&host, again), 0);
	host_if_receive(&host, &readable, 0);
	for (uint32_t i = 0; i < QUEUES; i++)
		ck_assert_int_ge(fcntl(fds[i], F_GETFD), 0);
	ck_assert_int_eq(host_if_open(&host, fds, QUEUES), 0);
}

/* what is no socket is refused, and the host can still be attached */
TEST(host_if_open__no_socket)
{
	int fds[] = { -1 }, pair[2];
	struct host_if other;

	ck_assert_int_eq(host_if_init(&other, 1, stats), 0);
	ck_assert_int_eq(host_if_open(&other, fds, 1), -EBADF);
	ck_assert(!other.attached);
	ck_assert_int_eq(host_if_open(&other, fds, 0), -EINVAL);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	ck_assert_int_eq(host_if_open(&other, pair, 1), 0);
	ck_assert(other.attached);
	host_if_fini(&other);
	close(pair[1]);
}
