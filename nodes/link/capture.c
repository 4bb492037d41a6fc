#include "nodes/link/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/write_whole.h"
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

static node_time_t latency_of(const struct node_config *config)
{
	return config->kind == NODE_SWITCH ? config->switch_.latency_ps : config->nic.latency_ps;
}

/* Most bytes of blocks that something can come before: what is sent within the node's latency and a
 * few frames. */
static uint32_t hold_bytes(uint64_t rate_bps, uint32_t links, node_time_t latency_ps)
{
	unsigned __int128 wire_bytes = (unsigned __int128)rate_bps * latency_ps / (8 * NODE_S) +
				       (uint64_t)links * REACHES * RING_CAPTURED_MAX;

	wire_bytes *= BLOCK_PER_WIRE;
	return wire_bytes < CAPTURE_HOLD_MAX ? (uint32_t)wire_bytes : CAPTURE_HOLD_MAX;
}

static struct capture_buffer *buffer_make(int fd, uint32_t held_bytes, node_time_t reach_ps,
					  uint64_t *error_told)
{
	struct capture_buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer)
		return NULL;
	buffer->fd = fd;
	buffer->error_told = error_told;
	buffer->reach_ps = reach_ps;
	buffer->due_ps = NODE_TIME_NEVER;
	buffer->bytes_max = CAPTURE_WRITE_BYTES + held_bytes;
	buffer->bytes = malloc(buffer->bytes_max);
	if (buffer->bytes)
		return buffer;
	free(buffer);
	return NULL;
}

/* the bytes of a frame that stand in front of the inner one, and those that are kept */
static void frames_know(struct capture *capture, const struct node_config *config, uint32_t port,
			uint32_t kept_bytes)
{
	bool fabric =
		config->fabric == FABRIC_PORT_GROUP ||
		(config->fabric == FABRIC_FLOW_CHANNEL && config->ports[port].kind == PORT_FABRIC);

	capture->front_bytes = fabric ? FABRIC_FRONT_BYTES : 0;
	capture->kept_max = kept_bytes < FRAME_BYTES_MAX ? kept_bytes : FRAME_BYTES_MAX;
}

int capture_init(struct capture *capture, int fd, const struct node_config *config, uint32_t port,
		 uint64_t *error_told)
{
	const struct port_config *p = &config->ports[port];

	*capture = (struct capture){ 0 };
	frames_know(capture, config, port, p->capture_bytes);
	capture->buffer =
		buffer_make(fd, hold_bytes(p->rate_bps, 1, latency_of(config)),
			    node_time_of_bytes(RING_CAPTURED_MAX, p->rate_bps), error_told);
	return capture->buffer ? 0 : -ENOMEM;
}

struct capture_buffer *capture_buffer_open(int fd, const struct node_config *config,
					   uint64_t *error_told)
{
	uint64_t rate_bps = 0;

	for (uint32_t port = 0; port < config->port_count; port++)
		rate_bps += config->ports[port].rate_bps;
	return buffer_make(fd, hold_bytes(rate_bps, config->port_count, latency_of(config)), 0,
			   error_told);
}

void capture_init_shared(struct capture *capture, struct capture_buffer *buffer,
			 const struct node_config *config, uint32_t port)
{
	*capture = (struct capture){ .buffer = buffer, .shared = true, .interface = port };
	frames_know(capture, config, port, config->capture_sent_bytes);
}

/* ---- the file ---- */

static void fail(struct capture_buffer *buffer, int error)
{
	buffer->error = -error;
	buffer->used_bytes = 0;
	buffer->due_ps = NODE_TIME_NEVER;
	*buffer->error_told = (uint64_t)error;
}

/* takes back the part of a block that was written, where that can be done */
static void cut_back(const struct capture_buffer *buffer, uint32_t written)
{
	off_t end = lseek(buffer->fd, -(off_t)written, SEEK_CUR);

	if (end >= 0)
		(void)!ftruncate(buffer->fd, end);
}

/* length of the whole blocks among the first @bytes of the buffer */
static uint32_t blocks_whole(const struct capture_buffer *buffer, uint32_t bytes)
{
	const uint8_t *end = buffer->bytes + buffer->used_bytes;

	while (end > buffer->bytes + bytes)
		end -= pcapng_block_before(end);
	return (uint32_t)(end - buffer->bytes);
}

/* writes the first @bytes of the buffer, whole blocks */
static void blocks_write(struct capture_buffer *buffer, uint32_t bytes)
{
	uint32_t done = (uint32_t)write_whole(buffer->fd, buffer->bytes, bytes);

	if (done < bytes) {
		int error = errno;

		cut_back(buffer, done - blocks_whole(buffer, done));
		fail(buffer, error);
		return;
	}
	if (bytes)
		buffer->written_ns = pcapng_packet_stamp(
			buffer->bytes + bytes - pcapng_block_before(buffer->bytes + bytes));
	buffer->used_bytes -= bytes;
	memmove(buffer->bytes, buffer->bytes + bytes, buffer->used_bytes);
}

