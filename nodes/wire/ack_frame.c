#include "nodes/wire/ack_frame.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/wire/crc32.h"
#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"

#define ACK_BITS 25u
#define ACK_FLOW_ID_MAX 2047u
#define FIELD_AT 5u                        /* after the envelope: where the ACK field starts */
#define FIRST_BYTE (FABRIC_TYPE_ACKS << 4) /* version 0 */

static_assert(FIELD_AT + FRAME_FCS_BYTES == ACK_FRAME_OVERHEAD_BYTES, "the overhead of FC-18");
static_assert(ACK_TYPES <= 8, "an ACK type has 3 bits");

static uint32_t field_bytes(uint32_t count)
{
	return (ACK_BITS * count + 7) / 8;
}

/* The FCS as 802.3 sends it: least significant byte first. */
static uint32_t fcs_of(const uint8_t *bytes, uint32_t length)
{
	return htole32(crc32_add(0, bytes, length));
}

static void field_write(const struct ack *acks, uint32_t count, uint8_t *bytes)
{
	uint64_t bits = 0; /* the lower `waiting` are not written yet */
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < count; i++) {
		ENSURE(acks[i].type, <, ACK_TYPES);
		ENSURE(acks[i].value, <=, ACK_VALUE_MAX);
		bits = bits << ACK_BITS | (uint32_t)acks[i].flow_id << 14 |
		       (uint32_t)acks[i].type << 11 | acks[i].value;
		waiting += ACK_BITS;
		if (waiting >= 32) {
			waiting -= 32;
			bytes_put32(bytes, (uint32_t)(bits >> waiting));
			bytes += 4;
		}
	}
	for (bits <<= 32 - waiting; waiting; waiting -= waiting < 8 ? waiting : 8) {
		*bytes++ = (uint8_t)(bits >> 24);
		bits <<= 8;
	}
}

/* Return: 0, or -EINVAL if an ACK has no known type or the padding is not zero. */
static int field_read(const uint8_t *bytes, uint32_t length, uint32_t count, struct ack *acks)
{
	const uint8_t *end = bytes + length;
	uint64_t bits = 0; /* the lower `waiting` are not used yet */
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (waiting < ACK_BITS && end - bytes >= 4) {
			bits = bits << 32 | bytes_get32(bytes);
			bytes += 4;
			waiting += 32;
		}
		for (; waiting < ACK_BITS; waiting += 8)
			bits = bits << 8 | *bytes++;
		waiting -= ACK_BITS;
		acks[i].flow_id = bits >> (waiting + 14) & ACK_FLOW_ID_MAX;
		acks[i].type = bits >> (waiting + 11) & 7;
		acks[i].value = bits >> waiting & ACK_VALUE_MAX;
		if (acks[i].type >= ACK_TYPES)
			return -EINVAL;
	}
	return bits & ((1u << waiting) - 1) ? -EINVAL : 0;
}

uint32_t ack_frame_write(const uint8_t *envelope, const struct ack *acks, uint32_t count,
			 uint8_t *bytes)
{
	uint8_t *body = bytes + FABRIC_ENVELOPE_BYTES;
	uint32_t field = field_bytes(count);
	uint32_t fcs;

	ENSURE(count, >=, 1u);
	ENSURE(count, <=, ACK_FRAME_ACKS_MAX);
	memcpy(bytes, envelope, FABRIC_ENVELOPE_BYTES);
	body[0] = FIRST_BYTE;
	body[1] = (uint8_t)count;
	bytes_put16(body + 2, (uint16_t)field);
	body[4] = 0;
	field_write(acks, count, body + FIELD_AT);
	fcs = fcs_of(body, FIELD_AT + field);
	memcpy(body + FIELD_AT + field, &fcs, FRAME_FCS_BYTES);
	return FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(count);
}

int ack_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct ack *acks)
{
	const uint8_t *body = bytes + FABRIC_ENVELOPE_BYTES;
	uint32_t count, field, fcs, fcs_read;

	if (captured_bytes < FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(1) ||
	    bytes_get16(bytes + 12) != ETHERTYPE_FABRIC || body[0] != FIRST_BYTE || body[4] != 0)
		return -EINVAL;
	count = body[1];
	if (count < 1 || count > ACK_FRAME_ACKS_MAX)
		return -EINVAL;
	field = field_bytes(count);
	if (bytes_get16(body + 2) != field ||
	    captured_bytes != FABRIC_ENVELOPE_BYTES + ack_frame_wire_bytes(count))
		return -EINVAL;
	fcs = fcs_of(body, FIELD_AT + field);
	memcpy(&fcs_read, body + FIELD_AT + field, FRAME_FCS_BYTES);
	if (fcs != fcs_read || field_read(body + FIELD_AT, field, count, acks) < 0)
		return -EINVAL;
	return (int)count;
}
