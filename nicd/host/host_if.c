#include "nicd/host/host_if.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/ensure.h"
#include "nodes/base/number.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/frame.h"

#define MAC_PAIR_BYTES 12u
#define TAG_BYTES 4u
#define RECEIVE_BATCH 32u

struct auxdata {
	_Alignas(struct cmsghdr) uint8_t bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
};

struct host_calls {
	struct mmsghdr messages[HOST_DELIVERY_FRAMES_MAX];
	/* a header for each super-frame, and every piece */
	struct iovec vectors[2 * HOST_DELIVERY_FRAMES_MAX];
	struct virtio_net_hdr headers[HOST_DELIVERY_FRAMES_MAX];
	struct auxdata auxdata[RECEIVE_BATCH];
};

/* ---- set-up ---- */

int host_if_init(struct host_if *host, uint32_t queue_count, struct stats_page *stats)
{
	uint32_t slots =
		queue_count ? queue_count * HOST_QUEUE_FRAMES_MAX + HOST_HOLD_FRAMES_MAX : 0;

	*host = (struct host_if){ .stats = stats, .queue_count = queue_count, .slot_count = slots };
	for (uint32_t i = 0; i < NIC_HOST_QUEUES_MAX; i++)
		host->queues[i].fd = -1;
	if (!queue_count)
		return 0;
	host->frames = calloc(slots, sizeof(*host->frames));
	host->buffers = calloc(slots, HOST_FRAME_BYTES_MAX);
	host->free_slots = calloc(slots, sizeof(*host->free_slots));
	host->delivery = calloc(1, HOST_DELIVERY_BYTES);
	host->calls = calloc(1, sizeof(*host->calls));
	host->pieces = calloc(HOST_DELIVERY_FRAMES_MAX, sizeof(*host->pieces));
	host->supers = calloc(HOST_DELIVERY_FRAMES_MAX, sizeof(*host->supers));
	host->open = calloc(HOST_OPEN_SUPERS, sizeof(*host->open));
	if (!host->frames || !host->buffers || !host->free_slots || !host->delivery ||
	    !host->calls || !host->pieces || !host->supers || !host->open) {
		host_if_fini(host);
		return -ENOMEM;
	}
	while (host->free_count < slots) {
		host->free_slots[host->free_count] = slots - 1 - host->free_count;
		host->free_count++;
	}
	return 0;
}

uint32_t host_if_release(struct host_if *host, int *fds)
{
	uint32_t count = host->attached ? host->queue_count : 0;

	for (uint32_t i = 0; i < count; i++)
		fds[i] = host->queues[i].fd;
	host->attached = false;
	return count;
}

void host_if_fini(struct host_if *host)
{
	int fds[NIC_HOST_QUEUES_MAX];
	uint32_t count = host_if_release(host, fds);

	for (uint32_t i = 0; i < count; i++)
		close(fds[i]);
	free(host->frames);
	free(host->buffers);
	free(host->free_slots);
	free(host->delivery);
	free(host->calls);
	free(host->pieces);
	free(host->supers);
	free(host->open);
	*host = (struct host_if){ 0 };
}

int host_if_open(struct host_if *host, const int *fds, uint32_t count)
{
	const int on = 1;

	if (!count || count != host->queue_count || host->attached)
		return -EINVAL;
	/* the kernel keeps 802.1Q tags beside the frame; other sockets (in tests) have none */
	for (uint32_t i = 0; i < count; i++)
		if (setsockopt(fds[i], SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) &&
		    errno != EOPNOTSUPP && errno != ENOPROTOOPT)
			return -errno;
	for (uint32_t i = 0; i < count; i++)
		host->queues[i].fd = fds[i];
	host->attached = true;
	return 0;
}

/* ---- from the host ---- */

/* a frame begins the length of a tag after its buffer */
static uint8_t *buffer_of(const struct host_if *host, uint32_t slot)
{
	return host->buffers + (size_t)slot * HOST_FRAME_BYTES_MAX;
}

