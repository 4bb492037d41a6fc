/*  tcp_receiver - the receiver's side of TCP connections: segments that came out of order wait
 *  until the hole before them is filled (RC-6).
 *
 *  Every segment is answered by an ACK that names the next byte in order (ours: at once, never
 *  delayed, so that no timer is needed). A segment after a hole is kept and repeats the last ACK,
 *  in which the sender sees a hint of a loss (tcp_window.h). A marked segment is echoed in every
 *  ACK until the sender has set CWR [RFC 3168].
 *
 *  Segments that wait are a list per connection, in the order of their bytes. They mostly come in
 *  that order, and holes are filled from the front: both are O(1). Only headers wait: the rest of a
 *  generated frame exists as a length only. Memory: connections_max connections and a pool of
 *  segments_max for all, allocated in _init, never later; untouched parts cost nothing. When the
 *  pool is empty, or a connection has segments_each waiting, a segment is refused as if it had been
 *  lost: the sender sends it again. Sequence numbers are compared modulo 2^32. Nothing in a segment
 *  is trusted.
 *  Place: called by nic_tcp.c with the fields of frames; uses neither frames nor time. */
#ifndef HEDDLE_NICD_TRANSPORT_TCP_RECEIVER_H
#define HEDDLE_NICD_TRANSPORT_TCP_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "nicd/traffic/index_pool.h"
#include "nodes/base/time.h"
#include "nodes/wire/frame.h"

/* offset in a generated frame, after Ethernet, IPv4 and TCP headers; the rest is of the stream */
#define TCP_SEGMENT_AT 54u

struct tcp_segment {
	struct frame_payload payload;
	node_time_t arrived_ps;
	uint32_t frame_bytes;
	uint32_t sequence; /* of its first byte */
	uint32_t bytes;    /* of the stream */
};

/* what was done with a segment */
enum tcp_verdict {
	TCP_IN_ORDER,  /* deliver it, then what tcp_receiver_pop() has */
	TCP_HELD,      /* waits */
	TCP_DUPLICATE, /* was here before, or is waiting already */
	TCP_REFUSED,   /* too much is waiting */
};

struct tcp_stream {
	uint32_t expected;          /* the next byte in order */
	struct index_list segments; /* that wait */
	uint32_t waiting;
	bool echo; /* the next ACK has the ECE flag */
};

struct tcp_receiver {
	struct tcp_stream *streams;
	struct tcp_segment *segments; /* by entry of the pool */
	struct index_pool pool;
	uint32_t segments_each;
};

/** tcp_receiver_init() - all connections begin at byte 0.  Return: 0 or -ENOMEM. */
int tcp_receiver_init(struct tcp_receiver *receiver, uint32_t connections_max,
		      uint32_t segments_max, uint32_t segments_each);
void tcp_receiver_fini(struct tcp_receiver *receiver);

/** tcp_receiver_take() - @segment of @connection has arrived; @marked CE; @reduced: with CWR.
 *  Copied if it has to wait. O(1), or O(waiting) for one that belongs between others. */
enum tcp_verdict tcp_receiver_take(struct tcp_receiver *receiver, uint32_t connection,
				   const struct tcp_segment *segment, bool marked, bool reduced);

/** tcp_receiver_covered() - (after TCP_IN_ORDER, before tcp_receiver_pop()) a segment that waited,
 *  and that a longer one has covered meanwhile: it does not wait any more and is not to be
 *  delivered again. Only a broken sender does that. Return: false: there is none. O(1). */
bool tcp_receiver_covered(struct tcp_receiver *receiver, uint32_t connection,
			  struct tcp_segment *segment);

/** tcp_receiver_pop() - the next segment that waited and is in order now. Return: false: there is
 *  none. O(1). */
bool tcp_receiver_pop(struct tcp_receiver *receiver, uint32_t connection,
		      struct tcp_segment *segment);

/** tcp_receiver_expected(), tcp_receiver_echo() - acknowledgement number, ECE flag of the next ACK.
 */
static inline uint32_t tcp_receiver_expected(const struct tcp_receiver *receiver,
					     uint32_t connection)
{
	return receiver->streams[connection].expected;
}

static inline bool tcp_receiver_echo(const struct tcp_receiver *receiver, uint32_t connection)
{
	return receiver->streams[connection].echo;
}

#endif
