/*  node_join - the descriptors that a node process receives, at its start and when links change. */
#ifndef HEDDLE_NODES_PROCESS_NODE_JOIN_H
#define HEDDLE_NODES_PROCESS_NODE_JOIN_H

#include <stdio.h>

#include "nodes/process/node_process.h"

/** node_join() - takes over the descriptors that came with the configuration (control.h): the clock
 *  page, the statistics page, those of each port, the host's sockets.
 *  Return: 0; -ENOMEM; else -errno after reporting it to the orchestrator. */
int node_join(struct node *node, struct control_message *message);

/** node_join_packed() - the same for a packed node: its statistics page and files came with the
 *  configuration, all else is @worker's; borrowed. */
int node_join_packed(struct node *node, struct control_message *message,
		     const struct node_worker *worker);

/** node_join_memory() - maps the shared memory @fd, which has @bytes_min at least and is sealed
 *  against shrinking. @what  it is, for the message.
 *  Return: 0, or -errno after reporting it to the orchestrator. */
int node_join_memory(struct mapping *mapping, int fd, size_t bytes_min, const char *what);

/** node_join_pace() - real clock: the dataplane is there, so the node has a pace. @loop borrowed;
 *  the node's descriptors have numbers from @first_number on.
 *  Return: 0 or -errno. */
int node_join_pace(struct node *node, struct event_loop *loop, uint32_t first_number);

/** node_join_ports() - its links and host sockets are watched from now on.
 *  Return: 0 or -errno. */
int node_join_ports(struct node *node);

/** node_join_link() - handles LINK_DOWN, LINK_UP or LINK_SET. Virtual clock: only while it is
 *  stopped, and no LINK_SET. @out  text for the answer. Return: 0 or -errno. */
int node_join_link(struct node *node, struct control_message *message, FILE *out);

/** node_join_leave() - real clock: unplugs all links, and watches no descriptor any more. */
void node_join_leave(struct node *node);

/** node_join_end() - releases all of that. */
void node_join_end(struct node *node);

#endif
