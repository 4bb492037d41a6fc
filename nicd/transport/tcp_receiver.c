#include "nicd/transport/tcp_receiver.h"

#include <errno.h>
#include <stdlib.h>

#define NONE TCP_SEGMENT_NONE

int tcp_receiver_init(struct tcp_receiver *receiver, uint32_t connections_max,
		      uint32_t segments_max, uint32_t segments_each)
{
	*receiver = (struct tcp_receiver){
		.streams = calloc(connections_max + 1u, sizeof(*receiver->streams)),
		.pool = calloc(segments_max + 1u, sizeof(*receiver->pool)),
		.pool_free = NONE,
		.segments_max = segments_max,
		.segments_each = segments_each,
	};
	if (!receiver->streams || !receiver->pool) {
		tcp_receiver_fini(receiver);
		return -ENOMEM;
	}
	return 0;
}

void tcp_receiver_fini(struct tcp_receiver *receiver)
{
	free(receiver->streams);
	free(receiver->pool);
	*receiver = (struct tcp_receiver){ 0 };
}

/* how far @a is ahead of @b */
static int32_t ahead(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

/* ---- segments that wait ---- */

static uint32_t pool_take(struct tcp_receiver *receiver)
{
	uint32_t entry = receiver->pool_free;

	if (receiver->pool_count == receiver->segments_max)
		return NONE;
	if (entry == NONE)
		entry = receiver->pool_fresh++;
	else
		receiver->pool_free = receiver->pool[entry].next;
	receiver->pool_count++;
	return entry;
}

static void pool_give(struct tcp_receiver *receiver, uint32_t entry)
{
	receiver->pool[entry].next = receiver->pool_free;
	receiver->pool_free = entry;
	receiver->pool_count--;
}

static uint32_t end_of(const struct tcp_segment *segment)
{
	return segment->sequence + segment->bytes;
}

/* the segment behind which one that begins at @sequence belongs; NONE: it would be the first */
static uint32_t place_of(const struct tcp_receiver *receiver, const struct tcp_stream *stream,
			 uint32_t sequence)
{
	uint32_t before = NONE;

	if (!stream->waiting)
		return NONE;
	if (ahead(sequence, receiver->pool[stream->last].sequence) >= 0)
		return stream->last;
	for (uint32_t i = stream->first; ahead(sequence, receiver->pool[i].sequence) >= 0;
	     i = receiver->pool[i].next)
		before = i;
	return before;
}

/* behind the segment @before, which does not reach into it, nor does it into the next one */
static void wait_behind(struct tcp_receiver *receiver, struct tcp_stream *stream, uint32_t before,
			uint32_t entry)
{
	uint32_t next = !stream->waiting ? NONE
			: before == NONE ? stream->first
					 : receiver->pool[before].next;

	receiver->pool[entry].next = next;
	if (before == NONE)
		stream->first = entry;
	else
		receiver->pool[before].next = entry;
	if (next == NONE)
		stream->last = entry;
	stream->waiting++;
}

static enum tcp_verdict hold(struct tcp_receiver *receiver, struct tcp_stream *stream,
			     const struct tcp_segment *segment)
{
	uint32_t before = place_of(receiver, stream, segment->sequence);
	uint32_t next = !stream->waiting ? NONE
			: before == NONE ? stream->first
					 : receiver->pool[before].next;
	uint32_t entry;

	if ((before != NONE && ahead(end_of(&receiver->pool[before]), segment->sequence) > 0) ||
	    (next != NONE && ahead(end_of(segment), receiver->pool[next].sequence) > 0))
		return TCP_DUPLICATE;
	if (stream->waiting == receiver->segments_each)
		return TCP_REFUSED;
	entry = pool_take(receiver);
	if (entry == NONE)
		return TCP_REFUSED;
	receiver->pool[entry] = *segment;
	wait_behind(receiver, stream, before, entry);
	return TCP_HELD;
}

enum tcp_verdict tcp_receiver_take(struct tcp_receiver *receiver, uint32_t connection,
				   const struct tcp_segment *segment, bool marked, bool reduced)
{
	struct tcp_stream *stream = &receiver->streams[connection];

	if (reduced)
		stream->echo = false;
	if (marked)
		stream->echo = true;
	if (segment->sequence == stream->expected) {
		stream->expected += segment->bytes;
		return TCP_IN_ORDER;
	}
	if (ahead(segment->sequence, stream->expected) < 0)
		return TCP_DUPLICATE;
	return hold(receiver, stream, segment);
}

static void leave(struct tcp_receiver *receiver, struct tcp_stream *stream,
		  struct tcp_segment *segment)
{
	uint32_t entry = stream->first;

	*segment = receiver->pool[entry];
	stream->first = segment->next;
	stream->waiting--;
	pool_give(receiver, entry);
}

bool tcp_receiver_covered(struct tcp_receiver *receiver, uint32_t connection,
			  struct tcp_segment *segment)
{
	struct tcp_stream *stream = &receiver->streams[connection];

	if (!stream->waiting ||
	    ahead(receiver->pool[stream->first].sequence, stream->expected) >= 0)
		return false;
	leave(receiver, stream, segment);
	return true;
}

bool tcp_receiver_pop(struct tcp_receiver *receiver, uint32_t connection,
		      struct tcp_segment *segment)
{
	struct tcp_stream *stream = &receiver->streams[connection];

	if (!stream->waiting || receiver->pool[stream->first].sequence != stream->expected)
		return false;
	leave(receiver, stream, segment);
	stream->expected += segment->bytes;
	return true;
}
