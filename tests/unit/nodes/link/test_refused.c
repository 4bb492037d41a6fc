/*  nodes/link/carrier, nodes/control: system calls that the kernel refuses, for now or for good,
 *  and what it tells beside the bytes of a packet socket (TB-3, TB-23). The program is linked with
 *  --wrap: a test says which calls fail, and with which error. */

#include "nodes/control/control.h"
#include "tests/unit/nodes/link/carrier_ends.h"

/* ---- the kernel ---- */

static struct {
	int error;       /* of the next calls that send, or receive, */
	uint32_t failed; /* so many of them */
	uint32_t limit;  /* sendmmsg() sends at most so many packets; 0: all */
	uint32_t calls;
	/* what recvmmsg() tells beside each packet, if there is a tag or a counter */
	bool tagged, has_type, counted;
	uint16_t type, tag;
	uint32_t dropped;
	int other; /* SOL_PACKET, SOL_SOCKET: it tells something of this level instead; 0 */
} kernel;

int __real_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int __real_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		    struct timespec *timeout);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t length, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		    struct timespec *timeout);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t length, int flags);

static bool refuses(void)
{
	kernel.calls++;
	if (!kernel.failed)
		return false;
	kernel.failed--;
	errno = kernel.error;
	return true;
}

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	if (refuses())
		return -1;
	if (kernel.limit && count > kernel.limit)
		count = kernel.limit;
	return __real_sendmmsg(fd, messages, count, flags);
}

static void tell(struct msghdr *message, int level, int type, const void *bytes, size_t length)
{
	size_t at = message->msg_controllen;
	struct cmsghdr *item = (struct cmsghdr *)((char *)message->msg_control + at);

	*item = (struct cmsghdr){ .cmsg_len = CMSG_LEN(length),
				  .cmsg_level = level,
				  .cmsg_type = type };
	memcpy(CMSG_DATA(item), bytes, length);
	message->msg_controllen = at + CMSG_SPACE(length);
}

int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		    struct timespec *timeout)
{
	struct tpacket_auxdata aux = {
		.tp_status = (kernel.tagged ? TP_STATUS_VLAN_VALID : 0) |
			     (kernel.has_type ? TP_STATUS_VLAN_TPID_VALID : 0),
		.tp_vlan_tci = kernel.tag,
		.tp_vlan_tpid = kernel.type,
	};
	int got = refuses() ? -1 : __real_recvmmsg(fd, messages, count, flags, timeout);

	for (int i = 0; i < got; i++) {
		messages[i].msg_hdr.msg_controllen = 0;
		if (kernel.counted)
			tell(&messages[i].msg_hdr, SOL_SOCKET, SO_RXQ_OVFL, &kernel.dropped,
			     sizeof(kernel.dropped));
		if (kernel.other) /* of the other level */
			tell(&messages[i].msg_hdr, kernel.other,
			     kernel.other == SOL_PACKET ? SO_RXQ_OVFL : PACKET_AUXDATA, &aux,
			     sizeof(aux));
		else
			tell(&messages[i].msg_hdr, SOL_PACKET, PACKET_AUXDATA, &aux, sizeof(aux));
	}
	return got;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	return refuses() ? -1 : __real_sendmsg(fd, message, flags);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	return refuses() ? -1 : __real_recvmsg(fd, message, flags);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t length, int flags)
{
	return refuses() ? -1 : __real_recv(fd, bytes, length, flags);
}

static void refuse(int error, uint32_t calls)
{
	kernel.error = error;
	kernel.failed = calls;
	kernel.calls = 0;
}

static void setup_ends(void)
{
	memset(&kernel, 0, sizeof(kernel));
	setup();
}

TEST_GROUP(refused, .setup = setup_ends, .teardown = ends_close, .timeout_s = 60);

/* ---- carrier: frames to the socket ---- */

#define FRAMES 3u

static void frames_send(void)
{
	for (uint32_t i = 0; i < FRAMES; i++)
		send_packet(&a, 100, 0, i);
	link_flush(&a.link, &(bool){ 0 });
	now_ps += NODE_US;
}

