/*  orchestrator/fabric/fabric_watch: how a node ended, and what that means for the fabric; nodes
 *  that a signal stopped; nodes that hang (TB-1, TB-8, TB-22). Children of the test stand for the
 *  nodes. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/places.h"
#include "nodes/control/control.h"
#include "nodes/process/process_look.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/testing.h"

#define NODES 3u

static struct plan plan;
static struct fabric fabric;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct node_config configs[NODES] = { { .name = "s1", .kind = NODE_SWITCH },
					     { .name = "s2", .kind = NODE_SWITCH },
					     { .name = "h1", .kind = NODE_NIC } };

static void setup(void)
{
	plan = (struct plan){ .nodes = configs, .node_count = NODES, .switch_count = 2 };
	page = (struct clock_page){ .dilation = 1 };
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i] = (struct fabric_node){ .lead = i,
						 .slot = i,
						 .control = -1,
						 .ready = true,
						 .pid_shown = 100 + (pid_t)i };
	fabric = (struct fabric){
		.plan = &plan, .nodes = nodes, .page = &page, .alive = NODES, .ready = NODES
	};
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (nodes[i].pid > 0 && !kill(nodes[i].pid, SIGKILL))
			waitpid(nodes[i].pid, NULL, 0);
}

/* node @node is a process that leaves with @status; 0 to 255, else it waits for a signal */
static void node_starts(uint32_t node, int status)
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (!child) {
		while (status < 0)
			pause();
		_exit(status);
	}
	nodes[node].pid = child;
}

/* Return: what fabric_watch_deaths() says once @node has ended */
static bool ended(uint32_t node)
{
	bool failed = false;

	while (nodes[node].pid)
		failed |= fabric_watch_deaths(&fabric);
	return failed;
}

TEST_GROUP(fabric_watch_end, .setup = setup, .teardown = teardown);

/* ---- a node ends ---- */

TEST(fabric_watch_deaths__in_the_middle_of_a_run)
{
	node_starts(1, 3);
	ck_assert(ended(1));
	ck_assert_str_eq(fabric.failure,
			 "switch s2 (pid 101) left in the middle of the run with status 3");
	ck_assert_uint_eq(fabric.alive, NODES - 1);
}

TEST(fabric_watch_deaths__by_a_signal)
{
	node_starts(2, -1);
	kill(nodes[2].pid, SIGKILL);
	ck_assert(ended(2));
	ck_assert_str_eq(fabric.failure, "NIC h1 (pid 102) was killed by signal 9 (Killed)");
}

TEST(fabric_watch_deaths__a_forbidden_system_call)
{
	node_starts(2, -1);
	kill(nodes[2].pid, SIGSYS);
	ck_assert(ended(2));
	ck_assert_str_eq(fabric.failure,
			 "NIC h1 (pid 102) was killed by signal 31 (it made a system "
			 "call that nodes may not make)");
}

/* once the clock has ended nodes leave, with status 0 */
TEST(fabric_watch_deaths__at_the_end)
{
	atomic_store(&page.state, CLOCK_ENDED);
	node_starts(0, 0);
	ck_assert(!ended(0));
	ck_assert_str_eq(fabric.failure, "");
	node_starts(1, 2);
	ck_assert(ended(1));
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 101) left at the end with status 2");
}

TEST(fabric_watch_deaths__killed_while_it_was_leaving)
{
	atomic_store(&page.state, CLOCK_ENDED);
	node_starts(0, -1);
	kill(nodes[0].pid, SIGKILL);
	ck_assert(ended(0));
	ck_assert_str_eq(fabric.failure,
			 "switch s1 (pid 100) was killed by signal 9 (Killed) while it "
			 "was leaving");
}

/* it did not leave in time and was killed for that */
TEST(fabric_watch_deaths__late_ones_do_not_fail)
{
	nodes[0].late = true;
	node_starts(0, -1);
	kill(nodes[0].pid, SIGKILL);
	ck_assert(!ended(0));
	ck_assert_str_eq(fabric.failure, "");
}

/* ---- workers: one has s1 and s2, the other one h1 (SC-3) ---- */

static struct places_page *places;
static int worker_sockets[2] = { -1, -1 };
static uint32_t node_at[16] = { 0, 1, 3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 3 };

