/*  orchestrator/fabric/fabric_ask, fabric_real, fabric_fault: questions to nodes under the real
 *  clock, changes of links that both ends have to take, fabric time 0 (TB-4, TB-6, TB-8). The test
 *  is the nodes as well: they answer before they are asked. */
#include "orchestrator/fabric/fabric_ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/fabric/fabric_fault.h"
#include "orchestrator/fabric/fabric_real.h"
#include "orchestrator/fabric/fabric_start.h"
#include "tests/testing.h"

enum { A, B, NODES };

static struct node_config configs[NODES];
static struct port_config ports[NODES];
static struct plan_link link_ab;
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;
static int ends[NODES]; /* of the nodes */
static struct control_message message;

static void setup(void)
{
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = NODES,
			      .links = &link_ab,
			      .link_count = 1 };
	link_ab = (struct plan_link){ .node_a = A, .node_b = B };
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(0),
				  .drain_look_at = NODE_TIME_NEVER };
	for (uint32_t i = 0; i < NODES; i++) {
		int pair[2];

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		configs[i] = (struct node_config){ .kind = NODE_SWITCH,
						   .port_count = 1,
						   .ports = &ports[i] };
		snprintf(configs[i].name, sizeof(configs[i].name), "s%u", i + 1);
		ports[i] = (struct port_config){ .kind = PORT_FABRIC,
						 .peer_index = 1 - i,
						 .rate_bps = 1000000000,
						 .delay_ps = NODE_US,
						 .mtu_bytes = 1500,
						 .channels = 16 };
		nodes[i] = (struct fabric_node){ .lead = i,
						 .slot = i,
						 .control = pair[0],
						 .pid = getpid(),
						 .pid_shown = 100 + (pid_t)i,
						 .doorbell = -1 };
		ends[i] = pair[1];
	}
	message = (struct control_message){ .kind = CONTROL_SET, .number = 3 };
	strcpy(message.text, "acks.t1");
	strcpy(message.text2, "5us");
}

static void teardown(void)
{
	control_message_free(&message);
	for (uint32_t i = 0; i < NODES; i++) {
		close(nodes[i].control);
		close(ends[i]);
	}
	close(fabric.epoll_fd);
}

/* @node answers @question with @number and @body */
static void answers(uint32_t node, uint32_t question, int number, const char *body)
{
	struct control_message answer = {
		.kind = CONTROL_ANSWER, .question = question, .number = number, .body = strdup(body)
	};

	ck_assert_int_eq(control_send(ends[node], &answer), 0);
	free(answer.body);
}

/* the next message that @node has received; control_message_free() later */
static struct control_message received(uint32_t node)
{
	struct control_message got;
	struct why why;

	ck_assert_int_eq(control_receive(ends[node], &got, 0, &why), 0);
	return got;
}

static void received_nothing(uint32_t node)
{
	char byte;

	ck_assert_int_eq(recv(ends[node], &byte, 1, MSG_DONTWAIT), -1);
}

TEST_GROUP(fabric_ask, .setup = setup, .teardown = teardown);

/* ---- fabric_ask ---- */

TEST(fabric_ask__question_and_answer)
{
	struct control_message got;

	fabric.questions = 41;
	answers(B, 42, 0, "done");
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), 0);
	ck_assert_int_eq(message.kind, CONTROL_ANSWER);
	ck_assert_str_eq(message.body, "done");
	got = received(B);
	ck_assert_int_eq(got.kind, CONTROL_SET);
	ck_assert_uint_eq(got.question, 42);
	ck_assert_str_eq(got.text, "acks.t1");
	ck_assert_str_eq(got.text2, "5us");
	control_message_free(&got);
	received_nothing(A);
}

/* of a question that was given up before; and what is no answer */
TEST(fabric_ask__other_messages_come_first)
{
	struct control_message ready = { .kind = CONTROL_READY };

	fabric.questions = 41;
	answers(B, 41, -5, "too late");
	ck_assert_int_eq(control_send(ends[B], &ready), 0);
	answers(B, 42, 0, "in time");
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), 0);
	ck_assert_str_eq(message.body, "in time");
	ck_assert(nodes[B].ready);
}

TEST(fabric_ask__no_answer)
{
	fabric.patience_until_ns = monotonic_ns() + 20000000;
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), -ETIMEDOUT);
	ck_assert_int_eq(message.kind, 0);
	ck_assert_str_eq(message.text, "");
	ck_assert_str_eq(fabric.failure, "");
}

/* it receives the question when it continues */
TEST(fabric_ask__a_stopped_node_is_not_waited_for)
{
	struct control_message got;

	nodes[B].stopped_ns = 1;
	answers(B, 1, 0, "it cannot");
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), -ETIMEDOUT);
	got = received(B);
	ck_assert_str_eq(got.text, "acks.t1");
	control_message_free(&got);
}

