/*  node_process - a node as a process: its state, shared by node_main.c (its life, and what it is
 *  asked) and node_join.c (what it is handed). */
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
	int peer_doorbells[NODE_PORTS_MAX], sockets[NODE_PORTS_MAX],
		host_sockets[NIC_HOST_QUEUES_MAX];
	struct carrier *carriers[NODE_PORTS_MAX];
	struct capture *captures[NODE_PORTS_MAX]; /* of the links that are captured, else NULL */
	struct mapping taps[NODE_PORTS_MAX]; /* rings of captures that began while it runs */
	struct capture_buffer *captured; /* what all of them share; NULL: each has its own */
	/* the kernel, or a sandbox, refused the system call filter */
	bool unfiltered;
	bool keep_user; /* privilege_drop() */
	uint64_t broken_told; /* bit per port */
	struct ensure_context ensure_context;
	char why[256]; /* a sentence being made */
};

#endif