/* packets @first ... FRAMES - 1 have arrived */
static void frames_arrive(uint32_t first)
{
	carrier_intake(&b.carrier, now_ps);
	for (uint32_t i = first; i < FRAMES; i++) {
		const uint8_t *bytes = receive(&b);

		ck_assert_ptr_nonnull(bytes);
		ck_assert_uint_eq(packet_number(bytes, 100), i);
	}
	ck_assert(nothing_there(&b));
}

/* a signal is no reason to wait */
TEST(carrier_outlet__interrupted)
{
	frames_send();
	refuse(EINTR, 2);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
	ck_assert_uint_eq(kernel.calls, 3);
	frames_arrive(0);
}

/* without buffers in the kernel frames wait, and none is counted */
TEST_RANGE(carrier_outlet__refused_for_now, 0, 3)
{
	refuse(((int[]){ EAGAIN, ENOBUFS, ENOMEM })[_i], 1);
	frames_send();
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), now_ps + CARRIER_RETRY_PS);
	ck_assert_uint_eq(kernel.calls, 1);
	frames_arrive(FRAMES);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
	frames_arrive(0);
	for (enum drop_reason reason = 0; reason < DROP_REASONS; reason++)
		ck_assert_uint_eq(drops(&a, reason), 0);
}

/* the first frame is lost and counted, the others go */
TEST_RANGE(carrier_outlet__refused_for_good, 0, 3)
{
	int error = ((int[]){ EMSGSIZE, ENETDOWN, ENXIO })[_i];

	frames_send();
	refuse(error, 1);
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
	frames_arrive(1);
	ck_assert_uint_eq(drops(&a, DROP_OVERSIZE), error == EMSGSIZE);
	ck_assert_uint_eq(drops(&a, DROP_LINK_DOWN), error != EMSGSIZE);
}

/* the kernel may take a part of what it is given */
TEST_RANGE(carrier_outlet__a_part_is_sent, 1, 3)
{
	frames_send();
	kernel.limit = (uint32_t)_i;
	ck_assert_uint_eq(carrier_outlet(&a.carrier, now_ps), NODE_TIME_NEVER);
	frames_arrive(0);
}

/* ---- carrier: what the kernel tells of a frame ---- */

static void frame_inject(const uint8_t *bytes, uint32_t length)
{
	ck_assert_int_eq(send(a.socket, bytes, length, 0), (ssize_t)length);
	now_ps += NODE_US;
	carrier_intake(&b.carrier, now_ps);
}

/* the kernel took the tag out of the frame: it is back in its place. The type of the tag may be
 * missing, it is 802.1Q then */
TEST_RANGE(carrier_intake__tag_beside_the_frame, 0, 2)
{
	static const uint8_t frame[60] = {
		2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x90, 0, 0xa5
	};
	uint8_t expected[64];
	const uint8_t *bytes;

	memcpy(expected, frame, 12);
	bytes_put16(expected + 12, _i ? 0x88a8 : 0x8100);
	bytes_put16(expected + 14, 0x6005);
	memcpy(expected + 16, frame + 12, sizeof(frame) - 12);
	kernel.tagged = true;
	kernel.has_type = _i;
	kernel.type = 0x88a8;
	kernel.tag = 0x6005; /* priority 3 */
	frame_inject(frame, sizeof(frame));
	bytes = receive(&b);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(header.captured_bytes, sizeof(expected));
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
	if (!_i)
		ck_assert_uint_eq(header.traffic_class, 3);
}

/* without a tag the words beside the frame mean nothing */
TEST(carrier_intake__no_tag_beside_the_frame)
{
	static const uint8_t frame[60] = {
		2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x90, 0, 0xa5
	};
	const uint8_t *bytes;

	kernel.has_type = true;
	kernel.type = 0x88a8;
	kernel.tag = 0x6005;
	frame_inject(frame, sizeof(frame));
	bytes = receive(&b);
	ck_assert_uint_eq(header.captured_bytes, sizeof(frame));
	ck_assert_mem_eq(bytes, frame, sizeof(frame));
}

/* a frame without two addresses has no place for a tag: malformed; with them it is one */
TEST_RANGE(carrier_intake__tag_beside_a_short_frame, 10, 14)
{
	static const uint8_t frame[16] = { 2, 0x48, 0, 0, 0, 1, 2, 0x48, 0, 0, 0, 2, 0x90, 0 };

	kernel.tagged = true;
	kernel.tag = 0x2001;
	frame_inject(frame, (uint32_t)_i);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED) + !nothing_there(&b), 1);
	ck_assert_uint_eq(drops(&b, DROP_MALFORMED), _i < 14);
}

