#include "nicd/transport/tcp_receiver.h"

#include <errno.h>
#include <stdlib.h>

int tcp_receiver_init(struct tcp_receiver *receiver, uint32_t connections_max,
		      uint32_t segments_max, uint32_t segments_each)
{
	*receiver = (struct tcp_receiver){
		.streams = calloc(connections_max, sizeof(*receiver->streams)),
		.segments = calloc(segments_max, sizeof(*receiver->segments)),
		.segments_each = segments_each,
	};
	if (index_pool_init(&receiver->pool, segments_max) || !receiver->streams ||
	    !receiver->segments) {
		tcp_receiver_fini(receiver);
		return -ENOMEM;
	}
	return 0;
}

void tcp_receiver_fini(struct tcp_receiver *receiver)
{
	free(receiver->streams);
	free(receiver->segments);
	index_pool_fini(&receiver->pool);
	*receiver = (struct tcp_receiver){ 0 };
}

/* how far @a is ahead of @b */
static int32_t ahead(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

/* ---- segments that wait ---- */

static uint32_t end_of(const struct tcp_segment *segment)
{
	return segment->sequence + segment->bytes;
}

/* the segment after which one that begins at @sequence belongs; INDEX_NONE: it is the first */
static uint32_t place_of(const struct tcp_receiver *receiver, const struct tcp_stream *stream,
			 uint32_t sequence)
{
	uint32_t before = INDEX_NONE;

	if (!stream->waiting)
		return INDEX_NONE;
	if (ahead(sequence, receiver->segments[stream->segments.last].sequence) >= 0)
		return stream->segments.last;
	for (uint32_t i = stream->segments.first;
	     ahead(sequence, receiver->segments[i].sequence) >= 0; i = receiver->pool.next[i])
		before = i;
	return before;
}

/* inserts @entry between the segments @before and @next, neither of which it overlaps */
static void insert(struct tcp_receiver *receiver, struct tcp_stream *stream, uint32_t before,
		   uint32_t entry, uint32_t next)
{
	receiver->pool.next[entry] = next;
	if (before == INDEX_NONE)
		stream->segments.first = entry;
	else
		receiver->pool.next[before] = entry;
	if (next == INDEX_NONE)
		stream->segments.last = entry;
	stream->waiting++;
}

static enum tcp_verdict hold(struct tcp_receiver *receiver, struct tcp_stream *stream,
			     const struct tcp_segment *segment)
{
	uint32_t before = place_of(receiver, stream, segment->sequence);
	uint32_t next = !stream->waiting       ? INDEX_NONE
			: before == INDEX_NONE ? stream->segments.first
					       : receiver->pool.next[before];
	uint32_t entry;

	if ((before != INDEX_NONE &&
	     ahead(end_of(&receiver->segments[before]), segment->sequence) > 0) ||
	    (next != INDEX_NONE && ahead(end_of(segment), receiver->segments[next].sequence) > 0))
		return TCP_DUPLICATE;
	if (stream->waiting == receiver->segments_each || index_pool_full(&receiver->pool))
		return TCP_REFUSED;
	entry = index_pool_take(&receiver->pool);
	receiver->segments[entry] = *segment;
	insert(receiver, stream, before, entry, next);
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
	uint32_t entry = index_list_pop(&receiver->pool, &stream->segments);

	*segment = receiver->segments[entry];
	stream->waiting--;
	index_pool_give(&receiver->pool, entry);
}

bool tcp_receiver_covered(struct tcp_receiver *receiver, uint32_t connection,
			  struct tcp_segment *segment)
{
	struct tcp_stream *stream = &receiver->streams[connection];

	if (!stream->waiting ||
	    ahead(receiver->segments[stream->segments.first].sequence, stream->expected) >= 0)
		return false;
	leave(receiver, stream, segment);
	return true;
}

bool tcp_receiver_pop(struct tcp_receiver *receiver, uint32_t connection,
		      struct tcp_segment *segment)
{
	struct tcp_stream *stream = &receiver->streams[connection];

	if (!stream->waiting ||
	    receiver->segments[stream->segments.first].sequence != stream->expected)
		return false;
	leave(receiver, stream, segment);
	stream->expected += segment->bytes;
	return true;
}
