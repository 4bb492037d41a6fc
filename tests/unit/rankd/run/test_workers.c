/*  rankd/run/workers: the worker processes of a rank, from the test as that rank: how they start,
 *  which of them died, stopped, hang or loop, and how they leave (SC-4, TB-22). */
#include <sys/epoll.h>
#include <sys/resource.h>

#include "nodes/base/monotonic.h"
#include "nodes/stats/stats.h"
#include "rankd/run/workers.h"
#include "tests/unit/rankd/one_rank.h"

#define NO_PLACE RANK_NO_PLACE

static struct rank rank;
static struct workers workers;

static void setup(void)
{
	programs_make();
	plan_make();
	ranks_begin(1, RANKS);
	rank_make(&rank, 1);
}

static void teardown(void)
{
	if (workers.rank)
		workers_end(&workers);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
	rank_end(&rank);
	ranks_end();
}

TEST_GROUP(workers, .setup = setup, .teardown = teardown, .setup_once = programs_begin,
	   .teardown_once = programs_end);

static void start(void)
{
	ck_assert_msg(!workers_start(&workers, &rank, worker_program), "%s", workers.why);
}

static void packet_send(uint32_t place, const char *text)
{
	struct control_packet packet = { .bytes = (uint8_t *)text, .length = strlen(text) };

	ck_assert_int_eq(control_packet_send(workers.nodes[place].socket, &packet), 0);
}

/* the node at @place has done what @text says */
static void node_does(uint32_t place, const char *text)
{
	struct control_packet packet;

	packet_send(place, text);
	ck_assert_int_eq(control_packet_receive(workers.nodes[place].socket, &packet, 1), 0);
	ck_assert_uint_eq(packet.length, strlen(text));
	control_packet_free(&packet);
}

/* looks until something has failed */
static void fails(uint32_t worker, pid_t pid, const char *why)
{
	for (int i = 0; i < 60000 && !workers_watch(&workers); i++)
		usleep(1000);
	ck_assert_str_eq(workers.why, why);
	ck_assert_uint_eq(workers.failed, worker);
	ck_assert_int_eq(workers.failed_pid, pid);
}

/* ---- start ---- */

TEST(workers_start__those_of_this_rank)
{
	start();
	ck_assert_uint_eq(workers.alive, 2);
	for (uint32_t w = 0; w < WORKERS; w++)
		ck_assert_int_eq(workers.list[w].pid > 0, w == 1 || w == 2);
	for (uint32_t place = 0; place < PLACES; place++)
		ck_assert_int_eq(workers.nodes[place].socket >= 0,
				 place == 8 || place == 9 || place == 16);
	ck_assert_int_eq(workers_watch(&workers), 0);
	ck_assert_int_eq(workers_leave(&workers), 0);
	ck_assert_uint_eq(workers.alive, 0);
	ck_assert_uint_gt(workers.cpu_ns, 0);
}

/* epoll tells the place of the node that has answered */
TEST(workers_start__sockets_by_place)
{
	static const uint32_t places[] = { 8, 9, 16 };

	start();
	for (uint32_t i = 0; i < COUNT_OF(places); i++) {
		struct epoll_event event;
		struct control_packet packet;

		packet_send(places[i], "x");
		ck_assert_int_eq(epoll_wait(workers.epoll, &event, 1, 60000), 1);
		ck_assert_uint_eq(event.data.u32, places[i]);
		ck_assert_int_eq(
			control_packet_receive(workers.nodes[places[i]].socket, &packet, 0), 0);
		control_packet_free(&packet);
	}
}

/* more sockets than a message takes, and than the limit of descriptors allows at first */
TEST_RANGE(workers_start__many_nodes, 399, 402)
{
	struct rlimit limit;
	uint32_t last = 8 + (uint32_t)_i - 1;

	rank_end(&rank);
	plan_make();
	rank_plan_workers(plan)[1].node_count = (uint32_t)_i;
	rank_plan_workers(plan)[2].first_place = 416;
	rank_plan_workers(plan)[3].first_place = 424;
	for (uint32_t i = 0; i < RINGS; i++)
		if (rank_plan_rings(plan)[i].to_place >= 16)
			rank_plan_rings(plan)[i].to_place += 400;
	plan->place_count = 432;
	rank_make(&rank, 1);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 64;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	start();
	node_does(8, "first");
	node_does(last, "last");
	node_does(416, "next");
	ck_assert_int_eq(workers.nodes[last + 1].socket, -1);
	ck_assert_int_eq(workers_leave(&workers), 0);
}