/* the next @count messages are received into the slots at the top of the stack, which stay there */
static void receive_prepare(struct host_if *host, uint32_t count)
{
	struct host_calls *calls = host->calls;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = host->free_slots[host->free_count - 1 - i];
		struct iovec *vectors = &calls->vectors[2 * i];

		vectors[0] =
			(struct iovec){ &host->frames[slot].header, sizeof(struct virtio_net_hdr) };
		vectors[1] = (struct iovec){ buffer_of(host, slot) + TAG_BYTES,
					     HOST_FRAME_BYTES_MAX - TAG_BYTES };
		calls->messages[i] =
			(struct mmsghdr){ .msg_hdr = {
						  .msg_iov = vectors,
						  .msg_iovlen = 2,
						  .msg_control = &calls->auxdata[i],
						  .msg_controllen = sizeof(calls->auxdata[i]),
					  } };
	}
}

/* the kernel has removed the tag of the frame: inserts it again */
static void tag_restore(struct host_frame *frame, uint8_t *buffer, struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	struct tpacket_auxdata aux;
	uint16_t tag[2];

	if (!control || control->cmsg_level != SOL_PACKET || control->cmsg_type != PACKET_AUXDATA ||
	    frame->frame_bytes < MAC_PAIR_BYTES)
		return;
	memcpy(&aux, CMSG_DATA(control), sizeof(aux));
	if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
		return;
	tag[0] = htobe16(aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid
								   : ETHERTYPE_TAG);
	tag[1] = htobe16(aux.tp_vlan_tci);
	memmove(buffer, buffer + TAG_BYTES, MAC_PAIR_BYTES);
	memcpy(buffer + MAC_PAIR_BYTES, tag, sizeof(tag));
	frame->bytes = buffer;
	frame->frame_bytes += TAG_BYTES;
	if (frame->header.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
		frame->header.csum_start = (uint16_t)(frame->header.csum_start + TAG_BYTES);
}

/* Return: is the frame that was received into @slot usable? Else it is counted */
static bool receive_frame_into(struct host_if *host, uint32_t slot, struct mmsghdr *message,
			       node_time_t now)
{
	struct host_frame *frame = &host->frames[slot];

	if (message->msg_hdr.msg_flags & MSG_TRUNC || message->msg_len < sizeof(frame->header)) {
		enum drop_reason reason =
			message->msg_hdr.msg_flags & MSG_TRUNC ? DROP_OVERSIZE : DROP_MALFORMED;

		trace_drop(host->stats, reason, 0, message->msg_len, NULL, now);
		return false;
	}
	frame->bytes = buffer_of(host, slot) + TAG_BYTES;
	frame->frame_bytes = message->msg_len - (uint32_t)sizeof(frame->header);
	frame->at_ps = now;
	tag_restore(frame, buffer_of(host, slot), &message->msg_hdr);
	return true;
}

/* the upper @count slots of the stack were received into: takes them */
static void receive_take(struct host_if *host, struct host_queue *queue, uint32_t count,
			 node_time_t now)
{
	uint32_t unused[RECEIVE_BATCH], unused_count = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot;

		ENSURE(host->free_count, !=, 0u);
		slot = host->free_slots[--host->free_count];

		if (receive_frame_into(host, slot, &host->calls->messages[i], now))
			queue->slots[(queue->first + queue->count++) % HOST_QUEUE_FRAMES_MAX] =
				slot;
		else
			unused[unused_count++] = slot;
	}
	while (unused_count)
		host->free_slots[host->free_count++] = unused[--unused_count];
}

/* frames that the socket has dropped since the last time */
static void overrun_count(struct host_if *host, struct host_queue *queue)
{
	struct tpacket_stats lost;
	socklen_t length = sizeof(lost);

	queue->pressed = false;
	if (!getsockopt(queue->fd, SOL_PACKET, PACKET_STATISTICS, &lost, &length))
		host->stats->drops[DROP_HOST_OVERRUN] += lost.tp_drops;
}

