/*  capture - every frame of a link, as the node at one of its ends sees it, into a pcapng file
 *  (TB-19); or every frame that a node sends, on any of its links (SE-13).
 *
 *  The orchestrator makes the file and its first blocks (orchestrator/fabric/capture_file.h) and
 *  hands the node a descriptor of it; packets are appended here. A link that is not captured pays a
 *  branch for each frame.
 *
 *  What. Frames that have bytes: data, ACK, FGFC, PFC and PAUSE frames; control words are no
 *  frames. They look as on a veth link (docs/wire-format.md) without its sequences and quotes: on a
 *  fabric link after the envelope. What a generated frame does not carry is zeros, but for the
 *  ICRC of RoCEv2, which is correct. A frame that the link loses is in the file of its sender, with
 *  a comment that says so. It is not in the file of its receiver.
 *
 *  When. The stamp is the moment when the first bit passes this port: for a frame sent the decision
 *  plus the node's latency, for a frame received its arrival. So the files of both ends of a link
 *  differ by its delay. A node handles a received frame when its header or its end has arrived, and
 *  a sent one before it leaves, so not in the order of the stamps. Blocks are sorted by stamp in
 *  the buffer. A block is written once no earlier one can follow: when its stamp is at least the
 *  time of the longest frame ago. Stamps in a file never go back. Two cases need an adjusted stamp
 *  for that. A frame that a node under the real clock handles later than that gets the earliest
 *  stamp that is still possible. And if a link sends more than CAPTURE_HOLD_MAX bytes of blocks
 *  within its latency, blocks are written before that is over; a frame received meanwhile gets the
 *  stamp of the block that was written last.
 *
 *  All links of a node go to one file through one buffer. Then only what the node sends is taken,
 *  with the port as the interface: each frame on a link is then in the file once, and its sender
 *  knows whether it was lost. Blocks of the same stamp are in the order of their ports. No frame is
 *  sent before the present moment, so blocks wait for the node's latency only.
 *
 *  A tap (real clock) takes the frames of a link to another process, while the fabric runs: each is
 *  a record of a ring in shared memory (capture_tap_next() reads it), and what does not fit is
 *  counted and gone. So a reader that is slow or dead costs the node nothing, and a tap no system
 *  call.
 *
 *  Cost. Blocks are gathered in a buffer and written when it is full, at the end, and under the
 *  real clock CAPTURE_REST_PS after the first of them. This write is the only system call of a
 *  capture. If it fails, nothing more is captured; a regular file ends with the last whole block,
 *  and the statistics page has the reason. */
#ifndef HEDDLE_NODES_LINK_CAPTURE_H
#define HEDDLE_NODES_LINK_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/ring.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"

#define CAPTURE_WRITE_BYTES (1u << 18)
#define CAPTURE_HOLD_MAX (1u << 24)
#define CAPTURE_REST_PS (100 * NODE_MS)

/* a frame, as the link describes it to a capture */
struct capture_frame {
	node_time_t at_ps;       /* its first bit passes this port */
	uint32_t wire_bytes;     /* with FCS */
	uint32_t captured_bytes; /* to RING_CAPTURED_MAX */
	enum record_kind kind;
	bool inbound, lost;
};

/* blocks on their path to a file: those of a link, or of all links of a node */
struct capture_buffer {
	int fd;
	int error;            /* -errno: nothing is captured any more */
	uint64_t *error_told; /* port_stats.capture_error */
	uint64_t epoch_ns;    /* stamp of fabric time 0 */
	node_time_t reach_ps; /* time of the longest frame */
	node_time_t floor_ps; /* no frame with an earlier stamp can follow */
	/* real clock: when what is in the buffer is written; NODE_TIME_NEVER: there is nothing */
	node_time_t due_ps;
	uint64_t written_ns; /* the last stamp in the file */
	uint8_t *bytes;      /* whole blocks, in the order of their stamps */
	uint32_t bytes_max, used_bytes;
	/* a frame whose sender is about to write its bytes, and the link on which it is */
	struct capture_frame open;
	struct capture *open_on;
	const uint8_t *open_bytes; /* NULL: there is none */
	uint8_t lost[RING_CAPTURED_MAX];
};

