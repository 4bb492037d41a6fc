/*  preload/dilate/sockets: time-outs and rates of sockets, what TCP has measured, and stamps of
 *  what was received, in time of the fabric (SC-8). */
#include <limits.h>
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/unit/preload/dilate/ten_times.h"

#define FD 9
#define OTHER_OPTION TCP_CORK

TEST_GROUP(sockets, .setup = ten_times);

/* what the C library was called with, and what it answers */
static int status;
static int asked_level, asked_option;
static const void *asked_value;
static socklen_t asked_bytes;
static union {
	char bytes[sizeof(struct tcp_info)];
	int number;
	uint32_t rate32;
	uint64_t rate;
	struct timeval span;
	struct tcp_info info;
} asked, answer;
static socklen_t answer_bytes;

static int next_setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	ck_assert_int_eq(fd, FD);
	asked_level = level;
	asked_option = option;
	asked_value = value;
	asked_bytes = bytes;
	if (value)
		memcpy(&asked, value, bytes < sizeof(asked) ? bytes : sizeof(asked));
	return status;
}

static int next_getsockopt(int fd, int level, int option, void *value, socklen_t *bytes)
{
	ck_assert_int_eq(fd, FD);
	asked_level = level;
	asked_option = option;
	*bytes = answer_bytes;
	memcpy(value, &answer, answer_bytes);
	return status;
}

/* ---- set ---- */

static void set(int level, int option, const void *value, socklen_t bytes)
{
	NEXT_IS(setsockopt, next_setsockopt);
	ck_assert_int_eq(setsockopt(FD, level, option, value, bytes), status);
	ck_assert_int_eq(asked_level, level);
	ck_assert_int_eq(asked_option, option);
}

/* it is given to the C library as it is */
static void is_passed(int level, int option, const void *value, socklen_t bytes)
{
	set(level, option, value, bytes);
	ck_assert_ptr_eq(asked_value, value);
	ck_assert_uint_eq(asked_bytes, bytes);
}

TEST(setsockopt__timeouts)
{
	static const int options[] = { SO_RCVTIMEO, SO_SNDTIMEO };
	struct timeval span = { 1, 500000 }, wrong = { 0, 1000000 };

	for (int i = 0; i < 2; i++) {
		set(SOL_SOCKET, options[i], &span, sizeof(span));
		CK_TV(asked.span, 15, 0);
		ck_assert_uint_eq(asked_bytes, sizeof(span));
		set(SOL_SOCKET, options[i], &wrong, sizeof(wrong));
		CK_TV(asked.span, 0, 1000000);
		is_passed(SOL_SOCKET, options[i], &span, sizeof(span) - 1);
		is_passed(IPPROTO_TCP, options[i] == SO_RCVTIMEO ? TCP_CORK : TCP_NODELAY, &span,
			  sizeof(span));
	}
	CK_TV(span, 1, 500000);
	status = -1;
	set(SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span));
}

TEST(setsockopt__seconds_and_milliseconds)
{
	static const struct {
		int option, given, machine;
	} rows[] = { { TCP_KEEPIDLE, 30, 300 },
		     { TCP_KEEPIDLE, 3276, 32760 },
		     { TCP_KEEPIDLE, 3277, 32767 },
		     { TCP_KEEPINTVL, 1, 10 },
		     { TCP_KEEPINTVL, INT_MAX, 32767 },
		     { TCP_USER_TIMEOUT, 40000, 400000 },
		     { TCP_USER_TIMEOUT, INT_MAX / 10, INT_MAX / 10 * 10 },
		     { TCP_USER_TIMEOUT, INT_MAX / 10 + 1, INT_MAX },
		     { TCP_DEFER_ACCEPT, 7, 70 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		set(IPPROTO_TCP, rows[i].option, &rows[i].given, sizeof(int));
		ck_assert_int_eq(asked.number, rows[i].machine);
		ck_assert_uint_eq(asked_bytes, sizeof(int));
	}
}

TEST(setsockopt__pacing)
{
	uint32_t rate32 = 12345;
	uint64_t rate = 1000000000000;

	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate32, sizeof(rate32));
	ck_assert_uint_eq(asked.rate32, 1234);
	ck_assert_uint_eq(asked_bytes, 4);
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(asked.rate, 100000000000);
	ck_assert_uint_eq(asked_bytes, 8);
	/* none at all stays none, and little stays some */
	rate32 = UINT32_MAX;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate32, sizeof(rate32));
	ck_assert_uint_eq(asked.rate32, UINT32_MAX);
	rate32 = UINT32_MAX - 1;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate32, sizeof(rate32));
	ck_assert_uint_eq(asked.rate32, (UINT32_MAX - 1) / 10);
	rate = UINT64_MAX;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(asked.rate, UINT64_MAX);
	rate = INT64_MAX;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(asked.rate, INT64_MAX / 10);
	rate = 3;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(asked.rate, 1);
	rate = 0;
	set(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(asked.rate, 0);
}

