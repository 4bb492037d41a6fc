/*  node_serve - what a running node is asked over its control socket: tables to show, parameters to
 *  set, tables of the fabric manager, links that change (control.h). */
#ifndef HEDDLE_NODES_PROCESS_NODE_SERVE_H
#define HEDDLE_NODES_PROCESS_NODE_SERVE_H

#include "nodes/process/node_process.h"

/** node_serve() - handles all that waits in the node's control socket. What is wrong there is
 *  reported. Return: 0, or -errno: the orchestrator is gone. */
int node_serve(struct node *node);

#endif
