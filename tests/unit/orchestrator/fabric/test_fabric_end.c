/*  orchestrator/fabric/fabric_end: a fabric that is stopped in the middle of a run, nodes that
 *  leave in time or not, and what that means for the result (TB-9, TB-22). Children of the test
 *  stand for the nodes; they share its clock page. */
#include "orchestrator/fabric/fabric_end.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/clock.h"
#include "nodes/control/control.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/said.h"
#include "tests/testing.h"

#define NODES 3u

static struct node_config configs[NODES];
static struct port_config ports[NODES][2];
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct fabric fabric;
static struct clock_page *page;
static char stages[512];

static void stage_note(void *observer, const char *what)
{
	(void)observer;
	strcat(stages, what);
	strcat(stages, "\n");
}

static void setup(void)
{
	static const char *const names[NODES] = { "s1", "s2", "h1" };
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	page = mmap(NULL, clock_bytes(NODES), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	clock_init(page, NODES, NODE_US);
	plan = (struct plan){ .nodes = configs, .node_count = NODES, .switch_count = 2 };
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .page = page,
				  .epoll_fd = -1,
				  .ready = NODES,
				  .limit_ps = NODE_TIME_NEVER,
				  .options.stage = stage_note };
	ck_assert_int_eq(clock_attach(&fabric.clock, page, clock_bytes(NODES)), 0);
	/* descriptor 0 is for what a test makes: it is a valid one */
	fabric.epoll_fd = fcntl(epoll_fd, F_DUPFD_CLOEXEC, 16);
	close(epoll_fd);
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i] = (struct node_config){ .kind = i < 2 ? NODE_SWITCH : NODE_NIC,
						   .port_count = 2,
						   .ports = ports[i] };
		strcpy(configs[i].name, names[i]);
		nodes[i] = (struct fabric_node){ .lead = i,
						 .slot = i,
						 .control = -1,
						 .doorbell = -1,
						 .pid_shown = 100 + (int)i };
		atomic_store(&fabric.clock.own_next[i], (70 - 10 * i) * NODE_US);
		atomic_store(&fabric.clock.inbox_next[i], NODE_TIME_NEVER);
		atomic_store(&fabric.clock.asleep[i], 1);
	}
}

static void teardown(void)
{
	ck_assert_uint_eq(fabric.alive, 0);
	close(fabric.epoll_fd);
	munmap(page, clock_bytes(NODES));
}

TEST_GROUP(fabric_end, .setup = setup, .teardown = teardown);

/* what a node does */
static void waits_for_ever(void)
{
	for (;;)
		pause();
}

static void spins(void)
{
	for (;;)
		;
}

/* computes for a while after the clock has ended */
static void leaves_late(void)
{
	while (page->state != CLOCK_ENDED)
		;
	/* by a clock that is read without sleeping: it computes at every look */
	for (clock_t from = clock(); clock() - from < CLOCKS_PER_SEC / 20;)
		;
}

/* waits without a sleep and without CPU time, as for a core: for a child that uses its memory */
static void leaves_without_core(void)
{
	while (page->state != CLOCK_ENDED)
		;
	if (!vfork()) {
		usleep(300000);
		_exit(0);
	}
}

static void leaves(void)
{
	while (page->state != CLOCK_ENDED)
		usleep(1000);
}

static void node_begins(uint32_t node, void (*does)(void))
{
	nodes[node].pid = fork();
	if (!nodes[node].pid) {
		does();
		_exit(0);
	}
	fabric.alive++;
}

/* a signal has stopped the node, which has no time more to leave */
static void node_is_stopped(uint32_t node)
{
	fabric.options.watchdog_ns = 1;
	node_begins(node, waits_for_ever);
	kill(nodes[node].pid, SIGSTOP);
	while (!nodes[node].stopped_ns)
		fabric_watch_deaths(&fabric);
}

/* ---- a pause ---- */

/* A node that is asked or changed takes the limit of the clock for the time up to which it ran:
 * after a pause that is the next event, and not 0. */
