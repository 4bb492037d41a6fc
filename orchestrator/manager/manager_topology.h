/*  manager_topology - the graph of a fabric from what its nodes say about themselves: a part of the
 *  fabric manager. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TOPOLOGY_H

#include "nodes/node/managed.h"
#include "orchestrator/routing/topology.h"

/* who answered, by node index */
struct manager_census {
	uint32_t node_count;
	struct node_identity *nodes; /* [node_count] */
	bool *heard;                 /* [node_count]: it answered */
};

/** manager_topology_make() - a switch that was not heard is not alive; a link is up if both ends
 *  were heard, name each other and are up. A port that leads to a switch that was not heard stands
 *  in it all the same, down, as far as its neighbour knows. Hosts are those of the NICs that were
 *  heard and know where they are plugged in.
 *  Return: 0, topology_free() later; -ENOMEM. O(ports). */
int manager_topology_make(const struct manager_census *census, struct topology *topology);

/** manager_topology_keep() - host @host, which was not found, stays where it was known to be, if
 *  something that does not answer is still plugged in there, or its switch does not answer
 *  itself. */
void manager_topology_keep(const struct manager_census *census, struct topology *topology,
			   const struct host_config *host);

/** manager_topology_links() - links between switches that are up. */
uint32_t manager_topology_links(const struct topology *topology);

#endif
