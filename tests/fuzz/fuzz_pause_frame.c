/*  Fuzzes nodes/wire/pause_frame (RC-5, TB-23): what is accepted says the same when written again.
 *
 *  Input: a PFC or PAUSE frame as captured. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/pause_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + !size), written[PAUSE_FRAME_BYTES];
	struct pause_frame frame, again;

	assert(bytes);
	memcpy(bytes, data, size);
	if (!pause_frame_read(bytes, (uint32_t)size, &frame)) {
		pause_frame_write(&frame, bytes + 6, written);
		assert(!memcmp(written, bytes, 16)); /* addresses, type and opcode */
		assert(!pause_frame_read(written, sizeof(written), &again));
		assert(again.port == frame.port && again.enabled == frame.enabled &&
		       !memcmp(again.quanta, frame.quanta, sizeof(again.quanta)));
	}
	free(bytes);
	return 0;
}
