/*  hop_limit - the TTL of IPv4 and the hop limit of IPv6, as a router counts them down [RFC 1812,
 *  5.3.1; RFC 8200, 3].
 *
 *  A fabric of kind roce is one subnet whose switches route, so what routers never forward must
 *  cross it all the same, untouched: group frames, link-local addresses, and neighbour discovery,
 *  which is valid with a hop limit of 255 only [RFC 4861, 7.1]. */
#ifndef HEDDLE_NODES_WIRE_HOP_LIMIT_H
#define HEDDLE_NODES_WIRE_HOP_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/wire/frame.h"

/** hop_limit_take() - one hop of the frame @bytes, of which frame_parse() has made @fields: its TTL
 *  or hop limit is one less, the IPv4 header checksum is kept right [RFC 1624]; the ICRC of RoCEv2
 *  leaves both out. What is no IP, and what routers do not route, is as it was. Reads and writes
 *  captured bytes only.
 *  Return: may it be forwarded? false: none is left; the frame is as it was. O(1). */
bool hop_limit_take(uint8_t *bytes, uint32_t captured_bytes, const struct frame_fields *fields);

#endif