TEST(workers_start__no_program)
{
	ck_assert_int_eq(workers_start(&workers, &rank, "/proc/self/none"), -EIO);
	ck_assert_str_eq(workers.why, "cannot start its workers: No such file or directory");
	ck_assert_uint_eq(workers.alive, 0);
}

/* a program that ends at once: that it died is seen later, also if it did not take its sockets */
TEST(workers_start__a_program_that_ends)
{
	ck_assert_int_eq(workers_start(&workers, &rank, "/bin/false"), 0);
	for (int i = 0; i < 60000 && !workers_watch(&workers); i++)
		usleep(1000);
	ck_assert_str_eq(workers.why, "left with status 1");
}

TEST(workers_start__too_few_descriptors)
{
	struct rlimit limit = { 12, 12 };

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(workers_start(&workers, &rank, worker_program), -EIO);
	ck_assert_msg(strstr(workers.why, "Too many open files") ||
			      strstr(workers.why, "not enough memory"),
		      "%s", workers.why);
}

/* ---- deaths ---- */

TEST(workers_watch__statuses)
{
	start();
	packet_send(9, "exit 0"); /* too early: it may not leave yet */
	fails(1, workers.list[1].pid, "left with status 0");
	ck_assert_uint_eq(workers.alive, 1);
	ck_assert_int_eq(workers.list[1].pid, 0);
	packet_send(16, "exit 7");
	fails(2, workers.list[2].pid, "left with status 7");
	ck_assert_uint_eq(workers.alive, 0);
}

TEST(workers_watch__signals)
{
	pid_t pid;

	start();
	pid = workers.list[2].pid;
	kill(pid, SIGSYS);
	fails(2, pid, "was killed by signal 31 (it made a system call that nodes may not make)");
	pid = workers.list[1].pid;
	kill(pid, SIGTERM);
	fails(1, pid, "was killed by signal 15 (Terminated)");
}

/* children that are no workers */
TEST(workers_watch__other_children)
{
	pid_t pid = fork();

	if (!pid)
		_exit(3);
	start();
	for (int i = 0; i < 60000 && !kill(pid, 0); i++) {
		ck_assert_int_eq(workers_watch(&workers), 0);
		usleep(1000);
	}
	ck_assert_uint_eq(workers.alive, 2);
}

/* stopped for as long as the watchdog allows, unless it continues */
TEST(workers_watch__a_stopped_worker)
{
	pid_t pid;

	plan->watchdog_ns = 60000000;
	start();
	pid = workers.list[1].pid;
	for (int round = 0; round < 2; round++) {
		kill(pid, SIGSTOP);
		for (int i = 0; i < 60000 && !workers.list[1].stopped_ns; i++) {
			ck_assert_int_eq(workers_watch(&workers), 0);
			usleep(1000);
		}
		if (round)
			break;
		kill(pid, SIGCONT);
		for (int i = 0; i < 60000 && workers.list[1].stopped_ns; i++)
			workers_watch(&workers);
		ck_assert_uint_eq(workers.list[1].stopped_ns, 0);
	}
	fails(1, pid, "was stopped by a signal and has not continued for 0.1 s");
	kill(pid, SIGCONT);
}

/* worker 1 is stopped, which is no failure yet */
static void stops(void)
{
	kill(workers.list[1].pid, SIGSTOP);
	for (int i = 0; i < 60000 && !workers.list[1].stopped_ns; i++) {
		ck_assert_int_eq(workers_watch(&workers), 0);
		usleep(1000);
	}
}

