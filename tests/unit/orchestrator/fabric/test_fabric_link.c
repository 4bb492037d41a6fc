/*  orchestrator/fabric/fabric_real: links that fail and leave under the real clock: which ends are
 *  told, and what (TB-4, TB-10). The test is the nodes as well: they answer before they are
 *  asked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orchestrator/base/wall_time.h"
#include "orchestrator/fabric/fabric_real.h"
#include "tests/testing.h"

/* S is linked with A by link 0 and with B by link 1 */
enum { S, A, B, NODES };

static struct node_config configs[NODES];
static struct port_config ports[NODES][2];
static struct plan_link links[2];
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static int ends[NODES]; /* of the nodes */

static void setup(void)
{
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = NODES,
			      .links = links,
			      .link_count = 2 };
	page = (struct clock_page){ .dilation = 1, .epoch_ns = wall_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(0) };
	memset(configs, 0, sizeof(configs));
	for (uint32_t i = 0; i < NODES; i++) {
		int pair[2];

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		configs[i] = (struct node_config){ .kind = NODE_SWITCH,
						   .fabric = FABRIC_ROCE,
						   .port_count = i == S ? 2 : 1,
						   .ports = ports[i] };
		snprintf(configs[i].name, sizeof(configs[i].name), "n%u", i);
		nodes[i] = (struct fabric_node){ .lead = i,
						 .slot = i,
						 .control = pair[0],
						 .pid = getpid(),
						 .pid_shown = 100 + (pid_t)i,
						 .doorbell = -1 };
		ends[i] = pair[1];
	}
	for (uint32_t l = 0; l < 2; l++) {
		links[l] = (struct plan_link){ .node_a = S, .port_a = l, .node_b = A + l };
		ports[S][l] = (struct port_config){ .kind = PORT_FABRIC,
						    .peer_index = A + l,
						    .link_index = l,
						    .rate_bps = 1000000000,
						    .delay_ps = NODE_US,
						    .mtu_bytes = 1500 + l,
						    .channels = 16 + l };
		ports[A + l][0] = ports[S][l];
		ports[A + l][0].peer_index = S;
		ports[A + l][0].peer_port = l;
	}
	ck_assert_int_eq(fabric_drain_init(&fabric), 0);
}

static void teardown(void)
{
	link_drain_fini(&fabric.link_drain);
	for (uint32_t i = 0; i < NODES; i++) {
		close(nodes[i].control);
		close(ends[i]);
	}
	close(fabric.epoll_fd);
}

/* @node answers @question with @number */
static void answers(uint32_t node, uint32_t question, int number)
{
	struct control_message answer = { .kind = CONTROL_ANSWER,
					  .question = question,
					  .number = number };

	ck_assert_int_eq(control_send(ends[node], &answer), 0);
}

/* @node was told that the link at @port is down; for good if @vacant */
static void told(uint32_t node, uint32_t port, bool vacant)
{
	struct control_message got;
	char why[256];

	ck_assert_int_eq(control_receive(ends[node], &got, 0, why, sizeof(why)), 0);
	ck_assert_int_eq(got.kind, CONTROL_LINK_DOWN);
	ck_assert_int_eq(got.number, port);
	ck_assert_int_eq(got.port != NULL, vacant);
	if (vacant) {
		ck_assert(got.port->vacant);
		ck_assert_uint_eq(got.port->channels, ports[node][port].channels);
		ck_assert_uint_eq(got.port->mtu_bytes, ports[node][port].mtu_bytes);
	}
	control_message_free(&got);
}

static void told_nothing(uint32_t node)
{
	char byte;

	ck_assert_int_eq(recv(ends[node], &byte, 1, MSG_DONTWAIT), -1);
}

TEST_GROUP(fabric_link, .setup = setup, .teardown = teardown);

TEST_RANGE(fabric_link_down__both_ends, 0, 2)
{
	answers(S, 1, 0);
	answers(A + _i, 2, 0);
	ck_assert_int_eq(fabric_link_down(&fabric, _i), 0);
	told(S, _i, false);
	told(A + _i, 0, false);
	told_nothing(B - _i);
}

/* the other end is told all the same */
TEST_RANGE(fabric_link_down__one_end_refuses, 0, 2)
{
	answers(S, 1, _i ? 0 : -EINVAL);
	answers(A, 2, _i ? -EBUSY : 0);
	ck_assert_int_eq(fabric_link_down(&fabric, 0), _i ? -EBUSY : -EINVAL);
	told(S, 0, false);
	told(A, 0, false);
}

TEST(fabric_link_down__a_dead_end_is_not_told)
{
	nodes[S].pid = 0;
	answers(B, 1, 0);
	ck_assert_int_eq(fabric_link_down(&fabric, 1), 0);
	told(B, 0, false);
	told_nothing(S);
	nodes[B].pid = 0;
	ck_assert_int_eq(fabric_link_down(&fabric, 1), 0);
	told_nothing(B);
}

TEST(fabric_link_remove__ports_become_vacant)
{
	answers(S, 1, 0);
	answers(B, 2, 0);
	ck_assert_int_eq(fabric_link_remove(&fabric, 1), 0);
	told(S, 1, true);
	told(B, 0, true);
	told_nothing(A);
}

TEST_RANGE(fabric_link_remove__one_end_refuses, 0, 2)
{
	answers(S, 1, _i ? 0 : -EINVAL);
	answers(A, 2, _i ? -EBUSY : 0);
	ck_assert_int_eq(fabric_link_remove(&fabric, 0), _i ? -EBUSY : -EINVAL);
	told(S, 0, true);
	told(A, 0, true);
}

TEST(fabric_node_isolate__its_neighbours)
{
	answers(A, 1, -EINVAL);
	answers(B, 2, 0);
	ck_assert_int_eq(fabric_node_isolate(&fabric, S), -EINVAL);
	told(A, 0, false);
	told(B, 0, false);
	told_nothing(S);
}

TEST(fabric_node_isolate__vacant_ports_have_none)
{
	ports[S][0].vacant = true;
	answers(B, 1, 0);
	ck_assert_int_eq(fabric_node_isolate(&fabric, S), 0);
	told_nothing(A);
	told(B, 0, false);
}

/* the place is free for another node */
TEST(fabric_node_remove__nothing_is_left)
{
	nodes[B].pid = 0; /* it has ended */
	nodes[B].ready = true;
	nodes[B].lead = nodes[B].slot = A;
	nodes[A].pid = 0;
	fabric.ready = 3;
	fabric_node_remove(&fabric, B);
	ck_assert_uint_eq(fabric.ready, 2);
	ck_assert_int_eq(nodes[B].control, -1);
	ck_assert_int_eq(nodes[B].doorbell, -1);
	ck_assert_uint_eq(nodes[B].lead, B);
	ck_assert_uint_eq(nodes[B].slot, B);
	ck_assert(!nodes[B].ready);
}
