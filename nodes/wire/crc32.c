#include "nodes/wire/crc32.h"

#include <libdeflate.h>

static const uint8_t zeros[4096];

uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, uint32_t length)
{
	return libdeflate_crc32(crc, bytes, length);
}

uint32_t crc32_add_zeros(uint32_t crc, uint32_t length)
{
	for (; length > sizeof(zeros); length -= sizeof(zeros))
		crc = libdeflate_crc32(crc, zeros, sizeof(zeros));
	return libdeflate_crc32(crc, zeros, length);
}
