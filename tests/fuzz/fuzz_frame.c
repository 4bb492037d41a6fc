/*  Fuzzes nodes/wire/frame (TB-23): frame_parse() and frame_payload_read() on any bytes.
 *
 *  Input: captured.h. A test payload that is read must come out the same when written again. */
#include "nodes/wire/frame.h"
#include "tests/fuzz/captured.h"

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
	struct captured frame;
	int parsed;

	if (!captured_take(data, size, &frame))
		return 0;
	parsed = frame_parse(frame.bytes, frame.captured_bytes, frame.frame_bytes, &fields);
	if (parsed == 0)
		assert(fields.vlan < 4096 && fields.priority < 8 && fields.flow_label < 1 << 20 &&
		       fields.queue_pair < 1 << 24);
	if (!frame_payload_read(frame.bytes, frame.captured_bytes, frame.frame_bytes, &payload) &&
	    !parsed)
		rewrite(&fields, &payload, frame.bytes, frame.captured_bytes, frame.frame_bytes);
	free(frame.bytes);
	return 0;
}
