/*  sockets - times and rates of sockets: time-outs, pacing, what the kernel has measured, and the
 *  stamps of what was received, by which ping takes the round trip. */
#include <limits.h>
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "preload/dilate/dilate.h"

/* netinet/tcp.h has an older struct tcp_info */
#define SOL_TCP_ IPPROTO_TCP
#define KEEP_SECONDS_MAX 32767 /* what the kernel accepts */

static bool is_timeout(int level, int option)
{
	return level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

/* an int in seconds or milliseconds, and the most that the kernel accepts; 0: another option */
static int span_max(int level, int option)
{
	if (level != SOL_TCP_)
		return 0;
	switch (option) {
	case TCP_KEEPIDLE:
	case TCP_KEEPINTVL:
		return KEEP_SECONDS_MAX;
	case TCP_USER_TIMEOUT:
	case TCP_DEFER_ACCEPT:
		return INT_MAX;
	default:
		return 0;
	}
}

static bool is_pacing(int level, int option)
{
	return level == SOL_SOCKET && option == SO_MAX_PACING_RATE;
}

/* ---- set ---- */

static int span_set(int fd, int level, int option, int span)
{
	int64_t longer = dilate_longer(span);
	int machine = longer > span_max(level, option) ? span_max(level, option) : (int)longer;

	return NEXT(setsockopt)(fd, level, option, &machine, sizeof(machine));
}

/* bytes per second, 4 or 8 bytes long; all ones: no limit */
static int pacing_set(int fd, const void *value, socklen_t bytes)
{
	uint64_t rate = 0;
	uint32_t rate32 = 0;

	if (bytes < sizeof(rate)) {
		memcpy(&rate32, value, sizeof(rate32));
		rate32 = rate32 == UINT32_MAX ? rate32 : (uint32_t)dilate_shorter(rate32);
		return NEXT(setsockopt)(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate32,
					sizeof(rate32));
	}
	memcpy(&rate, value, sizeof(rate));
	rate = rate > INT64_MAX ? rate : (uint64_t)dilate_shorter((int64_t)rate);
	return NEXT(setsockopt)(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate));
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
	struct timeval machine;
	int number;

	if (dilate_get()->times == 1 || !value || bytes < sizeof(int))
		return NEXT(setsockopt)(fd, level, option, value, bytes);
	if (is_timeout(level, option) && bytes >= sizeof(machine)) {
		memcpy(&machine, value, sizeof(machine));
		if (timeval_fine(&machine))
			machine = timeval_of(dilate_longer(timeval_ns(&machine)));
		return NEXT(setsockopt)(fd, level, option, &machine, sizeof(machine));
	}
	memcpy(&number, value, sizeof(number));
	if (span_max(level, option) && number > 0)
		return span_set(fd, level, option, number);
	if (is_pacing(level, option))
		return pacing_set(fd, value, bytes);
	return NEXT(setsockopt)(fd, level, option, value, bytes);
}

/* ---- get ---- */

/* a field of struct tcp_info, if the kernel has filled it */
#define FIELD(name)                                                                   \
	{                                                                             \
		offsetof(struct tcp_info, name), sizeof(((struct tcp_info *)0)->name) \
	}

static const struct {
	size_t at, bytes;
} info_spans[] = { FIELD(tcpi_rto),
		   FIELD(tcpi_ato),
		   FIELD(tcpi_last_data_sent),
		   FIELD(tcpi_last_ack_sent),
		   FIELD(tcpi_last_data_recv),
		   FIELD(tcpi_last_ack_recv),
		   FIELD(tcpi_rtt),
		   FIELD(tcpi_rttvar),
		   FIELD(tcpi_rcv_rtt),
		   FIELD(tcpi_min_rtt),
		   FIELD(tcpi_busy_time),
		   FIELD(tcpi_rwnd_limited),
		   FIELD(tcpi_sndbuf_limited) },
  info_rates[] = { FIELD(tcpi_pacing_rate), FIELD(tcpi_max_pacing_rate),
		   FIELD(tcpi_delivery_rate) };

