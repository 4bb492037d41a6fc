/*  Fuzzes nodes/wire/ack_frame (TB-23): what is accepted comes out the same when written again.
 *
 *  Input: an ACK frame as captured. A fuzzer cannot guess a CRC: every input is tried as it is and
 *  once more with a sound FCS in its last four bytes. */
#include <assert.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/ack_frame.h"
#include "nodes/wire/fabric_header.h"

#define BYTES_MAX (FABRIC_ENVELOPE_BYTES + ACK_FRAME_OVERHEAD_BYTES + 150)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_frame(const uint8_t *bytes, uint32_t captured_bytes)
{
	struct ack acks[ACK_FRAME_ACKS_MAX];
	uint8_t again[BYTES_MAX];
	int count = ack_frame_read(bytes, captured_bytes, acks);

	if (count < 0)
		return;
	assert(count >= 1 && count <= (int)ACK_FRAME_ACKS_MAX);
	assert(ack_frame_write(bytes, acks, (uint32_t)count, again) == captured_bytes);
	assert(!memcmp(again, bytes, captured_bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + !size);

	assert(bytes);
	memcpy(bytes, data, size);
	try_frame(bytes, (uint32_t)size);
	if (size >= FABRIC_ENVELOPE_BYTES + 4) {
		uint32_t fcs = libdeflate_crc32(0, bytes + FABRIC_ENVELOPE_BYTES,
						size - FABRIC_ENVELOPE_BYTES - 4);

		for (int i = 0; i < 4; i++)
			bytes[size - 4 + (size_t)i] = (uint8_t)(fcs >> 8 * i);
		try_frame(bytes, (uint32_t)size);
	}
	free(bytes);
	return 0;
}
