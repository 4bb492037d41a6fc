#include "nodes/wire/becn_frame.h"

#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"

#define ETHERTYPE_AT 12u
#define SUBTYPE_AT 14u
#define SUBTYPE_BECN 2u

void becn_frame_write(uint32_t source, uint32_t destination, uint8_t bytes[BECN_FRAME_BYTES])
{
	memset(bytes, 0, BECN_FRAME_BYTES);
	address_mac(destination, bytes);
	address_mac(source, bytes + 6);
	bytes_put16(bytes + ETHERTYPE_AT, ETHERTYPE_HPC);
	bytes[SUBTYPE_AT] = SUBTYPE_BECN;
}

bool becn_frame_is(const uint8_t *bytes, uint32_t length)
{
	return length == BECN_FRAME_BYTES && bytes_get16(bytes + ETHERTYPE_AT) == ETHERTYPE_HPC &&
	       bytes[SUBTYPE_AT] == SUBTYPE_BECN;
}
