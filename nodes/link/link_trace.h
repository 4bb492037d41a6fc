/*  link_trace - single packets as events (SE-5): with `packets` of its configuration, a node traces
 *  every packet, ACK and credit word that arrives at it.
 *
 *  The event is at the receiver, for only there the frame is whole and the order of events that of
 *  time. It has how long ago the first bit left the neighbour, so both ends of the arrow in a
 *  time-space diagram are exact. What a link loses is the event `drop` of its sender. PFC, FGFC and
 *  stop words have events of their own (xoff, fgfc_hold, stop_wait).
 *
 *  Cost. Without `packets` none for frames: link_receive() asks once for captures and events
 *  (link->watched). With it, a parse and an entry of the trace for each frame and hop. A part of
 *  link.c, which receives, and of link_send.c. */
#ifndef HEDDLE_NODES_LINK_LINK_TRACE_H
#define HEDDLE_NODES_LINK_LINK_TRACE_H

#include "nodes/link/link.h"
#include "nodes/stats/trace.h"

/** link_trace_drop() - counts and traces a frame of @bytes (0: not known) that is dropped now. */
static inline void link_trace_drop(struct link *link, enum drop_reason reason, uint32_t bytes)
{
	trace_drop(link->page, reason, link->port, bytes, NULL, link->page->now_ps);
}

/** link_trace_frame() - the frame in @header arrived, its bytes at link->rx.head_bytes; no word. */
void link_trace_frame(struct link *link, const struct record *header, node_time_t now);

/** link_trace_credit() - the word in @header, of the peer, is a limit of @lane. */
void link_trace_credit(struct link *link, const struct record *header, uint32_t lane,
		       node_time_t now);

#endif