static void pack(void)
{
	places = aligned_alloc(64, (places_bytes(2, 16) + 63) / 64 * 64);
	memset(places, 0, places_bytes(2, 16));
	places_init(places, 2, 16);
	fabric.options.pack = 2;
	fabric.alive = 2;
	fabric.pack = (struct fabric_pack){ .worker_count = 2,
					    .page = places,
					    .place_count = 16,
					    .sockets = worker_sockets,
					    .node_at = node_at };
	nodes[1].lead = nodes[1].slot = 0;
	nodes[2].slot = 1;
	for (uint32_t i = 0; i < 3; i++)
		nodes[i].packed = true;
}

/* real clock: its nodes are dead, each for itself from now on; the fabric continues (SC-7) */
TEST(fabric_watch_deaths__real_clock_the_nodes_of_a_worker_die_with_it)
{
	pack();
	fabric.options.real = true;
	atomic_store(&places->workers[0].running, 1);
	node_starts(0, -1);
	kill(nodes[0].pid, SIGKILL);
	while (nodes[0].pid)
		ck_assert(!fabric_watch_deaths(&fabric));
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_str_eq(nodes[i].fate, "with worker 0 (pid 100), which was running switch "
						"s2, killed by signal 9 (Killed)");
		ck_assert(!nodes[i].packed);
		ck_assert_uint_eq(nodes[i].lead, i);
	}
	ck_assert(nodes[2].packed);
	ck_assert_str_eq(nodes[2].fate, "");
}

TEST(fabric_watch_deaths__a_worker_between_its_nodes)
{
	pack();
	node_starts(0, -1);
	kill(nodes[0].pid, SIGKILL);
	ck_assert(ended(0));
	ck_assert_str_eq(fabric.failure, "worker 0 (pid 100) was killed by signal 9 (Killed)");
}

TEST(fabric_watch_deaths__a_worker_that_runs_a_node)
{
	pack();
	atomic_store(&places->workers[0].running, 1);
	node_starts(0, -1);
	kill(nodes[0].pid, SIGUSR1);
	ck_assert(ended(0));
	ck_assert_str_eq(fabric.failure, "worker 0 (pid 100), which was running switch s2, was "
					 "killed by signal 10 (User defined signal 1)");
}

/* workers can write the page: neither its length nor a place in it is believed (TB-23) */
TEST_RANGE(fabric_watch_deaths__a_worker_that_has_destroyed_its_page, 0, 3)
{
	static const uint32_t running[] = { 16, 5, UINT32_MAX - 1 };

	pack();
	memset(places, 0xff, places_bytes(2, 16));
	atomic_store(&places->workers[0].running, running[_i]);
	node_starts(0, -1);
	kill(nodes[0].pid, SIGKILL);
	ck_assert(ended(0));
	ck_assert_str_eq(fabric.failure, "worker 0 (pid 100) was killed by signal 9 (Killed)");
}

/* what it reports of itself is the cause, not that it left */
TEST(fabric_watch_deaths__a_worker_that_cannot_start)
{
	struct control_message message = { .kind = CONTROL_EVENT, .number = 1, .text = "a reason" };
	int sockets[2];

	pack();
	ck_assert(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets));
	worker_sockets[1] = sockets[0];
	ck_assert_int_eq(control_send(sockets[1], &message), 0);
	node_starts(2, 2);
	ck_assert(ended(2));
	ck_assert_str_eq(fabric.failure, "worker 1 (pid 102) reports: a reason");
	close(sockets[0]);
	close(sockets[1]);
}

/* the real clock goes on without it: it has a fate */
TEST(fabric_watch_deaths__real_clock)
{
	fabric.options.real = true;
	node_starts(1, 3);
	ck_assert(!ended(1));
	ck_assert_str_eq(nodes[1].fate, "left with status 3");
	ck_assert(!nodes[1].ready);
	node_starts(2, -1);
	kill(nodes[2].pid, SIGKILL);
	ck_assert(!ended(2));
	ck_assert_str_eq(nodes[2].fate, "killed by signal 9 (Killed)");
	ck_assert_uint_eq(fabric.alive, NODES - 2);
	ck_assert_uint_eq(fabric.ready, NODES - 2);
	ck_assert_str_eq(fabric.failure, "");
}

/* what it has reported itself is the cause */
TEST(fabric_watch_deaths__its_own_report_stays)
{
	fabric.options.real = true;
	strcpy(nodes[1].fate, "no memory");
	node_starts(1, 3);
	ck_assert(!ended(1));
	ck_assert_str_eq(nodes[1].fate, "no memory");
}

