/*  bytes - big-endian fields in unaligned memory, each a move and a byte swap: no loop over bytes
 *  on the data path.
 *
 *  The caller has checked that the bytes are there. */
#ifndef HEDDLE_NODES_BASE_BYTES_H
#define HEDDLE_NODES_BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_get16(const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return be16toh(value);
}

static inline uint32_t bytes_get32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static inline uint64_t bytes_get64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

static inline void bytes_put16(uint8_t *bytes, uint16_t value)
{
	value = htobe16(value);
	memcpy(bytes, &value, sizeof(value));
}

static inline void bytes_put32(uint8_t *bytes, uint32_t value)
{
	value = htobe32(value);
	memcpy(bytes, &value, sizeof(value));
}

static inline void bytes_put64(uint8_t *bytes, uint64_t value)
{
	value = htobe64(value);
	memcpy(bytes, &value, sizeof(value));
}

#endif
