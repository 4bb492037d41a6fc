/*  Fuzzes nodes/wire/roce_frame (RC-4, RC-9, TB-23): any frame. What is read of an ACK, NAK or CNP
 *  comes out the same when written again; a frame that was captured short and made whole has a good
 *  ICRC.
 *  Input: captured.h. */
#include "nodes/wire/roce_frame.h"
#include "tests/fuzz/captured.h"

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
	struct captured frame;
	struct roce_header header;
	uint32_t icrc;

	if (!captured_take(data, size, &frame))
		return 0;
	if (!roce_frame_read(frame.bytes, frame.captured_bytes, frame.frame_bytes, &header)) {
		assert(!roce_icrc(frame.bytes, frame.captured_bytes, frame.frame_bytes, &icrc));
		assert(header.traffic_class < 8 && header.queue_pair <= ROCE_PSN_MASK &&
		       header.psn <= ROCE_PSN_MASK && header.signal < 128 &&
		       (header.ecn_capable || !header.congested));
		if (header.opcode == ROCE_OPCODE_ACKNOWLEDGE || header.opcode == ROCE_OPCODE_CNP)
			rewrite(&header);
	}
	if (frame.captured_bytes <= frame.frame_bytes)
		complete(frame.bytes, frame.captured_bytes, frame.frame_bytes);
	free(frame.bytes);
	return 0;
}