TEST(fabric_pause__time_stays_what_it_is)
{
	atomic_store(&page->limit_ps, NODE_S);
	ck_assert_int_eq(fabric_pause(&fabric), 0);
	ck_assert_uint_eq(fabric_now(&fabric), 50 * NODE_US);
	ck_assert_uint_eq(clock_now(&fabric.clock), 50 * NODE_US);
	/* a run that was to end before goes no further */
	fabric.limit_ps = 40 * NODE_US;
	ck_assert_int_eq(fabric_pause(&fabric), 0);
	ck_assert_uint_eq(clock_now(&fabric.clock), 40 * NODE_US);
}

/* the open window ends first */
TEST(fabric_pause__waits_for_the_window)
{
	pid_t pid;

	atomic_store(&page->state, CLOCK_RUNNING);
	atomic_store(&page->limit_ps, NODE_S);
	pid = fork();
	if (!pid) {
		while (page->limit_ps)
			usleep(1000);
		usleep(100000); /* the window lasts */
		atomic_store(&page->state, CLOCK_STOPPED);
		_exit(0);
	}
	ck_assert_int_eq(fabric_pause(&fabric), 0);
	ck_assert_uint_eq(clock_now(&fabric.clock), 50 * NODE_US);
	waitpid(pid, NULL, 0); /* unless it was reaped as a child that is no node */
}

