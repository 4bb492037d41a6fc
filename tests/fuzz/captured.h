/*  captured - the input of fuzzers that read a frame: [frame length 2, big endian][captured bytes].
 */
#ifndef HEDDLE_TESTS_FUZZ_CAPTURED_H
#define HEDDLE_TESTS_FUZZ_CAPTURED_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct captured {
	uint8_t *bytes; /* in memory of just their size: the sanitizer sees a read beyond them */
	uint32_t captured_bytes, frame_bytes;
};

/** captured_take() - Return: false if the input is too short for a length; else free @frame->bytes
 *  after use. */
static inline bool captured_take(const uint8_t *data, size_t size, struct captured *frame)
{
	if (size < 2)
		return false;
	frame->frame_bytes = (uint32_t)data[0] << 8 | data[1];
	frame->captured_bytes = (uint32_t)size - 2;
	frame->bytes = malloc(frame->captured_bytes + !frame->captured_bytes);
	assert(frame->bytes);
	memcpy(frame->bytes, data + 2, frame->captured_bytes);
	return true;
}

#endif
