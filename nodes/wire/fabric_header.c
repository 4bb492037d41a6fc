#include "nodes/wire/fabric_header.h"

#include <assert.h>
#include <errno.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/base/units.h"
#include "nodes/config/config.h"
#include "nodes/wire/frame.h"

#define FLAG_ORDERED 1u

/* Bits of the header's first eight bytes that have one good value: type, the class's fourth bit,
 * reserved flags, and the five bits above a flow_id. */
#define FIXED_MASK 0xf806f80000000000ull
#define FIXED_VALUE ((uint64_t)FABRIC_TYPE_DATA << 60)

static_assert(NODE_CHANNELS_MAX == 1 << 11, "flow_id has 11 bits");
static_assert(NODE_CLASSES_MAX == 1 << 3, "a traffic class has 3 bits");
static_assert(NODE_PORTS_MAX == 1 << 6, "a port has 6 bits");
static_assert(NODE_LANES_MAX == 1 << 3, "a level has 3 bits");
static_assert((NODE_MTU_MAX + UNIT_BYTES - 1) / UNIT_BYTES < 1 << 8,
	      "a packet's units have 8 bits");

static void partner_mac_write(uint16_t fabric_address, uint8_t port, uint8_t *mac)
{
	bytes_put16(mac, 0x0248);
	bytes_put32(mac + 2, 0xff000000u | (uint32_t)fabric_address << 8 | port);
}

void fabric_envelope_write(uint16_t source_address, uint8_t source_port, uint16_t peer_address,
			   uint8_t peer_port, uint8_t bytes[FABRIC_ENVELOPE_BYTES])
{
	partner_mac_write(peer_address, peer_port, bytes);
	partner_mac_write(source_address, source_port, bytes + 6);
	bytes_put16(bytes + 12, ETHERTYPE_FABRIC);
}

void fabric_header_write(const struct fabric_header *header, uint8_t *bytes)
{
	uint64_t front = FIXED_VALUE | (uint64_t)header->traffic_class << 56 |
			 (uint64_t)(header->via >> 8) << 51 |
			 (header->ordered ? (uint64_t)FLAG_ORDERED << 48 : 0) |
			 (uint64_t)header->flow_id << 32 | (uint64_t)header->data_flow << 16 |
			 header->fabric_address;
	uint32_t back = (uint32_t)header->egress_port << 24 | (uint32_t)header->level << 21 |
			(uint32_t)header->hops << 16 | (uint32_t)(header->via & 0xff) << 8 |
			header->units;

	ENSURE(header->traffic_class, <, NODE_CLASSES_MAX);
	ENSURE(header->flow_id, <, NODE_CHANNELS_MAX);
	ENSURE(header->egress_port, <, NODE_PORTS_MAX);
	ENSURE(header->via, <=, FABRIC_VIA_MAX);
	ENSURE(header->level, <, NODE_LANES_MAX);
	ENSURE(header->hops, <=, FABRIC_HOPS_MAX);
	ENSURE(header->units, <=, 0xffu);
	bytes_put64(bytes, front);
	bytes_put32(bytes + 8, back);
}

int fabric_header_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		       struct fabric_header *header)
{
	uint64_t front;
	uint32_t back;

	if (captured_bytes < FABRIC_FRONT_BYTES ||
	    captured_bytes - FABRIC_FRONT_BYTES > frame_bytes)
		return -EINVAL;
	front = bytes_get64(bytes + FABRIC_ENVELOPE_BYTES);
	back = bytes_get32(bytes + FABRIC_ENVELOPE_BYTES + 8);
	if (bytes_get16(bytes + 12) != ETHERTYPE_FABRIC || (front & FIXED_MASK) != FIXED_VALUE ||
	    back >> 24 >= NODE_PORTS_MAX || (back & 0xff) != units_of_bytes(frame_bytes))
		return -EINVAL;
	*header = (struct fabric_header){
		.flow_id = (uint16_t)(front >> 32),
		.data_flow = (uint16_t)(front >> 16),
		.fabric_address = (uint16_t)front,
		.units = (uint8_t)back,
		.via = (uint16_t)((front >> 51 & 31) << 8 | (back >> 8 & 0xff)),
		.egress_port = (uint8_t)(back >> 24),
		.traffic_class = front >> 56 & 7,
		.level = back >> 21 & 7,
		.hops = back >> 16 & FABRIC_HOPS_MAX,
		.ordered = front >> 48 & FLAG_ORDERED,
	};
	return 0;
}
