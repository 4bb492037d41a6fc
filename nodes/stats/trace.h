/*  trace - the last things that a node did: a ring of small entries in its statistics page.
 *
 *  The data path neither logs nor prints; it leaves a kind and three integers. The ring is in
 *  shared memory, so the orchestrator prints it after a crash, when the node can no longer say
 *  anything (TB-22).
 *  One table (trace.c) gives every kind its name and the names of its integers. */
#ifndef HEDDLE_NODES_STATS_TRACE_H
#define HEDDLE_NODES_STATS_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/stats/stats.h"

enum trace_kind {
	TRACE_NONE,
	TRACE_CHANNEL_WAIT,  /* port, flow_id, to_port */
	TRACE_STOP_WAIT,     /* port, class */
	TRACE_HOLE,          /* port, flow_id, units: seen in what came in */
	TRACE_MISSING,       /* port, flow_id, units: on a link that this node sends on */
	TRACE_LOSS_REPORT,   /* port, flow_id, units */
	TRACE_DROP,          /* port, reason, bytes */
	TRACE_MESSAGE_START, /* flow, message, bytes */
	TRACE_MESSAGE_END,   /* flow, message, bytes */
	TRACE_PARAMETER_SET, /* port, -, value */
	/* port, flow_id (NIC: entry), credit units: the flow is paused at its source */
	TRACE_FGFC_HOLD,
	TRACE_FGFC_END,     /* port, flow_id (NIC: entry), units queued: no longer */
	TRACE_FGFC_REFUSED, /* port, entries, credit units: the table of a NIC is full */
	/* port, class, bytes in the buffer of what arrived there: roce, the peer has to stop */
	TRACE_XOFF,
	TRACE_XON, /* port, class, bytes held: it may send */
	/* port, class, microseconds: paused without a break, though data waits */
	TRACE_STUCK,
	TRACE_TIMEOUT,     /* flow, packet not acknowledged, timeouts in a row before */
	TRACE_PAIR_ERROR,  /* flow, packet not acknowledged, timeouts in a row: gave up */
	TRACE_ROCE_STATE,  /* port, class, state: of a watched output queue (RC-7) */
	TRACE_PATH_SIGNAL, /* port, signal, flows paused: for the device at that port (RC-10) */
	TRACE_KINDS
};

/** trace() - one entry; the oldest of STATS_TRACE_MAX is overwritten. A few stores. */
static inline void trace(struct stats_page *page, node_time_t now, enum trace_kind kind, uint32_t a,
			 uint32_t b, uint32_t c)
{
	*stats_trace(page, page->trace_count++) = (struct trace_entry){
		.at_ps = now, .kind = (uint32_t)kind, .a = a, .b = b, .c = c
	};
}

/** trace_print() - the ring of @page, oldest first, one line each.
 *  @page passed stats_check(); its entries are not trusted. */
void trace_print(const struct stats_page *page, FILE *out);

/** trace_print_last() - the same, of the last @entries (up to STATS_TRACE_MAX) only. */
void trace_print_last(const struct stats_page *page, uint32_t entries, FILE *out);

#endif
