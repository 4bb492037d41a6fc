/*  shortest_path - which ports of a switch lie on a shortest path to another one.
 *
 *  Breadth first from every switch: all links count the same, as for a fabric manager [S1]. All ports
 *  that lead to a neighbour one step nearer are candidates; parallel links are several of them. */
#ifndef HEDDLE_ORCHESTRATOR_SHORTEST_PATH_H
#define HEDDLE_ORCHESTRATOR_SHORTEST_PATH_H

#include "nodes/config.h"

/** shortest_path_routes() - fills the routes of every switch, in the order of fabric addresses, its own left out;
 *  switches that cannot be reached have no ports.
 *  @switches  nodes 0..@switch_count-1 with their ports filled in; fabric address = index + 1.
 *  @cut       for each switch the set of its ports that lead nowhere, at both ends of a link; NULL: there are none.
 *  Return: 0 or -ENOMEM.  O(switches * links).                                                                   */
int shortest_path_routes(struct node_config *switches, uint32_t switch_count, const uint64_t *cut);

/** shortest_path_longest_ps() - the longest of the shortest paths between two switches that have hosts; of several between the same
 *  two, the longest counts.
 *  @switches    as above; vacant ports lead nowhere.   @hop_ps  what the link behind @port of @node adds to a path.
 *  @longest_ps  filled; 0 if all hosts are at one switch.
 *  Return: 0 or -ENOMEM.  O(switches * links).                                                                   */
int shortest_path_longest_ps(const struct node_config *switches, uint32_t switch_count,
			     node_time_t hop_ps(const struct node_config *node, const struct port_config *port),
			     node_time_t *longest_ps);

/** shortest_path_route() - the route of switch @from towards switch @to (indices, not the same). O(1). */
static inline const struct route_config *shortest_path_route(const struct node_config *from, uint32_t to)
{
	return &from->switch_.routes[to - (to > from->index)];
}

#endif
