/*  Fuzzes nodes/wire/tcp_frame (RC-6, TB-23): an ACK that is accepted says the same when written
 *  again.
 *  Input: captured.h. */
#include "nodes/wire/frame.h"
#include "nodes/wire/tcp_frame.h"
#include "tests/fuzz/captured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void rewrite(const struct tcp_ack *ack)
{
	uint8_t bytes[FRAME_BYTES_MIN];
	struct frame_fields fields;
	struct tcp_ack again;

	assert(tcp_ack_write(ack, bytes) == sizeof(bytes));
	assert(!frame_parse(bytes, sizeof(bytes), sizeof(bytes), &fields));
	assert(!tcp_ack_read(bytes, sizeof(bytes), sizeof(bytes), &again));
	assert(again.source == ack->source && again.destination == ack->destination &&
	       again.flow == ack->flow && again.traffic_class == ack->traffic_class &&
	       again.fields.sequence == ack->fields.sequence &&
	       again.fields.acknowledgement == ack->fields.acknowledgement &&
	       again.fields.window == ack->fields.window &&
	       again.fields.flags == ack->fields.flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct captured frame;
	struct tcp_ack ack;

	if (!captured_take(data, size, &frame))
		return 0;
	if (!tcp_ack_read(frame.bytes, frame.captured_bytes, frame.frame_bytes, &ack))
		rewrite(&ack);
	free(frame.bytes);
	return 0;
}