TEST(setsockopt__what_is_passed_on)
{
	struct timeval span = { 1, 0 };
	int number = 5, none = 0, negative = -1;

	is_passed(IPPROTO_TCP, OTHER_OPTION, &number, sizeof(number));
	is_passed(IPPROTO_IP, TCP_KEEPIDLE, &number, sizeof(number));
	is_passed(IPPROTO_TCP, TCP_KEEPIDLE, &none, sizeof(none));
	is_passed(IPPROTO_TCP, TCP_KEEPIDLE, &negative, sizeof(negative));
	is_passed(IPPROTO_TCP, TCP_KEEPIDLE, &number, sizeof(number) - 1);
	is_passed(IPPROTO_IP, SO_MAX_PACING_RATE, &number, sizeof(number));
	is_passed(SOL_SOCKET, SO_RCVTIMEO, NULL, sizeof(span));
	next_dilates(1, 1, 1);
	is_passed(SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span));
}

/* ---- get ---- */

static void get(int level, int option, void *value, socklen_t bytes)
{
	socklen_t given = sizeof(answer);

	NEXT_IS(getsockopt, next_getsockopt);
	answer_bytes = bytes;
	ck_assert_int_eq(getsockopt(FD, level, option, value, &given), status);
	ck_assert_int_eq(asked_level, level);
	ck_assert_int_eq(asked_option, option);
	ck_assert_uint_eq(given, bytes);
}

TEST(getsockopt__timeouts)
{
	struct timeval span;

	answer.span = (struct timeval){ 15, 1 };
	get(SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span));
	CK_TV(span, 1, 500001); /* rounded up */
	get(SOL_SOCKET, SO_SNDTIMEO, &span, sizeof(span));
	CK_TV(span, 1, 500001);
	status = -1;
	get(SOL_SOCKET, SO_SNDTIMEO, &span, sizeof(span));
	CK_TV(span, 15, 1);
	status = 0;
	next_dilates(1, 1, 1);
	get(SOL_SOCKET, SO_SNDTIMEO, &span, sizeof(span));
	CK_TV(span, 15, 1);
}

TEST(getsockopt__numbers)
{
	int number = 0;

	answer.number = 75;
	get(IPPROTO_TCP, TCP_KEEPIDLE, &number, sizeof(number));
	ck_assert_int_eq(number, 7);
	get(IPPROTO_TCP, TCP_USER_TIMEOUT, &number, sizeof(number));
	ck_assert_int_eq(number, 7);
	get(IPPROTO_TCP, OTHER_OPTION, &number, sizeof(number));
	ck_assert_int_eq(number, 75);
	answer.number = 0;
	get(IPPROTO_TCP, TCP_USER_TIMEOUT, &number, sizeof(number));
	ck_assert_int_eq(number, 0);
	answer.number = 3;
	get(IPPROTO_TCP, TCP_USER_TIMEOUT, &number, sizeof(number));
	ck_assert_int_eq(number, 1);
	answer.number = 75;
	number = 0;
	get(IPPROTO_TCP, TCP_KEEPIDLE, &number, 1);
	ck_assert_int_eq(number, 75);
}

