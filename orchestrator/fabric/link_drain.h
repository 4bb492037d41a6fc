/*  link_drain - tells switches what is left in the fabric of that which went over a link that
 *  failed (FC-15, FC-26).
 *
 *  A flow whose path fails must not overtake what of it has already passed, and its ACKs cannot
 *  come back: its switch keeps the flow's channel and lets it wait. Who knows is the switch at the
 *  other end: as long as it has the channel that came in over the link something is still here or
 *  downstream (port_stats.left). Both ends are looked after every now and then, and each is told
 *  which of its channels the other one has left (node_ops.link_settle); the flows of all others go
 *  on.
 *
 *  Channel by channel, not link by link: a flow then waits for nothing but its own packets that are
 *  before it on their way, so nobody waits in a circle that was not there without the failure. That
 *  was tried: a flow that waited for all that had gone over its link waited for others, which
 *  waited at another link that had failed for what had gone over the first one.
 *
 *  Real clock: a switch whose process is dead has taken its tables with it. What it had passed on
 *  is at its neighbours, so its neighbours' flows wait until nothing is left anywhere of what came
 *  from such a switch. That is link by link, and if several die at once may be a circle: after
 *  SETTLING_PATIENCE_PS they go on. Only then can a flow be overtaken. Under the virtual clock a
 *  switch that fails loses its links, not its tables. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_LINK_DRAIN_H
#define HEDDLE_ORCHESTRATOR_FABRIC_LINK_DRAIN_H

#include "nodes/config/channel_set.h"
#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

#define SETTLING_PATIENCE_PS (1 * NODE_S)

/* the fabric; @owner is handed back */
struct link_drain_fabric {
	void *owner;
	/* node_ops.link_settle.  Return: 0 or -errno */
	int (*settle)(void *owner, uint32_t node, uint32_t port, const struct channel_set *left);
	/* NULL: @node has left */
	const struct stats_page *(*page)(void *owner, uint32_t node);
};

/* an end of a link that failed. It is kept as it was then: the link may have left the plan
 * since. */
struct link_drain_end {
	uint32_t node, port, peer, peer_port;
	uint32_t told;     /* 0: nobody waits here; else of so many channels left, and one more */
	bool unknown;      /* the peer died, and does not know */
	node_time_t since; /* it waits */
};

struct link_drain {
	const struct plan *plan;
	struct link_drain_fabric fabric;
	struct link_drain_end *ends; /* two per link */
	uint32_t count;              /* of those where somebody waits */
	node_time_t changed_at;      /* when something was last heard */
};

/** link_drain_init() - @plan is borrowed.  Return: 0 or -ENOMEM. link_drain_fini() in any case. */
int link_drain_init(struct link_drain *link_drain, const struct plan *plan,
		    const struct link_drain_fabric *fabric);
void link_drain_fini(struct link_drain *link_drain);

/** link_drain_begin() - @link, one between switches of flow channels or any other, has just failed;
 *  both ends that live have been told.
 *  @a_dead, @b_dead the node at that end knows nothing of it: it is dead, or did not answer. */
void link_drain_begin(struct link_drain *link_drain, uint32_t link, bool a_dead, bool b_dead,
		      node_time_t now);

/** link_drain_next_at() - when to look next: soon, but the later the longer nothing has changed;
 *  NODE_TIME_NEVER: nobody waits.
 *  @now of the last look, or failure. */
node_time_t link_drain_next_at(const struct link_drain *link_drain, node_time_t now);

/** link_drain_look() - tells each end that waits what is left, if that has changed. Return: 0 or
 *  -errno of ->settle(). */
int link_drain_look(struct link_drain *link_drain, node_time_t now);

#endif