/* a node dies, reports an error or hangs: the window does not end */
TEST_RANGE(fabric_pause__a_node_fails, 0, 3)
{
	static const char *const failures[] = {
		"switch s2 (pid 101) left in the middle of the run with status 0",
		"switch s2 (pid 101) reports: broken",
		"switch s2 (pid 101) hangs: it has not finished window 1 at 0 ps for ",
	};
	struct control_message message = { .kind = CONTROL_EVENT, .number = 1, .text = "broken" };
	struct epoll_event interest = { .events = EPOLLIN, .data.u32 = 1 };
	int sockets[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	nodes[1].control = sockets[0];
	ck_assert_int_eq(epoll_ctl(fabric.epoll_fd, EPOLL_CTL_ADD, sockets[0], &interest), 0);
	atomic_store(&page->state, CLOCK_RUNNING);
	atomic_store(&page->window, 1);
	atomic_store(&page->end_ps, 65 * NODE_US);
	for (uint32_t i = 0; i < NODES; i++)
		atomic_store(&fabric.clock.done[i], i != 1);
	node_begins(1, _i ? waits_for_ever : leaves);
	if (!_i)
		atomic_store(&page->state, CLOCK_ENDED); /* it leaves */
	while (!_i && waitid(P_PID, (id_t)nodes[1].pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT))
		;
	if (!_i)
		atomic_store(&page->state, CLOCK_RUNNING);
	if (_i == 1)
		ck_assert_int_eq(control_send(sockets[1], &message), 0);
	fabric.options.watchdog_ns = _i == 2 ? 1000000 : 0;
	watchdog_start(&fabric.watchdog, fabric.options.watchdog_ns, monotonic_ns());
	ck_assert_int_eq(fabric_pause(&fabric), -EIO);
	ck_assert_msg(!strncmp(fabric.failure, failures[_i], strlen(failures[_i])), "%s",
		      fabric.failure);
	ck_assert_uint_eq(page->limit_ps, 0);
	fabric_kill(&fabric);
	ck_assert_ptr_null(strstr(fabric.failure, "the nodes were killed")); /* not the cause */
	close(sockets[0]);
	close(sockets[1]);
}

/* ---- the end ---- */

TEST(fabric_stop__once)
{
	atomic_store(&page->limit_ps, NODE_S);
	fabric.limit_ps = 45 * NODE_US;
	ck_assert_int_eq(fabric_stop(&fabric), 0);
	ck_assert(fabric.halted && !fabric.empty);
	ck_assert_uint_eq(fabric.stopped_at_ps, 45 * NODE_US);
	ck_assert_uint_eq(page->limit_ps, 0);
	fabric.limit_ps = 40 * NODE_US;
	ck_assert_int_eq(fabric_stop(&fabric), 0);
	ck_assert_uint_eq(fabric.stopped_at_ps, 45 * NODE_US);
}

/* in the middle of a run: where the window ends, whatever the limit was */
TEST(fabric_stop__while_the_clock_runs)
{
	fabric.limit_ps = 40 * NODE_US;
	fabric.ready = NODES - 1; /* its clock has not begun, so that it need not stop */
	atomic_store(&page->state, CLOCK_RUNNING);
	atomic_store(&page->start_ps, 30 * NODE_US);
	ck_assert_int_eq(fabric_stop(&fabric), 0);
	ck_assert_uint_eq(fabric.stopped_at_ps, 30 * NODE_US);
	ck_assert_uint_eq(fabric.limit_ps, NODE_TIME_NEVER);
}

TEST(fabric_stop__nothing_is_left)
{
	for (uint32_t i = 0; i < NODES; i++)
		atomic_store(&fabric.clock.own_next[i], NODE_TIME_NEVER);
	ck_assert_int_eq(fabric_stop(&fabric), 0);
	ck_assert(fabric.empty);
}

TEST(fabric_end__has_not_begun)
{
	struct fabric none = { .plan = &plan, .page = page };

	ck_assert_int_eq(fabric_end(&none), 0);
	ck_assert_int_eq(fabric_stop(&none), 0);
	none = (struct fabric){ .plan = &plan, .nodes = nodes };
	ck_assert_int_eq(fabric_end(&none), 0);
	ck_assert_int_eq(fabric_stop(&none), 0);
	fabric_kill(&none);
	ck_assert_str_eq(none.failure, "");
}

/* those that live are woken */
TEST(fabric_end__all_leave)
{
	node_begins(0, leaves);
	node_begins(2, leaves);
	said_begin();
	ck_assert_int_eq(fabric_end(&fabric), 0);
	ck_assert_str_eq(said_end(), "");
	ck_assert_uint_eq(page->state, CLOCK_ENDED);
	ck_assert_str_eq(stages, "requests 2 processes to leave\nall nodes have left\n");
	ck_assert_uint_eq(fabric.clock.asleep[0], 0);
	ck_assert_uint_eq(fabric.clock.asleep[1], 1);
	ck_assert_uint_eq(fabric.clock.asleep[2], 0);
	ck_assert(fabric.halted);
	ck_assert_uint_eq(fabric.stopped_at_ps, 50 * NODE_US);
	ck_assert_uint_gt(fabric.end_ns, 0);
	ck_assert_uint_lt(fabric.end_ns, 3600000000000);
	ck_assert_str_eq(fabric.failure, "");
}

/* by its doorbell, if it has one */
TEST(fabric_end__real_clock)
{
	uint64_t count = 0;

	fabric.options.real = true;
	nodes[0].doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	node_begins(0, leaves);
	node_begins(1, leaves);
	ck_assert_int_eq(fabric_end(&fabric), 0);
	ck_assert_int_eq(read(nodes[0].doorbell, &count, sizeof(count)), sizeof(count));
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(fabric.clock.asleep[0], 1);
	ck_assert_uint_eq(fabric.clock.asleep[1], 0);
	close(nodes[0].doorbell);
}

/* The result was written before, so that one which has to be killed is only told of. */
TEST_RANGE(fabric_end__one_is_killed, 0, 2)
{
	node_is_stopped(1);
	node_begins(0, leaves);
	if (_i)
		strcpy(fabric.failure, "x");
	said_begin();
	ck_assert_int_eq(fabric_end(&fabric), _i ? -EIO : 0);
	ck_assert_str_eq(
		said_end(),
		_i ? "heddle: switch s2 (pid 101) did not leave in time and is killed\n"
		   : "heddle: switch s2 (pid 101) did not leave in time and is killed; the "
		     "result is complete\n");
	ck_assert(nodes[1].late && !nodes[0].late);
	ck_assert_str_eq(fabric.failure, _i ? "x" : "");
}

TEST(fabric_end__real_clock_one_is_killed)
{
	fabric.options.real = true;
	node_is_stopped(2);
	said_begin();
	ck_assert_int_eq(fabric_end(&fabric), -EIO);
	ck_assert_str_eq(said_end(), "");
	ck_assert_str_eq(fabric.failure,
			 "NIC h1 (pid 102) did not leave within 5 s and was killed");
}

/* node 0, as if a signal had stopped it, has @limit_ns to leave, does @does, and is not late */
static void leaves_in_time(void (*does)(void), uint64_t limit_ns)
{
	fabric.options.watchdog_ns = limit_ns;
	node_begins(0, does);
	nodes[0].stopped_ns = 1;
	fabric.stopped = 1;
	said_begin();
	ck_assert_int_eq(fabric_end(&fabric), 0);
	ck_assert_str_eq(said_end(), "");
	ck_assert(!nodes[0].late);
}

/* A node that writes a capture is complete only after it has left: it has time while it computes.
 * So have all nodes that are packed with it. */
TEST_RANGE(fabric_end__with_a_capture, 0, 4)
{
	configs[0].capture_sent_bytes = _i == 0 ? 60 : 0;
	ports[0][0].capture_bytes = _i == 1 ? 60 : 0;
	ports[0][1].capture_bytes = _i == 2 ? 60 : 0;
	if (_i == 3) {
		nodes[1].lead = 0;
		ports[1][1].capture_bytes = 60;
	}
	leaves_in_time(leaves_late, 1);
}

/* a busy machine gives a node its core late; under the virtual clock it leaves all the same */
TEST(fabric_end__no_core)
{
	leaves_in_time(leaves_without_core, 100 * NODE_MS / NODE_NS);
}

/* ... not if it does not compute; nor without a capture, or with one of another process */
TEST_RANGE(fabric_end__no_more_time, 0, 3)
{
	ports[_i ? 2 : 0][1].capture_bytes = 60;
	if (_i == 2)
		configs[2].capture_sent_bytes = 60;
	if (_i) {
		fabric.options.watchdog_ns = 1;
		node_begins(0, spins);
		nodes[0].stopped_ns = 1;
		fabric.stopped = 1;
	} else {
		node_is_stopped(0);
	}
	said_begin();
	ck_assert_int_eq(fabric_end(&fabric), 0);
	ck_assert_ptr_nonnull(strstr(said_end(), "did not leave in time"));
	ck_assert(nodes[0].late);
}

/* what a node sent before it left counts: an error of the last window */
TEST_RANGE(fabric_end__last_words, 0, 2)
{
	struct control_message message = { .kind = CONTROL_EVENT, .number = 1, .text = "broken" };
	int sockets[2];

	fabric.options.real = _i;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	nodes[1].control = sockets[0];
	ck_assert_int_eq(control_send(sockets[1], &message), 0);
	ck_assert_int_eq(fabric_end(&fabric), _i ? 0 : -EIO);
	ck_assert_str_eq(fabric.failure, _i ? "" : "switch s2 (pid 101) reports: broken");
	close(sockets[0]);
	close(sockets[1]);
}

TEST(fabric_kill__says_so)
{
	node_begins(0, waits_for_ever);
	node_begins(1, spins);
	fabric_kill(&fabric);
	ck_assert_str_eq(fabric.failure, "the nodes were killed");
	ck_assert_int_eq(nodes[0].pid, 0);
	ck_assert_int_eq(nodes[1].pid, 0);
}

/* an earlier death is the cause, though it was not known yet */
TEST(fabric_kill__after_a_death)
{
	node_begins(0, waits_for_ever);
	atomic_store(&page->state, CLOCK_ENDED);
	node_begins(1, leaves);
	while (waitid(P_PID, (id_t)nodes[1].pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT))
		;
	atomic_store(&page->state, CLOCK_RUNNING);
	fabric_kill(&fabric);
	ck_assert_str_eq(fabric.failure,
			 "switch s2 (pid 101) left in the middle of the run with status 0");
}
