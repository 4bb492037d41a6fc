/*  orchestrator/fabric/fabric_ready: when a start is over, and what is said if it fails (TB-22). No
 *  node runs: the test says which ones are ready or have died. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/control/control.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_ready.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/said.h"
#include "tests/testing.h"

#define NODES 3u

static struct node_config configs[NODES];
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;

static void setup(void)
{
	static const char *const names[NODES] = { "s1", "s2", "A" };

	plan = (struct plan){ .nodes = configs, .node_count = NODES, .switch_count = 2 };
	page = (struct clock_page){ .dilation = 1 };
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i].kind = i < 2 ? NODE_SWITCH : NODE_NIC;
		strcpy(configs[i].name, names[i]);
		nodes[i] = (struct fabric_node){ .lead = i, .slot = i, .control = -1 };
		nodes[i].pid = getpid();
		nodes[i].pid_shown = 7;
		nodes[i].ready = true;
	}
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .ready = NODES,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
}

static void teardown(void)
{
	close(fabric.epoll_fd);
}

TEST_GROUP(fabric_ready, .setup = setup, .teardown = teardown);

/* what fabric_nodes_await() writes to standard error; it must return @error */
static const char *await_said(int error)
{
	said_begin();
	ck_assert_int_eq(fabric_nodes_await(&fabric), error);
	return said_end();
}

TEST(fabric_nodes_await__all_are_ready)
{
	ck_assert_str_eq(await_said(0), "");
	ck_assert_uint_eq(fabric_unfiltered(&fabric), 0);
}

TEST(fabric_nodes_await__tells_of_missing_filters)
{
	nodes[0].unfiltered = nodes[2].unfiltered = true;
	ck_assert_uint_eq(fabric_unfiltered(&fabric), 2);
	ck_assert_str_eq(await_said(0),
			 "heddle: warning: 2 nodes run without their system call filter, which the "
			 "kernel or a sandbox refused; all else that confines them is in place\n");
}

/* a node of another machine is not waited for, and no death of it is known here */
TEST(fabric_nodes_await__nodes_of_this_machine)
{
	uint8_t machine_of[NODES] = { 0, 1, 0 };

	plan.machine_of = machine_of;
	plan.machine_count = 2;
	nodes[1].ready = false;
	nodes[1].pid = 0;
	fabric.ready = 2;
	ck_assert_str_eq(await_said(0), "");
}

TEST(fabric_nodes_await__a_node_has_died)
{
	fabric.ready = 2;
	nodes[1].ready = false;
	nodes[1].pid = 0;
	strcpy(nodes[1].fate, "was killed by signal 9");
	await_said(-EIO);
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 7) was killed by signal 9");
}

/* its report is received before its end */
TEST(fabric_nodes_await__a_node_reports_a_failure)
{
	struct control_message report = { .kind = CONTROL_EVENT, .number = 1, .text = "no luck" };
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 1 };
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	nodes[1].control = ends[0];
	nodes[1].ready = false;
	fabric.ready--;
	epoll_ctl(fabric.epoll_fd, EPOLL_CTL_ADD, ends[0], &event);
	ck_assert_int_eq(control_send(ends[1], &report), 0);
	await_said(-EIO);
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 7) no luck");
	close(ends[0]);
	close(ends[1]);
}

TEST(fabric_nodes_await__interrupted)
{
	fabric.ready = 2;
	interrupt_catch();
	raise(SIGTERM);
	await_said(-EINTR);
	ck_assert_str_eq(fabric.failure, "");
}

/* a message that is none ends the start, and so does the end of a process; one is enough */
TEST(fabric_nodes_await__invalid_message)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = 1 };
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(send(ends[1], "nonsense", 8, 0), 8);
	nodes[1].control = ends[0];
	nodes[1].ready = false;
	fabric.ready = 2;
	ck_assert_int_eq(epoll_ctl(fabric.epoll_fd, EPOLL_CTL_ADD, ends[0], &interest), 0);
	await_said(-EIO);
	ck_assert_msg(strstr(fabric.failure, "switch s2 ") == fabric.failure, "%s", fabric.failure);
	close(ends[1]);
	close(ends[0]);
}

