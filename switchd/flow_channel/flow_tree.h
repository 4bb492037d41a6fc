/*  flow_tree - what an input stores of a flow of an unordered class (FC-16, EC-11); tree_path.h
 *  selects its outputs.
 *
 *  While the tree is open, each packet selects an output when it is the first of its flow's queue.
 *  Each output that the flow uses has a channel of its own for it (ofct.h), all of which are that
 *  one flow here: its flow_extent is the sum of theirs, so what limits its injection limits all of
 *  it. Credit is each branch's own, as is the queue at its other end: missing credit means that a
 *  link is loaded, and the selection avoids that branch. ours: it also avoids branches with much
 *  data in flight, because their congestion may be further downstream. Congestion at the
 *  destination folds the tree [S2]: from then on all packets take one branch, the one that the
 *  congestion ACK came up, until nothing of the flow is left. A folded flow says so in its headers,
 *  and switches downstream fold it too. ours: a flow that does not end would stay folded for ever.
 *  It opens again when the congestion is over: an ACK without it has arrived, and the flow does not
 *  keep to its path as a source any more (source_hold.h).
 *  A flow that has only one output, as in its last switch, is no tree. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_TREE_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_FLOW_TREE_H

#include "switchd/flow_channel/dataplane.h"

/** tree_line_of() - what the input of flow @ref remembers of it. */
static inline struct tree_line *tree_line_of(const struct dataplane *dp, uint32_t ref)
{
	return TABLE_AT(dp->ports[flow_ref_port(ref)].trees, flow_ref_id(ref));
}

/** tree_is_unordered() - is flow @ref of an unordered class? Mostly there is none. */
static inline bool tree_is_unordered(struct dataplane *dp, uint32_t ref)
{
	return dp->unordered && dp->unordered >> flow_of(dp->ifcts, ref)->traffic_class & 1;
}

/** tree_is() - does each packet of flow @ref choose when it is the first of the queue, or did it
 *  until congestion? */
static inline bool tree_is(struct dataplane *dp, uint32_t ref)
{
	return tree_is_unordered(dp, ref) && tree_line_of(dp, ref)->state != TREE_NONE;
}

/** tree_branch_metered() - tree_metered() of a tree. */
bool tree_branch_metered(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_is_folded() - is flow @ref a tree that is folded? */
bool tree_is_folded(struct dataplane *dp, uint32_t ref);

/** tree_metered() - does flow @ref need credit for output @port? */
static inline bool tree_metered(struct dataplane *dp, uint32_t ref, uint32_t port)
{
	return tree_is(dp, ref) ? tree_branch_metered(dp, ref, port) : flow_of(dp->ifcts, ref)->dm;
}

/** tree_headroom() - how much credit it has there, if it does; units. */
int32_t tree_headroom(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_spend() - @units of flow @ref, which needs credit there, go on to @port. */
void tree_spend(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t units);

/** tree_credited() - headroom_on_ack() for what flow @ref has on channel @id of @port. */
void tree_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit);

/** tree_load() - how good output @port is for the first packet of flow @ref, an open tree: less is
 *  better. @bytes what waits there. */
uint64_t tree_load(struct dataplane *dp, uint32_t ref, uint32_t port, uint64_t bytes);

/** tree_end() - the channel of flow @ref is free. */
void tree_end(struct dataplane *dp, uint32_t ref);

/** tree_fold() - congestion at the destination was reported over output @port: what follows goes
 *  there (EC-11). Nothing if it did already. */
void tree_fold(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_moved() - flow @ref was redirected. */
void tree_moved(struct dataplane *dp, uint32_t ref);

/** tree_mark() - @packet of flow @ref goes on: it says whether the flow is ordered. */
void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet);

#endif
