/*  host_offload - segmentation and receive offload, as the hardware of a NIC has them (TB-15).
 *
 *  The kernel of an attached host sends TCP and UDP data in super-frames of up to 64 KiB, with
 *  partial checksums, described by a virtio_net_hdr. It receives the same. So one pass through its
 *  stack serves 45 frames. The fabric carries standard frames only, with complete checksums.
 *
 *      host_cut    one super-frame -> frames on the link, one at a time, each written in its place
 *      host_merge  frames of one TCP flow in order -> one super-frame: the headers of the first,
 *                  the payloads of all
 *
 *  Cutting follows the kernel's tcp_gso_segment(): sequence numbers and IPv4 identifications count
 *  up, CWR is in the first segment only, FIN and PSH in the last. The host's checksum field holds
 *  the sum over the pseudo-header, so only the lengths in it are replaced, and addresses are not
 *  read.
 *  Merging takes what the kernel's GRO would, and is stricter where that costs nothing (ours):
 *  cutting the result again gives the same frames bit by bit. Checksums are verified first, because
 *  a merged frame states that they were good.
 *
 *  Place: called by host_if.c and host_send.c. No I/O, no allocation, no time. A frame comes from
 *  the host's kernel or from the fabric: every length is checked before it is used (TB-23).
 *  Sources: [virtio 1.2, 5.1.6], [RFC 1071], Linux net/ipv4/tcp_offload.c. */
#ifndef HEDDLE_NICD_HOST_HOST_OFFLOAD_H
#define HEDDLE_NICD_HOST_HOST_OFFLOAD_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

/* of a merged frame, so that every length in it fits 16 bits (ours) */
#define HOST_SUPER_BYTES_MAX 65535u
#define HOST_SUPER_SEGMENTS_MAX 128u

/* ---- cutting ---- */

struct host_cut {
	const uint8_t *frame; /* borrowed, until the last segment is written */
	uint32_t frame_bytes; /* of the super-frame */
	/* before the payload that is cut; without segmentation the whole frame */
	uint32_t headers_bytes;
	uint32_t segment_bytes; /* payload of a full segment */
	uint32_t done_bytes;    /* payload that is written or skipped */
	uint32_t index;         /* of the next segment */
	uint32_t ip_at, l4_at;  /* with segmentation: where these headers are */
	uint32_t checksum_from; /* checksum of all that follows; 0: it is complete */
	uint32_t checksum_at;
	bool ipv4, udp;
	bool crc; /* the checksum is that of SCTP */
};

/** host_cut_init() - begins with the first segment of @frame, described by @header.
 *  TCP over IPv4 and IPv6, and UDP, are cut; any other frame is one segment, its checksum completed
 *  where the header asks.
 *  Return: 0, or -EINVAL: headers that contradict each other or the length, or a kind of
 *  segmentation that is not one of these. */
int host_cut_init(struct host_cut *cut, const struct virtio_net_hdr *header, const uint8_t *frame,
		  uint32_t frame_bytes);

/** host_cut_bytes() - length of the next frame, without FCS but padded to an Ethernet frame; 0:
 *  there is none. O(1). */
uint32_t host_cut_bytes(const struct host_cut *cut);

/** host_cut_write() - writes the next frame, of host_cut_bytes(), to @bytes. The one after it is
 *  then the next. */
void host_cut_write(struct host_cut *cut, uint8_t *bytes);

/** host_cut_skip() - the same without writing: the link has lost the frame. */
void host_cut_skip(struct host_cut *cut);

/* ---- merging ---- */

enum host_segment_kind {
	HOST_SEGMENT_OTHER, /* no TCP: not merged, and in no order with what is merged */
	/* may be TCP, but its flow is unknown: nothing may overtake it */
	HOST_SEGMENT_ODD,
	HOST_SEGMENT_TCP
};

/* what merging needs to know of a frame */
struct host_segment {
	uint32_t headers_bytes, payload_bytes;
	uint32_t sequence; /* TCP's */
	uint32_t hash;     /* of its flow: equal for equal addresses and ports */
	bool ipv4;
	/* data, an ACK, perhaps PSH, nothing else; lengths agree, checksums are good */
	bool mergeable;
	bool push;
};

/* a super-frame that grows */
struct host_merge {
	struct host_segment first;
	uint32_t payload_bytes; /* of all segments */
	uint32_t segments;
	bool push;
	bool open; /* may another segment follow? */
};

/** host_segment_read() - looks at the complete frame @frame. O(bytes): the checksum. @segment
 *  filled for HOST_SEGMENT_TCP. */
enum host_segment_kind host_segment_read(const uint8_t *frame, uint32_t frame_bytes,
					 struct host_segment *segment);

/** host_merge_start() - a super-frame of only @segment. One that is not mergeable stays alone. */
void host_merge_start(struct host_merge *merge, const struct host_segment *segment);

/** host_merge_add() - does @frame (read as @segment) continue the super-frame that begins with
 *  @first?
 *  Return: true: its payload, and only that, follows what is there; false: it does not, nothing
 *  changed. */
bool host_merge_add(struct host_merge *merge, const uint8_t *first, const uint8_t *frame,
		    const struct host_segment *segment);

/** host_merge_finish() - writes the final headers into @first, the first frame, and the description
 *  to @header. A single frame stays as it is. May be called again. */
void host_merge_finish(const struct host_merge *merge, uint8_t *first,
		       struct virtio_net_hdr *header);

#endif
