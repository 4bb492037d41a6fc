/*  switchd/common/waiting: the packets of an output by flow, as `show` prints them (TB-9). */
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "switchd/common/waiting.h"
#include "tests/testing.h"

#define MORE 10u
#define STRIDE (sizeof(struct packet) + 64)

static uint8_t *memory;

static struct packet *packet_at(uint32_t i)
{
	return (struct packet *)(void *)(memory + i * STRIDE);
}

static uint32_t bytes_of(const struct packet *packet)
{
	return packet->frame_bytes;
}

/* every flow has a row; those for which there is none are together in the last one, which names no
 * flow, and no packet is forgotten */
TEST(waiting_add__more_flows_than_rows)
{
	const uint32_t count = WAITING_LINES_MAX + MORE;
	const struct waiting_line *last;
	struct packet_queue queue;
	struct waiting waiting;

	memory = aligned_alloc(64, count * STRIDE);
	waiting_init(&waiting);
	for (uint32_t i = 0; i < count; i++) {
		struct packet *packet = packet_at(i);

		*packet = (struct packet){ .next = i + 1 < count ? packet_at(i + 1) : NULL,
					   .frame_bytes = 100,
					   .captured_bytes = 12 };
		address_mac(i, packet->bytes);
		address_mac(7, packet->bytes + 6);
	}
	queue = (struct packet_queue){ packet_at(0), packet_at(count - 1) };
	waiting_add(&waiting, &queue, 0, bytes_of);
	ck_assert_uint_eq(waiting.count, WAITING_LINES_MAX);
	for (uint32_t i = 0; i + 1 < WAITING_LINES_MAX; i++) {
		ck_assert_uint_eq(waiting.lines[i].destination, i);
		ck_assert_uint_eq(waiting.lines[i].source, 7);
		ck_assert_uint_eq(waiting.lines[i].packets, 1);
	}
	last = &waiting.lines[WAITING_LINES_MAX - 1];
	ck_assert_uint_eq(last->destination, ADDRESS_NO_HOST);
	ck_assert_uint_eq(last->source, ADDRESS_NO_HOST);
	ck_assert_uint_eq(last->packets, 1 + MORE);
	ck_assert_uint_eq(last->bytes, 100 * (1 + MORE));
	/* those that have a row are found again */
	queue.tail = packet_at(WAITING_LINES_MAX - 2);
	waiting_add(&waiting, &queue, 0, bytes_of);
	ck_assert_uint_eq(waiting.count, WAITING_LINES_MAX);
	ck_assert_uint_eq(waiting.lines[0].packets, 2);
	ck_assert_uint_eq(waiting.lines[WAITING_LINES_MAX - 2].packets, 2);
	ck_assert_uint_eq(last->packets, 1 + MORE);
	free(waiting.lines);
	free(waiting.chains);
	free(memory);
}