TEST(fabric_watch_deaths__real_clock_but_whole)
{
	fabric.options.real = fabric.options.whole = true;
	node_starts(1, 3);
	ck_assert(ended(1));
	ck_assert_str_eq(fabric.failure,
			 "switch s2 (pid 101) left in the middle of the run with status 3");
}

TEST(fabric_watch_deaths__of_another_child)
{
	pid_t child = fork();

	if (!child)
		_exit(1);
	while (waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT))
		;
	ck_assert(!fabric_watch_deaths(&fabric));
	ck_assert_uint_eq(fabric.alive, NODES);
}

/* ---- stopped nodes ---- */

/* waits until the fabric has seen that @node is stopped, or not */
static void sees(uint32_t node, bool stopped)
{
	while ((nodes[node].stopped_ns != 0) != stopped)
		ck_assert(!fabric_watch_deaths(&fabric));
}

TEST(fabric_watch_children__stopped_for_too_long)
{
	node_starts(1, -1);
	kill(nodes[1].pid, SIGSTOP);
	sees(1, true);
	ck_assert_uint_eq(fabric.stopped, 1);
	ck_assert(!fabric_watch_children(&fabric)); /* no watchdog */
	fabric.options.watchdog_ns = 3600000000000ull;
	ck_assert(!fabric_watch_children(&fabric));
	fabric.options.watchdog_ns = 2500000000ull;
	nodes[1].stopped_ns = monotonic_ns() - 3000000000ull;
	ck_assert(fabric_watch_children(&fabric));
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 101) was stopped by a signal and has not "
					 "continued for 2.5 s");
}

TEST(fabric_watch_children__stopped_and_continued)
{
	fabric.options.watchdog_ns = 1;
	node_starts(0, -1);
	kill(nodes[0].pid, SIGSTOP);
	sees(0, true);
	kill(nodes[0].pid, SIGCONT);
	sees(0, false);
	ck_assert_uint_eq(fabric.stopped, 0);
	ck_assert(!fabric_watch_children(&fabric));
}

TEST(fabric_watch_deaths__of_a_stopped_node)
{
	node_starts(0, -1);
	kill(nodes[0].pid, SIGSTOP);
	sees(0, true);
	kill(nodes[0].pid, SIGKILL);
	ck_assert(ended(0));
	ck_assert_uint_eq(fabric.stopped, 0);
	ck_assert_uint_eq(nodes[0].stopped_ns, 0);
}

/* ---- messages ---- */

TEST(fabric_watch_message__ready_once)
{
	struct control_message ready = { .kind = CONTROL_READY, .number = 1, .text = "io_uring" };

	fabric.ready = 0;
	nodes[0].ready = nodes[1].ready = false;
	ck_assert(fabric_watch_message(&fabric, 0, &ready));
	ck_assert(fabric_watch_message(&fabric, 0, &ready));
	ck_assert_uint_eq(fabric.ready, 1);
	ck_assert(nodes[0].ready && nodes[0].unfiltered);
	ck_assert_str_eq(nodes[0].loop, "io_uring");
	ready.number = 0;
	ck_assert(fabric_watch_message(&fabric, 1, &ready));
	ck_assert(!nodes[1].unfiltered);
	ck_assert_uint_eq(fabric.ready, 2);
}

/* the first one stays: what follows may be its effect */
TEST(fabric_watch_message__a_failure)
{
	struct control_message event = { .kind = CONTROL_EVENT, .number = -5, .text = "no memory" };

	ck_assert(!fabric_watch_message(&fabric, 1, &event));
	strcpy(event.text, "something else");
	ck_assert(!fabric_watch_message(&fabric, 0, &event));
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 101) reports: no memory");
}

/* ---- a wait for all nodes ---- */

static bool waited_for[NODES];

static bool owes(const void *context, uint32_t node)
{
	(void)context;
	return waited_for[node];
}

static struct fabric_part part = { .what = "answered", .owes = owes };

/* looks until it fails, at most 100 times; each look is a portion later */
static bool fails(struct watchdog *watchdog)
{
	for (int i = 0; i < 100; i++) {
		watchdog->last_ns -= WATCHDOG_PORTION_NS;
		if (fabric_watch_part(&fabric, watchdog, &part))
			return true;
	}
	return false;
}