/* the number of @bytes (4 or 8) at @at, as a span or as a rate of the fabric */
static void number_convert(char *at, size_t bytes, bool rate)
{
	uint64_t number = 0;
	uint32_t number32;

	if (bytes == sizeof(number32)) {
		memcpy(&number32, at, sizeof(number32));
		number = number32;
	} else {
		memcpy(&number, at, sizeof(number));
	}
	if (number > INT64_MAX) /* no limit */
		return;
	number =
		(uint64_t)(rate ? dilate_longer((int64_t)number) : dilate_shorter((int64_t)number));
	number32 = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
	memcpy(at, bytes == sizeof(number32) ? (void *)&number32 : (void *)&number, bytes);
}

static void info_convert(char *info, socklen_t bytes)
{
	for (size_t i = 0; i < sizeof(info_spans) / sizeof(*info_spans); i++)
		if (info_spans[i].at + info_spans[i].bytes <= bytes)
			number_convert(info + info_spans[i].at, info_spans[i].bytes, false);
	for (size_t i = 0; i < sizeof(info_rates) / sizeof(*info_rates); i++)
		if (info_rates[i].at + info_rates[i].bytes <= bytes)
			number_convert(info + info_rates[i].at, info_rates[i].bytes, true);
}

int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict bytes)
{
	int status = NEXT(getsockopt)(fd, level, option, value, bytes);
	struct timeval span;

	if (status || dilate_get()->times == 1)
		return status;
	if (is_timeout(level, option) && *bytes >= sizeof(span)) {
		memcpy(&span, value, sizeof(span));
		span = timeval_of(dilate_shorter(timeval_ns(&span)));
		memcpy(value, &span, sizeof(span));
	} else if (span_max(level, option) && *bytes == sizeof(int)) {
		number_convert(value, sizeof(int), false);
	} else if (is_pacing(level, option) &&
		   (*bytes == sizeof(uint32_t) || *bytes == sizeof(uint64_t))) {
		number_convert(value, *bytes, true);
	} else if (level == SOL_TCP_ && option == TCP_INFO) {
		info_convert(value, *bytes);
	}
	return status;
}

/* ---- stamps ---- */

/* stamps of @kind in the control message @message become the fabric's */
static void stamps_convert(struct cmsghdr *message)
{
	unsigned char *data = CMSG_DATA(message);
	size_t bytes = message->cmsg_len - CMSG_LEN(0);
	struct timeval time;
	struct timespec exact;

	if (message->cmsg_type == SO_TIMESTAMP && bytes >= sizeof(time)) {
		int64_t us;

		memcpy(&time, data, sizeof(time));
		us = dilate_stamp_ns(timeval_ns(&time)) / NS_PER_US;
		time = (struct timeval){ .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
		memcpy(data, &time, sizeof(time));
	} else if ((message->cmsg_type == SO_TIMESTAMPNS ||
		    message->cmsg_type == SO_TIMESTAMPING) &&
		   bytes >= sizeof(exact)) {
		memcpy(&exact, data, sizeof(exact)); /* of several the first one is the kernel's */
		if (!exact.tv_sec && !exact.tv_nsec)
			return;
		exact = timespec_of(dilate_stamp_ns(timespec_ns(&exact)));
		memcpy(data, &exact, sizeof(exact));
	}
}

static void message_convert(struct msghdr *header)
{
	if (dilate_get()->times == 1)
		return;
	for (struct cmsghdr *message = CMSG_FIRSTHDR(header); message;
	     message = CMSG_NXTHDR(header, message))
		if (message->cmsg_level == SOL_SOCKET)
			stamps_convert(message);
}

ssize_t recvmsg(int fd, struct msghdr *header, int flags)
{
	ssize_t length = NEXT(recvmsg)(fd, header, flags);

	if (length >= 0)
		message_convert(header);
	return length;
}

int recvmmsg(int fd, struct mmsghdr *headers, unsigned count, int flags, struct timespec *span)
{
	struct timespec machine;
	int received = NEXT(recvmmsg)(
		fd, headers, count, flags,
		span ? (struct timespec *)(uintptr_t)dilate_span(span, &machine) : NULL);

	for (int i = 0; i < received; i++)
		message_convert(&headers[i].msg_hdr);
	return received;
}
