/*  manager_topology - the graph of a fabric, from the identities of its nodes: a part of the fabric
 *  manager. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TOPOLOGY_H

#include "nodes/node/managed.h"
#include "orchestrator/routing/topology.h"

/* the nodes that answered, by node index */
struct manager_census {
	uint32_t node_count;
	struct node_identity *nodes; /* [node_count] */
	bool *answered;              /* [node_count]: it answered */
};

/** manager_topology_make() - builds @topology. A switch that did not answer is not alive. A link is
 *  up if both ends answered, name each other and are up. A port to a switch that did not answer is
 *  in the topology too, down, with what its own switch knows. Hosts are those of NICs that answered
 *  and name their switch.
 *  Return: 0, topology_free() later; -ENOMEM. O(ports). */
int manager_topology_make(const struct manager_census *census, struct topology *topology);

/** manager_topology_keep() - keeps host @host, which did not answer, at its former port, if a NIC
 *  that does not answer is connected there, or its switch does not answer. */
void manager_topology_keep(const struct manager_census *census, struct topology *topology,
			   const struct host_config *host);

/** manager_topology_links() - links between switches that are up. */
uint32_t manager_topology_links(const struct topology *topology);

#endif
