/*  orchestrator/recording/recording_block, pack: blocks and numbers of a recording, and damaged
 *  ones (TB-23). */
#include "orchestrator/recording/recording_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/testing.h"

static struct pack pack, content;

static void tear_down(void)
{
	pack_free(&pack);
	pack_free(&content);
}

TEST_GROUP(recording_block, .teardown = tear_down);

/* length of the stream, kind, stream; after what was there */
TEST(recording_block_pack__head_and_stream)
{
	char text[5000];

	memset(text, 'x', sizeof(text));
	pack_bytes(&pack, "before", 6);
	ck_assert_int_eq(recording_block_pack("SLIC", text, sizeof(text), &pack), 0);
	ck_assert_mem_eq(pack.bytes, "before", 6);
	ck_assert_uint_eq(unpack_u32(pack.bytes + 6), pack.length - 6 - RECORDING_BLOCK_HEAD_BYTES);
	ck_assert_mem_eq(pack.bytes + 10, "SLIC", 4);
	ck_assert_uint_lt(pack.length, 200);
	ck_assert_int_eq(recording_block_inflate(pack.bytes + 14, pack.length - 14, &content), 0);
	ck_assert_uint_eq(content.length, sizeof(text));
	ck_assert_mem_eq(content.bytes, text, sizeof(text));
}

/* zeros, which would be a thousandth, can still be read */
TEST(recording_block_pack__not_smaller_than_readers_take)
{
	size_t length = 20u << 20;
	char *zeros = calloc(1, length);

	ck_assert_int_eq(recording_block_pack("SLIC", zeros, length, &pack), 0);
	ck_assert_int_eq(recording_block_inflate(pack.bytes + RECORDING_BLOCK_HEAD_BYTES,
						 pack.length - RECORDING_BLOCK_HEAD_BYTES,
						 &content),
			 0);
	ck_assert_uint_eq(content.length, length);
	free(zeros);
}

TEST(recording_block_content_max__by_length)
{
	ck_assert_uint_eq(recording_block_content_max(0), RECORDING_CONTENT_BYTES_ANY);
	ck_assert_uint_eq(recording_block_content_max(RECORDING_CONTENT_BYTES_ANY / 64),
			  RECORDING_CONTENT_BYTES_ANY);
	ck_assert_uint_eq(recording_block_content_max(1u << 20), 64u << 20);
	ck_assert_uint_eq(recording_block_content_max(100u << 20), RECORDING_CONTENT_BYTES_MAX);
	ck_assert_uint_eq(recording_block_content_max(SIZE_MAX), RECORDING_CONTENT_BYTES_MAX);
}

/* cut, with a wrong byte, or with bytes after its end */
TEST(recording_block_inflate__damaged)
{
	const uint8_t *stream;
	size_t length;

	ck_assert_int_eq(recording_block_pack("HEAD", "what was recorded", 17, &pack), 0);
	pack_bytes(&pack, "z", 1);
	stream = pack.bytes + RECORDING_BLOCK_HEAD_BYTES;
	length = pack.length - RECORDING_BLOCK_HEAD_BYTES - 1;
	ck_assert_int_eq(recording_block_inflate(stream, length, &content), 0);
	ck_assert_int_eq(recording_block_inflate(stream, length + 1, &content), -EBADMSG);
	for (size_t cut = 0; cut < length; cut++)
		ck_assert_int_eq(recording_block_inflate(stream, cut, &content), -EBADMSG);
	pack.bytes[RECORDING_BLOCK_HEAD_BYTES + length - 1] ^= 1; /* of the sum at the end */
	ck_assert_int_eq(recording_block_inflate(stream, length, &content), -EBADMSG);
}

/* Return: the result of inflating a stream of @length zeros, made by another program */
static int zeros_inflate(size_t length)
{
	static uint8_t zeros[RECORDING_CONTENT_BYTES_ANY + 3 * 4096], stream[8192];
	uLongf bytes = sizeof(stream);

	ck_assert_int_eq(compress2(stream, &bytes, zeros, length, 9), Z_OK);
	return recording_block_inflate(stream, bytes, &content);
}

/* a small block has at most a megabyte, to the byte; and no block has more bytes than its head can
 * say */
TEST(recording_block_inflate__limit)
{
	ck_assert_int_eq(zeros_inflate(RECORDING_CONTENT_BYTES_ANY), 0);
	ck_assert_uint_eq(content.length, RECORDING_CONTENT_BYTES_ANY);
	ck_assert_int_eq(zeros_inflate(RECORDING_CONTENT_BYTES_ANY + 1), -EFBIG);
	ck_assert_int_eq(zeros_inflate(RECORDING_CONTENT_BYTES_ANY + 3 * 4096), -EFBIG);
	ck_assert_int_eq(recording_block_inflate(NULL, UINT32_MAX + 1ul, &content), -EFBIG);
	ck_assert_uint_eq(content.length, 0);
}

TEST(pack__numbers_come_back)
{
	static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, 1ull << 63, UINT64_MAX };
	static const int64_t signs[] = { 0, -1, 1, -2, 63, -64, 64, INT64_MAX, INT64_MIN };
	struct unpack unpack;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		pack_number(&pack, numbers[i]);
	ck_assert_uint_eq(pack.length, 1 + 1 + 1 + 2 + 2 + 3 + 10 + 10);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		pack_signed(&pack, signs[i]);
	unpack = (struct unpack){ pack.bytes, pack.bytes + pack.length, false };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		ck_assert_uint_eq(unpack_number(&unpack), numbers[i]);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		ck_assert_int_eq(unpack_signed(&unpack), signs[i]);
	ck_assert(!unpack.bad && unpack.at == unpack.end);
	ck_assert_uint_eq(unpack_number(&unpack), 0);
	ck_assert(unpack.bad);
}

TEST(unpack_below__limit)
{
	struct unpack unpack;

	pack_number(&pack, 7);
	unpack = (struct unpack){ pack.bytes, pack.bytes + pack.length, false };
	ck_assert_uint_eq(unpack_below(&unpack, 8), 7);
	ck_assert(!unpack.bad);
	unpack = (struct unpack){ pack.bytes, pack.bytes + pack.length, false };
	unpack_below(&unpack, 7);
	ck_assert(unpack.bad);
}
