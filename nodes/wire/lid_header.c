#include "nodes/wire/lid_header.h"

#include <assert.h>
#include <errno.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

#define LASTING_BIT 23
#define FECN_BIT 15
#define BECN_BIT 14
#define LENGTH_MASK 0x3fffu

/* Bits of the header's first word that have one good value: type, version, and the fourth bit of
 * the level. */
#define FIXED_MASK 0xff080000u
#define FIXED_VALUE (LID_TYPE_DATA << 28)

static_assert(NODE_MTU_MAX <= LENGTH_MASK, "a frame's length has 14 bits");
static_assert(NODE_CLASSES_MAX == 1 << 3 && NODE_LANES_MAX == 1 << 3,
	      "service level and level have 3 bits");

void lid_header_write(const struct lid_header *header, uint8_t *bytes)
{
	uint32_t front = FIXED_VALUE | (uint32_t)header->service_level << 20 |
			 (uint32_t)header->level << 16 | (uint32_t)header->lasting << LASTING_BIT |
			 (uint32_t)header->fecn << FECN_BIT | (uint32_t)header->becn << BECN_BIT |
			 header->frame_bytes;

	ENSURE(header->service_level, <, NODE_CLASSES_MAX);
	ENSURE(header->level, <, NODE_LANES_MAX);
	ENSURE(header->frame_bytes, <=, LENGTH_MASK);
	bytes_put32(bytes, front);
	bytes_put32(bytes + 4, header->dlid);
	bytes_put32(bytes + 8, header->slid);
}

int lid_header_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		    struct lid_header *header)
{
	const uint8_t *at = bytes + FABRIC_ENVELOPE_BYTES;
	uint32_t front;

	if (captured_bytes < LID_FRONT_BYTES || captured_bytes - LID_FRONT_BYTES > frame_bytes)
		return -EINVAL;
	front = bytes_get32(at);
	if (bytes_get16(bytes + 12) != ETHERTYPE_FABRIC || (front & FIXED_MASK) != FIXED_VALUE ||
	    (front & LENGTH_MASK) != frame_bytes)
		return -EINVAL;
	*header = (struct lid_header){
		.dlid = bytes_get32(at + 4),
		.slid = bytes_get32(at + 8),
		.frame_bytes = (uint16_t)frame_bytes,
		.service_level = front >> 20 & 7,
		.level = front >> 16 & 7,
		.fecn = front >> FECN_BIT & 1,
		.lasting = front >> LASTING_BIT & 1,
		.becn = front >> BECN_BIT & 1,
	};
	return 0;
}
