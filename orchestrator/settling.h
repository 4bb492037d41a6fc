/*  settling - tells switches what is left in the fabric of that which went over a link that failed (FC-15, FC-26).
 *
 *  A flow whose path fails must not overtake what of it has already passed, and its ACKs cannot come back: its switch keeps the
 *  flow's channel and lets it wait. Who knows is the switch at the other end: as long as it has the channel that came in over the
 *  link something is still here or downstream (port_stats.left). Both ends are looked after every now and then, and each is told which
 *  of its channels the other one has left (node_ops.link_settle); the flows of all others go on.
 *
 *  Channel by channel, not link by link: a flow then waits for nothing but its own packets that are before it on their way, so nobody waits in a circle
 *  that was not there without the failure. That was tried: a flow that waited for all that had gone over its link waited for
 *  others, which waited at another link that had failed, for the first one's link. A switch that has lost all its links is asked like any other. */
#ifndef HEDDLE_ORCHESTRATOR_SETTLING_H
#define HEDDLE_ORCHESTRATOR_SETTLING_H

#include "nodes/channel_set.h"
#include "nodes/stats.h"
#include "orchestrator/plan.h"

/* the fabric; @owner is handed back */
struct settling_fabric {
	void *owner;
	/* node_ops.link_settle.  Return: 0 or -errno */
	int (*settle)(void *owner, uint32_t node, uint32_t port, const struct channel_set *left);
	const struct stats_page *(*page)(void *owner, uint32_t node);
};

struct settling {
	const struct plan *plan;
	struct settling_fabric fabric;
	uint32_t *
		ends; /* per end of a link, two each: 0, or somebody may wait there, and was told of so many channels left, and one more */
	uint32_t count;         /* of those that are not 0 */
	node_time_t changed_at; /* when something was last heard */
};

/** settling_init() - @plan is borrowed.  Return: 0 or -ENOMEM. settling_fini() in any case. */
int settling_init(struct settling *settling, const struct plan *plan, const struct settling_fabric *fabric);
void settling_fini(struct settling *settling);

/** settling_begin() - @link, one between switches of flow channels or any other, has just failed: both ends have been told. */
void settling_begin(struct settling *settling, uint32_t link, node_time_t now);

/** settling_next_at() - when to look next: soon, but the later the longer nothing has changed; NODE_TIME_NEVER: nobody waits.
 *  @now  of the last look, or failure. */
node_time_t settling_next_at(const struct settling *settling, node_time_t now);

/** settling_look() - tells each end that waits what is left, if that has changed.  Return: 0 or -errno of ->settle(). */
int settling_look(struct settling *settling, node_time_t now);

#endif
