/*  node_life - the beginning and the end of a node, as a process of its own (node_main.h) or packed
 *  with others into a worker (worker_main.h). */
#ifndef HEDDLE_NODES_PROCESS_NODE_LIFE_H
#define HEDDLE_NODES_PROCESS_NODE_LIFE_H

#include "nodes/process/node_process.h"

/** node_init() - a node without anything. @ops the dataplane of each kind of fabric; borrowed.
 *  @control its control socket; borrowed. */
void node_init(struct node *node, const struct node_ops *const *ops, int control);

/** node_configure() - takes over @message, the first one, and all that came with it; then has its
 *  links and its dataplane. @kind what the node must be.
 *  @worker what packed nodes share; NULL: the node is a process of its own; borrowed.
 *  Return: 0; -ENOMEM; else -errno after reporting it to the orchestrator. */
int node_configure(struct node *node, struct control_message *message, enum node_kind kind,
		   const struct node_worker *worker);

/** node_act() - this thread works for @node from now on: an error or a failed invariant is reported
 *  with its name. O(1). */
void node_act(const struct node *node);

/** node_writes_files() - does the node have captures, or a file of events? */
bool node_writes_files(const struct node *node);

/** node_captures_begin() - real clock: fabric time has begun, so captures know when that was. */
void node_captures_begin(struct node *node);

/** node_tell_broken() - reports the links @broken (a bit per port), whose peers broke the rules of
 *  a ring, each once. Such a link is dead; the others continue (TB-23). */
void node_tell_broken(struct node *node, uint64_t broken);

/** node_end() - releases all that the node has, but for its control socket. */
void node_end(struct node *node);

#endif