/*  Return: may the socket hold more?  @taken  set if it held something */
static bool queue_receive(struct host_if *host, struct host_queue *queue, node_time_t now,
			  bool *taken)
{
	while (queue->count < HOST_QUEUE_FRAMES_MAX) {
		uint32_t batch = number_min32(HOST_QUEUE_FRAMES_MAX - queue->count, RECEIVE_BATCH);
		int received;

		receive_prepare(host, batch);
		received = recvmmsg(queue->fd, host->calls->messages, batch, MSG_DONTWAIT, NULL);
		/* ENETDOWN: its end of the pair went down. Said once; frames may still wait.
		 * EINVAL: the kernel dropped a super-frame that it cannot describe, as of SCTP */
		if (received < 0 && (errno == EINTR || errno == ENETDOWN || errno == EINVAL))
			return true;
		if (received > 0) {
			*taken = true;
			receive_take(host, queue, (uint32_t)received, now);
		}
		if (received < (int)batch) { /* the socket is empty */
			if (queue->pressed)
				overrun_count(host, queue);
			return false;
		}
	}
	queue->pressed = true;
	return true;
}

bool host_if_receive(struct host_if *host, uint32_t *readable, node_time_t now)
{
	uint32_t more = 0;
	bool taken = false;

	for (uint32_t left = *readable; host->attached && left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		if (i < host->queue_count && queue_receive(host, &host->queues[i], now, &taken))
			more |= 1u << i;
	}
	*readable = more;
	return taken;
}

uint32_t host_if_take(struct host_if *host, uint32_t queue)
{
	struct host_queue *q = &host->queues[queue];
	uint32_t slot = q->slots[q->first];

	ENSURE(q->count, !=, 0u);
	q->first = (q->first + 1) % HOST_QUEUE_FRAMES_MAX;
	q->count--;
	return slot;
}

void host_if_give(struct host_if *host, uint32_t slot)
{
	ENSURE(host->free_count, <, host->slot_count);
	host->free_slots[host->free_count++] = slot;
}

void host_if_pop(struct host_if *host, uint32_t queue)
{
	host_if_give(host, host_if_take(host, queue));
}

/* ---- to the host ---- */

static uint32_t piece_new(struct host_if *host, uint32_t at, uint32_t bytes)
{
	ENSURE(host->piece_count, <, HOST_DELIVERY_FRAMES_MAX);
	host->pieces[host->piece_count] = (struct host_piece){ .at = at, .bytes = bytes };
	return host->piece_count++;
}

static void super_new(struct host_if *host, uint32_t frame_bytes)
{
	uint32_t piece = piece_new(host, host->delivery_bytes, frame_bytes);

	host->supers[host->super_count++] = (struct host_super){
		.merge = { .segments = 1 },
		.first_piece = piece,
		.last_piece = piece,
		.pieces = 1,
		.frames = 1,
		.bytes = frame_bytes,
	};
}

/* does the frame just put, read as @segment, continue a super-frame? */
static bool super_continue(struct host_if *host, struct host_super *super,
			   const struct host_segment *segment, uint32_t frame_bytes)
{
	const uint8_t *first = host->delivery + host->pieces[super->first_piece].at;
	uint32_t piece;

	if (!host_merge_add(&super->merge, first, host->delivery + host->delivery_bytes, segment))
		return false;
	piece = piece_new(host, host->delivery_bytes + segment->headers_bytes,
			  segment->payload_bytes);
	host->pieces[super->last_piece].next = piece;
	super->last_piece = piece;
	super->pieces++;
	super->frames++;
	super->bytes += frame_bytes;
	return true;
}

/* A segment that does not continue the super-frame of its flow ends it, so the flow keeps its
 * order. */
static void put_segment(struct host_if *host, const struct host_segment *segment,
			uint32_t frame_bytes)
{
	uint32_t *open = &host->open[segment->hash % HOST_OPEN_SUPERS];

	if (*open && super_continue(host, &host->supers[*open - 1], segment, frame_bytes))
		return;
	super_new(host, frame_bytes);
	host_merge_start(&host->supers[host->super_count - 1].merge, segment);
	*open = host->super_count;
}