/* ---- blocks in the order of their stamps ---- */

static uint64_t stamp_of(const struct capture_buffer *buffer, node_time_t at_ps)
{
	return buffer->epoch_ns + at_ps / NODE_NS;
}

/* where a block of @stamp_ns and @interface belongs: after all that are not later */
static uint8_t *place_find(const struct capture_buffer *buffer, uint64_t stamp_ns,
			   uint32_t interface)
{
	uint8_t *end = buffer->bytes + buffer->used_bytes;

	while (end > buffer->bytes) {
		uint8_t *block = end - pcapng_block_before(end);

		uint64_t before_ns = pcapng_packet_stamp(block);

		if (before_ns < stamp_ns ||
		    (before_ns == stamp_ns && pcapng_packet_interface(block) <= interface))
			break;
		end = block;
	}
	return end;
}

/* blocks of all links stay while one of the same nanosecond may come */
static void settled_write(struct capture_buffer *buffer, bool shared)
{
	uint64_t floor_ns = stamp_of(buffer, buffer->floor_ps);

	if (shared && !floor_ns)
		return;
	blocks_write(buffer,
		     (uint32_t)(place_find(buffer, floor_ns - shared, UINT32_MAX) - buffer->bytes));
}

/* frees buffer for @bytes more; false: impossible */
static bool room_make(struct capture_buffer *buffer, uint32_t bytes, bool shared)
{
	if (buffer->bytes_max - buffer->used_bytes >= bytes)
		return true;
	settled_write(buffer, shared);
	if (!buffer->error && buffer->bytes_max - buffer->used_bytes < bytes)
		blocks_write(buffer, buffer->used_bytes);
	return !buffer->error;
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
	struct capture_buffer *buffer = capture->buffer;
	struct pcapng_packet packet = {
		.interface = capture->interface,
		.stamp_ns = stamp_of(buffer, node_time_max(frame->at_ps, buffer->floor_ps)),
		.kept_bytes = length < capture->kept_max ? length : capture->kept_max,
		.frame_bytes = length,
		.inbound = frame->inbound,
		.comment = frame->lost ? "lost on the link" : NULL,
	};
	uint32_t block_bytes = pcapng_packet_bytes(&packet);
	uint8_t *place;

	if (!room_make(buffer, block_bytes, capture->shared))
		return;
	if (packet.stamp_ns < buffer->written_ns)
		packet.stamp_ns = buffer->written_ns;
	place = place_find(buffer, packet.stamp_ns, packet.interface);
	memmove(place + block_bytes, place, (size_t)(buffer->bytes + buffer->used_bytes - place));
	buffer->used_bytes += block_bytes;
	frame_fill(capture, frame, bytes, length, packet.kept_bytes,
		   pcapng_packet_write(&packet, place));
}

static void settle(struct capture_buffer *buffer)
{
	if (buffer->open_bytes && !buffer->error)
		block_put(buffer->open_on, &buffer->open, buffer->open_bytes);
	buffer->open_bytes = NULL;
}

/* ---- a tap ---- */

enum { TAP_INBOUND = 1, TAP_LOST = 2 }; /* in the place of a record's class */

static void count_add(struct capture_count *count, const struct capture_frame *frame)
{
	count->frames++;
	count->bytes += frame->wire_bytes;
}

static void tap_put(struct capture *capture, const struct capture_frame *frame,
		    const uint8_t *bytes)
{
	struct capture_tap *tap = capture->tap;
	uint32_t kept = frame->captured_bytes;
	struct record *record;

	if (frame->kind == RECORD_PACKET && kept > capture->kept_max)
		kept = capture->kept_max;
	record = ring_reserve(&tap->ring, kept);
	tap->frames++;
	if (!record) {
		count_add(frame->inbound ? &tap->missed_received : &tap->missed_sent, frame);
		return;
	}
	record->at_ps = tap->now_ps;
	record->wire_bytes = frame->wire_bytes;
	record->captured_bytes = kept;
	record->sequence = tap->frames;
	record->kind = (uint16_t)frame->kind;
	record->traffic_class =
		(uint16_t)((frame->inbound ? TAP_INBOUND : 0) | (frame->lost ? TAP_LOST : 0));
	record->word = frame->at_ps;
	memcpy(record_captured(record), bytes, kept);
	ring_commit(&tap->ring, kept);
	ring_publish(&tap->ring);
}

