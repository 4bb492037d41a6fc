/*  worker_main - main() of a worker: a process that runs many nodes (SC-3; real clock: SC-7,
 *  worker_real.h).
 *
 *  The nodes are the same objects as in processes of their own, and give the same bytes. They are
 *  not protected from each other: one that crashes ends its worker and the run. None can be killed
 *  or stopped alone. */
#ifndef HEDDLE_NODES_PROCESS_WORKER_MAIN_H
#define HEDDLE_NODES_PROCESS_WORKER_MAIN_H

#include "nodes/node/node.h"

/** worker_main() - takes over its share, its nodes and their configurations (control.h), joins the
 *  clock, runs its nodes until the fabric ends. @ops the dataplane of each kind of node and fabric.
 *  Return: the exit status. */
int worker_main(int argc, char **argv, const struct node_ops *const *const ops[NODE_KINDS]);

#endif
