/*  Fuzzes nodes/wire/fgfc_frame (EC-16, TB-23): what is accepted comes out the same when written
 *  again.
 *
 *  Input: an FGFC frame as captured. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/fgfc_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + !size), again[FGFC_MASKED_BYTES];
	struct fgfc_frame frame;

	assert(bytes);
	memcpy(bytes, data, size);
	if (!fgfc_frame_read(bytes, (uint32_t)size, &frame)) {
		assert(fgfc_frame_is(bytes, (uint32_t)size));
		assert(fgfc_frame_write(&frame, bytes + 6, again) == size);
		assert(!memcmp(again, bytes, size));
	}
	free(bytes);
	return 0;
}