TEST(fabric_ask__its_queue_is_full)
{
	struct control_message note = { .kind = CONTROL_SHOW };

	while (!control_send_now(nodes[B].control, &note))
		;
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), -ETIMEDOUT);
}

TEST(fabric_ask__it_has_closed_its_socket)
{
	close(ends[B]);
	ends[B] = -1;
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), -EPIPE);
}

TEST(fabric_deadline_ns__the_earlier_one)
{
	uint64_t before_ns = monotonic_ns(), deadline_ns = fabric_deadline_ns(&fabric, 5000);

	ck_assert_uint_ge(deadline_ns, before_ns + 5000000000);
	ck_assert_uint_le(deadline_ns, monotonic_ns() + 5000000000);
	fabric.patience_until_ns = before_ns + 1;
	ck_assert_uint_eq(fabric_deadline_ns(&fabric, 5000), before_ns + 1);
	fabric.patience_until_ns = UINT64_MAX;
	ck_assert_uint_le(fabric_deadline_ns(&fabric, 5000), monotonic_ns() + 5000000000);
}

/* ---- fabric_tell ---- */

TEST(fabric_tell__refused)
{
	answers(A, 1, -EINVAL, "too small");
	ck_assert_int_eq(fabric_tell(&fabric, A, &message), -EINVAL);
	ck_assert_str_eq(fabric.failure, "switch s1 (pid 100) refuses: too small");
}

TEST(fabric_tell__refused_without_a_reason)
{
	answers(B, 1, -ENOMEM, "");
	ck_assert_int_eq(fabric_tell(&fabric, B, &message), -ENOMEM);
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 101) refuses: Cannot allocate memory");
}

TEST(fabric_tell__no_answer)
{
	fabric.patience_until_ns = 1;
	ck_assert_int_eq(fabric_tell(&fabric, A, &message), -ETIMEDOUT);
	ck_assert_str_eq(fabric.failure, "switch s1 (pid 100) does not answer");
	fabric.failure[0] = 0;
	message.kind = CONTROL_SET;
	nodes[A].stopped_ns = 1;
	ck_assert_int_eq(fabric_tell(&fabric, A, &message), -ETIMEDOUT);
	ck_assert_str_eq(fabric.failure, "switch s1 (pid 100) is stopped and does not answer");
}

/* ---- fabric_link_set ---- */

static struct link_config slower(void)
{
	struct link_config settings;

	port_direction_get(&ports[A], &ports[B], &settings);
	settings.rate_bps = 1000000;
	return settings;
}

TEST(fabric_link_set__both_ends)
{
	struct link_config settings = slower();
	struct control_message got;

	answers(A, 1, 0, "");
	answers(B, 2, 0, "");
	ck_assert_int_eq(fabric_link_set(&fabric, 0, &settings, &settings), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		got = received(i);
		ck_assert_int_eq(got.kind, CONTROL_LINK_SET);
		ck_assert_int_eq(got.number, 0);
		ck_assert_uint_eq(got.port->rate_bps, 1000000);
		control_message_free(&got);
		ck_assert_uint_eq(ports[i].rate_bps, 1000000);
		received_nothing(i);
	}
}

/* both or none: the one that took them is told to return */
TEST_RANGE(fabric_link_set__one_end_refuses, 0, NODES)
{
	struct link_config settings = slower();
	struct control_message got;

	answers(A, 1, _i == A ? -EINVAL : 0, "");
	answers(B, 2, _i == B ? -EINVAL : 0, "");
	answers(A, 3, 0, "");
	answers(B, 4, 0, "");
	ck_assert_int_eq(fabric_link_set(&fabric, 0, &settings, &settings), -EINVAL);
	for (uint32_t i = 0; i < NODES; i++) {
		got = received(i);
		ck_assert_uint_eq(got.port->rate_bps, 1000000);
		control_message_free(&got);
		got = received(i);
		ck_assert_uint_eq(got.port->rate_bps, 1000000000);
		control_message_free(&got);
		ck_assert_uint_eq(ports[i].rate_bps, 1000000000);
	}
}

/* the plan keeps them for the time when it is back */
TEST_RANGE(fabric_link_set__a_link_that_carries_nothing, 0, 3)
{
	struct link_config settings = slower();

	if (_i < NODES)
		nodes[_i].pid = 0;
	else
		link_ab.down = true;
	ck_assert_int_eq(fabric_link_set(&fabric, 0, &settings, &settings), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_uint_eq(ports[i].rate_bps, 1000000);
		received_nothing(i);
	}
}

/* ---- fabric_fault ---- */

