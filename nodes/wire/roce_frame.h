/*  roce_frame - RoCEv2 beyond what a generated data frame needs: ICRC, ACK, NAK, CNP, and what a
 *  switch reads of them (RC-4, RC-9).
 *
 *  InfiniBand Architecture Specification vol. 1, annex 17 (RoCEv2). Data frames are made by
 *  frame_write(); this file reads any RoCEv2 frame and writes the short ones, which are captured
 *  whole. Over IPv4 and IPv6.
 *  Queue pair numbers. A connection has a number at either end. That of the sender is
 *  ROCE_REQUESTER | its slot; that of the receiver
 *  stands in data frames. Both ends use the same UDP source port, as Linux' rdma_calc_flow_label()
 *  does for a connected pair of numbers; so a switch can tell which ACKs and CNPs belong to which
 *  data, and learns the sender's number from them (RC-8). */
#ifndef HEDDLE_NODES_WIRE_ROCE_FRAME_H
#define HEDDLE_NODES_WIRE_ROCE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define ROCE_OPCODE_SEND_FIRST 0x00u /* reliable connection */
#define ROCE_OPCODE_SEND_MIDDLE 0x01u
#define ROCE_OPCODE_SEND_LAST 0x02u
#define ROCE_OPCODE_SEND_ONLY 0x04u
#define ROCE_OPCODE_ACKNOWLEDGE 0x11u
#define ROCE_OPCODE_CNP 0x81u

/* queue pairs of senders: this, and the slot in the lower 22 bits */
#define ROCE_REQUESTER 0x400000u
#define ROCE_PSN_MASK 0xffffffu
#define ROCE_PSN_HALF (1u << 23) /* a PSN so far ahead, or further, is an old one */

/* AETH: ACK, credit count invalid: no end-to-end flow control */
#define ROCE_SYNDROME_ACK 0x1fu
#define ROCE_SYNDROME_NAK_PSN 0x60u /* NAK: PSN sequence error */

#define ROCE_SIGNAL_NONE 0u /* the 7 reserved bits after the ACK request of a CNP (RC-9) */
#define ROCE_SIGNAL_PAUSE 1u
#define ROCE_SIGNAL_RESUME 2u

#define ROCE_REPLY_BYTES_MAX 96u

/* how the two ends of a frame are called on the network */
struct roce_ends {
	uint8_t source_mac[6], destination_mac[6];
	uint8_t ip_version;                        /* 4 or 6 */
	uint8_t source_ip[16], destination_ip[16]; /* IPv4 in the first four bytes */
	uint16_t source_port;                      /* UDP; the destination port is ROCE_UDP_PORT */
};

/* what a RoCEv2 frame says */
struct roce_header {
	struct roce_ends ends;
	uint8_t traffic_class;       /* DSCP >> 3 */
	bool ecn_capable, congested; /* ECT(0), ECT(1) or CE; CE */
	uint8_t opcode;
	uint8_t hops;        /* routers that it passed: IP_HOPS_MAX less its TTL or hop limit */
	uint32_t queue_pair; /* at the destination */
	bool becn;           /* BTH: the receiver of the data has seen an ECN mark */
	bool ack_request;
	uint8_t signal; /* the 7 bits after it */
	uint32_t psn;
	uint8_t syndrome; /* of an AETH: opcode ACKNOWLEDGE */
	uint32_t msn;
};

/* a short frame to be written */
struct roce_reply {
	struct roce_ends ends;
	uint8_t traffic_class;
	uint32_t queue_pair;
	uint32_t psn;     /* ACK, NAK */
	uint8_t syndrome; /* ACK, NAK */
	uint32_t msn;     /* ACK, NAK: messages completed, 24 bits */
	bool becn;        /* ACK, NAK; a CNP always has it */
	uint8_t signal;   /* CNP */
};

/** roce_frame_read() - Return: 0 with @header filled; -EINVAL if it is no RoCEv2 frame, or cut
 *  short, or its headers contradict each other (frame_parse() has the rules for IP and UDP). Any
 *  opcode. Does not look at the ICRC. */
int roce_frame_read(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		    struct roce_header *header);

/** roce_ack_write(), roce_cnp_write() - the frame to @bytes (ROCE_REPLY_BYTES_MAX), whole, with its
 *  ICRC. An ACK is ECN-capable no more than a CNP. Return: its length without FCS, padded to
 *  FRAME_BYTES_MIN by Ethernet (after the IP packet). */
uint32_t roce_ack_write(const struct roce_reply *reply, uint8_t *bytes);
uint32_t roce_cnp_write(const struct roce_reply *reply, uint8_t *bytes);

/** roce_ends_reversed() - from the receiver's point of view: addresses swapped, the same UDP source
 *  port. */
struct roce_ends roce_ends_reversed(const struct roce_ends *ends);

/** roce_ack_request() - sets or clears the ACK request of a generated data frame (FRAME_ROCE,
 *  FRAME_ROCE_IPV6) in @bytes. */
void roce_ack_request(uint8_t *bytes, bool request);

/** roce_icrc() - the invariant CRC of the RoCEv2 frame in @bytes, as it goes on the wire, least
 *  significant byte first. Bytes of the payload that were not captured count as zeros. What routers
 *  may change (TOS, TTL, checksums, BTH's reserved byte) counts as ones.
 *  Return: 0 with the value in @icrc; -EINVAL if the frame is none. O(frame_bytes) at most. */
int roce_icrc(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes, uint32_t *icrc);

#define ROCE_ICRC_BYTES 4u

/** roce_trailer() - what ends a RoCEv2 frame of which only the front was captured, and the rest is
 *  zeros: the ICRC to @icrc, as it goes on the
 *  wire.   Return: false if it is no such frame: nothing is written, zeros are all that it
 *  lacks. */
bool roce_trailer(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes,
		  uint8_t icrc[ROCE_ICRC_BYTES]);

/** roce_complete() - makes a frame of any kind whole as the wire would have it: zeros after what
 *  was captured, and an ICRC if it is RoCEv2.
 *  @bytes @frame_bytes long. */
void roce_complete(uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes);

/** roce_icrc_holds() - is the frame captured whole, and its ICRC right? A frame whose end was not
 *  captured passes. */
bool roce_icrc_holds(const uint8_t *bytes, uint32_t captured_bytes, uint32_t frame_bytes);

#endif
