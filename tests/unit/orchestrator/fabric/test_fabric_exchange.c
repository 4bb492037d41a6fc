/*  orchestrator/fabric/fabric_exchange: the questions of a fabric manager to all nodes, and what
 *  counts as an answer; nodes that do not answer, under either clock (TB-14, TB-22). */
#include "orchestrator/fabric/fabric_exchange.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "nodes/process/process_look.h"
#include "orchestrator/base/interrupt.h"
#include "tests/said.h"
#include "tests/unit/orchestrator/fabric/fake_nodes.h"

#define BEFORE 10u /* number of the last question of others */
#define ASKS_MAX 2000u

static struct manager_question asks[ASKS_MAX];
static struct node_identity identities[NODES];

TEST_GROUP(fabric_exchange, .setup = fake_setup, .teardown = fake_teardown);

/* question @index is to @node */
static void asks_of(uint32_t index, uint32_t node, enum manager_ask ask)
{
	asks[index] = (struct manager_question){ .ask = ask, .node = node, .status = -99 };
	asks[index].identity = ask == ASK_DISCOVER ? &identities[node] : NULL;
	fabric.questions = BEFORE;
}

static void asks_block(uint32_t index, uint32_t node, enum manager_ask ask, enum table_kind table,
		       uint32_t number)
{
	asks_of(index, node, ask);
	asks[index].block = (struct table_block){ .table = table, .number = number };
}

static void answers(uint32_t node, uint32_t index, int status)
{
	node_sends(node, (struct control_message){ .kind = CONTROL_ANSWER,
						   .question = BEFORE + 1 + index,
						   .number = status });
}

static void answers_block(uint32_t node, uint32_t index, enum table_kind table, uint32_t number,
			  uint8_t byte)
{
	struct table_block block = { .table = table, .number = number };

	memset(block.bytes, byte, sizeof(block.bytes));
	node_sends(node, (struct control_message){ .kind = CONTROL_ANSWER,
						   .question = BEFORE + 1 + index,
						   .block = &block });
}

static void answers_identity(uint32_t node, uint32_t index, int status)
{
	struct node_identity identity = { .index = node, .port_count = 1 };

	snprintf(identity.name, sizeof(identity.name), "found%u", node);
	node_sends(node, (struct control_message){ .kind = CONTROL_ANSWER,
						   .question = BEFORE + 1 + index,
						   .number = status,
						   .identity = &identity });
}

/* @node has received question @index as a message of @kind. Return: a byte of its block, -1: it
 * has none */
static int asked(uint32_t node, uint32_t index, enum control_kind kind)
{
	struct control_message got = node_received(node);
	int byte = got.block ? got.block->bytes[TABLE_BLOCK_BYTES - 1] : -1;

	ck_assert_int_eq(got.kind, kind);
	ck_assert_uint_eq(got.question, BEFORE + 1 + index);
	if (got.block) {
		ck_assert_int_eq(got.block->table, asks[index].block.table);
		ck_assert_uint_eq(got.block->number, asks[index].block.number);
	}
	control_message_free(&got);
	return byte;
}

static bool block_is(uint32_t index, uint8_t byte)
{
	return asks[index].block.bytes[0] == byte &&
	       asks[index].block.bytes[TABLE_BLOCK_BYTES - 1] == byte;
}

/* ---- questions and answers ---- */

