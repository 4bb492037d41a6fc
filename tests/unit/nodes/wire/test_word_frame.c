/*  nodes/wire/word_frame: link control words in Ethernet frames (TB-3, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/wire/word_frame.h"
#include "tests/testing.h"

static uint8_t envelope[FABRIC_ENVELOPE_BYTES];
static uint8_t frame[WORD_FRAME_BYTES_MAX + 8];
static struct word_frame_word words[WORD_FRAME_WORDS_MAX];

static void setup(void)
{
	memset(frame, 0xee, sizeof(frame));
	word_frame_envelope_write(0x1234, 5, 0x678, 63, envelope);
	word_frame_start(envelope, frame);
}

static uint32_t add(uint8_t kind, uint8_t traffic_class, uint32_t value)
{
	return word_frame_add(frame, &(struct word_frame_word){ kind, traffic_class, value });
}

TEST_GROUP(words, .setup = setup);

/* as docs/wire-format.md draws it */
TEST(word_frame_add__layout)
{
	static const uint8_t expected[] = {
		0x02, 0x48, 0xfe, 0x06, 0x78, 0x3f,             /* the peer's end */
		0x02, 0x48, 0xfe, 0x12, 0x34, 0x05,             /* the node's own */
		0x88, 0xb5, 0x30, 0x02, 0x00, 0x00,             /* type 3, two words */
		0x00, 0x07, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, /* STOP, class 7 */
		0x03, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xfe, /* SYNC */
	};

	ck_assert_uint_eq(add(0, 7, 0x01020304), 26);
	ck_assert_uint_eq(add(3, 0, 0xfffffffe), sizeof(expected));
	ck_assert_mem_eq(frame, expected, sizeof(expected));
}

TEST(word_frame_add__full_frame_rejects)
{
	for (uint32_t i = 0; i < WORD_FRAME_WORDS_MAX; i++)
		ck_assert_uint_eq(add((uint8_t)i, (uint8_t)(i % 8), i),
				  WORD_FRAME_FRONT_BYTES + 8 * (i + 1));
	ck_assert_uint_eq(add(1, 2, 3), 0);
	ck_assert_uint_eq(frame[WORD_FRAME_BYTES_MAX], 0xee);
	ck_assert_int_eq(word_frame_read(frame, WORD_FRAME_BYTES_MAX, words), WORD_FRAME_WORDS_MAX);
}

TEST(word_frame_read__reads_what_was_written)
{
	uint32_t length = 0;

	for (uint32_t i = 0; i < 9; i++)
		length = add((uint8_t)(i % 4), (uint8_t)(i % 8), i * 0x1fffffff);
	ck_assert_int_eq(word_frame_read(frame, length, words), 9);
	for (uint32_t i = 0; i < 9; i++) {
		ck_assert_uint_eq(words[i].kind, i % 4);
		ck_assert_uint_eq(words[i].traffic_class, i % 8);
		ck_assert_uint_eq(words[i].value, i * 0x1fffffff);
	}
}

TEST(word_frame_read__rejects_wrong_lengths)
{
	uint32_t length = add(1, 0, 7);

	for (uint32_t other = 0; other < sizeof(frame); other++)
		ck_assert_int_eq(word_frame_read(frame, other, words),
				 other == length ? 1 : -EINVAL);
}

/* every bit before the words, and every reserved bit of a word, has one valid value */
TEST(word_frame_read__rejects_wrong_bits)
{
	uint32_t length = add(1, 0, 7);

	for (uint32_t bit = 12 * 8; bit < (WORD_FRAME_FRONT_BYTES + 4) * 8; bit++) {
		uint32_t at = bit / 8;

		frame[at] ^= (uint8_t)(1 << bit % 8);
		if (at < WORD_FRAME_FRONT_BYTES || at >= WORD_FRAME_FRONT_BYTES + 2)
			ck_assert_int_eq(word_frame_read(frame, length, words), -EINVAL);
		else
			ck_assert_int_eq(word_frame_read(frame, length, words),
					 1); /* kind and class are for the link to check */
		frame[at] ^= (uint8_t)(1 << bit % 8);
	}
}

TEST(word_frame_read__rejects_a_frame_without_words)
{
	ck_assert_int_eq(word_frame_read(frame, WORD_FRAME_FRONT_BYTES, words), -EINVAL);
}

TEST(word_frame_read__survives_random_bytes)
{
	struct random random;

	random_init(&random, 1, 0);
	add(0, 0, 0);
	for (uint32_t round = 0; round < 100000; round++) {
		uint32_t length = (uint32_t)random_below(&random, WORD_FRAME_BYTES_MAX + 1);
		/* exactly that long, so that a sanitizer detects an access beyond its end */
		uint8_t *bytes = malloc(length ? length : 1);
		int count;

		ck_assert_ptr_nonnull(bytes);
		for (uint32_t i = 0; i < length; i++)
			bytes[i] = i < 16 && round % 2 ? frame[i]
						       : (uint8_t)random_below(&random, 256);
		count = word_frame_read(bytes, length, words);
		ck_assert(count == -EINVAL ||
			  length == WORD_FRAME_FRONT_BYTES + 8 * (uint32_t)count);
		free(bytes);
	}
}
