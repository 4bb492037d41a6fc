/*  host_if - the packet sockets between a NIC and its attached host: the only system calls of
 *  nicd's own (TB-15).
 *
 *  The host is a network namespace. The other end of its veth is in the fabric's namespace, and
 *  these sockets are bound to it, in a fanout group by flow. A virtio_net_hdr precedes each frame
 *  (PACKET_VNET_HDR), so super-frames of up to 64 KiB pass in both directions: host_offload.h.
 *
 *  From the host. Each socket has a queue here, and is read in batches while the queue is not full.
 *  When it is full, the kernel's buffer of that socket fills, and other sockets continue: a paused
 *  flow can block no more than its own socket. Buffers come from one pool, the one used last first,
 *  so an idle node touches few of them.
 *  To the host. What arrives during a turn is collected where the caller put it, with TCP segments
 *  of a flow merged. One call delivers it at the end of the turn. Frames that the kernel has no
 *  buffer for stay, ahead of later ones, for HOST_RETRIES_MAX turns. Then they are dropped
 *  (DROP_HOST).
 *
 *  Memory: HOST_QUEUE_FRAMES_MAX super-frames a socket, HOST_HOLD_FRAMES_MAX and
 *  HOST_DELIVERY_BYTES, allocated in _init, never later; untouched parts cost nothing.
 *  Place: called by dataplane.c; writes the statistics page. */
#ifndef HEDDLE_NICD_HOST_HOST_IF_H
#define HEDDLE_NICD_HOST_HOST_IF_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#include "nicd/host/host_offload.h"
#include "nodes/base/time.h"
#include "nodes/config/config.h"
#include "nodes/stats/stats.h"

#define HOST_QUEUE_FRAMES_MAX 64u
/* super-frames of paused flows, in the queues of host_hold.h */
#define HOST_HOLD_FRAMES_MAX 1024u
#define HOST_FRAME_BYTES_MAX 69632u /* from the host: 64 KiB, headers, a tag, in whole pages */
/* to the host: collected in a turn, or waiting for the kernel */
#define HOST_DELIVERY_BYTES (1u << 20)
#define HOST_DELIVERY_FRAMES_MAX 1024u /* the same; as many messages as one system call takes */
#define HOST_RETRIES_MAX 64u           /* turns in which the kernel may be full (ours) */
#define HOST_RETRY_PS (20 * NODE_US)   /* between two of them */
/* flows whose segments are merged at a time, by hash; a power of two */
#define HOST_OPEN_SUPERS 64u

/* a frame that the host has sent */
struct host_frame {
	const uint8_t *bytes;
	uint32_t frame_bytes;
	struct virtio_net_hdr header;
	node_time_t at_ps; /* when it was received */
};

struct host_queue {
	int fd;
	uint32_t first, count; /* slots[first], ... modulo HOST_QUEUE_FRAMES_MAX */
	uint32_t slots[HOST_QUEUE_FRAMES_MAX];
	bool pressed; /* the queue was full: the kernel may have dropped frames */
};

/* a frame for the host: the pieces that sendmmsg() gathers */
struct host_super {
	struct host_merge merge;
	uint32_t first_piece, last_piece, pieces;
	uint32_t frames, bytes; /* as they arrived */
};

struct host_piece {
	uint32_t at, bytes; /* in the delivery memory */
	uint32_t next;
};

struct host_if {
	struct stats_page *stats;
	uint32_t queue_count; /* 0: no host can be attached */
	bool attached;
	struct host_queue queues[NIC_HOST_QUEUES_MAX];
	/* from the host */
	uint32_t slot_count;
	struct host_frame *frames;        /* by slot */
	uint8_t *buffers;                 /* by slot, HOST_FRAME_BYTES_MAX each */
	uint32_t *free_slots, free_count; /* a stack */
	/* to the host */
	uint8_t *delivery;
	uint32_t delivery_bytes;   /* used */
	struct host_piece *pieces; /* HOST_DELIVERY_FRAMES_MAX of them */
	struct host_super *supers; /* the same */
	uint32_t piece_count, super_count;
	uint32_t sent_count; /* the first supers, which are sent or dropped */
	uint32_t retries;    /* turns in a row in which the kernel was full */
	/* super + 1 that the next segment of a flow may continue, by the flow's hash */
	uint32_t *open;           /* [HOST_OPEN_SUPERS] */
	struct host_calls *calls; /* arguments of recvmmsg() and sendmmsg() */
};