/* each node in the order of its questions; under the virtual clock those that are asked are rung */
TEST_RANGE(fabric_exchange__of_all_kinds, 0, 2)
{
	fabric.options.real = _i;
	asks_of(0, S2, ASK_DISCOVER);
	asks_block(1, S1, ASK_READ, TABLE_ROUTES, 3);
	asks_of(2, S2, ASK_BEGIN);
	asks_block(3, S2, ASK_WRITE, TABLE_HOSTS, 5);
	memset(asks[3].block.bytes, 0x55, TABLE_BLOCK_BYTES);
	asks_block(4, S1, ASK_READ_BACK, TABLE_HOSTS, 4);
	asks_of(5, S2, ASK_COMMIT);
	answers_identity(S2, 0, 0);
	answers(S2, 2, 0);
	answers(S2, 3, -EINVAL);
	answers(S2, 5, 0);
	answers_block(S1, 1, TABLE_ROUTES, 3, 0x11);
	answers_block(S1, 4, TABLE_HOSTS, 4, 0x22);
	nodes[S1].tables_due = nodes[S2].tables_due = true;
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 6), 0);
	ck_assert_uint_eq(fabric.questions, BEFORE + 6);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_int_eq(asks[i].status, i == 3 ? -EINVAL : 0);
	ck_assert_str_eq(identities[S2].name, "found1");
	ck_assert(block_is(1, 0x11) && block_is(4, 0x22) && block_is(3, 0x55));
	/* only what discovers a node knows that it is there */
	ck_assert(nodes[S1].tables_due && !nodes[S2].tables_due);
	ck_assert_int_eq(asked(S2, 0, CONTROL_DISCOVER), -1);
	ck_assert_int_eq(asked(S2, 2, CONTROL_TABLE_BEGIN), -1);
	ck_assert_int_eq(asked(S2, 3, CONTROL_TABLE_WRITE), 0x55);
	ck_assert_int_eq(asked(S2, 5, CONTROL_TABLE_COMMIT), -1);
	ck_assert_int_eq(asked(S1, 1, CONTROL_TABLE_READ), 0);
	ck_assert_int_eq(asked(S1, 4, CONTROL_TABLE_READ_BACK), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		node_received_nothing(i);
		ck_assert_uint_eq(asleep[i], fabric.options.real || i == H1);
	}
	ck_assert_str_eq(fabric.failure, "");
}

TEST(fabric_exchange__no_question)
{
	fabric.questions = BEFORE;
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 0), 0);
	ck_assert_uint_eq(fabric.questions, BEFORE);
}

/* other messages, and answers to what this node was not asked, or was asked before */
TEST(fabric_exchange__what_is_no_answer)
{
	nodes[S1].ready = false;
	node_sends(S1, (struct control_message){ .kind = CONTROL_READY });
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 0), 0);
	nodes[S1].ready = true;
	asks_of(0, S2, ASK_BEGIN);
	asks_block(1, S1, ASK_READ, TABLE_ROUTES, 1);
	asks_of(2, S1, ASK_BEGIN);
	asks[3] = (struct manager_question){ .node = S1, .status = 1 }; /* of no exchange */
	answers(S1, -1u, -1);
	answers(S1, 3, -1);
	answers(S1, 0, -1);
	node_sends(S1, (struct control_message){ .kind = CONTROL_READY });
	answers_block(S1, 1, TABLE_ROUTES, 1, 0x11);
	answers_block(S1, 1, TABLE_ROUTES, 1, 0x22);
	answers(S1, 1, -1);
	answers(S1, 2, 0);
	answers(S2, 0, -EBUSY);
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	ck_assert_int_eq(asks[0].status, -EBUSY);
	ck_assert_int_eq(asks[1].status, 0);
	ck_assert_int_eq(asks[2].status, 0);
	ck_assert_int_eq(asks[3].status, 1);
	ck_assert(block_is(1, 0x11));
	ck_assert_uint_eq(fabric.ready, NODES);
}

static const struct {
	enum manager_ask ask;
	int sent; /* status of the answer */
	bool identity, block;
	enum table_kind table;
	uint32_t number;
	int status;
} wrong[] = {
	{ ASK_DISCOVER, 0, false, false, 0, 0, -EPROTO },
	{ ASK_DISCOVER, 1, true, false, 0, 0, -EPROTO },
	{ ASK_DISCOVER, -EBUSY, true, false, 0, 0, -EBUSY },
	{ ASK_BEGIN, 1, false, false, 0, 0, -EPROTO },
	{ ASK_COMMIT, 2, false, false, 0, 0, -EPROTO },
	{ ASK_READ, -EINVAL, false, false, 0, 0, -EINVAL },
	{ ASK_READ, 0, false, false, 0, 0, -EPROTO },
	{ ASK_READ, 0, false, true, TABLE_ROUTES, 2, -EPROTO },
	{ ASK_READ, 0, false, true, TABLE_ROUTES, 4, -EPROTO },
	{ ASK_READ_BACK, 0, false, true, TABLE_HOSTS, 3, -EPROTO },
	{ ASK_READ_BACK, 0, false, false, 0, 0, -EPROTO },
};

