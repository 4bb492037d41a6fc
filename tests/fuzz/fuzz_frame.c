/*  Fuzzes nodes/wire/frame (TB-23): frame_parse() and frame_payload_read() on any bytes.
 *
 *  Input: [frame length 2, big endian][captured bytes]. The captured bytes are copied to memory of
 *  just their size, so that the sanitizer sees a read beyond them. A test payload that is read must
 *  come out the same when written again. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum frame_kind kind_of(const struct frame_fields *fields)
{
	if (fields->roce)
		return fields->ip_version == 4 ? FRAME_ROCE : FRAME_ROCE_IPV6;
	if (fields->ip_protocol == 6)
		return FRAME_TCP;
	if (fields->hpc)
		return FRAME_HPC;
	if (fields->ip_version)
		return fields->ip_version == 4 ? FRAME_IPV4 : FRAME_IPV6;
	return FRAME_ETHERNET;
}

static void rewrite(const struct frame_fields *fields, const struct frame_payload *payload,
		    const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	enum frame_kind kind = kind_of(fields);
	uint8_t copy[FRAME_HEADERS_MAX];
	struct frame_payload again;

	assert(captured_bytes >= frame_headers_bytes(kind));
	memcpy(copy, bytes, frame_headers_bytes(kind));
	frame_payload_write(kind, payload, copy);
	assert(frame_payload_read(copy, frame_headers_bytes(kind), frame_bytes, &again) == 0);
	assert(again.source == payload->source && again.flow_slot == payload->flow_slot &&
	       again.workload_index == payload->workload_index && again.packet == payload->packet &&
	       again.message == payload->message && again.message_bytes == payload->message_bytes &&
	       again.message_start_ps == payload->message_start_ps &&
	       again.payload_bytes == payload->payload_bytes &&
	       again.message_first == payload->message_first &&
	       again.message_last == payload->message_last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_fields fields;
	struct frame_payload payload;
	uint32_t frame_bytes, captured_bytes;
	uint8_t *bytes;
	int parsed;

	if (size < 2)
		return 0;
	frame_bytes = (uint32_t)data[0] << 8 | data[1];
	captured_bytes = (uint32_t)size - 2;
	bytes = malloc(captured_bytes + !captured_bytes);
	assert(bytes);
	memcpy(bytes, data + 2, captured_bytes);
	parsed = frame_parse(bytes, captured_bytes, frame_bytes, &fields);
	if (parsed == 0)
		assert(fields.vlan < 4096 && fields.priority < 8 && fields.flow_label < 1 << 20 &&
		       fields.queue_pair < 1 << 24);
	if (frame_payload_read(bytes, captured_bytes, frame_bytes, &payload) == 0 && parsed == 0)
		rewrite(&fields, &payload, bytes, captured_bytes, frame_bytes);
	free(bytes);
	return 0;
}
