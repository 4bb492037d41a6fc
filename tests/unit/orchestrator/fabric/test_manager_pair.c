/*  orchestrator/fabric/manager_pair: two managers at the other ends of socketpairs, which are
 *  children of the test: what is relayed, what ends a manager, which one takes over (PG-11,
 *  TB-14, TB-23).
 *
 *  The fabric has two nodes, of which no process runs, so every question has the status -ESRCH. A
 *  manager that the pair starts runs /proc/self/exe, this program: see manager_main(). */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/fabric/manager_pair.h"
#include "orchestrator/manager/manager_message.h"
#include "orchestrator/manager/manager_process.h"
#include "tests/testing.h"

#define NODES 2

static struct fabric_node nodes[NODES];
static struct plan plan;
static struct fabric fabric;
static struct manager_pair pair;
static char notes[4000];

__attribute__((constructor)) static void manager_main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], MANAGER_COMMAND))
		_exit(manager_process_run(argc - 1, argv + 1));
}

static void note(void *observer, const char *text)
{
	ck_assert_ptr_eq(observer, &fabric);
	strcat(strcat(notes, text), "\n");
}

static void fabric_make(void)
{
	for (int i = 0; i < NODES; i++)
		nodes[i].control = -1;
	plan.node_count = NODES;
	plan.routing = (struct routing_request){ .lanes = 1, .lanes_max = 1 };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	fabric.options.real = true;
	fabric.options.note = note;
	fabric.options.observer = &fabric;
	manager_pair_init(&pair, &fabric);
	notes[0] = 0;
}

static void fabric_drop(void)
{
	manager_pair_end(&pair);
	while (wait(NULL) > 0)
		;
	close(fabric.epoll_fd);
}

static void said(const char *part)
{
	ck_assert_msg(strstr(notes, part) != NULL, "'%s' is not in: %s", part, notes);
}

/* ---- the managers of the test: each has one role, then keeps its socket open ---- */

static void say(int fd, const struct manager_message *message)
{
	if (manager_send(fd, message))
		_exit(1);
}

static void hear(int fd, enum manager_kind kind, struct manager_message *message)
{
	struct why why;

	if (manager_receive(fd, message, &why) || message->kind != kind)
		_exit(2);
}

static struct manager_message question_of(uint32_t index, uint32_t count, uint32_t node)
{
	return (struct manager_message){ .kind = MANAGER_QUESTION,
					 .index = index,
					 .count = count,
					 .question = { .ask = ASK_BEGIN, .node = node } };
}

static void report(int fd, int error, const char *why)
{
	struct manager_message message = {
		.kind = MANAGER_REPORT,
		.error = error,
		.report = { .switches = 3, .blocks_written = 2, .switches_written = 1 }
	};

	strcpy(message.report.why, why);
	say(fd, &message);
}

static void part_reports(int fd)
{
	report(fd, 0, "all is well");
}

static void part_fails(int fd)
{
	report(fd, -EINVAL, "there is a cycle");
}

static void part_reports_often(int fd)
{
	report(fd, 0, "a port is full");
	report(fd, 0, "a port is full");
	report(fd, 0, "");
	report(fd, -EINVAL, "there is a cycle");
}

static void part_asks(int fd)
{
	struct manager_message answer;

	for (uint32_t i = 0; i < 3; i++) {
		struct manager_message question = question_of(i, 3, i % NODES);

		say(fd, &question);
	}
	for (uint32_t i = 0; i < 3; i++) {
		hear(fd, MANAGER_ANSWER, &answer);
		if (answer.index != i || answer.count != 3 || answer.question.node != i % NODES ||
		    answer.question.status != -ESRCH)
			_exit(3);
	}
	report(fd, 0, "");
}

static void part_node_out_of_range(int fd)
{
	struct manager_message question = question_of(0, 1, NODES);

	say(fd, &question);
}

static void part_wrong_count(int fd)
{
	struct manager_message question = question_of(0, 2, 0);

	say(fd, &question);
	question = question_of(1, 3, 0);
	say(fd, &question);
}

static void part_starts_late(int fd)
{
	struct manager_message question = question_of(1, 2, 0);

	say(fd, &question);
}

static void part_truncated(int fd)
{
	struct manager_message question = question_of(0, 1, 0);
	uint8_t *bytes;
	int length = manager_message_pack(&question, &bytes);

	send(fd, bytes, (size_t)length - 1, 0);
}

static void part_oversized(int fd)
{
	static uint8_t bytes[MANAGER_BYTES_MAX + 1];

	send(fd, bytes, sizeof(bytes), 0);
}

static void part_hello(int fd)
{
	static const struct route_said route = { 1, 2, 3 };

	say(fd, &(struct manager_message){ .kind = MANAGER_HELLO,
					   .request = { .said_count = 1, .said = &route } });
}

