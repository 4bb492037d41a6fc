/*  fecn_mark - does a long queue need its sources to slow down, or will it drain on its own?
 *  (PG-10)
 *
 *  Ours, where S1 is silent. Length alone is not enough. Two kinds of long queue mark nothing:
 *    - A queue that is falling. Its sources have already slowed down. Marks until it is short would
 *      slow them down for the whole time that it drains, and the index that has risen by then takes
 *      far longer to fall than the queue took to drain. Falling: shorter than a window ago by a
 *      part of what the link carries in that time. QCN's feedback too has a term for the change of
 *      the queue [802.1Qau].
 *    - A queue with packets of one source. With enough paths it is the rest of a collision further
 *      upstream, and a slower source does not make it drain earlier. A port is shared while two
 *      packets of different sources leave one after the other within a window.
 *  Pure state, O(1) per packet. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_FECN_MARK_H
#define HEDDLE_SWITCHD_PORT_GROUP_FECN_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

#define FECN_DRAIN_PARTS 8u  /* falling: by this part of what the link carries, at least */
#define FECN_IDLE_WINDOWS 4u /* an older look at the queue does not count */

struct fecn_mark {
	uint32_t slid;        /* of the last packet; 0: no packet yet */
	bool mixed, falling;  /* a packet of another source preceded it, ever; as of seen_ps */
	node_time_t mixed_ps; /* the last time */
	node_time_t seen_ps;
	uint32_t seen_units; /* of the queue then */
};

/** fecn_mark_on_packet() - a packet of @slid leaves a queue of @units, its own included, on a link
 *  of @rate_bps. @window_ps above 0. */
void fecn_mark_on_packet(struct fecn_mark *mark, uint32_t slid, uint32_t units, uint64_t rate_bps,
			 node_time_t window_ps, node_time_t now);

/** fecn_mark_shared() - did packets of several sources leave within @window_ps? */
static inline bool fecn_mark_shared(const struct fecn_mark *mark, node_time_t window_ps,
				    node_time_t now)
{
	return mark->mixed && now - mark->mixed_ps <= window_ps;
}

#endif
