/*  link_drain - after a link failure, tells each switch which of its flow channels still have
 *  packets in the fabric (FC-15, FC-26).
 *
 *  A flow whose path fails must not overtake its packets that have passed the link, and their ACKs
 *  cannot return. So its switch keeps the flow's channel, and the flow waits. While the switch at
 *  the other end still has that channel (port_stats.left), packets of the flow are there or
 *  downstream. This module reads port_stats.left of both ends from time to time, and reports to
 *  each end which channels are left at the other (node_ops.link_settle). Flows of all other
 *  channels continue.
 *
 *  This is per channel, not per link: a flow waits for its own packets downstream only, so the wait
 *  adds no cycle. If flows waited until a whole link has drained, two failed links could wait for
 *  each other's packets.
 *
 *  Real clock: the tables of a dead switch are lost. Its packets are at its neighbours, so flows to
 *  it wait until no packet from any dead switch is left. That is per link, and may be a cycle if
 *  several die at once: after LINK_DRAIN_PATIENCE_PS the flows continue. Only then packets of a
 *  flow can be reordered. Under the virtual clock a switch that fails loses its links, not its
 *  tables. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_LINK_DRAIN_H
#define HEDDLE_ORCHESTRATOR_FABRIC_LINK_DRAIN_H

#include "nodes/config/channel_set.h"
#include "nodes/stats/stats.h"
#include "orchestrator/plan/plan.h"

#define LINK_DRAIN_PATIENCE_PS (1 * NODE_S)

/* callbacks of the fabric, with @owner */
struct link_drain_fabric {
	void *owner;
	/* node_ops.link_settle.  Return: 0 or -errno */
	int (*report_left)(void *owner, uint32_t node, uint32_t port,
			   const struct channel_set *left);
	/* NULL: @node has left */
	const struct stats_page *(*page)(void *owner, uint32_t node);
};

/* an end of a failed link. A copy, since the link may be removed from the plan later. */
struct link_drain_end {
	uint32_t node, port, peer, peer_port;
	/* 0: no flow waits here; else 1 + number of channels left, as last reported */
	uint32_t reported;
	bool unknown;      /* the peer died: its tables are lost */
	node_time_t since; /* start of the wait */
};

struct link_drain {
	const struct plan *plan;
	struct link_drain_fabric fabric;
	struct link_drain_end *ends; /* two per link */
	uint32_t count;              /* of ends where flows may wait */
	node_time_t changed_at;      /* time of the last change */
};

/** link_drain_init() - @plan is borrowed.  Return: 0 or -ENOMEM. link_drain_fini() in any case. */
int link_drain_init(struct link_drain *link_drain, const struct plan *plan,
		    const struct link_drain_fabric *fabric);
void link_drain_fini(struct link_drain *link_drain);

/** link_drain_begin() - @link has just failed, and living ends have been notified. Links that are
 *  not between switches of a flow-channel fabric are ignored. @a_dead, @b_dead: the node at that
 *  end is dead, or did not answer. */
void link_drain_begin(struct link_drain *link_drain, uint32_t link, bool a_dead, bool b_dead,
		      node_time_t now);

/** link_drain_next_at() - when to call link_drain_look() next: the intervals grow while nothing
 *  changes.   @now  of the last call, or failure.   Return: NODE_TIME_NEVER: no flow waits. */
node_time_t link_drain_next_at(const struct link_drain *link_drain, node_time_t now);

/** link_drain_look() - reports to each end with waiting flows which channels are left, if that has
 *  changed.
 *  Return: 0 or -errno of ->report_left(). */
int link_drain_look(struct link_drain *link_drain, node_time_t now);

#endif
