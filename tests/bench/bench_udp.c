/*  bench_udp - small UDP packets from one host to another one, at a given rate or as many as get
 *  through: tests/bench/hosts.sh.
 *
 *  The same program for all that are compared. Frames are the smallest of Ethernet: 18 bytes of UDP
 *  payload, 64 bytes with headers and FCS. Both sides work in batches, with sendmmsg() and
 *  recvmmsg(). Without a rate the sender sends as fast as its socket takes packets and sleeps only
 *  while that is full; with one it sleeps until the next batch is due, and catches up.
 *
 *    bench_udp receive MILLISECONDS
 *        prints the packets a second that arrived in MILLISECONDS, which begin a while after the
 *        first packet, and ends; 0 if none comes for ten seconds
 *    bench_udp send ADDRESS MILLISECONDS [PACKETS-PER-SECOND]
 *        prints the packets a second that its socket took */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64u
#define PACED_BATCH 16u /* shorter bursts */
#define PAYLOAD_BYTES 18u
#define PORT 5300
#define FIRST_WAIT_S 10
#define WARM_UP_NS 200000000u

/* as many as fit; what a socket holds decides only how long an overload lasts until it shows */
#define SOCKET_BYTES (4 << 20)

struct batch {
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	uint8_t payload[BATCH][PAYLOAD_BYTES];
};

static struct batch batch;

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static int die(const char *what)
{
	fprintf(stderr, "bench_udp: %s: %s\n", what, strerror(errno));
	return 1;
}

static void batch_init(void)
{
	for (uint32_t i = 0; i < BATCH; i++) {
		batch.parts[i] = (struct iovec){ batch.payload[i], PAYLOAD_BYTES };
		batch.messages[i].msg_hdr.msg_iov = &batch.parts[i];
		batch.messages[i].msg_hdr.msg_iovlen = 1;
	}
}

static void print_rate(uint64_t packets, uint64_t ns)
{
	printf("%.0f\n", (double)packets * 1e9 / (double)ns);
}

/* number of packets received, 0 if none came within FIRST_WAIT_S */
static uint32_t receive_some(int fd)
{
	int count = recvmmsg(fd, batch.messages, BATCH, MSG_WAITFORONE, NULL);

	return count > 0 ? (uint32_t)count : 0;
}

static int receive(uint64_t measured_ns)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = SOCKET_BYTES;
	uint64_t from, to, packets = 0;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = FIRST_WAIT_S },
		   sizeof(struct timeval));
	if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof(here)))
		return die("receiving socket");
	if (!receive_some(fd)) {
		print_rate(0, 1);
		return 0;
	}
	for (from = now_ns() + WARM_UP_NS; now_ns() < from;)
		receive_some(fd);
	for (from = now_ns(), to = from; to - from < measured_ns; to = now_ns()) {
		uint32_t count = receive_some(fd);

		if (!count)
			break; /* they have stopped coming: the time waited counts */
		packets += count;
	}
	print_rate(packets, now_ns() - from);
	return 0;
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = { .tv_sec = (time_t)(at_ns / 1000000000u),
			       .tv_nsec = (long)(at_ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* @rate  packets per second, 0: as fast as they are taken */
static int send_all(const char *address, uint64_t duration_ns, uint64_t rate)
{
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = SOCKET_BYTES;
	uint64_t from = now_ns(), tried = 0, taken = 0;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (inet_pton(AF_INET, address, &there.sin_addr) != 1 || fd < 0 ||
	    connect(fd, (struct sockaddr *)&there, sizeof(there)))
		return die(address);
	while (now_ns() - from < duration_ns) {
		uint32_t batch_packets = rate ? PACED_BATCH : BATCH;
		int count;

		if (rate)
			sleep_until(from + tried * 1000000000u / rate);
		count = sendmmsg(fd, batch.messages, batch_packets, 0);
		/* full, or the receiver has gone already */
		if (count < 0 && errno != ENOBUFS && errno != ECONNREFUSED)
			return die("sendmmsg");
		taken += count > 0 ? (uint32_t)count : 0;
		tried += batch_packets;
	}
	print_rate(taken, now_ns() - from);
	return 0;
}

int main(int argc, char **argv)
{
	batch_init();
	if (argc == 3 && !strcmp(argv[1], "receive"))
		return receive(strtoull(argv[2], NULL, 10) * 1000000u);
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "send"))
		return send_all(argv[2], strtoull(argv[3], NULL, 10) * 1000000u,
				argc == 5 ? strtoull(argv[4], NULL, 10) : 0);
	fprintf(stderr, "usage: bench_udp receive MILLISECONDS | "
			"bench_udp send ADDRESS MILLISECONDS [PACKETS-PER-SECOND]\n");
	return 2;
}