/* other words of the kernel, with numbers that would mean a tag, or lost frames, are passed over */
TEST_RANGE(carrier_intake__other_words_beside_the_frame, 0, 2)
{
	kernel.tagged = true;
	kernel.tag = 0x6005;
	kernel.other = _i ? SOL_SOCKET : SOL_PACKET;
	send_packet(&a, 100, 0, 7);
	carry();
	ck_assert_uint_eq(packet_number(receive(&b), 100), 7);
	ck_assert_uint_eq(header.captured_bytes, 100);
	ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), 0);
}

/* the kernel counts the frames without a buffer from the start of the socket on */
TEST(carrier_intake__frames_without_a_buffer)
{
	static const uint32_t counts[] = { 0, 3, 3, 10, 11 };

	kernel.counted = true;
	for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		kernel.dropped = counts[i];
		send_packet(&a, 100, 0, i);
		carry();
		ck_assert_ptr_nonnull(receive(&b));
		ck_assert_uint_eq(drops(&b, DROP_BUFFER_OVERFLOW), counts[i]);
	}
}

/* ---- control messages ---- */

static struct control_message request;

/* the other end has the request */
static void request_arrives(void)
{
	struct control_message got = { 0 };
	struct why why = { "" };

	ck_assert_int_eq(control_receive(b.socket, &got, 0, &why), 0);
	ck_assert_uint_eq(got.question, request.question);
	control_message_free(&got);
}

static void pair_open(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	close(a.socket);
	close(b.socket);
	a.socket = pair[0];
	b.socket = pair[1];
	request = (struct control_message){ .kind = CONTROL_SHOW, .question = 77, .number = -1 };
}

/* a signal, or a full queue for one that waits, is no error */
TEST_RANGE(control_send__again, 0, 2)
{
	pair_open();
	refuse(_i ? EAGAIN : EINTR, 3);
	ck_assert_int_eq(control_send(a.socket, &request), 0);
	ck_assert_uint_eq(kernel.calls, 4);
	request_arrives();
}

TEST_RANGE(control_send__refused, 0, 5)
{
	static const struct {
		int error, expected;
	} rows[] = { { ECONNRESET, -EPIPE },
		     { ECONNREFUSED, -EPIPE },
		     { ENOTCONN, -EPIPE },
		     { EPIPE, -EPIPE },
		     { ENOBUFS, -ENOBUFS } };

	pair_open();
	refuse(rows[_i].error, 1);
	ck_assert_int_eq(control_send(a.socket, &request), rows[_i].expected);
	ck_assert_uint_eq(kernel.calls, 1);
	refuse(EAGAIN, 1);
	ck_assert_int_eq(control_send_now(a.socket, &request), -EAGAIN);
	ck_assert_uint_eq(kernel.calls, 1);
}

/* A message that the kernel never takes, however long its queue, is an error and no endless loop:
 * the queue grows once. */
TEST(control_send__too_long_for_any_queue)
{
	pair_open();
	refuse(EMSGSIZE, 100);
	setsockopt(a.socket, SOL_SOCKET, SO_SNDBUF, &(int){ 1 << 20 }, sizeof(int));
	ck_assert_int_eq(control_send(a.socket, &request), -EMSGSIZE);
	ck_assert_uint_eq(kernel.calls, 1);
}

TEST(control_receive__interrupted)
{
	pair_open();
	ck_assert_int_eq(control_send(a.socket, &request), 0);
	refuse(EINTR, 3);
	request_arrives();
	ck_assert_uint_eq(kernel.calls, 5); /* three of them, the length, the message */
}

/* a reset is the end of the peer; anything else is an error of its own */
TEST_RANGE(control_receive__refused, 0, 3)
{
	static const struct {
		int error, expected;
	} rows[] = { { ECONNRESET, -EPIPE }, { EAGAIN, -EAGAIN }, { EIO, -EIO } };
	struct control_message got;
	struct why why = { "" };

	pair_open();
	ck_assert_int_eq(control_send(a.socket, &request), 0);
	refuse(rows[_i].error, 1);
	ck_assert_int_eq(control_receive(b.socket, &got, 0, &why), rows[_i].expected);
	request_arrives();
}
