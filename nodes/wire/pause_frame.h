/*  pause_frame - MAC control frames that hold the sender at the other end of a link: PFC (802.1Qbb)
 *  and PAUSE (802.3x) (RC-5).
 *
 *  To 01:80:c2:00:00:01, EtherType 0x8808, opcode 0x0101 (PFC) or 0x0001 (PAUSE), then the
 *  class-enable vector and eight times, or one time, in quanta of 512 bit times of the link; zeros
 *  up to 60 bytes. They are never forwarded. */
#ifndef HEDDLE_NODES_WIRE_PAUSE_FRAME_H
#define HEDDLE_NODES_WIRE_PAUSE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define ETHERTYPE_MAC_CONTROL 0x8808u
#define PAUSE_FRAME_BYTES 60u /* without FCS */
#define PAUSE_QUANTUM_BITS 512u
#define PAUSE_QUANTA_MAX 65535u
#define PAUSE_PRIORITIES 8u

struct pause_frame {
	bool port;       /* PAUSE: the whole port, quanta[0] long; else PFC */
	uint8_t enabled; /* PFC: a bit per priority whose time counts */
	/* 0: go on. PFC with no priority enabled (RC-10): quanta[0] counts (ours) */
	uint16_t quanta[PAUSE_PRIORITIES];
};

/** pause_frame_write() - the frame from the port with @source_mac to @bytes (PAUSE_FRAME_BYTES).
 *  Times that do not count are written as 0. */
void pause_frame_write(const struct pause_frame *frame, const uint8_t source_mac[6],
		       uint8_t *bytes);

/** pause_frame_read() - Return: 0 with @frame filled (times that do not count 0); -EINVAL if it is
 *  none: another address, type or opcode, or cut short. Reads at most @captured_bytes. */
int pause_frame_read(const uint8_t *bytes, uint32_t captured_bytes, struct pause_frame *frame);

#endif