TEST(workers_watch__stopped_for_long_enough)
{
	plan->watchdog_ns = 1000000000000;
	start();
	stops();
	usleep(1000);
	ck_assert_int_eq(workers_watch(&workers), 0);
	workers.list[1].stopped_ns = monotonic_ns() - plan->watchdog_ns;
	usleep(1000);
	ck_assert_int_eq(workers_watch(&workers), -EIO);
}

TEST(workers_watch__stopped_without_watchdog)
{
	start();
	stops();
	workers.list[1].stopped_ns = 1; /* for ever */
	ck_assert_int_eq(workers_watch(&workers), 0);
}

TEST(workers_running__the_place_of_a_worker)
{
	struct places_page *page = rank.places.memory;

	start();
	ck_assert_uint_eq(workers_running(&workers, 1), NO_PLACE);
	node_does(9, "x");
	ck_assert_uint_eq(workers_running(&workers, 1), 9);
	ck_assert_uint_eq(workers_running(&workers, 2), NO_PLACE);
	/* a worker may write anything there */
	page->workers[1].running = 10; /* of no node */
	ck_assert_uint_eq(workers_running(&workers, 1), NO_PLACE);
	page->workers[1].running = PLACES;
	ck_assert_uint_eq(workers_running(&workers, 1), NO_PLACE);
	page->workers[1].running = 0; /* of another rank */
	ck_assert_uint_eq(workers_running(&workers, 1), NO_PLACE);
	page->workers[3].running = 8; /* a worker of another rank */
	ck_assert_uint_eq(workers_running(&workers, 3), NO_PLACE);
}

/* ---- windows that do not end ---- */

/* opens a window in which both workers take part */
static void window_open(void)
{
	rank.windows.count++;
	clock_gate_run(&rank.windows.gate);
	ck_assert(clock_gate_open(&rank.windows.gate, 0, LOOKAHEAD));
}

/* @times looks, each of which counts as WATCHDOG_PORTION_NS, however long it took.
 * Return: of the last one; the others return 0 */
static int judged(int times)
{
	int error = 0;

	for (int i = 0; i < times; i++) {
		ck_assert_int_eq(error, 0);
		workers.watchdog.last_ns -= WATCHDOG_PORTION_NS;
		error = workers_judge(&workers);
	}
	return error;
}

/* worker @worker has finished the window */
static void finishes(uint32_t worker)
{
	const struct clock *clock = &rank.windows.gate.clock;

	for (int i = 0; i < 60000 && clock->done[worker] != clock->page->window; i++)
		usleep(1000);
	ck_assert_uint_eq(clock->done[worker], clock->page->window);
}

static void is_said(const char *begin)
{
	ck_assert_msg(!strncmp(workers.why, begin, strlen(begin)), "%s", workers.why);
}

/* it does within the next looks, since it may not sleep yet */
static void hangs(void)
{
	for (int i = 0; i < 60000 && !judged(1); i++)
		usleep(1000);
	is_said("hangs: it has not finished window 1 for ");
}

/* a look at the new window, one that begins the stall, and four: a second */
TEST(workers_judge__a_worker_that_hangs)
{
	plan->watchdog_ns = 5 * WATCHDOG_PORTION_NS;
	start();
	node_does(16, "hang");
	window_open();
	finishes(1);
	ck_assert_int_eq(judged(5), 0);
	hangs();
	ck_assert_uint_eq(workers.failed, 2);
	ck_assert_int_eq(workers.failed_pid, workers.list[2].pid);
}

/* both do: the first is named */
TEST(workers_judge__two_workers_that_hang)
{
	plan->watchdog_ns = 5 * WATCHDOG_PORTION_NS;
	start();
	node_does(16, "hang");
	node_does(8, "hang");
	window_open();
	for (int i = 0; i < 60000 && !workers_judge(&workers); i++)
		usleep(1000);
	ck_assert_uint_eq(workers.failed, 1);
	ck_assert_int_eq(workers.failed_pid, workers.list[1].pid);
}

