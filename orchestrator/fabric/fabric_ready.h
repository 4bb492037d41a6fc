/*  fabric_ready - waits for nodes that start. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_READY_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_READY_H

#include "orchestrator/fabric/fabric_start.h"

/* a wait for nodes that start; initially zeroed */
struct fabric_start_wait {
	uint64_t began_ns, waited_from_ns; /* monotonic_ns(): of the wait, of its last progress */
	uint32_t ready_before;
	struct watchdog watchdog;
};

/** fabric_unfiltered() - how many nodes run without the system call filter (TB-24). O(nodes). */
uint32_t fabric_unfiltered(const struct fabric *fabric);

/** fabric_nodes_await() - waits until every node has sent READY; warns once if some have no system
 *  call filter.
 *  Return: as fabric_nodes_start(). */
int fabric_nodes_await(struct fabric *fabric);

/** fabric_descriptors_await() - the kernel has too many descriptors in flight to send @node its
 *  own: waits at most a millisecond for nodes that start to receive theirs.
 *  Return: 0: try again; -EINTR if interrupted; else -errno with the reason in fabric->failure: a
 *  node has died, or hangs. */
int fabric_descriptors_await(struct fabric *fabric, uint32_t node, struct fabric_start_wait *wait);

#endif
