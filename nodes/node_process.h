/*  node_process - a node as a process: its state, shared by node_main.c (its life, and what it is asked), node_join.c (what it
 *  is handed) and nobody else.                                                                                       */
#ifndef HEDDLE_NODES_NODE_PROCESS_H
#define HEDDLE_NODES_NODE_PROCESS_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/capture.h"
#include "nodes/control.h"
#include "nodes/event_loop.h"
#include "nodes/managed.h"
#include "nodes/node.h"
#include "nodes/pace.h"
#include "nodes/window.h"

struct mapping {
	void *memory;
	size_t bytes;
};

struct node {
	const struct node_ops *const *ops_of_fabric; /* [FABRIC_KINDS] */
	const struct node_ops *ops;
	enum event_loop_kind loop_kind;
	int core; /* home_core.h; -1: none */
	struct node_config *config;
	struct mapping clock_page, stats_page, rings[2 * NODE_PORTS_MAX];
	struct clock clock;
	struct stats_page *stats;
	uint32_t links_ready;
	struct link *links;
	void *dataplane;
	struct managed managed;
	struct event_loop *loop;
	uint32_t *wake;
	struct node_window window;
	struct pace pace; /* real clock, instead of the window */
	int doorbell;     /* real clock; -1 */
	int peer_doorbells[NODE_PORTS_MAX], sockets[NODE_PORTS_MAX], host_sockets[NIC_HOST_QUEUES_MAX];
	struct carrier *carriers[NODE_PORTS_MAX];
	struct capture *captures[NODE_PORTS_MAX]; /* of the links that are captured, else NULL */
	uint64_t broken_told;                     /* bit per port */
	char why[256];                            /* a sentence being made */
};

/** node_wrong() - tells the orchestrator of something that ends the run.  Return: -EINVAL */
int node_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** node_join() - takes over the descriptors that came with the configuration (control.h): the clock page, the statistics page,
 *  what each port has, the host's sockets.   Return: 0; -ENOMEM; else -errno after the orchestrator was told.       */
int node_join(struct node *node, struct control_message *message);

/** node_join_pace() - real clock: the dataplane and the event loop are there, so links and host sockets can be watched.
 *  Return: 0 or -errno. */
int node_join_pace(struct node *node);

/** node_join_link() - LINK_DOWN, LINK_UP, LINK_SET; under the virtual clock only while it stands, and no LINK_SET.  @out  words for the answer.   Return: 0 or -errno. */
int node_join_link(struct node *node, struct control_message *message, FILE *out);

/** node_join_end() - lets go of all that. */
void node_join_end(struct node *node);

#endif
