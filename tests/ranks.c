/*  ranks - see ranks.h. Letters and rounds have a socket each, as they have a communicator each. */
#include "tests/ranks.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rankd/link/transport.h"
#include "tests/testing.h"

#define HEAD_BYTES offsetof(struct ranks_item, length)
#define HANGS_MS 60000
#define TEST_GONE 99 /* exit status of a rank whose test has ended */
#define NEIGHBOURS_MAX 4u

struct pair {
	int test, rank;
};

static struct pair letters = { -1, -1 }, rounds = { -1, -1 };
static uint32_t own_rank, own_count, in_flight;

static uint32_t neighbours[NEIGHBOURS_MAX], neighbour_count;
static struct ranks_item parts[NEIGHBOURS_MAX]; /* of a round */

/* ---- both sides ---- */

static void item_send(int socket, enum ranks_kind kind, uint32_t rank, const uint64_t *times,
		      const void *bytes, size_t length)
{
	struct ranks_item head = { .kind = kind, .rank = rank };
	struct iovec vector[] = { { &head, HEAD_BYTES }, { (void *)bytes, length } };
	struct msghdr packet = { .msg_iov = vector, .msg_iovlen = 2 };

	if (times)
		memcpy(head.times, times, sizeof(head.times));
	while (sendmsg(socket, &packet, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/*  Return: 1; 0: the other side has ended; -1: there is nothing */
static int item_receive(int socket, struct ranks_item *item, bool wait)
{
	struct iovec vector[] = { { item, HEAD_BYTES }, { item->bytes, sizeof(item->bytes) } };
	struct msghdr packet = { .msg_iov = vector, .msg_iovlen = 2 };
	struct pollfd there = { .fd = socket, .events = POLLIN };
	ssize_t length;

	if (wait && poll(&there, 1, HANGS_MS) <= 0)
		return -1;
	length = recvmsg(socket, &packet, MSG_DONTWAIT);
	if (length < 0 && errno == EAGAIN)
		return -1;
	if (length <= 0)
		return 0;
	item->length = (size_t)length - HEAD_BYTES;
	return 1;
}

/* ---- the test ---- */

static void pair_make(struct pair *pair)
{
	int ends[2], bytes = 1 << 22;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	for (int i = 0; i < 2; i++)
		if (setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
			setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	*pair = (struct pair){ ends[0], ends[1] };
}

void ranks_begin(uint32_t rank, uint32_t rank_count)
{
	char text[64];

	own_rank = rank;
	own_count = rank_count;
	neighbour_count = in_flight = 0;
	pair_make(&letters);
	pair_make(&rounds);
	snprintf(text, sizeof(text), "%u %u %d %d", rank, rank_count, letters.rank, rounds.rank);
	setenv("TESTS_RANKS", text, 1);
}

void ranks_leave(void)
{
	close(letters.rank);
	close(rounds.rank);
	letters.rank = rounds.rank = -1;
}

void ranks_end(void)
{
	if (letters.rank >= 0)
		ranks_leave();
	close(letters.test);
	close(rounds.test);
}

void ranks_in_flight(uint32_t count)
{
	in_flight = count;
}

static bool next_receive(int socket, struct ranks_item *item)
{
	int got = item_receive(socket, item, true);

	ck_assert_msg(got >= 0, "the rank has sent nothing");
	return got;
}

bool ranks_letter(struct ranks_item *item)
{
	return next_receive(letters.test, item);
}

bool ranks_round(struct ranks_item *item)
{
	return next_receive(rounds.test, item);
}

bool ranks_is_silent(void)
{
	struct pollfd there = { .fd = letters.test, .events = POLLIN };

	return !poll(&there, 1, 0);
}

void ranks_send(enum ranks_kind kind, uint32_t rank, const uint64_t times[2], const void *bytes,
		size_t length)
{
	int socket = kind == RANKS_PART || kind == RANKS_ROUND ? rounds.test : letters.test;

	item_send(socket, kind, rank, times, bytes, length);
}

/* ---- the rank: transport.h ---- */

void transport_begin(uint32_t *rank, uint32_t *rank_count)
{
	if (letters.rank < 0) /* a program that was started */
		sscanf(getenv("TESTS_RANKS"), "%u %u %d %d", &own_rank, &own_count, &letters.rank,
		       &rounds.rank);
	*rank = own_rank;
	*rank_count = own_count;
}

const char *transport_name(uint32_t rank)
{
	static char name[32];

	snprintf(name, sizeof(name), "rank %u (test)", rank);
	return name;
}

void transport_end(void)
{
	item_send(letters.rank, RANKS_END, own_rank, NULL, NULL, 0);
}

/* what the test sends, or the end of this process */
static bool rank_receive(int socket, struct ranks_item *item, bool wait)
{
	int got = item_receive(socket, item, wait);

	if (!got)
		_exit(TEST_GONE);
	return got > 0;
}

void transport_share(void *bytes, size_t length)
{
	static struct ranks_item item;

	if (!own_rank) {
		item_send(letters.rank, RANKS_SHARE, 0, NULL, bytes, length);
		return;
	}
	if (!rank_receive(letters.rank, &item, true) || item.kind != RANKS_SHARE ||
	    item.length != length)
		_exit(TEST_GONE);
	memcpy(bytes, item.bytes, length);
}

int transport_send(uint32_t rank, const void *bytes, size_t length)
{
	item_send(letters.rank, RANKS_LETTER, rank, NULL, bytes, length);
	return 0;
}

uint32_t transport_sending(void)
{
	return in_flight ? in_flight-- : 0;
}

void *transport_receive(uint32_t *rank, size_t *length)
{
	static struct ranks_item item;
	void *bytes;

	if (!rank_receive(letters.rank, &item, false))
		return NULL;
	*rank = item.rank;
	*length = item.length;
	bytes = malloc(item.length + !item.length);
	if (bytes)
		memcpy(bytes, item.bytes, item.length);
	return bytes;
}

int transport_neighbours(const uint32_t *ranks, uint32_t count)
{
	if (count > NEIGHBOURS_MAX)
		return -ENOMEM;
	memcpy(neighbours, ranks, count * sizeof(*ranks));
	neighbour_count = count;
	return 0;
}

void transport_round_begin(uint8_t *const *bytes, const size_t *length, const uint64_t times[2])
{
	for (uint32_t i = 0; i < neighbour_count; i++) {
		parts[i].length = 0;
		item_send(rounds.rank, RANKS_PART, neighbours[i], NULL, bytes[i], length[i]);
	}
	item_send(rounds.rank, RANKS_ROUND, own_rank, times, NULL, 0);
}

bool transport_round_done(uint64_t least[2])
{
	static struct ranks_item item;

	while (rank_receive(rounds.rank, &item, false)) {
		for (uint32_t i = 0; item.kind == RANKS_PART && i < neighbour_count; i++)
			if (neighbours[i] == item.rank)
				parts[i] = item;
		if (item.kind == RANKS_ROUND) {
			memcpy(least, item.times, sizeof(item.times));
			return true;
		}
	}
	return false;
}

const uint8_t *transport_received(uint32_t i, size_t *length)
{
	*length = parts[i].length;
	return parts[i].bytes;
}
