/*  orchestrator/fabric/fabric_real: links that fail and leave under the real clock: which ends are
 *  told, and what (TB-4, TB-10). The test is the nodes as well: they answer before they are
 *  asked. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/base/ring.h"
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
static int ring_fds[4];

static void setup(void)
{
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = NODES,
			      .links = links,
			      .link_count = 2 };
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .ring_fds = ring_fds,
				  .epoll_fd = epoll_create1(0) };
	for (size_t i = 0; i < 4; i++)
		ring_fds[i] = -1;
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
						    .ring_bytes = RING_BYTES_MIN,
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
		if (nodes[i].doorbell >= 0)
			close(nodes[i].doorbell);
	}
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(ring_fds[i], -1); /* both ends have them, or none */
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
	struct why why;

	ck_assert_int_eq(control_receive(ends[node], &got, 0, &why), 0);
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

/* @node was told of a new link at @port, or that it changes */
static void told_of(uint32_t node, enum control_kind kind, uint32_t port)
{
	struct control_message got;
	struct why why;

	ck_assert_int_eq(control_receive(ends[node], &got, 0, &why), 0);
	ck_assert_int_eq(got.kind, kind);
	ck_assert_int_eq(got.number, port);
	ck_assert_uint_eq(got.port->rate_bps, ports[node][port].rate_bps);
	ck_assert_int_eq(got.port->guarded, ports[node][port].guarded);
	ck_assert_uint_eq(got.fd_count, kind == CONTROL_LINK_UP ? 3 : 0);
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

/* ---- links return ---- */

/* it is down first, so that nothing of the former one is left */
TEST(fabric_link_up__both_ends)
{
	answers(S, 1, 0);
	answers(B, 2, 0);
	answers(S, 3, 0);
	answers(B, 4, 0);
	ck_assert_int_eq(fabric_link_up(&fabric, 1), 0);
	told(S, 1, false);
	told(B, 0, false);
	told_of(S, CONTROL_LINK_UP, 1);
	told_of(B, CONTROL_LINK_UP, 0);
	told_nothing(A);
	ck_assert_str_eq(fabric.failure, "");
}

/* then it is down at both ends again */
TEST_RANGE(fabric_link_up__one_end_refuses, 0, 2)
{
	answers(S, 1, 0);
	answers(B, 2, 0);
	answers(S, 3, _i ? 0 : -EINVAL);
	if (_i)
		answers(B, 4, -EBUSY);
	answers(S, 4 + (uint32_t)_i, 0);
	answers(B, 5 + (uint32_t)_i, 0);
	ck_assert_int_eq(fabric_link_up(&fabric, 1), _i ? -EBUSY : -EINVAL);
	told(S, 1, false);
	told(B, 0, false);
	told_of(S, CONTROL_LINK_UP, 1);
	if (_i)
		told_of(B, CONTROL_LINK_UP, 0);
	told(S, 1, false);
	told(B, 0, false);
	told_nothing(S);
	told_nothing(B);
}

/* set down by a command, or a dead node at an end, here or on a machine that is not there */
static bool nowhere(void *owner, uint32_t node)
{
	return owner && node == NODES;
}

TEST_RANGE(fabric_link_up__carries_nothing, 0, 3)
{
	static const struct fabric_tunnel tunnel = { .there = nowhere, .up = nowhere };
	uint8_t machine_of[NODES] = { [B] = 1 };

	links[1].down = _i == 0;
	if (_i)
		nodes[B].pid = 0;
	if (_i == 2) {
		plan.machine_of = machine_of;
		fabric.options.tunnel = &tunnel;
		fabric.options.owner = &fabric;
	}
	answers(S, 1, 0);
	if (!_i)
		answers(B, 2, 0);
	ck_assert_int_eq(fabric_link_up(&fabric, 1), 0);
	told(S, 1, false);
	if (!_i)
		told(B, 0, false);
	told_nothing(S);
	told_nothing(B);
}

/* Between switches with flow channels frames of a link that loses some are numbered: a new link. */
TEST(fabric_link_set__losses_make_it_guarded)
{
	struct link_config settings;

	for (uint32_t i = 0; i < NODES; i++)
		configs[i].fabric = FABRIC_FLOW_CHANNEL;
	port_direction_get(&ports[S][1], &ports[B][0], &settings);
	settings.loss_ppb = 1000;
	for (uint32_t question = 1; question <= 4; question++)
		answers(question % 2 ? S : B, question, 0);
	ck_assert_int_eq(fabric_link_set(&fabric, 1, &settings, &settings), 0);
	ck_assert(ports[S][1].guarded && ports[B][0].guarded && !ports[S][0].guarded);
	told(S, 1, false);
	told(B, 0, false);
	told_of(S, CONTROL_LINK_UP, 1);
	told_of(B, CONTROL_LINK_UP, 0);
	/* it remains so, and is changed from then on */
	settings.loss_ppb = 0;
	answers(S, 5, 0);
	answers(B, 6, 0);
	ck_assert_int_eq(fabric_link_set(&fabric, 1, &settings, &settings), 0);
	ck_assert(ports[S][1].guarded && ports[B][0].guarded);
	told_of(S, CONTROL_LINK_SET, 1);
	told_of(B, CONTROL_LINK_SET, 0);
	told_nothing(A);
}

TEST(fabric_link_set__roce_is_not_guarded)
{
	struct link_config settings;

	port_direction_get(&ports[S][1], &ports[B][0], &settings);
	settings.loss_ppb = 1000;
	answers(S, 1, 0);
	answers(B, 2, 0);
	ck_assert_int_eq(fabric_link_set(&fabric, 1, &settings, &settings), 0);
	told_of(S, CONTROL_LINK_SET, 1);
	told_of(B, CONTROL_LINK_SET, 0);
	ck_assert(!ports[S][1].guarded);
}

/* ---- flows that were on a link ---- */

/* what is left of an end that was not notified is not known */
static void unknown(uint32_t link, bool a_dead, bool b_dead)
{
	ck_assert_uint_ne(fabric.link_drain.ends[2 * link].reported, 0);
	ck_assert_int_eq(fabric.link_drain.ends[2 * link].unknown, b_dead);
	ck_assert_int_eq(fabric.link_drain.ends[2 * link + 1].unknown, a_dead);
	ck_assert_uint_ne(fabric.drain_look_at, NODE_TIME_NEVER);
}

TEST_RANGE(fabric_link_down__what_is_left, 0, 6)
{
	bool a_dead = _i == 1 || _i == 2, b_dead = _i == 3 || _i == 4;

	for (uint32_t i = 0; i < NODES; i++)
		configs[i].fabric = FABRIC_FLOW_CHANNEL;
	if (_i == 1)
		nodes[S].pid = 0;
	else
		answers(S, 1, _i == 2 ? -EINVAL : 0);
	if (_i == 3)
		nodes[A].pid = 0;
	else
		answers(A, _i == 1 ? 1 : 2, _i == 4 ? -EINVAL : 0);
	if (_i == 5)
		fabric_link_remove(&fabric, 0);
	else
		fabric_link_down(&fabric, 0);
	unknown(0, a_dead, b_dead);
	ck_assert_uint_eq(fabric.link_drain.count, 2);
}

TEST(fabric_node_isolate__what_is_left)
{
	for (uint32_t i = 0; i < NODES; i++)
		configs[i].fabric = FABRIC_FLOW_CHANNEL;
	answers(A, 1, 0);
	answers(B, 2, 0);
	ck_assert_int_eq(fabric_node_isolate(&fabric, S), 0);
	unknown(0, true, false);
	unknown(1, true, false);
	fabric.link_drain.ends[0].unknown = fabric.link_drain.ends[1].unknown = false;
	answers(S, 3, 0);
	ck_assert_int_eq(fabric_node_isolate(&fabric, A), 0);
	unknown(0, false, true);
}

/* once nothing is left, both ends are told so: a dead one is not */
TEST_RANGE(fabric_drain_step__settled, 0, 2)
{
	for (uint32_t i = 0; i < NODES; i++)
		configs[i].fabric = FABRIC_FLOW_CHANNEL;
	answers(S, 1, 0);
	answers(A, 2, 0);
	ck_assert_int_eq(fabric_link_down(&fabric, 0), 0);
	told(S, 0, false);
	told(A, 0, false);
	if (_i)
		nodes[A].pid = 0;
	answers(S, 3, 0);
	answers(A, 4, 0);
	while (fabric_drain_step(&fabric) != UINT64_MAX)
		usleep(1000);
	ck_assert_uint_eq(fabric.link_drain.count, 0);
	for (uint32_t i = S; i <= A; i++) {
		struct control_message got;
		struct why why;

		if (i == A && _i)
			continue;
		ck_assert_int_eq(control_receive(ends[i], &got, 0, &why), 0);
		ck_assert_int_eq(got.kind, CONTROL_LINK_DOWN);
		ck_assert_str_eq(got.text, CONTROL_SETTLED);
		control_message_free(&got);
	}
	told_nothing(A);
}

/* ---- nodes return and leave ---- */

/* its neighbours are told before, and again when it could not be started */
TEST(fabric_node_restart__no_program)
{
	nodes[S].pid = 0;
	ring_fds[2] = dup(STDERR_FILENO);
	for (uint32_t question = 1; question <= 4; question++)
		answers(question % 2 ? A : B, question, 0);
	ck_assert_int_eq(fabric_node_restart(&fabric, S), -ENOENT);
	ck_assert_str_eq(fabric.failure, "cannot find the program switchd beside heddle");
	for (uint32_t i = 0; i < 2; i++) {
		told(A, 0, false);
		told(B, 0, false);
	}
	told_nothing(A);
	told_nothing(B);
	told_nothing(S);
}

/* it is not started if a neighbour refuses */
TEST(fabric_node_restart__a_neighbour_refuses)
{
	nodes[S].pid = 0;
	answers(A, 1, -EINVAL);
	answers(B, 2, 0);
	answers(A, 3, 0);
	answers(B, 4, 0);
	ck_assert_int_eq(fabric_node_restart(&fabric, S), -EINVAL);
	ck_assert_str_eq(fabric.failure, "switch n1 (pid 101) refuses: Invalid argument");
}

TEST(fabric_node_remove__ends_its_process)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	nodes[B].pid = pid;
	fabric.alive = 1;
	nodes[B].doorbell = dup(STDERR_FILENO);
	fabric_node_remove(&fabric, B);
	ck_assert_uint_eq(fabric.alive, 0);
	ck_assert_int_eq(nodes[B].pid, 0);
	ck_assert_int_eq(kill(pid, 0), -1);
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