TEST(fabric_nodes_await__a_process_has_ended)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(3);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].pid = nodes[i].pid_shown = pid;
	nodes[0].lead = nodes[2].lead = 1; /* one process has all */
	nodes[0].pid = nodes[2].pid = 0;
	nodes[1].ready = false;
	fabric.ready = 2;
	fabric.alive = 1;
	fabric.options.real = false;
	await_said(-EIO);
	ck_assert_msg(strstr(fabric.failure, "status 3") != NULL, "%s", fabric.failure);
}

static char waits[256];

static void wait_note(void *observer, const char *what)
{
	(void)observer;
	snprintf(waits, sizeof(waits), "%s", what);
	*strchr(waits, ';') = 0; /* for how long */
}

static int late_end; /* of the node that is late */

/* it is said after two seconds; then the node is ready */
static void late_is_ready(void *observer, const char *what)
{
	struct control_message ready = { .kind = CONTROL_READY };

	wait_note(observer, what);
	ck_assert_int_eq(control_send(late_end, &ready), 0);
}

TEST(fabric_nodes_await__names_what_is_late)
{
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = 1 };
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	nodes[1].control = ends[0];
	late_end = ends[1];
	ck_assert_int_eq(epoll_ctl(fabric.epoll_fd, EPOLL_CTL_ADD, ends[0], &interest), 0);
	nodes[1].ready = false;
	nodes[1].stopped_ns = 1;
	fabric.ready = 2;
	fabric.options.waits = late_is_ready;
	ck_assert_str_eq(await_said(0), "");
	ck_assert_str_eq(waits, "waiting for switch s2, which is stopped, 2 of 3 nodes are ready");
	ck_assert_uint_eq(fabric.ready, NODES);
	close(ends[0]);
	close(ends[1]);
}

/* ---- descriptors in flight ---- */

/* what is said while node s2 waits; so long ago that it is said at once */
static const char *descriptors_wait(void)
{
	struct fabric_start_wait wait = { .began_ns = 1,
					  .waited_from_ns = monotonic_ns(),
					  .ready_before = fabric.ready };

	fabric.options.waits = wait_note;
	fabric.waits_shown_ns = 0;
	waits[0] = 0;
	ck_assert_int_eq(fabric_descriptors_await(&fabric, 1, &wait), 0);
	return waits;
}

TEST(fabric_descriptors_await__names_what_is_late)
{
	fabric.ready = 0;
	ck_assert_str_eq(descriptors_wait(),
			 "waiting until other programs of this user have received their file "
			 "descriptors");
	nodes[1].ready = false; /* the one that waits itself */
	ck_assert_str_eq(descriptors_wait(),
			 "waiting until other programs of this user have received their file "
			 "descriptors");
	nodes[2].ready = false;
	ck_assert_str_eq(descriptors_wait(),
			 "waiting for NIC A to receive its file descriptors, before switch s2 can "
			 "start");
	nodes[2].stopped_ns = 1;
	ck_assert_str_eq(descriptors_wait(),
			 "waiting for NIC A, which is stopped, to receive its file descriptors, "
			 "before switch s2 can start");
}

/* since the last node became ready, not since the start */
TEST(fabric_descriptors_await__has_a_limit)
{
	struct fabric_start_wait wait = { .began_ns = 1,
					  .waited_from_ns = 1,
					  .ready_before = fabric.ready - 1 };

	ck_assert_int_eq(fabric_descriptors_await(&fabric, 1, &wait), 0);
	ck_assert_uint_eq(wait.ready_before, NODES);
	ck_assert_uint_gt(wait.waited_from_ns, 1);
	wait.waited_from_ns = 1;
	ck_assert_int_eq(fabric_descriptors_await(&fabric, 1, &wait), -ETIMEDOUT);
	ck_assert_ptr_nonnull(strstr(fabric.failure,
				     "switch s2 (pid 7) cannot start: too many file "
				     "descriptors have been in flight for "));
}
