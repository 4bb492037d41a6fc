/*  tunnel_link - this machine's end of one cut link: between the two rings of its node and the
 *  items of datagrams (SC-5). No I/O but shared memory.
 *
 *      node -> ring -> tunnel_link_send()   ~ datagrams ~   tunnel_link_take() -> ring -> node
 *
 *  Delay. A node writes a record before it is due at the far end: latency and delay of the link
 *  lie between. The record is sent at once, with its time. The other machine puts it into the ring
 *  with the same time on its own clock, and the node there handles it when it is due. So the time
 *  in the network is a part of the delay of the link. Only what comes later than that is late.
 *
 *  Pieces. A record that does not fit into a datagram is sent in pieces, one after the other. They
 *  are put together if all come in order; if one is missing, the record is lost. Records are
 *  numbered: what is missing is counted as lost, and what comes after a later one is dropped. So
 *  the order of a link is kept. The guard of the link (link_guard.h) finds the same losses, and
 *  tells the node. */
#ifndef HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_LINK_H
#define HEDDLE_ORCHESTRATOR_TUNNEL_TUNNEL_LINK_H

#include "nodes/base/ring.h"
#include "orchestrator/tunnel/tunnel_datagram.h"
#include "orchestrator/tunnel/tunnel_page.h"

struct tunnel_link {
	uint32_t link;   /* its index, the same on all machines */
	uint8_t machine; /* at the other end */
	struct ring_rx from_node;
	struct ring_tx to_node;
	/* sending */
	uint32_t generation, number; /* of the next record */
	uint32_t counted;            /* number when tunnel_link_count() was last called */
	bool told;                   /* ... and that number is told */
	uint32_t sent_bytes;         /* of the record at the head of the ring */
	/* receiving */
	bool heard;  /* a record has come; the following are valid */
	bool former; /* there was another generation: former_generation */
	uint32_t former_generation;
	uint32_t of_generation; /* of the other end */
	uint32_t expected;      /* number of the next record */
	uint32_t have_bytes;    /* of that record */
	uint8_t pieces[RING_CAPTURED_MAX];
	node_time_t last_at_ps;
	bool written;              /* since tunnel_link_publish() */
	node_time_t written_at_ps; /* ... the first of it is due then */
};

/** tunnel_link_init() - new rings, mapped by the caller; borrowed. @generation random.
 *  Return: 0; -EINVAL: they are no rings. */
int tunnel_link_init(struct tunnel_link *end, uint32_t link, uint8_t machine, uint32_t generation,
		     struct ring_page *from_node, size_t from_bytes, struct ring_page *to_node,
		     size_t to_bytes);

/** tunnel_link_waits() - is there a record to be sent? */
bool tunnel_link_waits(struct tunnel_link *end);

/** tunnel_link_send() - writes the record at the head, or a piece of it, as an item.
 *  @space  free in this datagram.   @empty  it has no other item: then at least a piece is written.
 *  @epoch_ns  CLOCK_MONOTONIC at fabric time 0.
 *  Return: bytes written; 0: it goes into the next datagram. */
size_t tunnel_link_send(struct tunnel_link *end, uint8_t *bytes, size_t space, bool empty,
			uint64_t epoch_ns, struct tunnel_counts *counts);

/** tunnel_link_drop() - what waits is dropped: the other machine is not connected. */
void tunnel_link_drop(struct tunnel_link *end, uint64_t *drops);

/** tunnel_link_count() - about ten times a second: if nothing was sent since the last call, writes
 *  once how many were sent, so that the loss of the last one is found.   Return: bytes written. */
size_t tunnel_link_count(struct tunnel_link *end, uint8_t *bytes, size_t space);

/** tunnel_link_take() - a record, or a piece, has come. @at_ps when it is due, @now_ps fabric time
 *  here.  What is not used is counted in @counts. */
void tunnel_link_take(struct tunnel_link *end, const struct tunnel_record *record,
		      node_time_t at_ps, node_time_t now_ps, struct tunnel_counts *counts);

/** tunnel_link_counted() - the other end has sent that many. */
void tunnel_link_counted(struct tunnel_link *end, const struct tunnel_count *count,
			 struct tunnel_counts *counts);

/** tunnel_link_publish() - the node sees what was taken.   Return: true if it must be woken. */
bool tunnel_link_publish(struct tunnel_link *end);

#endif