TEST(workers_judge__a_worker_that_loops)
{
	plan->watchdog_ns = 3000000;
	start();
	node_does(8, "spin");
	window_open();
	for (int i = 0; i < 60000 && !workers_judge(&workers); i++)
		usleep(2000);
	is_said("is in an endless loop: it has not finished window 1 for ");
	ck_assert_uint_eq(workers.failed, 1);
}

TEST(workers_judge__no_watchdog)
{
	start();
	node_does(16, "hang");
	window_open();
	finishes(1);
	ck_assert_int_eq(judged(40), 0);
}

/* workers that have finished, or have nothing to do, are not late */
TEST(workers_judge__no_late_worker)
{
	plan->watchdog_ns = 5 * WATCHDOG_PORTION_NS;
	start();
	rank.windows.gate.clock.own_next[2] = NODE_TIME_NEVER;
	node_does(16, "hang");
	window_open();
	finishes(1);
	ck_assert_int_eq(judged(40), 0);
}

static struct stats_page *page_of(uint32_t place)
{
	struct stats_page *page;
	int fd = mirror_page(&workers.nodes[place].mirror, sizeof(*page));

	ck_assert_int_ge(fd, 0);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	return page;
}

/* a worker whose nodes advance in time is not late, however long the window takes; their pages
 * tell */
TEST(workers_judge__nodes_that_advance)
{
	struct stats_page *page;

	plan->watchdog_ns = 5 * WATCHDOG_PORTION_NS;
	start();
	page = page_of(9);
	node_does(9, "hang");
	window_open();
	finishes(2);
	for (int i = 0; i < 60; i++) {
		page->now_ps++;
		ck_assert_int_eq(judged(1), 0);
	}
	ck_assert_int_eq(judged(3), 0);
	hangs();
}

/* a hundred million events at one moment are a loop, without much CPU time */
TEST(workers_judge__nodes_with_many_events)
{
	struct stats_page *page;

	plan->watchdog_ns = 1000 * WATCHDOG_PORTION_NS;
	start();
	page = page_of(16);
	node_does(16, "hang");
	window_open();
	finishes(1);
	ck_assert_int_eq(judged(3), 0);
	page->events = WATCHDOG_EVENTS_MAX - 1;
	ck_assert_int_eq(judged(2), 0);
	page->events = WATCHDOG_EVENTS_MAX;
	ck_assert_int_eq(judged(1), -EIO);
	is_said("is in an endless loop");
}

/* each window has the whole time */
TEST(workers_judge__the_next_window)
{
	plan->watchdog_ns = 5 * WATCHDOG_PORTION_NS;
	start();
	node_does(16, "hang");
	window_open();
	finishes(1);
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(judged(3), 0);
		rank.windows.count++;
	}
}

/* ---- end ---- */

TEST(workers_leave__one_fails)
{
	pid_t pid;

	start();
	node_does(9, "last 5");
	pid = workers.list[1].pid;
	ck_assert_int_eq(workers_leave(&workers), -EIO);
	ck_assert_str_eq(workers.why, "left with status 5");
	ck_assert_uint_eq(workers.failed, 1);
	ck_assert_int_eq(workers.failed_pid, pid);
	ck_assert_uint_eq(workers.alive, 0);
	ck_assert_uint_eq(rank.windows.gate.clock.page->state, CLOCK_ENDED);
}

TEST(workers_end__kills_and_closes)
{
	pid_t pids[2];
	int epoll, sockets[2];

	start();
	pids[0] = workers.list[1].pid;
	pids[1] = workers.list[2].pid;
	epoll = workers.epoll;
	sockets[0] = workers.list[2].socket;
	sockets[1] = workers.nodes[16].socket;
	workers_end(&workers);
	workers.rank = NULL;
	ck_assert_int_eq(kill(pids[0], 0), -1);
	ck_assert_int_eq(kill(pids[1], 0), -1);
	ck_assert_int_eq(fcntl(epoll, F_GETFD), -1);
	ck_assert_int_eq(fcntl(sockets[0], F_GETFD), -1);
	ck_assert_int_eq(fcntl(sockets[1], F_GETFD), -1);
}
