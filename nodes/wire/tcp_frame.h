/*  tcp_frame - what a TCP-like transport says in the headers of generated frames: FRAME_TCP data,
 *  and pure ACKs (RC-6) [RFC 9293, 3168].
 *
 *  Data frames are made by frame_write(); a transport then sets what changes from segment to
 *  segment. ACKs are whole frames of FRAME_BYTES_MIN, in which the data's ports are reversed, and
 *  name the flow by them. No options, no handshake (ours): both ends are told of their connections
 *  before. The checksum is always right, with the part of the payload that is not captured as
 *  zeros. */
#ifndef HEDDLE_NODES_WIRE_TCP_FRAME_H
#define HEDDLE_NODES_WIRE_TCP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define TCP_FLAG_ACK 0x10u
#define TCP_FLAG_ECE 0x40u /* congestion was experienced */
#define TCP_FLAG_CWR 0x80u /* the sender has reduced its window */
/* the receive window that does not limit, of a receiver that holds all that may be in flight */
#define TCP_WINDOW_OPEN UINT16_MAX

struct tcp_fields {
	uint32_t sequence, acknowledgement; /* modulo 2^32 */
	uint16_t window;
	uint8_t flags;
};

struct tcp_ack {
	uint32_t source, destination; /* host indices: receiver of the data, its sender */
	uint32_t flow;                /* that of the data's frame_spec: its lower 22 bits */
	uint32_t traffic_class;
	struct tcp_fields fields;
};

/** tcp_fields_write() - sets them in a generated data frame, after frame_payload_write(). O(1). */
void tcp_fields_write(const struct tcp_fields *fields, uint8_t *bytes);

/** tcp_fields_read() - those of a data frame that frame_payload_read() has read, or of an ACK. */
struct tcp_fields tcp_fields_read(const uint8_t *bytes);

/** tcp_ack_write() - the whole ACK to @bytes (FRAME_BYTES_MIN), not ECN-capable [RFC 3168, 6.1.4].
 *  Return: FRAME_BYTES_MIN, its length without FCS. */
uint32_t tcp_ack_write(const struct tcp_ack *ack, uint8_t *bytes);

/** tcp_ack_read() - Return: 0 with @ack filled; -EINVAL if it is no ACK of a generated flow, or cut
 *  short: other lengths, ports or addresses, no ACK flag. Reads at most @captured_bytes. */
int tcp_ack_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		 struct tcp_ack *ack);

/* ---- for frame.c ---- */

/** tcp_header_write() - after the IPv4 header of the data frame in @bytes. The checksum follows
 *  with the test payload. */
void tcp_header_write(uint32_t flow, uint8_t *bytes);

/** tcp_checksum_write() - writes the checksum of the data frame in @bytes. */
void tcp_checksum_write(uint8_t *bytes);

/** tcp_header_generated() - can @tcp, TCP_BYTES captured, be that of a generated data frame? */
bool tcp_header_generated(const uint8_t *tcp);

#endif