/* the next one is answered all the same */
TEST_RANGE(fabric_exchange__wrong_answer, 0, (int)(sizeof(wrong) / sizeof(wrong[0])))
{
	identities[S1].index = 77;
	asks_block(0, S1, wrong[_i].ask, TABLE_ROUTES, 3);
	asks[0].identity = &identities[S1];
	asks_of(1, S1, ASK_BEGIN);
	if (wrong[_i].identity)
		answers_identity(S1, 0, wrong[_i].sent);
	else if (wrong[_i].block)
		answers_block(S1, 0, wrong[_i].table, wrong[_i].number, 0x11);
	else
		answers(S1, 0, wrong[_i].sent);
	answers(S1, 1, 0);
	nodes[S1].tables_due = true;
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 2), 0);
	ck_assert_int_eq(asks[0].status, wrong[_i].status);
	ck_assert_int_eq(asks[1].status, 0);
	ck_assert(block_is(0, 0));
	ck_assert_uint_eq(identities[S1].index, 77);
	ck_assert(nodes[S1].tables_due);
}

/* the others are sent as the node receives; its answers stay in their order */
TEST(fabric_exchange__more_than_a_socket_takes)
{
	pid_t pid;

	for (uint32_t i = 0; i < ASKS_MAX; i++)
		asks_of(i, S2, ASK_BEGIN);
	pid = fork();
	if (!pid) {
		for (uint32_t i = 0; i < ASKS_MAX; i++) {
			struct control_message got;
			struct why why;

			if (control_receive(ends[S2], &got, 1, &why))
				_exit(1);
			got.kind = CONTROL_ANSWER;
			got.number = -(int)i;
			control_send(ends[S2], &got);
		}
		_exit(0);
	}
	ck_assert_int_eq(fabric_exchange(&fabric, asks, ASKS_MAX), 0);
	for (uint32_t i = 0; i < ASKS_MAX; i++)
		ck_assert_int_eq(asks[i].status, -(int)i);
	waitpid(pid, NULL, 0); /* unless it was reaped as a child that is no node */
}

/* ---- real clock: nodes that do not answer ---- */

/* S1 and H1 are asked, H1 answers */
static void two_asked(void)
{
	asks_of(0, S1, ASK_DISCOVER);
	asks_of(1, S1, ASK_BEGIN);
	asks_of(2, H1, ASK_DISCOVER);
	answers_identity(H1, 2, 0);
}

static void h1_answers_alone(void)
{
	fabric.options.real = true;
	two_asked();
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	ck_assert_int_eq(asks[0].status, -ESRCH);
	ck_assert_int_eq(asks[1].status, -ESRCH);
	ck_assert_int_eq(asks[2].status, 0);
	ck_assert(!nodes[H1].tables_due && !nodes[S2].tables_due);
}

/* switches that live are asked again later, if they were asked at all */
TEST(fabric_exchange__no_time)
{
	fabric.options.real = true;
	fabric.patience_until_ns = 1;
	two_asked();
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(asks[i].status, -ESRCH);
	ck_assert(nodes[S1].tables_due && !nodes[S2].tables_due && !nodes[H1].tables_due);
	ck_assert_str_eq(fabric.failure, "");
}

TEST(fabric_exchange__dead)
{
	nodes[S1].pid = 0;
	h1_answers_alone();
	ck_assert(!nodes[S1].tables_due);
	node_received_nothing(S1);
}

TEST_RANGE(fabric_exchange__starting_or_stopped, 0, 2)
{
	nodes[S1].ready = _i;
	nodes[S1].stopped_ns = _i;
	h1_answers_alone();
	ck_assert(nodes[S1].tables_due);
	node_received_nothing(S1);
}

TEST(fabric_exchange__its_socket_is_closed)
{
	node_closes(S1);
	h1_answers_alone();
	ck_assert(nodes[S1].tables_due);
	ck_assert_str_eq(fabric.failure, "");
}

/* its socket is not looked at any more */
TEST_RANGE(fabric_exchange__closes_its_socket_or_sends_nonsense, 0, 2)
{
	struct epoll_event event;

	if (_i)
		ck_assert_int_eq(send(ends[S1], "nonsense", 8, 0), 8);
	else
		ck_assert_int_eq(shutdown(ends[S1], SHUT_WR), 0);
	h1_answers_alone();
	ck_assert_int_eq(asked(S1, 0, CONTROL_DISCOVER), -1);
	ck_assert_int_eq(asked(S1, 1, CONTROL_TABLE_BEGIN), -1);
	ck_assert(nodes[S1].tables_due);
	ck_assert_int_eq(epoll_wait(fabric.epoll_fd, &event, 1, 0), 0);
	if (_i)
		ck_assert_msg(!strncmp(fabric.failure,
				       "switch s1 (pid 100) sent an invalid control message: ", 53),
			      "%s", fabric.failure);
	else
		ck_assert_str_eq(fabric.failure, "");
}