/* frames of one direction, and their bytes on the link: with FCS, without gap */
struct capture_count {
	uint64_t frames, bytes;
};

/* frames on their path to another process */
struct capture_tap {
	struct ring_tx ring;
	node_time_t now_ps; /* of the last record: it never goes back */
	uint32_t frames;    /* taken, and missed since the ring was full */
	struct capture_count missed_sent, missed_received;
	/* as in a buffer */
	struct capture_frame open;
	const uint8_t *open_bytes;
	uint8_t lost[RING_CAPTURED_MAX];
};

/* of a link */
struct capture {
	struct capture_buffer *buffer; /* NULL: the tap */
	struct capture_tap *tap;
	bool shared; /* with the other links of the node: only what is sent is captured */
	/* captured in front of the inner frame: envelope and fabric header, or nothing */
	uint32_t front_bytes;
	uint32_t kept_max;  /* bytes of a frame that go to the file */
	uint32_t interface; /* of the blocks */
};

/** capture_init() - captures the link at @port of node @config to @fd, which it takes.
 *  @error_told becomes the errno of a write that failed. Return: 0; -ENOMEM (@fd is still the
 *  caller's). */
int capture_init(struct capture *capture, int fd, const struct node_config *config, uint32_t port,
		 uint64_t *error_told);

/** capture_buffer_open() - a buffer for what node @config sends, on all its links, to @fd, which it
 *  takes.
 *  @error_told as above.   Return: NULL if memory is short (@fd is still the caller's). */
struct capture_buffer *capture_buffer_open(int fd, const struct node_config *config,
					   uint64_t *error_told);

/** capture_buffer_close() - writes what is left, closes the file and frees @buffer. NULL: no
 *  effect. */
void capture_buffer_close(struct capture_buffer *buffer);

/** capture_init_shared() - what is sent on the link at @port goes to @buffer, borrowed, as
 *  interface @port. */
void capture_init_shared(struct capture *capture, struct capture_buffer *buffer,
			 const struct node_config *config, uint32_t port);

/** capture_init_tap() - the link at @port is taken to the ring in @page, borrowed, of @bytes
 *  mapped. Of a packet @kept_bytes are kept.
 *  Return: 0; -EINVAL: that is no ring; -ENOMEM. */
int capture_init_tap(struct capture *capture, const struct node_config *config, uint32_t port,
		     uint32_t kept_bytes, struct ring_page *page, size_t bytes);

/** capture_tap_next() - the next frame in @ring, as capture_take() wants it: @now, @frame, and its
 *  bytes, copied to @bytes (RING_CAPTURED_MAX). *@frames becomes the number of frames so far, those
 *  that did not fit too.
 *  Return: false if there is none, or if the node has broken the ring (ring->broken). */
bool capture_tap_next(struct ring_rx *ring, node_time_t *now, struct capture_frame *frame,
		      uint8_t *bytes, uint32_t *frames);

/** capture_fini() - writes what is left and closes the file, unless that is shared. */
void capture_fini(struct capture *capture);

/** capture_epoch() - (real clock) fabric time 0 is @epoch_ns since 1970; before the first frame. */
static inline void capture_epoch(struct capture *capture, uint64_t epoch_ns)
{
	if (capture->buffer)
		capture->buffer->epoch_ns = epoch_ns;
}

/** capture_take() - @frame passes, all of its bytes are at @bytes; borrowed. @now never goes
 *  back. */
void capture_take(struct capture *capture, node_time_t now, const struct capture_frame *frame,
		  const uint8_t *bytes);

/** capture_sending() - the same for a frame whose sender will write its bytes at @bytes before the
 *  next call.
 *  @bytes  where they go; NULL: it is lost, and has no such place.   Return: where to write
 *  them. */
uint8_t *capture_sending(struct capture *capture, node_time_t now,
			 const struct capture_frame *frame, uint8_t *bytes);

/** capture_settle() - the bytes of the last capture_sending() are there; they may be gone after
 *  this. */
void capture_settle(struct capture *capture);

/** capture_step() - (real clock) writes what has been in the buffer for CAPTURE_REST_PS. @now
 *  everything before has been handled.
 *  Return: when to call it again. */
node_time_t capture_step(struct capture *capture, node_time_t now);

#endif