void host_if_put(struct host_if *host, uint32_t frame_bytes)
{
	struct host_segment segment;

	switch (host_segment_read(host->delivery + host->delivery_bytes, frame_bytes, &segment)) {
	case HOST_SEGMENT_TCP:
		put_segment(host, &segment, frame_bytes);
		break;
	case HOST_SEGMENT_ODD:
		memset(host->open, 0, HOST_OPEN_SUPERS * sizeof(*host->open));
		super_new(host, frame_bytes);
		break;
	default:
		super_new(host, frame_bytes);
	}
	host->delivery_bytes += frame_bytes;
	host->stats->inside_packets++;
	host->stats->inside_bytes += frame_bytes;
}

void host_if_tell(struct host_if *host, const uint8_t *bytes, uint32_t frame_bytes)
{
	uint8_t *place = host->attached ? host_if_place(host) : NULL;

	if (!place)
		return;
	memcpy(place, bytes, frame_bytes);
	super_new(host, frame_bytes);
	host->supers[host->super_count - 1].frames = host->supers[host->super_count - 1].bytes = 0;
	host->delivery_bytes += frame_bytes;
}

/* the arguments of sendmmsg() for all that is not sent yet */
static void deliver_prepare(struct host_if *host)
{
	struct host_calls *calls = host->calls;
	struct iovec *vector = calls->vectors;

	for (uint32_t i = host->sent_count; i < host->super_count; i++) {
		const struct host_super *super = &host->supers[i];
		uint32_t piece = super->first_piece;

		host_merge_finish(&super->merge, host->delivery + host->pieces[piece].at,
				  &calls->headers[i]);
		calls->messages[i] = (struct mmsghdr){
			.msg_hdr = { .msg_iov = vector, .msg_iovlen = super->pieces + 1 },
		};
		*vector++ = (struct iovec){ &calls->headers[i], sizeof(calls->headers[i]) };
		for (uint32_t p = 0; p < super->pieces; p++, piece = host->pieces[piece].next)
			*vector++ = (struct iovec){ host->delivery + host->pieces[piece].at,
						    host->pieces[piece].bytes };
	}
}

/* the next super-frame was sent, or is dropped */
static void deliver_count(struct host_if *host, bool sent)
{
	const struct host_super *super = &host->supers[host->sent_count++];
	struct stats_page *stats = host->stats;

	ENSURE(stats->inside_packets, >=, (uint64_t)super->frames);
	ENSURE(stats->inside_bytes, >=, (uint64_t)super->bytes);
	stats->inside_packets -= super->frames;
	stats->inside_bytes -= super->bytes;
	if (sent) {
		stats->delivered_packets += super->frames;
		stats->delivered_bytes += super->bytes;
		stats->host_rx_packets += super->frames;
		return;
	}
	if (!super->frames) /* host_if_tell(): it did not come from the fabric */
		return;
	stats->drops[DROP_HOST] += super->frames - 1;
	stats_port(stats, 0)->dropped_frames += super->frames - 1;
	stats_port(stats, 0)->dropped_bytes += super->bytes;
	trace_drop(stats, DROP_HOST, 0, super->bytes, NULL, stats->now_ps);
}

/* sends until the kernel is full.  Return: false if it is */
static bool deliver_send(struct host_if *host)
{
	while (host_if_pending(host)) {
		int sent =
			sendmmsg(host->queues[0].fd, host->calls->messages + host->sent_count,
				 host->super_count - host->sent_count, MSG_DONTWAIT | MSG_NOSIGNAL);

		for (int i = 0; i < sent; i++)
			deliver_count(host, true);
		if (sent > 0)
			host->retries = 0;
		else if (errno == EAGAIN || errno == ENOBUFS)
			return false;
		/* the interface is down, or its MTU is smaller than this frame */
		else if (errno != EINTR)
			deliver_count(host, false);
	}
	return true;
}

void host_if_deliver(struct host_if *host)
{
	if (!host->queue_count)
		return;
	memset(host->open, 0, HOST_OPEN_SUPERS * sizeof(*host->open));
	if (!host_if_pending(host))
		return;
	deliver_prepare(host);
	if (!deliver_send(host)) {
		if (++host->retries < HOST_RETRIES_MAX)
			return;
		while (host_if_pending(host))
			deliver_count(host, false);
	}
	host->retries = 0;
	host->delivery_bytes = host->piece_count = host->super_count = host->sent_count = 0;
}