static void wait_begins(struct watchdog *watchdog, bool s1, bool s2, bool h1)
{
	waited_for[0] = s1;
	waited_for[1] = s2;
	waited_for[2] = h1;
	watchdog_start(watchdog, 1000000000, monotonic_ns());
}

/* the text up to how long it took */
static void failed_with(const char *begins, const char *ends)
{
	ck_assert_msg(!strncmp(fabric.failure, begins, strlen(begins)), "%s", fabric.failure);
	ck_assert_msg(strlen(ends) < strlen(fabric.failure) &&
			      !strcmp(fabric.failure + strlen(fabric.failure) - strlen(ends), ends),
		      "%s", fabric.failure);
}

TEST(fabric_watch_part__one_hangs)
{
	struct watchdog watchdog;

	wait_begins(&watchdog, false, true, false);
	ck_assert(fails(&watchdog));
	failed_with("switch s2 (pid 101) hangs: it has not answered for 1.", " s");
}

TEST(fabric_watch_part__the_first_of_several)
{
	struct watchdog watchdog;

	wait_begins(&watchdog, false, true, true);
	ck_assert(fails(&watchdog));
	failed_with("switch s2 (pid 101) hangs: it has not answered", " s, nor has 1 other");
	fabric.failure[0] = 0;
	wait_begins(&watchdog, true, true, true);
	ck_assert(fails(&watchdog));
	failed_with("switch s1 (pid 100) hangs: it has not answered", " s, nor have 2 others");
}

TEST(fabric_watch_part__nothing_follows)
{
	struct watchdog watchdog;

	wait_begins(&watchdog, false, false, false);
	ck_assert(fails(&watchdog));
	failed_with("all nodes have answered, but nothing followed for 1.", " s");
}

TEST(fabric_watch_part__progress_is_fine)
{
	struct watchdog watchdog;

	wait_begins(&watchdog, true, true, true);
	for (int i = 0; i < 100; i++) {
		part.progress++;
		watchdog.last_ns -= WATCHDOG_PORTION_NS;
		ck_assert(!fabric_watch_part(&fabric, &watchdog, &part));
	}
}

/* A node owes the open window if it takes part in it and has not finished it. */
TEST_RANGE(fabric_watch_clock__nodes_that_owe_the_window, 0, 2)
{
	/* by slot: h1 has not finished, or has; s2 has; s1 takes no part */
	_Atomic node_time_t own_next[NODES] = { 999, 400, 1000 };
	_Atomic uint32_t done[NODES] = { _i ? 7 : 6, 7, 6 };
	bool failed = false;

	page.window = 7;
	page.start_ps = 400;
	page.end_ps = 1000;
	fabric.clock = (struct clock){
		.page = &page, .own_next = own_next, .done = done, .node_count = NODES
	};
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i].slot = NODES - 1 - i;
	watchdog_start(&fabric.watchdog, 1000000000, monotonic_ns());
	for (int i = 0; i < 100 && !failed; i++) {
		fabric.watchdog.last_ns -= WATCHDOG_PORTION_NS;
		failed = fabric_watch_clock(&fabric);
	}
	ck_assert(failed);
	failed_with(_i ? "all nodes have finished window 7 at 400 ps, but nothing followed for 1."
		       : "NIC h1 (pid 102) hangs: it has not finished window 7 at 400 ps for 1.",
		    " s");
}

/* a busy machine */
TEST(fabric_watch_part__not_while_it_waits_for_a_core)
{
	struct watchdog watchdog;
	pid_t child = fork();

	if (!child)
		for (;;)
			;
	nodes[1].pid = child;
	while (!process_wants_core(child))
		;
	wait_begins(&watchdog, false, true, false);
	ck_assert(!fails(&watchdog));
}

/* ---- helpers ---- */

TEST(fabric_rusage_ns__user_and_system)
{
	struct rusage usage = { .ru_utime = { 1, 20 }, .ru_stime = { 300, 4000 } };

	ck_assert_uint_eq(fabric_rusage_ns(&usage), 301004020000ull);
}

TEST(process_cpu_ns__of_a_process)
{
	ck_assert_uint_eq(process_cpu_ns(0), 0);
	while (!process_cpu_ns(getpid()))
		; /* a process whose CPU time is limited (RLIMIT_CPU) reads 0 up to the next tick */
	ck_assert(!process_wants_core(0));
	ck_assert(process_wants_core(getpid()));
}
