/*  nicd/dataplane/dataplane: which frames reach the attached host (TB-15): those that are whole, no
 *  longer than the link's MTU, and not generated. */
#include <linux/virtio_net.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/nicd/dataplane/nic_pair.h"

#define MTU_BYTES 1514u

static int kernel; /* the host's end of the socket */
static const uint8_t foreign[MTU_BYTES + 1] = { 2, 4 };

/* host 1 is attached, under the real clock; host 0 has no workload */
static void attach(void)
{
	int pair[2];

	setup();
	for (uint32_t i = 0; i < 2; i++) {
		ends[i].config.clock = CLOCK_REAL;
		ends[i].config.nic.host_queues = 1;
		ends[i].port.mtu_bytes = MTU_BYTES;
	}
	ends[0].config.nic.workload_count = 0;
	fabric_build();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	ck_assert_int_eq(nicd_ops.host_open(ends[1].nic, pair, 1), 0);
	kernel = pair[1];
}

static void detach(void)
{
	fabric_free();
	close(kernel);
}

TEST_GROUP(nic_deliver, .setup = attach, .teardown = detach);

/* what the host receives of a frame of @frame_bytes, of which @bytes were captured; 0: nothing */
static ssize_t host_receives(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	static uint8_t message[1 << 16];
	ssize_t got;

	memcpy(link_send_packet(&ends[0].link, 0, frame_bytes + FRAME_FCS_BYTES, captured_bytes,
				frame_bytes, 0, 0),
	       bytes, captured_bytes);
	fabric_run(4 * LEAD_PS);
	nicd_ops.host_deliver(ends[1].nic, 4 * LEAD_PS);
	got = recv(kernel, message, sizeof(message), MSG_DONTWAIT);
	return got < 0 ? 0 : got - (ssize_t)sizeof(struct virtio_net_hdr);
}

TEST(arrive_for_host__whole)
{
	ck_assert_int_eq(host_receives(foreign, MTU_BYTES, MTU_BYTES), MTU_BYTES);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_OVERSIZE], 0);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_MALFORMED], 0);
}

TEST(arrive_for_host__longer_than_the_mtu)
{
	ck_assert_int_eq(host_receives(foreign, MTU_BYTES + 1, MTU_BYTES + 1), 0);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_OVERSIZE], 1);
}

TEST(arrive_for_host__captured_in_part)
{
	ck_assert_int_eq(host_receives(foreign, MTU_BYTES - 1, MTU_BYTES), 0);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_MALFORMED], 1);
}

TEST(arrive_for_host__generated)
{
	struct frame_spec spec = { .kind = FRAME_IPV4, .destination = 1, .frame_bytes = 120 };
	struct frame_payload payload = { .message_bytes = 1 };
	uint8_t bytes[FRAME_HEADERS_MAX] = { 0 };

	frame_write(&spec, &payload, bytes);
	ck_assert_int_eq(host_receives(bytes, 120, 120), 0);
	ck_assert_uint_eq(ends[1].stats->delivered_packets, 1);
}
