/*  Fuzzes nodes/wire/roce_frame (RC-4, RC-9, TB-23): any frame. What is read of an ACK, NAK or CNP
 *  comes out the same when written again; a frame that was captured short and made whole has a good
 *  ICRC.
 *
 *  Input: [frame length 2, big endian][captured bytes]. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/roce_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void rewrite(const struct roce_header *header)
{
	struct roce_reply reply = {
		.ends = header->ends,
		.traffic_class = header->traffic_class,
		.queue_pair = header->queue_pair,
		.psn = header->psn,
		.syndrome = header->syndrome,
		.msn = header->msn,
		.signal = header->signal,
	};
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	struct roce_header again;
	bool cnp = header->opcode == ROCE_OPCODE_CNP;
	uint32_t length = cnp ? roce_cnp_write(&reply, bytes) : roce_ack_write(&reply, bytes);

	assert(length <= sizeof(bytes) && roce_icrc_holds(bytes, length, length));
	assert(!roce_frame_read(bytes, length, length, &again));
	assert(!memcmp(&again.ends, &header->ends, sizeof(again.ends)) &&
	       again.opcode == header->opcode && again.traffic_class == header->traffic_class &&
	       again.queue_pair == header->queue_pair && !again.ecn_capable && !again.congested);
	if (cnp)
		assert(again.signal == header->signal);
	else
		assert(again.psn == header->psn && again.syndrome == header->syndrome &&
		       again.msn == header->msn);
}

static void complete(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes)
{
	uint8_t *whole = malloc(frame_bytes), icrc[ROCE_ICRC_BYTES];

	assert(whole);
	memcpy(whole, bytes, captured_bytes);
	roce_complete(whole, captured_bytes, frame_bytes);
	if (roce_trailer(bytes, captured_bytes, frame_bytes, icrc))
		assert(roce_icrc_holds(whole, frame_bytes, frame_bytes));
	free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t frame_bytes, captured_bytes, icrc;
	struct roce_header header;
	uint8_t *bytes;

	if (size < 2)
		return 0;
	frame_bytes = (uint32_t)data[0] << 8 | data[1];
	captured_bytes = (uint32_t)size - 2;
	bytes = malloc(captured_bytes + !captured_bytes);
	assert(bytes);
	memcpy(bytes, data + 2, captured_bytes);
	if (!roce_frame_read(bytes, captured_bytes, frame_bytes, &header)) {
		assert(!roce_icrc(bytes, captured_bytes, frame_bytes, &icrc));
		assert(header.traffic_class < 8 && header.queue_pair <= ROCE_PSN_MASK &&
		       header.psn <= ROCE_PSN_MASK && header.signal < 128 &&
		       (header.ecn_capable || !header.congested));
		if (header.opcode == ROCE_OPCODE_ACKNOWLEDGE || header.opcode == ROCE_OPCODE_CNP)
			rewrite(&header);
	}
	if (captured_bytes <= frame_bytes)
		complete(bytes, captured_bytes, frame_bytes);
	free(bytes);
	return 0;
}
