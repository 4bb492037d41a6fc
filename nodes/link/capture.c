#include "nodes/link/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/pcapng.h"
#include "nodes/wire/roce_frame.h"

/* only a peer that breaks the rules says more */
#define FRAME_BYTES_MAX (RING_CAPTURED_MAX + FABRIC_ENVELOPE_BYTES)
/* a block is longer than its frame on the link by no more: an ACK frame with one ACK */
#define BLOCK_PER_WIRE 8u
/* a frame that comes in, one that is being sent, one that waits behind it */
#define REACHES 3u

/* ---- set-up ---- */

/* Most bytes of blocks that something can come before: what is sent within the node's latency and a
 * few frames. */
static uint32_t hold_bytes(uint64_t rate_bps, node_time_t latency_ps)
{
	unsigned __int128 wire_bytes = (unsigned __int128)rate_bps * latency_ps / (8 * NODE_S) +
				       REACHES * RING_CAPTURED_MAX;

	wire_bytes *= BLOCK_PER_WIRE;
	return wire_bytes < CAPTURE_HOLD_MAX ? (uint32_t)wire_bytes : CAPTURE_HOLD_MAX;
}

int capture_init(struct capture *capture, int fd, const struct node_config *config, uint32_t port,
		 uint64_t *error_told)
{
	const struct port_config *p = &config->ports[port];
	bool fabric = config->fabric == FABRIC_PORT_GROUP ||
		      (config->fabric == FABRIC_FLOW_CHANNEL && p->kind == PORT_FABRIC);
	node_time_t latency_ps =
		config->kind == NODE_SWITCH ? config->switch_.latency_ps : config->nic.latency_ps;

	*capture = (struct capture){
		.fd = fd,
		.error_told = error_told,
		.front_bytes = fabric ? FABRIC_FRONT_BYTES : 0,
		.kept_max = p->capture_bytes < FRAME_BYTES_MAX ? p->capture_bytes : FRAME_BYTES_MAX,
		.reach_ps = node_time_of_bytes(RING_CAPTURED_MAX, p->rate_bps),
		.due_ps = NODE_TIME_NEVER,
		.buffer_bytes = CAPTURE_WRITE_BYTES + hold_bytes(p->rate_bps, latency_ps),
	};
	capture->buffer = malloc(capture->buffer_bytes);
	return capture->buffer ? 0 : -ENOMEM;
}

/* ---- the file ---- */

static void fail(struct capture *capture, int error)
{
	capture->error = -error;
	capture->used_bytes = 0;
	capture->due_ps = NODE_TIME_NEVER;
	*capture->error_told = (uint64_t)error;
}

/* takes back the part of a block that was written, where that can be done */
static void cut_back(const struct capture *capture, uint32_t written)
{
	off_t end = lseek(capture->fd, -(off_t)written, SEEK_CUR);

	if (end >= 0)
		(void)!ftruncate(capture->fd, end);
}

/* length of the whole blocks among the first @bytes of the buffer */
static uint32_t blocks_whole(const struct capture *capture, uint32_t bytes)
{
	const uint8_t *end = capture->buffer + capture->used_bytes;

	while (end > capture->buffer + bytes)
		end -= pcapng_block_before(end);
	return (uint32_t)(end - capture->buffer);
}

/* writes the first @bytes of the buffer, whole blocks */
static void blocks_write(struct capture *capture, uint32_t bytes)
{
	uint32_t done = 0;

	while (done < bytes) {
		ssize_t got = write(capture->fd, capture->buffer + done, bytes - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int error = got ? errno : EIO;

			cut_back(capture, done - blocks_whole(capture, done));
			fail(capture, error);
			return;
		}
		done += (uint32_t)got;
	}
	if (bytes)
		capture->written_ns = pcapng_packet_stamp(
			capture->buffer + bytes - pcapng_block_before(capture->buffer + bytes));
	capture->used_bytes -= bytes;
	memmove(capture->buffer, capture->buffer + bytes, capture->used_bytes);
}

/* ---- blocks in the order of their stamps ---- */

static uint64_t stamp_of(const struct capture *capture, node_time_t at_ps)
{
	return capture->epoch_ns + at_ps / NODE_NS;
}

/* where a block of @stamp_ns belongs: after all that are not later */
static uint8_t *place_find(const struct capture *capture, uint64_t stamp_ns)
{
	uint8_t *end = capture->buffer + capture->used_bytes;

	while (end > capture->buffer) {
		uint8_t *block = end - pcapng_block_before(end);

		if (pcapng_packet_stamp(block) <= stamp_ns)
			break;
		end = block;
	}
	return end;
}

static void settled_write(struct capture *capture)
{
	uint64_t floor_ns = stamp_of(capture, capture->floor_ps);

	blocks_write(capture, (uint32_t)(place_find(capture, floor_ns) - capture->buffer));
}

