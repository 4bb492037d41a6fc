/*  Fuzzes nodes/wire/fabric_header (TB-23): what is accepted comes out the same when written again.
 *  Input: captured.h, the length being that of the inner frame. */
#include "nodes/wire/fabric_header.h"
#include "tests/fuzz/captured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fabric_header header;
	uint8_t again[FABRIC_HEADER_BYTES];
	struct captured frame;

	if (!captured_take(data, size, &frame))
		return 0;
	if (!fabric_header_read(frame.bytes, frame.captured_bytes, frame.frame_bytes, &header)) {
		fabric_header_write(&header, again);
		assert(!memcmp(again, frame.bytes + FABRIC_ENVELOPE_BYTES, sizeof(again)));
	}
	free(frame.bytes);
	return 0;
}
