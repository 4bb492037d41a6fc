/*  slow_view - the busiest ports of a slowed run, with bars: `heddle run --slow` (SE-8).
 *
 *  On a terminal the ports are drawn in place, about five times a second, in the order of the
 *  plan. Elsewhere, a line about the busiest three is printed once a second. Rates are those since
 *  the last picture; queues of switches are compared with the largest one so far, rounded up. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_SLOW_VIEW_H
#define HEDDLE_ORCHESTRATOR_PROMPT_SLOW_VIEW_H

#include "orchestrator/base/screen.h"
#include "orchestrator/fabric/fabric.h"

struct slow_port; /* a port, and what it did */

struct slow_view {
	FILE *out; /* borrowed */
	const struct fabric *fabric;
	node_time_t slow_ps_per_s;
	struct screen screen; /* of the last picture */
	struct slow_port *ports;
	uint32_t count;
	uint64_t queue_full_bytes; /* of a full bar */
	node_time_t seen_ps;       /* of the last picture; rates are since then */
	uint64_t next_ns;          /* wall time */
	unsigned drawn;            /* lines of the picture on the screen, above the cursor */
};

/** slow_view_open() - for @fabric, whose nodes are ready and which is slowed to @slow_ps_per_s. It
 *  and @out are borrowed.
 *  Return: 0 or -ENOMEM. slow_view_close() in any case. */
int slow_view_open(struct slow_view *view, const struct fabric *fabric, node_time_t slow_ps_per_s,
		   FILE *out);
void slow_view_close(struct slow_view *view);

/** slow_view_show() - the clock of the fabric is stopped: draws or prints if it is time, and in any
 *  case with @last, when the run stops here. What is printed later comes below. */
void slow_view_show(void *view, bool last);

#endif