/* frees buffer for @bytes more; false: impossible */
static bool room_make(struct capture *capture, uint32_t bytes)
{
	if (capture->buffer_bytes - capture->used_bytes >= bytes)
		return true;
	settled_write(capture);
	if (!capture->error && capture->buffer_bytes - capture->used_bytes < bytes)
		blocks_write(capture, capture->used_bytes);
	return !capture->error;
}

/* ---- a frame ---- */

/* as on a veth link: without FCS, the envelope in front; an ACK frame is captured whole, its FCS
 * too */
static uint32_t frame_length(const struct capture *capture, const struct capture_frame *frame)
{
	uint32_t envelope_bytes = capture->front_bytes ? FABRIC_ENVELOPE_BYTES : 0;
	uint32_t length = frame->wire_bytes - FRAME_FCS_BYTES + envelope_bytes;
	bool nonsense = frame->wire_bytes < FRAME_FCS_BYTES || length < frame->captured_bytes;

	return frame->kind == RECORD_ACKS || nonsense ? frame->captured_bytes : length;
}

/* the frame of @length bytes, of which @kept are wanted: what it does not carry is zeros, but for
 * an ICRC */
static void frame_fill(const struct capture *capture, const struct capture_frame *frame,
		       const uint8_t *bytes, uint32_t length, uint32_t kept, uint8_t *to)
{
	uint32_t front = capture->front_bytes, carried = frame->captured_bytes;

	memcpy(to, bytes, kept < carried ? kept : carried);
	if (kept <= carried)
		return;
	if (kept == length && carried >= front)
		roce_complete(to + front, carried - front, length - front);
	else
		memset(to + carried, 0, kept - carried);
}

static void block_put(struct capture *capture, const struct capture_frame *frame,
		      const uint8_t *bytes)
{
	uint32_t length = frame_length(capture, frame);
	struct pcapng_packet packet = {
		.stamp_ns = stamp_of(capture, node_time_max(frame->at_ps, capture->floor_ps)),
		.kept_bytes = length < capture->kept_max ? length : capture->kept_max,
		.frame_bytes = length,
		.inbound = frame->inbound,
		.comment = frame->lost ? "lost on the link" : NULL,
	};
	uint32_t block_bytes = pcapng_packet_bytes(&packet);
	uint8_t *place;

	if (!room_make(capture, block_bytes))
		return;
	if (packet.stamp_ns < capture->written_ns)
		packet.stamp_ns = capture->written_ns;
	place = place_find(capture, packet.stamp_ns);
	memmove(place + block_bytes, place,
		(size_t)(capture->buffer + capture->used_bytes - place));
	capture->used_bytes += block_bytes;
	frame_fill(capture, frame, bytes, length, packet.kept_bytes,
		   pcapng_packet_write(&packet, place));
}

void capture_settle(struct capture *capture)
{
	if (capture->open_bytes && !capture->error)
		block_put(capture, &capture->open, capture->open_bytes);
	capture->open_bytes = NULL;
}

/* up to @now everything is known but for frames whose end has not come yet */
static void go_on(struct capture *capture, node_time_t now)
{
	capture_settle(capture);
	if (now > capture->reach_ps)
		capture->floor_ps = node_time_max(capture->floor_ps, now - capture->reach_ps);
	if (capture->due_ps == NODE_TIME_NEVER)
		capture->due_ps = now + CAPTURE_REST_PS;
}

void capture_take(struct capture *capture, node_time_t now, const struct capture_frame *frame,
		  const uint8_t *bytes)
{
	if (capture->error)
		return;
	go_on(capture, now);
	block_put(capture, frame, bytes);
}

uint8_t *capture_sending(struct capture *capture, node_time_t now,
			 const struct capture_frame *frame, uint8_t *bytes)
{
	if (capture->error)
		return bytes;
	go_on(capture, now);
	capture->open = *frame;
	capture->open_bytes = bytes ? bytes : capture->lost;
	return bytes ? bytes : capture->lost;
}

node_time_t capture_step(struct capture *capture, node_time_t now)
{
	if (now < capture->due_ps || capture->error)
		return capture->due_ps;
	go_on(capture, now);
	settled_write(capture);
	capture->due_ps = capture->used_bytes ? now + CAPTURE_REST_PS : NODE_TIME_NEVER;
	return capture->due_ps;
}

/* ---- end ---- */

void capture_fini(struct capture *capture)
{
	capture_settle(capture);
	if (!capture->error)
		blocks_write(capture, capture->used_bytes);
	if (close(capture->fd) && !capture->error)
		fail(capture, errno);
	free(capture->buffer);
	capture->buffer = NULL;
}