static void part_dies(int fd)
{
	(void)fd;
	_exit(0);
}

static void part_hangs(int fd)
{
	(void)fd;
}

static void manager_fork(struct manager_end *manager, void (*part)(int fd))
{
	int sockets[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	manager->pid = fork();
	ck_assert_int_ge(manager->pid, 0);
	if (!manager->pid) {
		struct manager_message sweep;

		close(sockets[0]);
		hear(sockets[1], MANAGER_SWEEP, &sweep);
		part(sockets[1]);
		for (;;)
			pause();
	}
	close(sockets[1]);
	manager->fd = sockets[0];
	manager->pid_fd = pidfd_open(manager->pid, 0);
	ck_assert_int_ge(manager->pid_fd, 0);
}

static void managers_fork(void (*active)(int fd), void (*standby)(int fd))
{
	manager_fork(&pair.list[0], active);
	manager_fork(&pair.list[1], standby);
}

TEST_GROUP(manager_pair, .setup = fabric_make, .teardown = fabric_drop, .timeout_s = 60);

/* ---- a sweep ---- */

TEST(manager_pair_sweep__returns_the_result)
{
	managers_fork(part_reports, part_hangs);
	fabric.patience_until_ns = 1;
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	ck_assert_uint_gt(fabric.patience_until_ns, 1); /* the sweep itself does not count */
	ck_assert_uint_eq(pair.sweeps, 1);
	ck_assert_uint_eq(pair.takeovers, 0);
	ck_assert_uint_eq(pair.last.switches, 3);
	ck_assert_uint_eq(pair.changed_blocks, 2);
	ck_assert_uint_eq(pair.changed_switches, 1);
	ck_assert_str_eq(notes, "the fabric manager: all is well\n");
	ck_assert_str_eq(fabric.failure, "");
}

/* what the sweep before said as well, nothing, and the reason of a failure are no notes */
TEST(manager_pair_sweep__notes_what_is_new)
{
	managers_fork(part_reports_often, part_hangs);
	for (uint32_t i = 1; i < 4; i++) {
		ck_assert_int_eq(manager_pair_sweep(&pair), 0);
		ck_assert_uint_eq(pair.sweeps, i);
	}
	ck_assert_int_eq(manager_pair_sweep(&pair), -EINVAL);
	ck_assert_str_eq(notes, "the fabric manager: a port is full\n");
	ck_assert_uint_eq(pair.takeovers, 0);
}

TEST(manager_pair_sweep__relays_questions)
{
	managers_fork(part_asks, part_hangs);
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	ck_assert_uint_eq(pair.takeovers, 0);
	ck_assert_uint_eq(pair.sweeps, 1);
}

/* a failed sweep is no fault of the manager */
TEST(manager_pair_sweep__failed_sweep_keeps_the_manager)
{
	managers_fork(part_fails, part_reports);
	ck_assert_int_eq(manager_pair_sweep(&pair), -EINVAL);
	ck_assert_uint_eq(pair.takeovers, 0);
	ck_assert_str_eq(fabric.failure, "the fabric manager: there is a cycle");
}

/* ... but an invalid message is: it ends the manager, not the fabric */
static const struct {
	void (*part)(int fd);
	const char *told;
} wrong[] = {
	{ part_node_out_of_range, "has sent an invalid message (question 0 is for node 2, of 2)" },
	{ part_wrong_count,
	  "has sent an invalid message (message kind 3, 1 of 3, in place of question 1 of 2)" },
	{ part_starts_late,
	  "has sent an invalid message (message kind 3, 1 of 2, in place of question 0 of 2)" },
	{ part_truncated, "bytes are not a message)" },
	{ part_oversized, "has sent an invalid message (a message of 131073 bytes is too long)" },
	{ part_hello, "has sent an invalid message (message kind 1, " },
	{ part_dies, "is dead" },
	{ part_hangs, "hangs" },
};

TEST_RANGE(manager_pair_sweep__standby_takes_over, 0, (int)(sizeof(wrong) / sizeof(wrong[0])))
{
	pid_t lost, standby;
	char told[300];

	pair.patience_ns = 300000000;
	managers_fork(wrong[_i].part, part_asks);
	lost = pair.list[0].pid;
	standby = pair.list[1].pid;
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	snprintf(told, sizeof(told), "the active fabric manager (pid %d) ", (int)lost);
	said(told);
	said(wrong[_i].told);
	snprintf(told, sizeof(told), "; pid %d takes over\n", (int)standby);
	said(told);
	ck_assert_uint_eq(pair.takeovers, 1);
	ck_assert_uint_eq(pair.active, 1);
	ck_assert_uint_eq(pair.sweeps, 1);
	ck_assert_str_eq(fabric.failure, "");
	ck_assert_int_eq(waitpid(lost, NULL, 0), lost); /* it was ended */
	ck_assert_int_ge(pair.list[0].fd, 0);           /* and another standby was started */
	ck_assert_int_ne(pair.list[0].pid, lost);
}

/* both send invalid messages; the third one is real and finds no node */
TEST(manager_pair_sweep__third_manager_replaces_both)
{
	managers_fork(part_truncated, part_oversized);
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	ck_assert_uint_eq(pair.takeovers, 2);
	said("another one is started");
	ck_assert_uint_eq(pair.last.silent, NODES);
}

/* ---- managers in processes of their own ---- */

TEST(manager_pair_sweep__starts_both)
{
	static const struct route_said route = { 1, 2, 3 };

	plan.routing.said = &route; /* the other process has nothing at this address */
	plan.routing.said_count = 1;
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	ck_assert_uint_eq(pair.takeovers, 0);
	ck_assert_uint_eq(pair.last.silent, NODES);
	ck_assert(pair.list[0].pid && pair.list[1].pid);
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	ck_assert_uint_eq(pair.sweeps, 2);
}

/* the manager does not trust the daemon either */
TEST_RANGE(manager_process__ends_on_invalid_messages, 0, 3)
{
	struct pollfd polled = { .events = POLLIN };
	struct manager_message message;
	struct why why;

	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	polled.fd = pair.list[1].fd; /* the hello to the standby was sent before */
	if (_i == 0)
		ck_assert_int_eq(send(polled.fd, "nonsense", 8, 0), 8);
	else
		say(polled.fd,
		    &(struct manager_message){ .kind = _i == 1 ? MANAGER_REPORT : MANAGER_SWEEP });
	if (_i == 2) {
		for (uint32_t i = 0; i < NODES; i++)
			ck_assert_int_eq(manager_receive(polled.fd, &message, &why), 0);
		ck_assert_uint_eq(message.index, NODES - 1);
		message.kind = MANAGER_ANSWER; /* to the last question, before the first */
		message.question.status = -ESRCH;
		say(polled.fd, &message);
	}
	ck_assert_int_eq(poll(&polled, 1, -1), 1);
	ck_assert_int_eq(manager_receive(polled.fd, &message, &why), -EPIPE);
}

/* ---- watching ---- */

TEST(manager_pair_watch__keeps_both)
{
	pid_t active, standby;

	managers_fork(part_reports, part_hangs);
	active = pair.list[0].pid;
	standby = pair.list[1].pid;
	ck_assert(!manager_pair_watch(&pair));
	ck_assert_int_eq(pair.list[0].pid, active);
	ck_assert_int_eq(pair.list[1].pid, standby);
	ck_assert_uint_eq(pair.takeovers + pair.sweeps, 0);
	ck_assert_str_eq(notes, "");
}

TEST(manager_pair_watch__dead_standby_is_replaced)
{
	struct pollfd polled[MANAGER_PAIR];
	pid_t standby;

	managers_fork(part_hangs, part_hangs);
	standby = pair.list[1].pid;
	manager_pair_poll(&pair, polled);
	ck_assert_int_eq(poll(polled, MANAGER_PAIR, 0), 0);
	kill(standby, SIGKILL);
	ck_assert_int_eq(poll(polled, MANAGER_PAIR, -1), 1);
	ck_assert_int_ne(polled[1].revents, 0);
	ck_assert(!manager_pair_watch(&pair)); /* it is replaced */
	said("the standby fabric manager (pid ");
	said("is dead");
	ck_assert_uint_eq(pair.active, 0);
	ck_assert_uint_eq(pair.takeovers, 0);
	ck_assert_int_ne(pair.list[1].pid, standby);
}

TEST(manager_pair_watch__standby_takes_over)
{
	struct pollfd polled[MANAGER_PAIR];

	managers_fork(part_hangs, part_reports);
	manager_pair_kill(&pair);
	manager_pair_poll(&pair, polled);
	ck_assert_int_eq(poll(polled, MANAGER_PAIR, -1), 1);
	ck_assert(!manager_pair_watch(&pair));
	said("is dead; pid ");
	ck_assert_uint_eq(pair.active, 1);
	ck_assert_uint_eq(pair.takeovers, 1);
	ck_assert_uint_eq(pair.sweeps, 1);
}

TEST(manager_pair_describe__names_both_managers)
{
	json_t *told;

	managers_fork(part_reports, part_hangs);
	ck_assert_int_eq(manager_pair_sweep(&pair), 0);
	told = manager_pair_describe(&pair);
	ck_assert_int_eq(json_integer_value(json_object_get(told, "active")), pair.list[0].pid);
	ck_assert_int_eq(json_integer_value(json_object_get(told, "standby")), pair.list[1].pid);
	ck_assert_int_eq(json_integer_value(json_object_get(told, "switches")), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(told, "changed_blocks")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(told, "trouble")), "all is well");
	json_decref(told);
}
