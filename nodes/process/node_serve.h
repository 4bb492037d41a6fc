/*  node_serve - answers requests that a running node receives over its control socket: tables to
 *  show, parameters to set, tables of the fabric manager, links that change (control.h). */
#ifndef HEDDLE_NODES_PROCESS_NODE_SERVE_H
#define HEDDLE_NODES_PROCESS_NODE_SERVE_H

#include "nodes/process/node_process.h"

/** node_serve() - handles all messages that wait in the node's control socket. An invalid one is
 *  ignored, which a note to the orchestrator says. Return: 0; -errno: the orchestrator is gone. */
int node_serve(struct node *node);

#endif
