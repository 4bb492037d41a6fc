/*  fecn_mark - what a port remembers to tell congestion that sources must hear of from what passes
 *  by itself (PG-10).
 *
 *  Ours, where S1 is silent. A long queue alone says little:
 *    - One that is getting shorter has been heard of. Who marks on until it is short goes on
 *      slowing down sources for as long as it takes to drain, and the index that has risen so far
 *      takes far longer to come back than the queue took to go. So a queue that has lost a part of
 *      what the link carries, since it was looked at a window ago, is falling and marks nothing. As
 *      QCN, whose
 *      feedback has a term for the change of the queue [802.1Qau].
 *    - One of a single source's packets is no fight for the link: with ways enough it is what a
 *      collision further back has left behind. Slowing the source down does not make it arrive
 *      later. A port is shared while two packets of different sources that leave one after
 *      the other are no further back than a window.
 *  Pure state, O(1) per packet. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_FECN_MARK_H
#define HEDDLE_SWITCHD_PORT_GROUP_FECN_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

#define FECN_DRAIN_PARTS 8u  /* falling: by this part of what the link carries, at least */
#define FECN_IDLE_WINDOWS 4u /* what was seen so long ago says nothing */

struct fecn_mark {
	uint32_t slid;        /* of the last packet; 0: there was none */
	bool mixed, falling;  /* another source's came before it, ever; as of seen_ps */
	node_time_t mixed_ps; /* when that was last */
	node_time_t seen_ps;
	uint32_t seen_units; /* of the queue then */
};

/** fecn_mark_on_packet() - a packet of @slid leaves a queue of @units, its own included, on a link
 *  of @rate_bps. @window_ps above 0. */
void fecn_mark_on_packet(struct fecn_mark *mark, uint32_t slid, uint32_t units, uint64_t rate_bps,
			 node_time_t window_ps, node_time_t now);

/** fecn_mark_shared() - do several sources send? */
static inline bool fecn_mark_shared(const struct fecn_mark *mark, node_time_t window_ps,
				    node_time_t now)
{
	return mark->mixed && now - mark->mixed_ps <= window_ps;
}

#endif