static void tap_settle(struct capture *capture)
{
	struct capture_tap *tap = capture->tap;

	if (tap->open_bytes)
		tap_put(capture, &tap->open, tap->open_bytes);
	tap->open_bytes = NULL;
}

static uint8_t *tap_sending(struct capture *capture, node_time_t now,
			    const struct capture_frame *frame, uint8_t *bytes)
{
	struct capture_tap *tap = capture->tap;

	tap_settle(capture);
	tap->now_ps = node_time_max(tap->now_ps, now);
	tap->open = *frame;
	tap->open_bytes = bytes ? bytes : tap->lost;
	return bytes ? bytes : tap->lost;
}

int capture_init_tap(struct capture *capture, const struct node_config *config, uint32_t port,
		     uint32_t kept_bytes, struct ring_page *page, size_t bytes)
{
	*capture = (struct capture){ .tap = calloc(1, sizeof(*capture->tap)) };
	if (!capture->tap)
		return -ENOMEM;
	frames_know(capture, config, port, kept_bytes);
	if (!ring_tx_attach(&capture->tap->ring, page, bytes))
		return 0;
	capture_fini(capture);
	return -EINVAL;
}

bool capture_tap_next(struct ring_rx *ring, node_time_t *now, struct capture_frame *frame,
		      uint8_t *bytes, uint32_t *frames)
{
	struct record record;
	const uint8_t *at = ring_peek(ring, &record);

	if (!at)
		return false;
	memcpy(bytes, at, record.captured_bytes);
	*now = record.at_ps;
	*frames = record.sequence;
	*frame = (struct capture_frame){
		.at_ps = record.word,
		.wire_bytes = record.wire_bytes,
		.captured_bytes = record.captured_bytes,
		.kind = (enum record_kind)record.kind,
		.inbound = record.traffic_class & TAP_INBOUND,
		.lost = record.traffic_class & TAP_LOST,
	};
	ring_pop(ring, &record);
	ring_release(ring);
	return true;
}

/* ---- what a link calls ---- */

void capture_settle(struct capture *capture)
{
	if (capture->tap)
		tap_settle(capture);
	else
		settle(capture->buffer);
}

/* up to @now everything is known but for frames whose end has not come yet */
static void go_on(struct capture_buffer *buffer, node_time_t now)
{
	settle(buffer);
	if (now > buffer->reach_ps)
		buffer->floor_ps = node_time_max(buffer->floor_ps, now - buffer->reach_ps);
	if (buffer->due_ps == NODE_TIME_NEVER)
		buffer->due_ps = now + CAPTURE_REST_PS;
}

void capture_take(struct capture *capture, node_time_t now, const struct capture_frame *frame,
		  const uint8_t *bytes)
{
	if (capture->tap) {
		tap_settle(capture);
		capture->tap->now_ps = node_time_max(capture->tap->now_ps, now);
		tap_put(capture, frame, bytes);
		return;
	}
	if (capture->buffer->error || (capture->shared && frame->inbound))
		return;
	go_on(capture->buffer, now);
	block_put(capture, frame, bytes);
}

uint8_t *capture_sending(struct capture *capture, node_time_t now,
			 const struct capture_frame *frame, uint8_t *bytes)
{
	struct capture_buffer *buffer = capture->buffer;

	if (capture->tap)
		return tap_sending(capture, now, frame, bytes);
	if (buffer->error)
		return bytes;
	go_on(buffer, now);
	buffer->open = *frame;
	buffer->open_on = capture;
	buffer->open_bytes = bytes ? bytes : buffer->lost;
	return bytes ? bytes : buffer->lost;
}

node_time_t capture_step(struct capture *capture, node_time_t now)
{
	struct capture_buffer *buffer = capture->buffer;

	if (capture->tap)
		return NODE_TIME_NEVER;
	if (now < buffer->due_ps || buffer->error)
		return buffer->due_ps;
	go_on(buffer, now);
	settled_write(buffer, capture->shared);
	buffer->due_ps = buffer->used_bytes ? now + CAPTURE_REST_PS : NODE_TIME_NEVER;
	return buffer->due_ps;
}

/* ---- end ---- */

void capture_buffer_close(struct capture_buffer *buffer)
{
	if (!buffer)
		return;
	settle(buffer);
	if (!buffer->error)
		blocks_write(buffer, buffer->used_bytes);
	if (close(buffer->fd) && !buffer->error)
		fail(buffer, errno);
	free(buffer->bytes);
	free(buffer);
}

void capture_fini(struct capture *capture)
{
	if (!capture->shared)
		capture_buffer_close(capture->buffer);
	free(capture->tap);
	capture->tap = NULL;
	capture->buffer = NULL;
}
