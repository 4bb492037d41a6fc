/*  flow_tree - what an input stores of a flow of an unordered class (FC-16, EC-11); tree_path.h
 *  selects its outputs.
 *
 *  A *tree* is such a flow with its paths, a *branch* one of its outputs. While the tree is open,
 *  each packet selects an output when it is the first of its flow's queue. The flow has a channel
 *  at each output that it uses (ofct.h), but is one flow at its input: its flow_extent is the sum
 *  over its channels, so one injection limit holds for all branches. Credit is per branch, like the
 *  queue at the other end of its link. A branch without credit has a loaded link, and the selection
 *  avoids it. ours: it also avoids branches with much data in flight, because their congestion may
 *  be further downstream.
 *
 *  Congestion at the destination folds the tree [S2]: from then on all packets take one branch, the
 *  one that the congestion ACK came up, until nothing of the flow is left. A folded flow says so in
 *  its headers, and switches downstream fold it too. ours: a flow that does not end would stay
 *  folded for ever. It opens again when the congestion is over: an ACK without it has arrived, and
 *  the flow does not keep to its path as a source any more (source_hold.h).
 *
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

/** tree_is() - true if flow @ref is a tree, open or folded. */
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

/** tree_headroom() - credit that flow @ref has for @port, if tree_metered(); units, <= 0: it must
 *  wait. */
int32_t tree_headroom(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_spend() - @units of flow @ref, which is metered at @port, were granted: charges its credit.
 */
void tree_spend(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t units);

/** tree_credited() - headroom_on_ack() for flow @ref, or for its branch on channel @id of @port. */
void tree_credited(struct dataplane *dp, uint32_t ref, uint32_t port, uint32_t id, uint32_t credit);

/** tree_load() - load of output @port for the first packet of flow @ref, an open tree: @bytes that
 *  wait there, and bytes of the flow in flight. A branch without credit is worse than any other. */
uint64_t tree_load(struct dataplane *dp, uint32_t ref, uint32_t port, uint64_t bytes);

/** tree_end() - the channel of flow @ref is free. */
void tree_end(struct dataplane *dp, uint32_t ref);

/** tree_fold() - congestion at the destination of flow @ref was reported over output @port: an open
 *  tree is folded, and its next packets take that output (EC-11). */
void tree_fold(struct dataplane *dp, uint32_t ref, uint32_t port);

/** tree_moved() - flow @ref was redirected: a folded tree takes its new output from now on. */
void tree_moved(struct dataplane *dp, uint32_t ref);

/** tree_mark() - @packet of flow @ref was granted: its header states that a folded tree is ordered.
 */
void tree_mark(struct dataplane *dp, uint32_t ref, struct packet *packet);

#endif
