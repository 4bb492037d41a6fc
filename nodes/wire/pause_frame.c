#include "nodes/wire/pause_frame.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/bytes.h"

#define MAC_BYTES 6u
#define OPCODE_PAUSE 0x0001u
#define OPCODE_PFC 0x0101u

/* after the two MACs and the EtherType */
#define OPCODE_AT 14u
#define VECTOR_AT 16u /* PFC: class-enable vector, a reserved byte in front */
#define TIMES_AT 18u
#define PFC_END (TIMES_AT + 2 * PAUSE_PRIORITIES)
#define PAUSE_TIME_AT 16u
#define PAUSE_END 18u

static const uint8_t group_mac[MAC_BYTES] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

/* the set of priorities whose times count */
static uint8_t counting(uint8_t enabled)
{
	return enabled ? enabled : 1;
}

void pause_frame_write(const struct pause_frame *frame, const uint8_t source_mac[6], uint8_t *bytes)
{
	memset(bytes, 0, PAUSE_FRAME_BYTES);
	memcpy(bytes, group_mac, MAC_BYTES);
	memcpy(bytes + MAC_BYTES, source_mac, MAC_BYTES);
	bytes_put16(bytes + 2 * MAC_BYTES, ETHERTYPE_MAC_CONTROL);
	if (frame->port) {
		bytes_put16(bytes + OPCODE_AT, OPCODE_PAUSE);
		bytes_put16(bytes + PAUSE_TIME_AT, frame->quanta[0]);
		return;
	}
	bytes_put16(bytes + OPCODE_AT, OPCODE_PFC);
	bytes_put16(bytes + VECTOR_AT, frame->enabled);
	for (uint32_t i = 0; i < PAUSE_PRIORITIES; i++)
		if (counting(frame->enabled) >> i & 1)
			bytes_put16(bytes + TIMES_AT + (size_t)2 * i, frame->quanta[i]);
}

int pause_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct pause_frame *frame)
{
	if (captured_bytes < PAUSE_END || memcmp(bytes, group_mac, MAC_BYTES) ||
	    bytes_get16(bytes + 2 * MAC_BYTES) != ETHERTYPE_MAC_CONTROL)
		return -EINVAL;
	*frame = (struct pause_frame){ 0 };
	if (bytes_get16(bytes + OPCODE_AT) == OPCODE_PAUSE) {
		frame->port = true;
		frame->quanta[0] = bytes_get16(bytes + PAUSE_TIME_AT);
		return 0;
	}
	if (bytes_get16(bytes + OPCODE_AT) != OPCODE_PFC || captured_bytes < PFC_END)
		return -EINVAL;
	frame->enabled = bytes[VECTOR_AT + 1];
	for (uint32_t i = 0; i < PAUSE_PRIORITIES; i++)
		if (counting(frame->enabled) >> i & 1)
			frame->quanta[i] = bytes_get16(bytes + TIMES_AT + (size_t)2 * i);
	return 0;
}
