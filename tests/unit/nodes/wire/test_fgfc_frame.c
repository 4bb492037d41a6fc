/*  nodes/wire/fgfc_frame: the layout byte by byte; everything else is rejected (EC-16, TB-23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/fgfc_frame.h"
#include "tests/testing.h"

static const uint8_t source_mac[6] = { 0x02, 0x48, 0xff, 0x00, 0x01, 0x02 };

static const struct fgfc_frame example = {
	.name = {
		.source_mac = { 0x02, 0x48, 0, 0, 0, 3 },
		.destination_mac = { 0x02, 0x48, 0, 0, 0, 4 },
		.source_ip = { 10, 0, 0, 3 },
		.destination_ip = { 10, 0, 0, 4 },
		.source_port = 0xc007,
		.destination_port = 0x4801,
		.queue_pair = 0x800007,
		.vlan = 0x123,
		.fields = MATCH_ALL,
		.traffic_class = 5,
		.ip_protocol = 17,
		.kind = FLOW_IPV4,
	},
	.pause_ps = 50 * NODE_US,
	.credit_units = 0x01020304,
};

/* 50 us are 0xc350 ns */
static const uint8_t golden[FGFC_FRAME_BYTES] = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e, 0x02, 0x48, 0xff, 0x00, 0x01, 0x02, 0x88, 0xb7,
	0x00, 0x0e, 0xab, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x7f, 0x00, 0x00, 0xc3, 0x50,
	0x01, 0x02, 0x03, 0x04, 0x05, 0x11, 0x01, 0x23, 0x02, 0x48, 0x00, 0x00, 0x00, 0x03,
	0x02, 0x48, 0x00, 0x00, 0x00, 0x04, 0x0a, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x00, 0x04, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x07, 0x48, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x07,
};

static struct fgfc_frame got;

TEST(fgfc_frame_write__golden_bytes)
{
	uint8_t bytes[FGFC_FRAME_BYTES];

	ck_assert_uint_ge(FGFC_FRAME_BYTES, FRAME_BYTES_MIN);
	memset(bytes, 0xee, sizeof(bytes));
	fgfc_frame_write(&example, source_mac, bytes);
	ck_assert_mem_eq(bytes, golden, sizeof(golden));
}

/* type bytes of other configurations */
TEST(fgfc_frame_write__type_bytes)
{
	ck_assert_int_eq(FLOW_HPC, 0);
	ck_assert_int_eq(FLOW_LAYER_2, 1);
	ck_assert_int_eq(FLOW_IPV4, 2);
	ck_assert_int_eq(FLOW_IPV6, 3);
}

TEST_RANGE(fgfc_frame_write__pause_in_nanoseconds, 0, 7)
{
	static const struct {
		uint64_t pause_ps, read_ps;
	} cases[] = { { 0, 0 },
		      { 1, 1000 },
		      { 1000, 1000 },
		      { 1001, 2000 },
		      { FGFC_PAUSE_PS_MAX, FGFC_PAUSE_PS_MAX },
		      { FGFC_PAUSE_PS_MAX + 1, FGFC_PAUSE_PS_MAX },
		      { NODE_TIME_NEVER, FGFC_PAUSE_PS_MAX } };
	struct fgfc_frame frame = { .name = example.name, .pause_ps = cases[_i].pause_ps };
	uint8_t bytes[FGFC_FRAME_BYTES];

	fgfc_frame_write(&frame, source_mac, bytes);
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), 0);
	ck_assert_uint_eq(got.pause_ps, cases[_i].read_ps);
}

TEST(fgfc_frame_read__reads_what_was_written)
{
	for (uint32_t match = 0; match <= MATCH_ALL; match++) {
		struct fgfc_frame frame = { .name = flow_name_under(&example.name, match),
					    .pause_ps = match * NODE_NS,
					    .credit_units = match * 77 };
		uint8_t bytes[FGFC_FRAME_BYTES];

		fgfc_frame_write(&frame, source_mac, bytes);
		ck_assert(fgfc_frame_is(bytes, sizeof(bytes)));
		ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), 0);
		ck_assert(flow_name_equal(&got.name, &frame.name));
		ck_assert_uint_eq(got.pause_ps, frame.pause_ps);
		ck_assert_uint_eq(got.credit_units, frame.credit_units);
	}
}

