/*  lid_header - the local route header of fabric kind port-group: what a packet is forwarded by
 *  (PG-1, PG-10).
 *
 *  On every link of such a fabric, edge links too, a frame is [envelope 14][local route header
 *  12][inner frame, byte-identical][FCS 4]. The source's NIC writes the header, the destination's
 *  removes it. The envelope is not on the modelled link (fabric_header.h); its MACs are those of
 *  the two link ends (word_frame_envelope_write()), for a NIC has no fabric address. Layout, big
 *  endian: [0] type 5 (4 bits), version 0 (4); [1] lasting, service level, a zero, level, in 1, 3,
 *  1, 3 bits; [2..3] FECN, BECN, length of the inner frame (14 bits); [4..7] DLID; [8..11] SLID.
 *
 *  LIDs. Host i has LID i + 1. A LID has 16, 20, 24 or 32 bits. Of each width, as of InfiniBand's
 *  16: 0 is uninitialised, all ones is permissive, the quarter below it, whose upper two
 *  bits are ones, means groups (multicast, collective); all others name one port of a host. */
#ifndef HEDDLE_NODES_WIRE_LID_HEADER_H
#define HEDDLE_NODES_WIRE_LID_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/wire/fabric_header.h"

#define LID_HEADER_BYTES 12u
/* captured bytes in front of the inner frame */
#define LID_FRONT_BYTES (FABRIC_ENVELOPE_BYTES + LID_HEADER_BYTES)
/* after FABRIC_TYPE_*, words and quotes */
#define LID_TYPE_DATA 5u

struct lid_header {
	uint32_t dlid, slid;
	uint16_t frame_bytes;  /* inner frame, without FCS */
	uint8_t service_level; /* the traffic class, on the whole path */
	uint8_t level;         /* of the virtual lane, on this link (routing_config.h) */
	bool fecn;             /* met congestion */
	/* with fecn: its source must be notified, since choices of other ports do not end it */
	bool lasting;
	bool becn;
};

enum lid_kind {
	LID_UNINITIALISED, /* 0 */
	LID_HOST,          /* unicast */
	LID_GROUP,         /* multicast and collective */
	/* all ones: the receiver at the other end of the link; never forwarded */
	LID_PERMISSIVE,
	LID_BEYOND, /* more bits than LIDs have here */
};

/** lid_permissive(), lid_group_first() - the reserved LIDs of @lid_bits. The first group is that of
 *  all hosts: broadcast. Pure. */
static inline uint32_t lid_permissive(uint32_t lid_bits)
{
	return UINT32_MAX >> (32 - lid_bits);
}

static inline uint32_t lid_group_first(uint32_t lid_bits)
{
	return 3u << (lid_bits - 2);
}

/** lid_kind() - what @lid means where LIDs have @lid_bits (16, 20, 24, 32). Pure. */
static inline enum lid_kind lid_kind(uint32_t lid, uint32_t lid_bits)
{
	if (!lid)
		return LID_UNINITIALISED;
	if (lid < lid_group_first(lid_bits))
		return LID_HOST;
	if (lid < lid_permissive(lid_bits))
		return LID_GROUP;
	return lid == lid_permissive(lid_bits) ? LID_PERMISSIVE : LID_BEYOND;
}

/** lid_of_host() - the LID of host @host_index. Pure. */
static inline uint32_t lid_of_host(uint32_t host_index)
{
	return host_index + 1;
}

/** lid_header_write() - 12 bytes at @bytes. */
void lid_header_write(const struct lid_header *header, uint8_t *bytes);

/** lid_header_read() - parses envelope and header at @bytes (at least LID_FRONT_BYTES must be
 *  captured).
 *  @frame_bytes the inner frame (without FCS): the header must say the same. What the LIDs mean:
 *  lid_kind().
 *  Return: 0, or -EINVAL (wrong EtherType, type or version, reserved bits set, another length, too
 *  short). */
int lid_header_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		    struct lid_header *header);

#endif
