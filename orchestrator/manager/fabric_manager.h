/*  fabric_manager - finds out what a fabric looks like by asking its nodes, works out all tables
 *  and writes them (PG-11, TB-14, FC-26).
 *
 *  A sweep: every node is asked what it is and what its ports lead to; who does not answer is dead.
 *  A link is there if both ends say so and both are up. From that topology come the tables of all
 *  switches (routing.h). What they have is read; only blocks that differ are written. A switch
 *  collects them, and they are read back from what it has collected; then all switches are told,
 *  together, that they take effect. One that has collected anything else than it was to is left as
 *  it is. A manager remembers nothing from one sweep to the next that it could not find out, so
 *  that another one can go on at any time. All questions of a step are asked at once
 *  (manager_question.h).
 *  A host whose NIC is dead stays in the tables: frames for it end at its switch instead of being
 *  flooded. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_FABRIC_MANAGER_H
#define HEDDLE_ORCHESTRATOR_MANAGER_FABRIC_MANAGER_H

#include "orchestrator/manager/manager_question.h"
#include "orchestrator/routing/routing.h"

#define MANAGER_WHY_MAX 512u

/* what a sweep has come to */
struct manager_report {
	uint32_t switches, hosts, links; /* found alive; links between switches, and up */
	uint32_t silent;                 /* places that did not answer */
	uint32_t blocks_read, blocks_written, switches_written;
	/* blocks that were refused or are not as they were written: `why` names the first */
	uint32_t unverified;
	uint64_t took_ns, discover_ns, routing_ns;
	char why[MANAGER_WHY_MAX];
};

struct fabric_manager {
	struct manager_wire wire;
	uint32_t node_count; /* places to ask: 0 .. node_count - 1 */
	/* every place must answer every question: one that does not is no dead node but the end of
	 * the sweep */
	bool complete;
	struct routing_request request;
	struct manager_report last;
};

/** fabric_manager_sweep() - brings the tables of all switches that answer up to date.
 *  Return: 0; -EINVAL: there are no tables for this topology (routing_make()); -EIO: a switch does
 *  not keep what it is given, or answers nonsense; -ETIMEDOUT: manager->complete, and a place did
 *  not answer; -ENOMEM; what exchange() returned; in each case with the reason in
 *  manager->last.why. */
int fabric_manager_sweep(struct fabric_manager *manager);

#endif
