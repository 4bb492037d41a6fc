/*  fabric_ranks - a fabric on several machines, under the virtual clock (SC-4): which rank runs
 *  which node, and rankd, the process that exchanges messages with the other ranks.
 *
 *  Nodes are packed (fabric_pack.h). Workers are numbered over all ranks, those of rank 0, this
 *  one, first. rankd represents all workers of other ranks: it has the control sockets, statistics
 *  pages and files of their nodes, and is the process of their lead. So code that sends requests to
 *  nodes, or reads their pages, is the same with ranks. On the clock page the slots of other ranks'
 *  workers are never due while the clock runs; rankd opens the windows (nodes/clock/clock_gate.h).
 *  Each rank runs the watchdog for its own nodes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_RANKS_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FABRIC_RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct fabric;
struct control_message;
struct plan;

/** fabric_ranks_refuses() - a clause that says why the nodes of @plan cannot be on @rank_count
 *  ranks; NULL: they can. */
const char *fabric_ranks_refuses(const struct plan *plan, uint32_t rank_count);

/** fabric_ranks_place() - fills pack.worker_of and pack.rank_of for options.ranks ranks with at
 *  most options.pack workers each, and pack.worker_count. Return: 0 or -ENOMEM. */
int fabric_ranks_place(struct fabric *fabric);

/** fabric_ranks_lead() - the first node of other ranks, whose entry has the pid of rankd;
 *  node_count: there is none. */
uint32_t fabric_ranks_lead(const struct fabric *fabric);

/** fabric_ranks_start() - starts rankd, @program, for the nodes of other ranks.
 *  Return: 0 or -errno. */
int fabric_ranks_start(struct fabric *fabric, const char *program);

/** fabric_ranks_message() - handles a message of rankd: the reason why the run must end, which
 *  becomes fabric->failure. */
void fabric_ranks_message(struct fabric *fabric);

/** fabric_ranks_elsewhere() - does another rank run @node? */
bool fabric_ranks_elsewhere(const struct fabric *fabric, uint32_t node);

#endif
