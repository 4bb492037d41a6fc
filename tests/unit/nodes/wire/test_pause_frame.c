/*  nodes/wire/pause_frame: PFC [802.1Qbb] and PAUSE [802.3, annex 31B] byte by byte; everything
 *  else is rejected (RC-5, RC-10, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"
#include "nodes/wire/pause_frame.h"
#include "tests/testing.h"

static const uint8_t source_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x01, 0x02 };

static const struct pause_frame pfc = { .enabled = 0x89,
					.quanta = { 0xffff, 1, 2, 0, 4, 5, 6, 0x1234 } };
static const struct pause_frame pause = { .port = true, .quanta = { 0xfffe, 1 } };

/* priorities 0 and 7 are paused, 3 resumes; the other times are not valid */
static const uint8_t pfc_golden[PAUSE_FRAME_BYTES] = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x48, 0xff, 0x00, 0x01, 0x02,
	0x88, 0x08, 0x01, 0x01, 0x00, 0x89, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x34,
};
static const uint8_t pause_golden[PAUSE_FRAME_BYTES] = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x48, 0xff,
	0x00, 0x01, 0x02, 0x88, 0x08, 0x00, 0x01, 0xff, 0xfe,
};

static struct pause_frame got;

TEST(pause_frame_write__pfc_golden_bytes)
{
	uint8_t bytes[PAUSE_FRAME_BYTES];

	ck_assert_uint_eq(PAUSE_FRAME_BYTES, FRAME_BYTES_MIN);
	memset(bytes, 0xee, sizeof(bytes));
	pause_frame_write(&pfc, source_mac, bytes);
	ck_assert_mem_eq(bytes, pfc_golden, sizeof(pfc_golden));
}

TEST(pause_frame_write__pause_golden_bytes)
{
	uint8_t bytes[PAUSE_FRAME_BYTES];

	memset(bytes, 0xee, sizeof(bytes));
	pause_frame_write(&pause, source_mac, bytes);
	ck_assert_mem_eq(bytes, pause_golden, sizeof(pause_golden));
}

/* Every set of priorities. The empty set has one time (RC-10: no priority named). */
TEST(pause_frame_read__reads_what_was_written)
{
	for (uint32_t enabled = 0; enabled < 256; enabled++) {
		struct pause_frame frame = { .enabled = (uint8_t)enabled };
		uint8_t bytes[PAUSE_FRAME_BYTES];

		for (uint32_t i = 0; i < PAUSE_PRIORITIES; i++)
			frame.quanta[i] = (enabled ? enabled : 1) >> i & 1
						  ? (uint16_t)(0xffff - i * 0x1001)
						  : 0;
		pause_frame_write(&frame, source_mac, bytes);
		ck_assert_int_eq(pause_frame_read(bytes, sizeof(bytes), &got), 0);
		ck_assert_mem_eq(&got, &frame, sizeof(got));
	}
}

TEST(pause_frame_read__reads_pause)
{
	ck_assert_int_eq(pause_frame_read(pause_golden, sizeof(pause_golden), &got), 0);
	ck_assert(got.port);
	ck_assert_uint_eq(got.enabled, 0);
	ck_assert_uint_eq(got.quanta[0], 0xfffe);
	ck_assert_uint_eq(got.quanta[1], 0);
}

/* Times of priorities that are not enabled are ignored, and so is the reserved byte before the
 * vector. */
TEST(pause_frame_read__ignores_what_is_not_enabled)
{
	uint8_t bytes[PAUSE_FRAME_BYTES];

	memcpy(bytes, pfc_golden, sizeof(bytes));
	bytes[16] = 0xff;
	bytes[20] = 0x77;
	ck_assert_int_eq(pause_frame_read(bytes, sizeof(bytes), &got), 0);
	ck_assert_uint_eq(got.enabled, 0x89);
	ck_assert_uint_eq(got.quanta[1], 0);
}

/* in memory of exactly that length, so that ASan detects a byte too many */
TEST(pause_frame_read__rejects_what_is_cut_short)
{
	for (uint32_t length = 0; length <= PAUSE_FRAME_BYTES; length++) {
		uint8_t *bytes = malloc(length + !length);

		memcpy(bytes, pfc_golden, length);
		ck_assert_int_eq(pause_frame_read(bytes, length, &got), length >= 34 ? 0 : -EINVAL);
		memcpy(bytes, pause_golden, length);
		ck_assert_int_eq(pause_frame_read(bytes, length, &got), length >= 18 ? 0 : -EINVAL);
		free(bytes);
	}
}

TEST_RANGE(pause_frame_read__rejects, 0, 7)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} cases[] = { { 0, 0x03 },  { 5, 0x00 },  { 5, 0x0e }, { 12, 0x08 },
		      { 13, 0x09 }, { 14, 0x02 }, { 15, 0x02 } };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	memcpy(bytes, pfc_golden, sizeof(bytes));
	bytes[cases[_i].at] = cases[_i].value;
	ck_assert_int_eq(pause_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
	memcpy(bytes, pause_golden, sizeof(bytes));
	bytes[cases[_i].at] = cases[_i].value;
	ck_assert_int_eq(pause_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
}
