/*  tree_path - which output a packet of an unordered flow takes (FC-16, EC-11, flow_tree.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_TREE_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_TREE_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** tree_path_begin() - flow @ref begins with @packet, with nothing here or downstream. In an
 *  unordered class it becomes an open tree, if it has several outputs and routing is adaptive. A
 *  folded tree stays folded while there is congestion. Nothing in other classes. */
void tree_path_begin(struct dataplane *dp, uint32_t ref, const struct packet *packet);

/** tree_path_choose() - @packet is the first in the queue of flow @ref, a tree that requests no
 *  output: selects one.
 *  Return: as choose_path(). */
bool tree_path_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		      enum drop_reason *why, node_time_t now);

#endif
