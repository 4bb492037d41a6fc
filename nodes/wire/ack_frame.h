/*  ack_frame - up to 48 ACKs of 25 bits in one frame, 9 bytes of overhead with the FCS (FC-12,
 *  FC-13, FC-18).
 *
 *  An ACK is [flow_id 11][type 3][value 11]. The value of a delivery or loss is a number of data
 *  units: extents are put right by differences, so ACKs of one flow may be added up and may
 *  overtake each other (a resent ACK frame does). ours: the seed draws ack_flow as a position; a
 *  difference needs no more bits and cannot be taken for another one after a loss. Captured:
 *  [envelope 14][type 2 (4 bits), version 0 (4)][count][length of the ACK field, 2] [reserved
 *  1][ACKs, bit-packed, most significant bit first, padded with zeros][FCS 4, CRC-32 as in 802.3
 *  over everything after the envelope]. Wire length = 9 + ceil(25 n / 8). */
#ifndef HEDDLE_NODES_WIRE_ACK_FRAME_H
#define HEDDLE_NODES_WIRE_ACK_FRAME_H

#include <stdint.h>

#define ACK_FRAME_ACKS_MAX 48u
#define ACK_FRAME_OVERHEAD_BYTES 9u
#define ACK_VALUE_MAX 2047u
#define ACK_HEADROOM_MAX 2046u /* the greatest credit; ACK_VALUE_MAX ends metering (EC-13) */

enum ack_type {
	ACK_DELTA,     /* `value` units delivered */
	ACK_DELTA_ECA, /* the same, congestion persists */
	ACK_ECA,       /* congestion: value is the factor; acknowledges nothing */
	ACK_HEADROOM,  /* credit */
	ACK_REROUTE,   /* redirect the flow */
	ACK_LOSS,      /* `value` units lost */
	ACK_TYPES
};

struct ack {
	uint16_t flow_id;
	uint16_t value;
	uint8_t type; /* enum ack_type */
};

/** ack_frame_wire_bytes() - length on the link of a frame with @count ACKs, FCS included. */
static inline uint32_t ack_frame_wire_bytes(uint32_t count)
{
	return ACK_FRAME_OVERHEAD_BYTES + (25 * count + 7) / 8;
}

/** ack_frame_write() - an ACK frame after its envelope; @bytes 14 +
 *  ack_frame_wire_bytes(count) long.
 *  @envelope  14 bytes.  @count  1..48.   Return: captured bytes. */
uint32_t ack_frame_write(const uint8_t *envelope, const struct ack *acks, uint32_t count,
			 uint8_t *bytes);

/** ack_frame_read() - parses one into @acks (48 entries).
 *  Return: their number, or -EINVAL (wrong type, count, length, padding, ACK type or FCS). */
int ack_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct ack *acks);

#endif