/* an error of a node does not end the others, and it may answer still */
TEST(fabric_exchange__reports_an_error)
{
	fabric.options.real = true;
	two_asked();
	node_sends(S1,
		   (struct control_message){ .kind = CONTROL_EVENT, .number = 1, .text = "hot" });
	answers_identity(S1, 0, 0);
	answers(S1, 1, 0);
	said_begin();
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	ck_assert_str_eq(said_end(), "heddle: switch s1 reports: hot\n");
	ck_assert_int_eq(asks[1].status, 0);
	ck_assert_str_eq(nodes[S1].fate, "hot");
	ck_assert_str_eq(fabric.failure, "");
}

/* ---- nodes of other machines ---- */

static bool s2_is_there(void *owner, uint32_t node)
{
	return owner == &fabric && node == S2;
}

static bool link_is_up(void *owner, uint32_t link)
{
	return owner == &fabric && (link == 0 || ports[S2][1].vacant);
}

/* from the plan, if the machine is there; their tables are of the manager there */
TEST_RANGE(fabric_exchange__elsewhere, 0, 2)
{
	static const struct fabric_tunnel tunnel = { .there = s2_is_there, .up = link_is_up };
	uint8_t machine_of[NODES] = { 0, 1, 2 };

	plan.machine_of = machine_of;
	fabric.options.real = true;
	fabric.options.owner = &fabric;
	fabric.options.tunnel = &tunnel;
	nodes[S2].pid = nodes[H1].pid = 0;
	ports[S2][1].vacant = _i;
	asks_of(0, S2, ASK_DISCOVER);
	asks_of(1, H1, ASK_DISCOVER);
	asks_of(2, S1, ASK_DISCOVER);
	asks_block(3, S2, ASK_READ, TABLE_ROUTES, 0);
	answers_identity(S1, 2, 0);
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 4), 0);
	ck_assert_int_eq(asks[0].status, 0);
	ck_assert_int_eq(asks[1].status, -ESRCH);
	ck_assert_int_eq(asks[2].status, 0);
	ck_assert_int_eq(asks[3].status, -ESRCH);
	ck_assert_str_eq(identities[S2].name, "s2");
	ck_assert_uint_eq(identities[S2].port_count, 2);
	ck_assert(identities[S2].ports[0].up && !identities[S2].ports[1].up);
	ck_assert_int_eq(identities[S2].ports[1].plugged, !_i);
	node_received_nothing(S2);
	node_received_nothing(H1);
	ck_assert(!nodes[S2].tables_due && !nodes[H1].tables_due);
}

/* ---- virtual clock: all answer, or the run ends ---- */

static void fails_with(const char *begins)
{
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), -EIO);
	ck_assert_msg(!strncmp(fabric.failure, begins, strlen(begins)), "%s", fabric.failure);
}

TEST(fabric_exchange__virtual_clock_dead)
{
	two_asked();
	nodes[S1].pid = 0;
	fails_with("switch s1 (pid 100) has closed its control socket");
}

TEST(fabric_exchange__virtual_clock_dies)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(3);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	nodes[S1].pid = pid;
	two_asked();
	fails_with("switch s1 (pid 100) left in the middle of the run with status 3");
}

TEST(fabric_exchange__virtual_clock_reports_an_error)
{
	two_asked();
	answers_identity(S1, 0, 0);
	answers(S1, 1, 0);
	node_sends(S1,
		   (struct control_message){ .kind = CONTROL_EVENT, .number = 1, .text = "hot" });
	fails_with("switch s1 (pid 100) reports: hot");
}

TEST(fabric_exchange__virtual_clock_interrupted)
{
	interrupt_catch();
	raise(SIGTERM);
	two_asked();
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), -EINTR);
	ck_assert_str_eq(fabric.failure, "");
}

