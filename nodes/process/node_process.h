/*  node_process - a node as a process, or packed into one: its state, shared by node_life.c
 *  (start and end), node_join.c (descriptors that it receives), node_serve.c (requests that it
 *  answers), node_main.c and worker_main.c (when it runs). */
#ifndef HEDDLE_NODES_PROCESS_NODE_PROCESS_H
#define HEDDLE_NODES_PROCESS_NODE_PROCESS_H

#include <stdint.h>
#include <stdio.h>

#include "nodes/base/ensure.h"
#include "nodes/clock/event_loop.h"
#include "nodes/control/control.h"
#include "nodes/link/capture.h"
#include "nodes/node/managed.h"
#include "nodes/node/node.h"
#include "nodes/node/pace.h"
#include "nodes/node/window.h"

struct mapping {
	void *memory;
	size_t bytes;
};

/* what the packed nodes of a worker share */
struct node_worker {
	struct clock clock;   /* of the workers */
	struct clock places;  /* of the nodes: places_clock() */
	struct mapping rings; /* of all links of the fabric */
};

struct node {
	int control;                                 /* the node's control socket */
	const struct node_ops *const *ops_of_fabric; /* [FABRIC_KINDS] */
	const struct node_ops *ops;
	struct node_config *config;
	/* those of a packed node have 0 bytes where they are a part of its worker's */
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
	struct pace pace;      /* real clock, instead of the window */
	struct home_core home; /* the same; of a node that is not packed */
	int doorbell;          /* real clock; -1 */
	int peer_doorbells[NODE_PORTS_MAX], sockets[NODE_PORTS_MAX],
		host_sockets[NIC_HOST_QUEUES_MAX];
	struct carrier *carriers[NODE_PORTS_MAX];
	struct capture *captures[NODE_PORTS_MAX]; /* of the links that are captured, else NULL */
	struct mapping taps[NODE_PORTS_MAX];      /* rings of captures that began while it runs */
	struct capture_buffer *captured; /* what all of them share; NULL: each has its own */
	uint64_t broken_told;            /* bit per port */
	struct ensure_context ensure_context;
};

#endif
