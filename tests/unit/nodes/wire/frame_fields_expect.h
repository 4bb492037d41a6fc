/*  frame_fields_expect - a frame in `bytes`, its parsed `fields`, and a payload with a value in
 *  each field. */
#ifndef TESTS_UNIT_NODES_WIRE_FRAME_FIELDS_EXPECT_H
#define TESTS_UNIT_NODES_WIRE_FRAME_FIELDS_EXPECT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"
#include "nodes/wire/ecn_mark.h"
#include "nodes/wire/frame.h"
#include "tests/testing.h"

#define SOURCE 300u
#define DESTINATION 65535u
#define FLOW 0x2345u

static uint8_t bytes[1600];
static struct frame_fields fields;

static inline struct frame_spec spec_of(enum frame_kind kind)
{
	return (struct frame_spec){ .kind = kind,
				    .source = SOURCE,
				    .destination = DESTINATION,
				    .traffic_class = 5,
				    .flow = FLOW,
				    .frame_bytes = 1514 };
}

static const struct frame_payload full = {
	.source = SOURCE,
	.flow_slot = FRAME_FLOW_SLOTS_MAX - 2,
	.workload_index = FRAME_WORKLOADS_MAX - 3,
	.packet = 0xfedcba98,
	.message = 0x89abcdef,
	.message_bytes = FRAME_MESSAGE_BYTES_MAX - 4,
	.message_start_ps = 0xf123456789abcdef,
	.payload_bytes = 1400,
	.message_first = true,
};

static inline void setup(void)
{
	memset(bytes, 0, sizeof(bytes));
	memset(&fields, 0xee, sizeof(fields));
}

static inline void write_full(enum frame_kind kind)
{
	struct frame_spec spec = spec_of(kind);

	ck_assert_uint_eq(frame_write(&spec, &full, bytes), frame_headers_bytes(kind));
}

static inline void payload_expect(const struct frame_payload *read,
				  const struct frame_payload *written)
{
	ck_assert_uint_eq(read->source, written->source);
	ck_assert_uint_eq(read->flow_slot, written->flow_slot);
	ck_assert_uint_eq(read->workload_index, written->workload_index);
	ck_assert_uint_eq(read->packet, written->packet);
	ck_assert_uint_eq(read->message, written->message);
	ck_assert_uint_eq(read->message_bytes, written->message_bytes);
	ck_assert_uint_eq(read->message_start_ps, written->message_start_ps);
	ck_assert_uint_eq(read->payload_bytes, written->payload_bytes);
	ck_assert(read->message_first == written->message_first);
	ck_assert(read->message_last == written->message_last);
}

#endif
