/*  becn_frame - what a host sends only to carry BECN (PG-10): an empty Ethernet frame after a
 *  local route header with BECN.
 *
 *  60 bytes: MACs of the two hosts, EtherType 0x88b6 with subtype 2 (frame.h has 0 and 1),
 *  zeros. */
#ifndef HEDDLE_NODES_WIRE_BECN_FRAME_H
#define HEDDLE_NODES_WIRE_BECN_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/wire/frame.h"

#define BECN_FRAME_BYTES FRAME_BYTES_MIN

/** becn_frame_write() - from host @source to host @destination. */
void becn_frame_write(uint32_t source, uint32_t destination, uint8_t bytes[BECN_FRAME_BYTES]);

/** becn_frame_is() - is it one? Of @length bytes, all captured. */
bool becn_frame_is(const uint8_t *bytes, uint32_t length);

#endif
