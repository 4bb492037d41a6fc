/*  node_main - main() of switchd and nicd: a node as a process. */
#ifndef HEDDLE_NODES_PROCESS_NODE_MAIN_H
#define HEDDLE_NODES_PROCESS_NODE_MAIN_H

#include "nodes/node/node.h"

/** node_main() - main() of a node process: takes its file descriptors and configuration over the
 *  control socket, joins the clock, runs until the fabric ends. @ops the dataplane of each kind of
 *  fabric. Return: the exit status. */
int node_main(int argc, char **argv, enum node_kind kind,
	      const struct node_ops *const ops[FABRIC_KINDS]);

#endif
