/*  fabric_manager - discovers the fabric from its nodes, computes all tables and writes them
 *  (PG-11, TB-14, FC-26).
 *
 *  A sweep has five steps. All questions of a step are sent at once (manager_question.h).
 *  1. Discover: every node reports what it is and the peers of its ports. A node that does not
 *     answer is dead. A link is up if both ends name each other and both are up.
 *  2. Read: the present tables of all switches.
 *  3. Compute: the tables of all switches, from that topology (routing.h).
 *  4. Write: the blocks that differ. A switch collects them, and they are read back.
 *  5. Commit: all switches put their new tables into effect together. A switch that has not
 *     collected what was written keeps its old tables.
 *  A manager keeps no state between two sweeps, so another one can continue at any time.
 *
 *  A host whose NIC is dead stays in the tables: frames to it are dropped at its switch, not
 *  flooded. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_FABRIC_MANAGER_H
#define HEDDLE_ORCHESTRATOR_MANAGER_FABRIC_MANAGER_H

#include "orchestrator/manager/manager_question.h"
#include "orchestrator/routing/routing.h"

#define MANAGER_WHY_MAX 512u

/* result of a sweep */
struct manager_report {
	uint32_t switches, hosts, links; /* that answer; links between switches that are up */
	uint32_t silent;                 /* node indices that did not answer */
	uint32_t blocks_read, blocks_written, switches_written;
	/* blocks that were refused or differ from what was written: `why` names the first */
	uint32_t unverified;
	uint64_t took_ns, discover_ns, routing_ns;
	char why[MANAGER_WHY_MAX];
};

struct fabric_manager {
	struct manager_wire wire;
	uint32_t node_count; /* node indices to ask: 0 .. node_count - 1 */
	/* every node must answer every question: one that does not ends the sweep, instead of being
	 * dead */
	bool complete;
	struct routing_request request;
	struct manager_report last;
};

/** fabric_manager_sweep() - brings the tables of all switches that answer up to date.
 *  Return: 0; -EINVAL: there are no routes for this topology (routing_make()); -EIO: a switch does
 *  not store what is written, or sends an invalid answer; -ETIMEDOUT: manager->complete, and a node
 *  did not answer; -ENOMEM; what exchange() returned. After an error the reason is in
 *  manager->last.why. */
int fabric_manager_sweep(struct fabric_manager *manager);

#endif
