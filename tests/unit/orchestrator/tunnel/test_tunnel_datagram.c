/*  orchestrator/tunnel/tunnel_datagram: every item is read as it was written, within its bytes, and
 *  nothing else is read as one (SC-5). */
#include <errno.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"
#include "nodes/base/ring.h"
#include "orchestrator/tunnel/tunnel_datagram.h"
#include "tests/testing.h"

#define ROOM 512u
#define GUARD 0xa5

static const uint8_t piece[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static const struct tunnel_item items[] = {
	{ .kind = TUNNEL_HELLO,
	  .hello = { .digest = { 1, 2, 3 },
		     .challenge = 0x1112131415161718,
		     .echo = 0x2122232425262728,
		     .accepted = 0x3132333435363738,
		     .heard_bytes = 0x41424344,
		     .begun = true } },
	{ .kind = TUNNEL_HELLO, .hello = { .digest = { [31] = 9 }, .ready = true } },
	{ .kind = TUNNEL_PING, .times = { .sent_ns = 0x5152535455565758 } },
	{ .kind = TUNNEL_PONG,
	  .times = { .sent_ns = 0x6162636465666768,
		     .arrived_ns = 0x7172737475767778,
		     .answer_ns = 0x7172737475767779 } },
	{ .kind = TUNNEL_BYE },
	{ .kind = TUNNEL_STATE, .state = { .count = 0 } },
	{ .kind = TUNNEL_STATE, .state = { .count = 3, .down = { 7, 0x81828384, 9 } } },
	{ .kind = TUNNEL_STATE,
	  .state = { .count = TUNNEL_DOWN_MAX, .down = { 1, [TUNNEL_DOWN_MAX - 1] = 2 } } },
	{ .kind = TUNNEL_COUNT, .count = { 0x11121314, 0x21222324, 0x31323334 } },
	{ .kind = TUNNEL_RECORD,
	  .record = { .link = 0x41424344,
		      .generation = 0x51525354,
		      .number = 0x61626364,
		      .at_ns = 0x7172737475767778,
		      .sequence = 0x81828384,
		      .wire_bytes = 0x1112,
		      .kind = RECORD_PACKET,
		      .traffic_class = 3,
		      .captured_bytes = 0x1314,
		      .offset = 0x1112,
		      .piece_bytes = sizeof(piece),
		      .piece = piece } },
	{ .kind = TUNNEL_RECORD,
	  .record = { .link = 1, .kind = RECORD_WORD, .piece_bytes = 8, .piece = piece } },
};

static uint8_t room[ROOM];

/* writes items[@i] between guards.  Return: its length */
static size_t written(int i, size_t space)
{
	memset(room, GUARD, sizeof(room));
	return tunnel_item_write(&items[i], room + 16, space);
}

static void same_hello(const struct tunnel_hello *a, const struct tunnel_hello *b)
{
	ck_assert_mem_eq(a->digest, b->digest, sizeof(a->digest));
	ck_assert_uint_eq(a->challenge, b->challenge);
	ck_assert_uint_eq(a->echo, b->echo);
	ck_assert_uint_eq(a->accepted, b->accepted);
	ck_assert_uint_eq(a->heard_bytes, b->heard_bytes);
	ck_assert(a->begun == b->begun && a->ready == b->ready);
}

static void same_record(const struct tunnel_record *a, const struct tunnel_record *b)
{
	ck_assert_uint_eq(a->link, b->link);
	ck_assert_uint_eq(a->generation, b->generation);
	ck_assert_uint_eq(a->number, b->number);
	ck_assert_uint_eq(a->at_ns, b->at_ns);
	ck_assert_uint_eq(a->sequence, b->sequence);
	ck_assert_uint_eq(a->wire_bytes, b->wire_bytes);
	ck_assert(a->kind == b->kind && a->traffic_class == b->traffic_class);
	ck_assert_uint_eq(a->captured_bytes, b->captured_bytes);
	ck_assert_uint_eq(a->offset, b->offset);
	ck_assert_uint_eq(a->piece_bytes, b->piece_bytes);
	ck_assert_mem_eq(a->piece, b->piece, a->piece_bytes);
}

static void same(const struct tunnel_item *a, const struct tunnel_item *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	if (a->kind == TUNNEL_HELLO)
		same_hello(&a->hello, &b->hello);
	else if (a->kind == TUNNEL_RECORD)
		same_record(&a->record, &b->record);
	else if (a->kind == TUNNEL_PING || a->kind == TUNNEL_PONG)
		ck_assert_mem_eq(&a->times, &b->times, sizeof(a->times));
	else if (a->kind == TUNNEL_COUNT)
		ck_assert_mem_eq(&a->count, &b->count, sizeof(a->count));
	else if (a->kind == TUNNEL_STATE)
		ck_assert_mem_eq(a->state.down, b->state.down,
				 a->state.count * sizeof(a->state.down[0]));
	if (a->kind == TUNNEL_STATE)
		ck_assert_uint_eq(a->state.count, b->state.count);
}

TEST_RANGE(tunnel_item_write__is_read_again, 0, (int)COUNT_OF(items))
{
	size_t length = written(_i, ROOM - 32);
	struct tunnel_item item;

	memset(&item, GUARD, sizeof(item));
	ck_assert_uint_ge(length, TUNNEL_ITEM_BYTES);
	ck_assert_int_eq(tunnel_item_read(room + 16, length, &item), length);
	same(&items[_i], &item);
	/* what follows is another item's */
	ck_assert_int_eq(tunnel_item_read(room + 16, length + 1, &item), length);
	for (size_t i = 0; i < ROOM; i++)
		if (i < 16 || i >= 16 + length)
			ck_assert_uint_eq(room[i], GUARD);
}

/* in a space of exactly its length, and in none that is shorter, of which nothing is written */
TEST_RANGE(tunnel_item_write__its_space, 0, (int)COUNT_OF(items))
{
	size_t length = written(_i, ROOM - 32);
	struct tunnel_item item;

	ck_assert_uint_eq(written(_i, length), length);
	for (size_t space = 0; space < length; space++) {
		ck_assert_uint_eq(written(_i, space), 0);
		for (size_t i = 0; i < ROOM; i++)
			ck_assert_uint_eq(room[i], GUARD);
	}
	written(_i, length);
	for (size_t left = 0; left < length; left++)
		ck_assert_int_eq(tunnel_item_read(room + 16, left, &item), -EINVAL);
}

/* A body that is a byte shorter or longer is none of that kind; a piece may have any length. */
TEST_RANGE(tunnel_item_read__other_lengths, 0, (int)COUNT_OF(items))
{
	struct tunnel_item item;

	for (int more = -1; more <= 1; more += 2) {
		size_t length = written(_i, ROOM - 32);

		if ((items[_i].kind == TUNNEL_BYE || length == TUNNEL_ITEM_BYTES) && more < 0)
			continue;
		if (items[_i].kind == TUNNEL_RECORD && items[_i].record.kind != RECORD_WORD)
			continue;
		bytes_put16(room + 16 + 2, (uint16_t)(length - TUNNEL_ITEM_BYTES + (size_t)more));
		ck_assert_int_eq(tunnel_item_read(room + 16, ROOM - 32, &item), -EINVAL);
	}
}

TEST(tunnel_item_read__nonsense)
{
	struct tunnel_item item;

	written(2, ROOM - 32);
	room[16] = TUNNEL_ITEM_KINDS;
	ck_assert_int_eq(tunnel_item_read(room + 16, 64, &item), -EINVAL);
	written(2, ROOM - 32);
	room[17] = 1;
	ck_assert_int_eq(tunnel_item_read(room + 16, 64, &item), -EINVAL);
	/* an answer before the question has arrived */
	written(3, ROOM - 32);
	room[16 + TUNNEL_ITEM_BYTES + 23] = room[16 + TUNNEL_ITEM_BYTES + 16] = 0;
	ck_assert_int_eq(tunnel_item_read(room + 16, 64, &item), -EINVAL);
}

/* all of the space, whatever that is */
TEST(tunnel_item_write__pad)
{
	static const struct tunnel_item pad = { .kind = TUNNEL_PAD };
	struct tunnel_item item;

	for (size_t space = 0; space < 100; space++) {
		size_t expected = space < TUNNEL_ITEM_BYTES ? 0 : space;

		memset(room, GUARD, sizeof(room));
		ck_assert_uint_eq(tunnel_item_write(&pad, room + 16, space), expected);
		ck_assert_uint_eq(room[16 + expected], GUARD);
		if (expected) {
			ck_assert_int_eq(tunnel_item_read(room + 16, space, &item), space);
			ck_assert_int_eq(item.kind, TUNNEL_PAD);
		}
	}
}

/* a record of a kind that is not sent, longer than any, or a piece that is not inside of it */
TEST(tunnel_item_read__impossible_records)
{
	static const struct tunnel_record fine = { .kind = RECORD_PACKET,
						   .wire_bytes = 104,
						   .captured_bytes = 100,
						   .offset = 60,
						   .piece_bytes = 40,
						   .piece = room };
	struct tunnel_record records[] = { fine, fine, fine, fine, fine, fine, fine };
	struct tunnel_item item = { .kind = TUNNEL_RECORD }, got;
	uint8_t bytes[256];

	records[1].kind = RECORD_PAD;
	records[2].kind = RECORD_KINDS;
	records[3].wire_bytes = RING_CAPTURED_MAX + 1;
	records[4].offset = 61;
	records[5].captured_bytes = 99;
	records[6].captured_bytes = RING_CAPTURED_MAX + 1;
	for (size_t i = 0; i < COUNT_OF(records); i++) {
		size_t length;

		item.record = records[i];
		length = tunnel_item_write(&item, bytes, sizeof(bytes));
		ck_assert_uint_gt(length, 40);
		ck_assert_int_eq(tunnel_item_read(bytes, length, &got), i ? -EINVAL : (int)length);
	}
	/* shorter than what all records have */
	bytes_put16(bytes + 2, TUNNEL_RECORD_BYTES - 1);
	ck_assert_int_eq(tunnel_item_read(bytes, sizeof(bytes), &got), -EINVAL);
}
