/*  tree_path - which output a packet of an unordered flow takes (FC-16, EC-11, flow_tree.h). */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_TREE_PATH_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_TREE_PATH_H

#include "switchd/flow_channel/dataplane.h"

/** tree_path_begin() - @packet is the first of flow @ref, of which nothing is here or downstream.
 *  Without unordered classes it does nothing. */
void tree_path_begin(struct dataplane *dp, uint32_t ref, const struct packet *packet);

/** tree_path_choose() - @packet is the first in the queue of flow @ref, a tree that requests no
 *  output: selects one.
 *  Return: as choose_output(). */
bool tree_path_choose(struct dataplane *dp, uint32_t ref, const struct packet *packet,
		      enum drop_reason *why, node_time_t now);

#endif
