/*  Fuzzes nodes/wire/lid_header (PG-1, TB-23): what is accepted comes out the same when written
 *  again.
 *
 *  Input: [inner frame length 2, big endian][captured bytes]. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/lid_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lid_header header;
	uint8_t again[LID_HEADER_BYTES];
	uint32_t captured_bytes;
	uint8_t *bytes;

	if (size < 2)
		return 0;
	captured_bytes = (uint32_t)size - 2;
	bytes = malloc(captured_bytes + !captured_bytes);
	assert(bytes);
	memcpy(bytes, data + 2, captured_bytes);
	if (lid_header_read(bytes, captured_bytes, (uint32_t)data[0] << 8 | data[1], &header) ==
	    0) {
		lid_header_write(&header, again);
		assert(!memcmp(again, bytes + FABRIC_ENVELOPE_BYTES, sizeof(again)));
	}
	free(bytes);
	return 0;
}
