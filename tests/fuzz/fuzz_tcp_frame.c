/*  Fuzzes nodes/wire/tcp_frame (RC-6, TB-23): an ACK that is accepted says the same when written
 *  again.
 *
 *  Input: [frame length 2, big endian][captured bytes]. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"
#include "nodes/wire/tcp_frame.h"

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
	uint32_t frame_bytes, captured_bytes;
	struct tcp_ack ack;
	uint8_t *bytes;

	if (size < 2)
		return 0;
	frame_bytes = (uint32_t)data[0] << 8 | data[1];
	captured_bytes = (uint32_t)size - 2;
	bytes = malloc(captured_bytes + !captured_bytes);
	assert(bytes);
	memcpy(bytes, data + 2, captured_bytes);
	if (!tcp_ack_read(bytes, captured_bytes, frame_bytes, &ack))
		rewrite(&ack);
	free(bytes);
	return 0;
}
