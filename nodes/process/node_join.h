/*  node_join - what a node process is handed, at its start and when links come and go. */
#ifndef HEDDLE_NODES_PROCESS_NODE_JOIN_H
#define HEDDLE_NODES_PROCESS_NODE_JOIN_H

#include <stdio.h>

#include "nodes/process/node_process.h"

/** node_join() - takes over the descriptors that came with the configuration (control.h): the clock
 *  page, the statistics page,
 *  what each port has, the host's sockets. Return: 0; -ENOMEM; else -errno after the orchestrator
 *  was told. */
int node_join(struct node *node, struct control_message *message);

/** node_join_pace() - real clock: the dataplane and the event loop are there, so links and host
 *  sockets can be watched.
 *  Return: 0 or -errno. */
int node_join_pace(struct node *node);

/** node_join_link() - LINK_DOWN, LINK_UP, LINK_SET; under the virtual clock only while it stands,
 *  and no LINK_SET. @out words for the answer. Return: 0 or -errno. */
int node_join_link(struct node *node, struct control_message *message, FILE *out);

/** node_join_end() - releases all of that. */
void node_join_end(struct node *node);

#endif
