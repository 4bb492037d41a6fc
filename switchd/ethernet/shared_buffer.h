/*  shared_buffer - which packets the buffer of an Ethernet switch accepts, and which peers must
 *  stop (RC-5).
 *
 *  One memory for all ports and classes. A packet counts twice: for its input port and class, and
 *  for its output queue. A lossy class is limited at its outputs: packets above the limit are
 *  dropped. A lossless class is limited at its inputs: above the limit the peer is stopped (XOFF),
 *  and packets in flight by then go to the input's own headroom, which no other input can use. Only
 *  a packet that does not fit there is dropped.
 *
 *      buffer = shared part + headroom of every lossless input: what its link may still bring, and
 *      the frame that exceeds the limit
 *
 *  Limits are fixed, or a share of what is free in the shared part now [Choudhury and Hahne,
 *  "Dynamic queue length thresholds for shared-memory packet switches", 1998]: n busy queues then
 *  hold alpha B / (1 + n alpha) each. A stopped input may resume (XON) when it holds xon_offset
 *  less than its limit and no headroom, or when it holds nothing (ours: a limit may be less than
 *  xon_offset). A limit rises when packets of other inputs leave: shared_buffer_reconsider().
 *  Copies of flooded frames, and frames that the switch makes, count for no input: no peer could be
 *  stopped because of them. They are handled like a lossy class, and together get a quarter of the
 *  shared part at most (ours).
 *  Knows neither packets nor links. All in bytes. O(1) unless stated. */
#ifndef HEDDLE_SWITCHD_ETHERNET_SHARED_BUFFER_H
#define HEDDLE_SWITCHD_ETHERNET_SHARED_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

#define SHARED_BUFFER_NO_INPUT UINT32_MAX
/* packets that count for no input get this part of the shared part at most */
#define SHARED_BUFFER_OWN_PART 4u

enum shared_buffer_verdict {
	SHARED_BUFFER_TAKEN,
	SHARED_BUFFER_QUEUE_FULL,    /* lossy: the output queue's limit, or the shared part */
	SHARED_BUFFER_HEADROOM_FULL, /* lossless */
};

/* a traffic class of an input port */
struct shared_buffer_input {
	uint64_t bytes;                /* all that came in here, ... */
	uint64_t headroom_bytes;       /* ... of it in the headroom */
	uint64_t headroom_limit_bytes; /* 0: the class is lossy */
};

struct shared_buffer {
	/* borrowed; may change at any time, but for `lossless` */
	const struct roce_class_config *classes;
	uint32_t class_count;
	uint64_t buffer_bytes;              /* with headroom */
	uint64_t shared_bytes;              /* without */
	uint64_t used_bytes;                /* of the shared part */
	uint64_t own_bytes;                 /* of it for no input */
	uint64_t stopped[NODE_CLASSES_MAX]; /* sets of inputs that have to stop */
	uint32_t next_port, next_class;     /* shared_buffer_reconsider() checks this next */
	struct shared_buffer_input inputs[NODE_PORTS_MAX][NODE_CLASSES_MAX];
	uint64_t outputs[NODE_PORTS_MAX][NODE_CLASSES_MAX]; /* bytes in output queues */
};

/** shared_buffer_init() - empty; no port has headroom. @classes borrowed; lossless without PFC is
 *  for the caller to rule out. */
void shared_buffer_init(struct shared_buffer *buffer, const struct roce_class_config *classes,
			uint32_t class_count, uint64_t buffer_bytes);

/** shared_buffer_port_set() - @headroom_bytes are kept for every lossless class of input @port; 0:
 *  there is no link. O(ports x classes). */
void shared_buffer_port_set(struct shared_buffer *buffer, uint32_t port, uint64_t headroom_bytes);

/** shared_buffer_take() - a packet of @bytes from input @in (SHARED_BUFFER_NO_INPUT) is to wait at
 *  @out. If it is accepted, it is counted. */
enum shared_buffer_verdict shared_buffer_take(struct shared_buffer *buffer, uint32_t in,
					      uint32_t out, uint32_t traffic_class, uint32_t bytes);

/** shared_buffer_release() - the packet has left. */
void shared_buffer_release(struct shared_buffer *buffer, uint32_t in, uint32_t out,
			   uint32_t traffic_class, uint32_t bytes);

/** shared_buffer_stopped() - must the peer at input @port stop @traffic_class? Changes with each
 *  take, release and reconsider. */
static inline bool shared_buffer_stopped(const struct shared_buffer *buffer, uint32_t port,
					 uint32_t traffic_class)
{
	return buffer->stopped[traffic_class] >> port & 1;
}

/** shared_buffer_reconsider() - after each release: may the next one of the stopped inputs, round
 *  robin, resume because other inputs have released bytes? So each is checked after at most as many
 *  releases as inputs are stopped. O(classes). Return: true: it may, and @port and @traffic_class
 *  are filled. */
bool shared_buffer_reconsider(struct shared_buffer *buffer, uint32_t *port,
			      uint32_t *traffic_class);

/** shared_buffer_free() - bytes that are free in the shared part. */
static inline uint64_t shared_buffer_free(const struct shared_buffer *buffer)
{
	return buffer->shared_bytes > buffer->used_bytes ? buffer->shared_bytes - buffer->used_bytes
							 : 0;
}

/** shared_buffer_limit() - bytes of @traffic_class that @port may hold now: of a lossless class as
 *  input, else in its output queue. */
uint64_t shared_buffer_limit(const struct shared_buffer *buffer, uint32_t port,
			     uint32_t traffic_class);

#endif
