/*  fabric_header - what the ingress edge puts in front of an injected frame and the egress edge
 *  removes (FC-10).
 *
 *  On a fabric link a frame is [envelope 14][fabric header 12][inner frame, byte-identical][FCS 4].
 *  The envelope is an Ethernet header with EtherType 0x88b5, there so that a capture or a veth link
 *  sees an Ethernet frame; the modelled link does not carry it: wire length = 12 + inner + 4. First
 *  byte after the envelope: 0x1_ data, 0x2_ ACK frame. Layout, big endian: [0] type 1 (4 bits),
 *  traffic class (4); [1] bit 0 ordered, bits 3..7 the upper bits of via; [2..3] flow_id; [4..5]
 *  data_flow (position of the packet in the flow, units modulo 2^16); [6..7] destination fabric
 *  address; [8] egress port; [9] level (3 bits), hops so far (5; 31: so many or more); [10] the
 *  lower bits of via; [11] units of the packet. A packet without a detour on the first level of
 *  lanes has zeros in all that belongs to them. */
#ifndef HEDDLE_NODES_WIRE_FABRIC_HEADER_H
#define HEDDLE_NODES_WIRE_FABRIC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#define FABRIC_ENVELOPE_BYTES 14u
#define FABRIC_HEADER_BYTES 12u
/* captured bytes in front of the inner frame */
#define FABRIC_FRONT_BYTES (FABRIC_ENVELOPE_BYTES + FABRIC_HEADER_BYTES)

#define FABRIC_VIA_MAX 8191u /* fabric addresses up to here can be gone by on a detour */
#define FABRIC_HOPS_MAX 31u  /* as many as can be told */

#define FABRIC_LEVEL_BYTE 9u /* of the header: its upper three bits are the level */

#define FABRIC_TYPE_DATA 1u
#define FABRIC_TYPE_ACKS 2u

struct fabric_header {
	uint16_t flow_id;
	uint16_t data_flow;
	uint16_t fabric_address;
	uint16_t units;
	/* fabric address of the switch that it goes to first; 0: straight to its destination */
	uint16_t via;
	uint8_t egress_port;
	uint8_t traffic_class;
	uint8_t level; /* virtual lane within the class: routing_config.h */
	uint8_t hops;
	bool ordered;
};

/** fabric_envelope_write() - the Ethernet header of link partners: MACs 02:48:ff:aa:aa:pp of fabric
 *  address and port. */
void fabric_envelope_write(uint16_t source_address, uint8_t source_port, uint16_t peer_address,
			   uint8_t peer_port, uint8_t bytes[FABRIC_ENVELOPE_BYTES]);

/** fabric_header_write() - 12 bytes at @bytes. */
void fabric_header_write(const struct fabric_header *header, uint8_t *bytes);

/** fabric_header_read() - parses envelope and header at @bytes (at least FABRIC_FRONT_BYTES must be
 *  captured).
 *  @frame_bytes the inner frame (without FCS): its units must be those of the header.
 *  Return: 0, or -EINVAL (wrong EtherType or type, reserved bits set, flow_id over 2047, egress
 *  port over 63, class over 7, units 0 or not those of the frame, too short). */
int fabric_header_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		       struct fabric_header *header);

#endif
