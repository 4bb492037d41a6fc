/*  worker_real - the nodes of a worker under the real clock (SC-7).
 *
 *  Each node has been handed what it would have as a process (node_join.h): its own links, doorbell
 *  and host sockets. So links, hosts and nodes come and go as between processes, and neighbours of
 *  a packed node may be processes. The nodes take turns and wait together (pace_group.h). */
#ifndef HEDDLE_NODES_PROCESS_WORKER_REAL_H
#define HEDDLE_NODES_PROCESS_WORKER_REAL_H

#include "nodes/node/pace_group.h"
#include "nodes/process/node_process.h"
#include "nodes/process/process.h"

/** worker_real_enter() - the @count @nodes, which are configured, wait with @loop from now on.
 *  @group zeroed; pace_group_fini() in any case.
 *  Return: 0 or -errno. */
int worker_real_enter(struct node *nodes, uint32_t count, struct event_loop *loop,
		      struct pace_group *group, const struct process_arguments *arguments);

/** worker_real_serve() - handles what waits in the control socket of @node. A node whose socket is
 *  closed is removed from the fabric: it has left, and the others continue. */
void worker_real_serve(struct node *node);

/** worker_real_turn() - the turn of @node. */
void worker_real_turn(struct node *node);

#endif