/* channels that are in use still, as the end that sent is told */
TEST(fabric_drain_report__names_the_channels)
{
	struct channel_set left = { 0 };
	struct control_message got;

	channel_set_add(&left, 3);
	channel_set_add(&left, 70);
	answers(B, 1, 0, "");
	ck_assert_int_eq(fabric_drain_report(&fabric, B, 5, &left), 0);
	got = received(B);
	ck_assert_int_eq(got.kind, CONTROL_LINK_DOWN);
	ck_assert_int_eq(got.number, 5);
	ck_assert_str_eq(got.text, CONTROL_SETTLED);
	ck_assert_str_eq(got.body, "3 70");
	control_message_free(&got);
	answers(B, 2, -EBUSY, "later");
	ck_assert_int_ne(fabric_drain_report(&fabric, B, 5, &left), 0);
	ck_assert_ptr_nonnull(strstr(fabric.failure, "later"));
}

/* Under the virtual clock both ends keep their rings, and are told one after the other. */
static void link_changes(int (*change)(void *owner, uint32_t link), enum control_kind kind)
{
	for (uint32_t i = 0; i < NODES; i++)
		answers(i, fabric.questions + 1 + i, 0, "");
	ck_assert_int_eq(change(&fabric, 0), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		struct control_message got = received(i);

		ck_assert_int_eq(got.kind, kind);
		ck_assert_int_eq(got.number, 0);
		control_message_free(&got);
	}
}

TEST(fabric_fault__virtual_clock)
{
	static _Atomic uint32_t asleep[NODES];
	struct fault_fabric fault;

	fabric.clock = (struct clock){ .page = &page, .asleep = asleep };
	fabric.options.real = false;
	fabric.options.watchdog_ns = 1000000000;
	fault = fabric_fault(&fabric);
	ck_assert_ptr_eq(fault.owner, &fabric);
	ck_assert(fault.report_left == fabric_drain_report);
	ck_assert(!fault.manager_dies);
	link_changes(fault.link_down, CONTROL_LINK_DOWN);
	link_changes(fault.link_up, CONTROL_LINK_UP);
	/* the second end is not told if the first one refuses */
	answers(A, fabric.questions + 1, -EINVAL, "no");
	ck_assert_int_ne(fault.link_down(&fabric, 0), 0);
	received_nothing(B);
	fabric.options.real = true;
	ck_assert(!fabric_fault(&fabric).report_left);
}

/* what a node sends instead of an answer ends the run, and nothing of it is used */
TEST_RANGE(fabric_ask__virtual_clock_no_answer, 0, 2)
{
	static _Atomic uint32_t asleep[NODES];
	static const struct control_message nothing;

	fabric.clock = (struct clock){ .page = &page, .asleep = asleep };
	fabric.options.real = false;
	fabric.options.watchdog_ns = 1000000000;
	if (_i) {
		ck_assert_int_eq(send(ends[B], "nonsense", 8, 0), 8);
	} else {
		close(ends[B]);
		ends[B] = dup(ends[A]);
		nodes[B].pid = 0;
	}
	ck_assert_int_eq(fabric_ask(&fabric, B, &message), -EIO);
	ck_assert_str_eq(fabric.failure, _i ? "switch s2 (pid 101) sent an invalid control message"
					    : "switch s2 (pid 101) has closed its control socket");
	ck_assert_int_eq(message.kind, nothing.kind);
	ck_assert_int_eq(message.number, 0);
	ck_assert_str_eq(message.text, "");
}

/* ---- fabric_start ---- */

/* fabric time 0 is the same moment of both clocks of the machine, and all nodes wake up */
TEST(fabric_clock_begin__moment_and_nodes)
{
	const uint64_t lead_ns = 20000000;
	struct timespec utc;
	uint64_t before_ns = monotonic_ns(), before_utc_ns, count;

	clock_gettime(CLOCK_REALTIME, &utc);
	before_utc_ns = (uint64_t)utc.tv_sec * 1000000000 + (uint64_t)utc.tv_nsec;
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fabric_clock_begin(&fabric);
	ck_assert_int_eq(page.state, CLOCK_RUNNING);
	ck_assert_uint_ge(page.epoch_ns, before_ns + lead_ns);
	ck_assert_uint_le(page.epoch_ns, monotonic_ns() + lead_ns);
	clock_gettime(CLOCK_REALTIME, &utc);
	ck_assert_uint_ge(page.epoch_utc_ns, before_utc_ns + lead_ns);
	ck_assert_uint_le(page.epoch_utc_ns,
			  (uint64_t)utc.tv_sec * 1000000000 + (uint64_t)utc.tv_nsec + lead_ns);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_int_eq(read(nodes[i].doorbell, &count, sizeof(count)), sizeof(count));
		ck_assert_uint_eq(count, 1);
		close(nodes[i].doorbell);
	}
}
