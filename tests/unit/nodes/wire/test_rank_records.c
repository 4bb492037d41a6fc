/*  nodes/wire/rank_records: what is written is read; what is cut or changed is refused (SC-4,
 *  TB-23). */
#include <errno.h>
#include <string.h>

#include "nodes/wire/rank_records.h"
#include "tests/testing.h"

static struct rank_records message;
static uint8_t captured[20];

static void write_two(void)
{
	struct record record = { .at_ps = 7, .kind = RECORD_PACKET, .captured_bytes = 13 };

	for (uint32_t i = 0; i < sizeof(captured); i++)
		captured[i] = (uint8_t)(i + 1);
	ck_assert_int_eq(rank_records_begin(&message, 5), 0);
	ck_assert_int_eq(rank_records_add(&message, 3, &record, captured), 0);
	record = (struct record){ .at_ps = 9, .kind = RECORD_WORD, .word = 77 };
	ck_assert_int_eq(rank_records_add(&message, 4, &record, captured), 0);
}

static void done(void)
{
	rank_records_free(&message);
}

TEST_GROUP(records, .setup = write_two, .teardown = done);

TEST(rank_records_next__what_was_written)
{
	struct rank_records_read read;
	struct rank_record record;
	const uint8_t *bytes;

	ck_assert_uint_eq(message.length % 8, 0);
	ck_assert(rank_records_open(&read, message.bytes, message.length, 5));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 1);
	ck_assert_uint_eq(record.ring, 3);
	ck_assert_uint_eq(record.record.at_ps, 7);
	ck_assert_mem_eq(bytes, captured, 13);
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 1);
	ck_assert_uint_eq(record.ring, 4);
	ck_assert_uint_eq(record.record.word, 77);
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 0);
}

TEST(rank_records_open__another_window_or_length)
{
	struct rank_records_read read;

	ck_assert(!rank_records_open(&read, message.bytes, message.length, 6));
	ck_assert(!rank_records_open(&read, message.bytes, message.length - 8, 5));
	ck_assert(!rank_records_open(&read, message.bytes, 3, 5));
	message.bytes[0] ^= 1;
	ck_assert(!rank_records_open(&read, message.bytes, message.length, 5));
}

/* all that follows from a count or a length that is wrong */
TEST(rank_records_next__counts_and_lengths)
{
	struct rank_records_head *head = (struct rank_records_head *)message.bytes;
	struct rank_record *first = (struct rank_record *)(head + 1);
	struct rank_records_read read;
	struct rank_record record;
	const uint8_t *bytes;

	head->records = 1;
	ck_assert(rank_records_open(&read, message.bytes, message.length, 5));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 1);
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), -EINVAL);
	head->records = 3;
	ck_assert(rank_records_open(&read, message.bytes, message.length, 5));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 1);
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 1);
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), -EINVAL);
	first->record.captured_bytes = RING_CAPTURED_MAX;
	ck_assert(rank_records_open(&read, message.bytes, message.length, 5));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), -EINVAL);
	first->record.captured_bytes = UINT32_MAX;
	ck_assert(rank_records_open(&read, message.bytes, message.length, 5));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), -EINVAL);
}

TEST(rank_records_begin__empties)
{
	struct rank_records_read read;
	struct rank_record record;
	const uint8_t *bytes;

	ck_assert_int_eq(rank_records_begin(&message, 6), 0);
	ck_assert(rank_records_open(&read, message.bytes, message.length, 6));
	ck_assert_int_eq(rank_records_next(&read, &record, &bytes), 0);
}