/** host_if_init() - memory for @queue_count sockets; 0: no host can be attached. @stats borrowed.
 *  Return: 0 or -ENOMEM. */
int host_if_init(struct host_if *host, uint32_t queue_count, struct stats_page *stats);

/** host_if_fini() - frees the memory and closes the sockets. */
void host_if_fini(struct host_if *host);

/** host_if_release() - gives the sockets back in @fds (NIC_HOST_QUEUES_MAX): no host is attached
 *  any more.  Return: how many. */
uint32_t host_if_release(struct host_if *host, int *fds);

/** host_if_open() - takes over @fds, one for each queue: non-blocking, bound, with PACKET_VNET_HDR.
 *  Return: 0; -EINVAL if their number is not that of the queues, or a host is attached; -errno of
 *  the kernel. After an error the caller keeps them. */
int host_if_open(struct host_if *host, const int *fds, uint32_t count);

/* ---- from the host ---- */

/** host_if_receive() - reads the sockets in the set *@readable until their queues are full, stamped
 *  @now. *@readable becomes the set of those that may hold more. A frame too long for a buffer is
 *  dropped (DROP_OVERSIZE).
 *  Return: was a frame received? */
bool host_if_receive(struct host_if *host, uint32_t *readable, node_time_t now);

/** host_if_head() - the first frame of @queue; NULL: it is empty. Valid until host_if_pop().
 *  O(1). */
static inline const struct host_frame *host_if_head(const struct host_if *host, uint32_t queue)
{
	const struct host_queue *q = &host->queues[queue];

	return q->count ? &host->frames[q->slots[q->first]] : NULL;
}

/** host_if_pop() - frees that frame, and the next one is the first. O(1). */
void host_if_pop(struct host_if *host, uint32_t queue);

/** host_if_take() - dequeues that frame; the caller owns its slot, and at most HOST_HOLD_FRAMES_MAX
 *  slots at a time. host_if_give() - frees the slot. O(1). */
uint32_t host_if_take(struct host_if *host, uint32_t queue);
void host_if_give(struct host_if *host, uint32_t slot);

/** host_if_bytes() - the frame in @slot, writable. */
static inline uint8_t *host_if_bytes(const struct host_if *host, uint32_t slot)
{
	uint8_t *buffer = host->buffers + (size_t)slot * HOST_FRAME_BYTES_MAX;

	return buffer + (host->frames[slot].bytes - buffer);
}

/* ---- to the host ---- */

/** host_if_place() - where to put the next frame for the host, NODE_MTU_MAX bytes; NULL: the
 *  delivery memory is full. O(1). */
static inline uint8_t *host_if_place(const struct host_if *host)
{
	if (host->piece_count == HOST_DELIVERY_FRAMES_MAX ||
	    host->delivery_bytes > HOST_DELIVERY_BYTES - NODE_MTU_MAX)
		return NULL;
	return host->delivery + host->delivery_bytes;
}

/** host_if_put() - a complete frame of @frame_bytes is at host_if_place(). O(frame_bytes). */
void host_if_put(struct host_if *host, uint32_t frame_bytes);

/** host_if_tell() - delivers @bytes, a complete frame of @frame_bytes of the NIC itself, with what
 *  has arrived. It is no packet of the fabric, so it is not counted. Does nothing if no host is
 *  attached or the delivery memory is full. O(frame_bytes). */
void host_if_tell(struct host_if *host, const uint8_t *bytes, uint32_t frame_bytes);

/** host_if_pending() - is there something to deliver? */
static inline bool host_if_pending(const struct host_if *host)
{
	return host->sent_count != host->super_count;
}

/** host_if_deliver() - sends what was put to the kernel, as far as it takes it. Counts it as
 *  delivered, or dropped (DROP_HOST). */
void host_if_deliver(struct host_if *host);

#endif
