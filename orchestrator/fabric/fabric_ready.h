/*  fabric_ready - nodes that start become ready. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_READY_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_READY_H

#include "orchestrator/fabric/fabric_start.h"

/* a wait for nodes that start; zeroed at first */
struct fabric_start_wait {
	uint64_t began_ns, waited_from_ns; /* wall_ns(): of the wait, of its last progress */
	uint32_t ready_before;
	struct watchdog watchdog;
};

/** fabric_unfiltered() - how many nodes run without the system call filter (TB-24). O(nodes). */
uint32_t fabric_unfiltered(const struct fabric *fabric);

/** fabric_nodes_await() - until every node has said READY, in any order; warns once if some have no
 *  system call filter.
 *  Return: as fabric_nodes_start(). */
int fabric_nodes_await(struct fabric *fabric);

/** fabric_room_await() - the kernel has too many descriptors in flight to hand @node its own: looks
 *  once, for at most a millisecond, whether nodes that start take theirs.
 *  Return: 0: try again; -EINTR if interrupted; else -errno with the reason in fabric->failure: a
 *  node has died, or hangs. */
int fabric_room_await(struct fabric *fabric, uint32_t node, struct fabric_start_wait *wait);

#endif