/* a node that has answered some of its questions is waited for as well */
TEST(fabric_exchange__virtual_clock_hangs)
{
	pid_t pid = fork();
	const char *end;

	if (!pid)
		for (;;)
			pause();
	nodes[S1].pid = nodes[S2].pid = pid;
	two_asked();
	answers_identity(S1, 0, 0);
	asks_of(3, S2, ASK_BEGIN);
	fabric.options.watchdog_ns = 1000000;
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 4), -EIO);
	end = strstr(fabric.failure, " for ");
	ck_assert_msg(end && !strncmp(fabric.failure,
				      "switch s1 (pid 100) hangs: it has not answered the fabric "
				      "manager for ",
				      (size_t)(end - fabric.failure)),
		      "%s", fabric.failure);
	ck_assert_msg(strstr(end, " s, nor has 1 other") != NULL, "%s", fabric.failure);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* ---- a sweep ---- */

static char told[512];

static void tell(void *observer, const char *text)
{
	(void)observer;
	strcat(told, text);
	strcat(told, "\n");
}

/* a switch has the number of its place as its address, from 1 on */
static void answers_wrong_address(uint32_t node)
{
	struct node_identity identity = { .kind = node == H1 ? NODE_NIC : NODE_SWITCH,
					  .index = node,
					  .fabric_address = node == H1 ? 0 : 1,
					  .port_count = 1 };

	strcpy(identity.name, configs[node].name);
	node_sends(node, (struct control_message){ .kind = CONTROL_ANSWER,
						   .question = BEFORE + 1 + node,
						   .identity = &identity });
}

/* Real clock: nodes that do not answer are left out. Virtual clock: what is wrong ends the run; a
 * signal ends it without a word. */
TEST_RANGE(fabric_manage__fails, 0, 3)
{
	static const int results[] = { 0, -EIO, -EINTR };

	fabric.options.real = !_i;
	fabric.options.stage = fabric.options.note = tell;
	fabric.patience_until_ns = 1;
	fabric.questions = BEFORE;
	for (uint32_t i = 0; i < NODES && _i == 1; i++)
		answers_wrong_address(i);
	interrupt_catch();
	if (_i == 2)
		raise(SIGTERM);
	ck_assert_int_eq(fabric_manage(&fabric), results[_i]);
	ck_assert_str_eq(told, _i ? "the fabric manager asks all nodes\n"
				  : "the fabric manager asks all nodes\nthe fabric manager has "
				    "written the tables of 0 switches\n");
	ck_assert_str_eq(fabric.failure, _i == 1 ? "the fabric manager: s1 and s2 have the same "
						   "fabric address 1"
						 : "");
}

/* ---- what is waited for: these take two seconds each ---- */

TEST_GROUP(fabric_exchange_waits, .setup = fake_setup, .teardown = fake_teardown);

static char waits[256];
static void (*when_shown)(void);

static void wait_note(void *observer, const char *what)
{
	(void)observer;
	snprintf(waits, sizeof(waits), "%s", what);
	*strchr(waits, ';') = 0; /* for how long */
	if (when_shown)
		when_shown();
}

static void s1_answers(void)
{
	answers_identity(S1, 0, 0);
	answers(S1, 1, 0);
}

/* a signal has stopped it; it continues when that is said */
TEST(fabric_exchange__says_which_node_is_waited_for)
{
	two_asked();
	nodes[S1].stopped_ns = 1;
	fabric.options.waits = wait_note;
	when_shown = s1_answers;
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	ck_assert_str_eq(waits, "waiting for switch s1, which is stopped, 1 of 3 answers received");
}

/* Real clock: 2 s without an answer are enough, unless it waits for a core; then 6 s are. Judged
 * only if this machine was not slow meanwhile. */
TEST_RANGE(fabric_exchange__real_clock_is_patient, 0, 2)
{
	pid_t pid = fork();
	uint64_t began_ns;

	if (!pid)
		while (_i)
			;
	if (!pid)
		for (;;)
			pause();
	while (process_wants_core(pid) != _i)
		;
	nodes[S1].pid = pid;
	fabric.options.real = true;
	fabric.options.waits = wait_note;
	when_shown = _i ? s1_answers : NULL;
	two_asked();
	began_ns = monotonic_ns();
	ck_assert_int_eq(fabric_exchange(&fabric, asks, 3), 0);
	if (monotonic_ns() - began_ns < 4000000000) {
		ck_assert_int_eq(asks[0].status, _i ? 0 : -ESRCH);
		ck_assert_int_eq(asks[2].status, 0);
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
