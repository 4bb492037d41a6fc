/*  ecn_mark - "congestion experienced" in a frame whose sender understands it [RFC 3168]. */
#ifndef HEDDLE_NODES_WIRE_ECN_MARK_H
#define HEDDLE_NODES_WIRE_ECN_MARK_H

#include <stdbool.h>
#include <stdint.h>

/** ecn_mark() - sets CE in the IP header after Ethernet and at most one 802.1Q tag, if the packet
 *  is ECN-capable: ECT(0), ECT(1). The IPv4 header checksum is kept right [RFC 1624]; no other
 *  checksum covers the field. Reads and writes the captured bytes
 *  only.   Return: is the packet marked now (or was already)?  O(1). */
bool ecn_mark(uint8_t *bytes, uint32_t captured_bytes);

/** ecn_read() - the field of the same IP header: 0 (also if there is none), ECN_CAPABLE,
 *  ECN_CONGESTED or 1, ECT(1). O(1). */
uint32_t ecn_read(const uint8_t *bytes, uint32_t captured_bytes);

#endif