/* FC-2: under a mask, version 1: the same frame, followed by the bits that count */
static const uint8_t golden_mask[FGFC_MASKED_BYTES - FGFC_FRAME_BYTES] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static struct fgfc_frame masked_example(void)
{
	struct fgfc_frame frame = { .mask = { .destination_ip = { 0xff, 0xff, 0xff },
					      .source_port = 0xff00 },
				    .pause_ps = 50 * NODE_US };

	frame.name = flow_name_masked(&example.name, MATCH_IP_PAIR | MATCH_PORTS, &frame.mask);
	return frame;
}

TEST(fgfc_frame_write__mask_follows_the_frame)
{
	struct fgfc_frame frame = masked_example();
	uint8_t bytes[FGFC_MASKED_BYTES];

	memset(bytes, 0xee, sizeof(bytes));
	ck_assert_uint_eq(fgfc_frame_write(&frame, source_mac, bytes), sizeof(bytes));
	ck_assert_uint_eq(bytes[20], 1);
	ck_assert_uint_eq(bytes[66], 0); /* third byte of 10.0.0.4 */
	ck_assert_uint_eq(bytes[67], 0); /* the fourth byte does not count */
	ck_assert_uint_eq(bytes[80], 0xc0);
	ck_assert_uint_eq(bytes[81], 0);
	ck_assert_mem_eq(bytes + FGFC_FRAME_BYTES, golden_mask, sizeof(golden_mask));
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), 0);
	ck_assert(flow_name_equal(&got.name, &frame.name));
	ck_assert(flow_name_equal(&got.mask, &frame.mask));
	/* each version has one length */
	for (uint32_t length = 0; length < sizeof(bytes); length++)
		ck_assert_int_eq(fgfc_frame_read(bytes, length, &got), -EINVAL);
	bytes[20] = 0;
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
	bytes[20] = 1;
	bytes[92] = 1;
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
	bytes[92] = 0;
	/* without a mask it is version 0 */
	memset(bytes + FGFC_FRAME_BYTES, 0, sizeof(golden_mask));
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
}

/* in memory of exactly that length, so that ASan detects a byte too many */
TEST(fgfc_frame_read__rejects_lengths)
{
	for (uint32_t length = 0; length <= 2 * FGFC_FRAME_BYTES; length++) {
		uint8_t *bytes = calloc(1, length + !length);

		memcpy(bytes, golden, length < sizeof(golden) ? length : sizeof(golden));
		ck_assert_int_eq(fgfc_frame_read(bytes, length, &got),
				 length == FGFC_FRAME_BYTES ? 0 : -EINVAL);
		ck_assert(fgfc_frame_is(bytes, length) == (length >= 20));
		free(bytes);
	}
}

TEST(fgfc_frame_read__rejects_contradictions)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} cases[] = {
		{ 0, 0x03 },  { 5, 0x0f },  { 12, 0x08 }, { 13, 0xb5 }, { 14, 1 },    { 16, 0xac },
		{ 17, 1 },    { 18, 1 },    { 19, 4 },    { 19, 0 },    { 19, 1 },    { 20, 1 },
		{ 21, 1 },    { 22, 0x01 }, { 23, 0xff }, { 23, 0x7e }, { 23, 0x6f }, { 32, 8 },
		{ 34, 0x10 }, { 52, 1 },    { 79, 1 },    { 84, 1 },    { 87, 1 },    { 88, 1 },
	};
	uint8_t bytes[FGFC_FRAME_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(bytes, golden, sizeof(bytes));
		ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), 0);
		bytes[cases[i].at] = cases[i].value;
		ck_assert_msg(fgfc_frame_read(bytes, sizeof(bytes), &got) == -EINVAL, "byte %u",
			      cases[i].at);
	}
	memcpy(bytes, golden, sizeof(bytes)); /* credit without a time */
	memset(bytes + 24, 0, 4);
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), -EINVAL);
	memset(bytes + 28, 0, 4);
	ck_assert_int_eq(fgfc_frame_read(bytes, sizeof(bytes), &got), 0);
}

/* LLDP uses the same address */
TEST(fgfc_frame_is__others_are_not)
{
	uint8_t lldp[FGFC_FRAME_BYTES];

	memcpy(lldp, golden, sizeof(lldp));
	lldp[13] = 0xcc;
	ck_assert(!fgfc_frame_is(lldp, sizeof(lldp)));
	ck_assert(fgfc_frame_is(golden, sizeof(golden)));
}