TEST(getsockopt__pacing)
{
	uint32_t rate32 = 0;
	uint64_t rate = 0;

	answer.rate32 = 1234;
	get(SOL_SOCKET, SO_MAX_PACING_RATE, &rate32, sizeof(rate32));
	ck_assert_uint_eq(rate32, 12340);
	answer.rate32 = UINT32_MAX / 2;
	get(SOL_SOCKET, SO_MAX_PACING_RATE, &rate32, sizeof(rate32));
	ck_assert_uint_eq(rate32, UINT32_MAX);
	answer.rate = 100000000000;
	get(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(rate, 1000000000000);
	answer.rate = UINT64_MAX;
	get(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(rate, UINT64_MAX);
	answer.rate = INT64_MAX;
	get(SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
	ck_assert_uint_eq(rate, INT64_MAX);
}

/* spans shorter, rates higher, all else as it is */
static void info_checks(const struct tcp_info *info)
{
	ck_assert_uint_eq(info->tcpi_rto, 20);
	ck_assert_uint_eq(info->tcpi_ato, 20);
	ck_assert_uint_eq(info->tcpi_last_data_sent, 20);
	ck_assert_uint_eq(info->tcpi_last_ack_sent, 20);
	ck_assert_uint_eq(info->tcpi_last_data_recv, 20);
	ck_assert_uint_eq(info->tcpi_last_ack_recv, 20);
	ck_assert_uint_eq(info->tcpi_rtt, 20);
	ck_assert_uint_eq(info->tcpi_rttvar, 20);
	ck_assert_uint_eq(info->tcpi_rcv_rtt, 20);
	ck_assert_uint_eq(info->tcpi_min_rtt, 20);
	ck_assert_uint_eq(info->tcpi_busy_time, 20);
	ck_assert_uint_eq(info->tcpi_rwnd_limited, 20);
	ck_assert_uint_eq(info->tcpi_sndbuf_limited, 20);
	ck_assert_uint_eq(info->tcpi_pacing_rate, 2000);
	ck_assert_uint_eq(info->tcpi_max_pacing_rate, UINT64_MAX);
	ck_assert_uint_eq(info->tcpi_snd_mss, 200);
	ck_assert_uint_eq(info->tcpi_snd_cwnd, 200);
	ck_assert_uint_eq(info->tcpi_bytes_acked, 200);
	ck_assert_uint_eq(info->tcpi_total_retrans, 200);
}

static void info_fill(void)
{
	struct tcp_info *info = &answer.info;

	*info = (struct tcp_info){ .tcpi_snd_mss = 200,
				   .tcpi_snd_cwnd = 200,
				   .tcpi_bytes_acked = 200,
				   .tcpi_total_retrans = 200,
				   .tcpi_pacing_rate = 200,
				   .tcpi_max_pacing_rate = UINT64_MAX,
				   .tcpi_delivery_rate = 200 };
	info->tcpi_rto = info->tcpi_ato = info->tcpi_rtt = info->tcpi_rttvar = 200;
	info->tcpi_last_data_sent = info->tcpi_last_ack_sent = 200;
	info->tcpi_last_data_recv = info->tcpi_last_ack_recv = 200;
	info->tcpi_rcv_rtt = info->tcpi_min_rtt = 200;
	info->tcpi_busy_time = info->tcpi_rwnd_limited = info->tcpi_sndbuf_limited = 200;
}

TEST(getsockopt__tcp_info)
{
	struct tcp_info info;

	info_fill();
	get(IPPROTO_TCP, TCP_INFO, &info, sizeof(info));
	info_checks(&info);
	ck_assert_uint_eq(info.tcpi_delivery_rate, 2000);
	get(SOL_SOCKET, TCP_INFO, &info, sizeof(info)); /* another option, with this number */
	ck_assert_uint_eq(info.tcpi_rtt, 200);
}

/* an older kernel, or program, knows less: nothing is touched that was not filled */
TEST(getsockopt__tcp_info_that_is_short)
{
	socklen_t bytes = offsetof(struct tcp_info, tcpi_rttvar) + 3;
	struct tcp_info info;

	info_fill();
	memset(&info, 0xee, sizeof(info));
	get(IPPROTO_TCP, TCP_INFO, &info, bytes);
	ck_assert_uint_eq(info.tcpi_rtt, 20);
	ck_assert_mem_eq(&info.tcpi_rttvar, &answer.info.tcpi_rttvar, 3);
	ck_assert_uint_eq(info.tcpi_pacing_rate, 0xeeeeeeeeeeeeeeee);
	get(IPPROTO_TCP, TCP_INFO, &info, bytes + 1);
	ck_assert_uint_eq(info.tcpi_rttvar, 20);
}

/* ---- stamps ---- */

static union {
	char bytes[256];
	struct cmsghdr first;
} control;
static size_t control_bytes;
static int64_t stamp_ns, stamps_ns; /* of the machine: a stamp, and when the test began */

/* appends a control message */
static void append(int level, int type, const void *data, size_t bytes)
{
	struct cmsghdr *message = (void *)(control.bytes + control_bytes);

	message->cmsg_level = level;
	message->cmsg_type = type;
	message->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(message), data, bytes);
	control_bytes += CMSG_SPACE(bytes);
}

static void append_stamp(int level, int type, size_t bytes)
{
	struct timespec stamp = timespec_of(stamp_ns);

	append(level, type, &stamp, bytes);
}

/* a stamp of ten seconds ago */
static void stamps_begin(void)
{
	control_bytes = 0;
	stamps_ns = dilate_machine_ns(CLOCK_MONOTONIC);
	stamp_ns = dilate_machine_ns(CLOCK_REALTIME) - 10 * NS_PER_S;
}

/* of message @number */
static void *data_of(struct msghdr *header, int number)
{
	struct cmsghdr *message = CMSG_FIRSTHDR(header);

	while (number--)
		message = CMSG_NXTHDR(header, message);
	ck_assert_ptr_nonnull(message);
	return CMSG_DATA(message);
}

/* Is @ns what the fabric's clock showed at the stamp, a second of its time ago? Clocks are read one
 * after the other, with at most the time since stamps_begin() between them. */
static void is_stamp(int64_t ns, int64_t slack_ns)
{
	int64_t exact_ns = dilate_stamp_ns(stamp_ns);

	slack_ns += dilate_machine_ns(CLOCK_MONOTONIC) - stamps_ns + NS_PER_MS;
	ck_assert_int_le(llabs(ns - exact_ns), slack_ns);
	ck_assert_int_lt(ns, dilate_now_ns(CLOCK_REALTIME) - NS_PER_S + slack_ns);
}

static ssize_t received;
static int asked_flags;

static ssize_t next_recvmsg(int fd, struct msghdr *header, int flags)
{
	ck_assert_int_eq(fd, FD);
	asked_flags = flags;
	header->msg_controllen = control_bytes;
	errno = EAGAIN;
	return received;
}

static struct msghdr header_of(void)
{
	return (struct msghdr){ .msg_control = &control, .msg_controllen = sizeof(control) };
}

TEST(recvmsg__stamps)
{
	struct timespec stamps[3], raw;
	struct msghdr header = header_of();
	struct timeval time;

	NEXT_IS(recvmsg, next_recvmsg);
	stamps_begin();
	time = (struct timeval){ stamp_ns / NS_PER_S, stamp_ns % NS_PER_S / 1000 };
	append(SOL_SOCKET, SO_TIMESTAMP, &time, sizeof(time));
	append_stamp(SOL_SOCKET, SO_TIMESTAMPNS, sizeof(struct timespec));
	stamps[0] = timespec_of(stamp_ns);
	stamps[1] = ts(0, 0);
	stamps[2] = ts(77, 88);
	append(SOL_SOCKET, SO_TIMESTAMPING, stamps, sizeof(stamps));
	append_stamp(IPPROTO_IP, SO_TIMESTAMPNS, sizeof(struct timespec));
	append_stamp(SOL_SOCKET, SCM_CREDENTIALS, sizeof(struct timespec));
	received = 0;
	ck_assert_int_eq(recvmsg(FD, &header, MSG_PEEK), 0);
	ck_assert_int_eq(asked_flags, MSG_PEEK);
	memcpy(&time, data_of(&header, 0), sizeof(time));
	ck_assert(timeval_fine(&time));
	is_stamp(timeval_ns(&time), NS_PER_US);
	memcpy(&raw, data_of(&header, 1), sizeof(raw));
	is_stamp(timespec_ns(&raw), 0);
	memcpy(stamps, data_of(&header, 2), sizeof(stamps));
	is_stamp(timespec_ns(&stamps[0]), 0);
	CK_TS(stamps[2], 77, 88);
	memcpy(&raw, data_of(&header, 3), sizeof(raw));
	ck_assert_int_eq(timespec_ns(&raw), stamp_ns);
	memcpy(&raw, data_of(&header, 4), sizeof(raw));
	ck_assert_int_eq(timespec_ns(&raw), stamp_ns);
}

/* a stamp on a second, and one of the first second of all time */
TEST(recvmsg__stamps_with_zeros)
{
	struct timespec stamp = ts(UTC_NS / NS_PER_S, 0), early = ts(0, 5), read;
	struct msghdr header = header_of();

	NEXT_IS(recvmsg, next_recvmsg);
	stamps_begin();
	append(SOL_SOCKET, SO_TIMESTAMPNS, &stamp, sizeof(stamp));
	append(SOL_SOCKET, SO_TIMESTAMPNS, &early, sizeof(early));
	ck_assert_int_eq(recvmsg(FD, &header, 0), 0);
	memcpy(&read, data_of(&header, 0), sizeof(read));
	ck_assert_int_ne(timespec_ns(&read), timespec_ns(&stamp));
	memcpy(&read, data_of(&header, 1), sizeof(read));
	ck_assert_int_ne(timespec_ns(&read), timespec_ns(&early));
}

/* no stamp, too short ones, and none of the kernel: as they are */
TEST(recvmsg__what_is_no_stamp)
{
	static const int types[] = { SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMPING };
	struct timespec zeros[3] = { { 0, 0 }, { 0, 0 }, { 77, 88 } }, read[3];
	char before[sizeof(control)];
	struct msghdr header = header_of();

	NEXT_IS(recvmsg, next_recvmsg);
	stamps_begin();
	for (int i = 0; i < 3; i++)
		append_stamp(SOL_SOCKET, types[i], sizeof(struct timespec) - 1);
	append(SOL_SOCKET, SO_TIMESTAMPING, zeros, sizeof(zeros));
	memcpy(before, &control, sizeof(before));
	received = 5;
	ck_assert_int_eq(recvmsg(FD, &header, 0), 5);
	ck_assert_mem_eq(before, &control, sizeof(before));
	memcpy(read, data_of(&header, 3), sizeof(read));
	CK_TS(read[2], 77, 88);
}

TEST(recvmsg__errors_and_no_dilation)
{
	char before[sizeof(control)];
	struct msghdr header = header_of();

	NEXT_IS(recvmsg, next_recvmsg);
	stamps_begin();
	append_stamp(SOL_SOCKET, SO_TIMESTAMPNS, sizeof(struct timespec));
	memcpy(before, &control, sizeof(before));
	received = -1;
	ck_assert_int_eq(recvmsg(FD, &header, 0), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_mem_eq(before, &control, sizeof(before));
	received = 1;
	next_dilates(1, 1, 1);
	ck_assert_int_eq(recvmsg(FD, &header, 0), 1);
	ck_assert_mem_eq(before, &control, sizeof(before));
}

static struct timespec asked_span;
static bool asked_none;

static int next_recvmmsg(int fd, struct mmsghdr *headers, unsigned count, int flags,
			 struct timespec *span)
{
	ck_assert_int_eq(fd, FD);
	ck_assert_uint_eq(count, 2);
	asked_flags = flags;
	asked_none = !span;
	if (span)
		asked_span = *span;
	headers[0].msg_hdr.msg_controllen = headers[1].msg_hdr.msg_controllen = control_bytes;
	return (int)received;
}

/* of as many messages as there are */
TEST_RANGE(recvmmsg__stamps, -1, 3)
{
	struct timespec span = ts(2, 0), stamps[2];
	static char second[sizeof(control)] __attribute__((aligned(8)));
	struct mmsghdr headers[2] = { { .msg_hdr = header_of() }, { .msg_hdr = header_of() } };

	NEXT_IS(recvmmsg, next_recvmmsg);
	stamps_begin();
	append_stamp(SOL_SOCKET, SO_TIMESTAMPNS, sizeof(struct timespec));
	memcpy(second, &control, sizeof(second));
	headers[1].msg_hdr.msg_control = second;
	received = _i;
	ck_assert_int_eq(recvmmsg(FD, headers, 2, MSG_WAITFORONE, &span), _i);
	CK_TS(asked_span, 20, 0);
	CK_TS(span, 2, 0);
	ck_assert_int_eq(asked_flags, MSG_WAITFORONE);
	for (int i = 0; i < 2; i++) {
		memcpy(&stamps[i], data_of(&headers[i].msg_hdr, 0), sizeof(stamps[i]));
		if (i < _i)
			is_stamp(timespec_ns(&stamps[i]), 0);
		else
			ck_assert_int_eq(timespec_ns(&stamps[i]), stamp_ns);
	}
	ck_assert_int_eq(recvmmsg(FD, headers, 2, 0, NULL), _i);
	ck_assert(asked_none);
}
