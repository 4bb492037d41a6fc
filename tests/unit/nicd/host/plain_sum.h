/*  plain_sum - the Internet checksum as its definition has it, to compare with. */
#ifndef HEDDLE_TESTS_UNIT_NICD_HOST_PLAIN_SUM_H
#define HEDDLE_TESTS_UNIT_NICD_HOST_PLAIN_SUM_H

#include <stdint.h>

/* as in RFC 1071: 16-bit big-endian words */
static inline uint16_t plain_sum(const uint8_t *bytes, uint32_t count, uint32_t begun)
{
	uint64_t sum = begun;

	for (uint32_t i = 0; i < count; i++)
		sum += i & 1 ? bytes[i] : (uint64_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

#endif
