/*  fake_nodes - a fabric of two switches and a NIC, of which the test is the nodes: it has their
 *  ends of the control sockets. Each switch has two ports, the second one without a link. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_FAKE_NODES_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_FABRIC_FAKE_NODES_H

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/control/control.h"
#include "orchestrator/fabric/fabric.h"
#include "tests/testing.h"

enum { S1, S2, H1, NODES };

static struct node_config configs[NODES];
static struct port_config ports[NODES][2];
static struct plan_link links[2]; /* S1 - S2, S2 - H1 */
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static _Atomic uint32_t asleep[NODES]; /* a node that is rung is not asleep any more */
static int ends[NODES];                /* of the nodes */

static inline void fake_node(uint32_t node)
{
	static const char *const names[NODES] = { "s1", "s2", "h1" };
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = node };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	ck_assert_int_eq(epoll_ctl(fabric.epoll_fd, EPOLL_CTL_ADD, pair[0], &interest), 0);
	configs[node] = (struct node_config){ .kind = node == H1 ? NODE_NIC : NODE_SWITCH,
					      .index = node,
					      .port_count = node == H1 ? 1 : 2,
					      .ports = ports[node] };
	strcpy(configs[node].name, names[node]);
	nodes[node] = (struct fabric_node){ .lead = node,
					    .slot = node,
					    .control = pair[0],
					    .pid = getpid(),
					    .pid_shown = 100 + (pid_t)node,
					    .ready = true,
					    .doorbell = -1 };
	ends[node] = pair[1];
	atomic_store(&asleep[node], 1);
}

static inline void fake_setup(void)
{
	links[0] = (struct plan_link){ .node_a = S1, .node_b = S2 };
	links[1] = (struct plan_link){ .node_a = S2, .port_a = 1, .node_b = H1 };
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = H1,
			      .host_count = 1,
			      .links = links,
			      .link_count = 2 };
	page = (struct clock_page){ .dilation = 1 };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .ready = NODES,
				  .alive = NODES,
				  .page = &page,
				  .clock = { .page = &page, .asleep = asleep },
				  .clock_fd = -1,
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	for (uint32_t i = 0; i < NODES; i++)
		fake_node(i);
	for (uint32_t i = 0; i < NODES; i++)
		for (uint32_t p = 0; p < 2; p++)
			ports[i][p] = (struct port_config){ .kind = PORT_FABRIC,
							    .rate_bps = 1000000000,
							    .mtu_bytes = 1500,
							    .channels = 16,
							    .ring_bytes = 4096 };
	ports[S1][0].peer_index = S2;
	ports[S1][1].vacant = true;
	ports[S2][1].peer_index = H1;
	ports[S2][1].link_index = ports[H1][0].link_index = 1;
	ports[H1][0].peer_index = S2;
	ports[H1][0].peer_port = 1;
}

static inline void fake_teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++) {
		close(nodes[i].control);
		if (ends[i] >= 0)
			close(ends[i]);
	}
	close(fabric.epoll_fd);
}

/* @node sends the message, now or before it is asked */
static inline void node_sends(uint32_t node, struct control_message message)
{
	ck_assert_int_eq(control_send(ends[node], &message), 0);
}

/* the next message that @node has received; control_message_free() later */
static inline struct control_message node_received(uint32_t node)
{
	struct control_message got;
	struct why why;

	ck_assert_int_eq(control_receive(ends[node], &got, 0, &why), 0);
	return got;
}

static inline void node_received_nothing(uint32_t node)
{
	char byte;

	ck_assert_int_eq(recv(ends[node], &byte, 1, MSG_DONTWAIT), -1);
}

/* ... its socket, as a process that ends */
static inline void node_closes(uint32_t node)
{
	close(ends[node]);
	ends[node] = -1;
}

#endif
