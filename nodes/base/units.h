/*  units - the data unit of flow channels: 256 bytes. Extents, water levels, credits and ACKs count
 *  units. */
#ifndef HEDDLE_NODES_BASE_UNITS_H
#define HEDDLE_NODES_BASE_UNITS_H

#include <stdint.h>

#define UNIT_BYTES 256u

/** units_of_bytes() - units that a packet of @bytes occupies, at least one. */
static inline uint32_t units_of_bytes(uint32_t bytes)
{
	return bytes ? (bytes + UNIT_BYTES - 1) / UNIT_BYTES : 1;
}

#endif
