/*  bench_clock - what a window of the virtual clock costs, and nothing else (TB-7).
 *
 *  Forked processes do nothing but finish windows: each one's next event lies in the next window.
 *  Wall time per process and window, with all of them active and with only two of them ("pair": the
 *  others must cost nothing). Printed beside it: the time of a cache line from core to core and
 *  back, which the machine changes from run to run. Usage: bench_clock [--loop=io_uring|fallback]
 *  [process-windows per measurement] */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/clock/futex.h"
#include "nodes/clock/turn.h"

#define LOOKAHEAD NODE_US
#define RUNS 5
#define LINE_ROUNDS 200000u

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* ---- a cache line between two cores ---- */

static _Alignas(64) _Atomic uint32_t ball;

static void pin(unsigned core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *line_return(void *core)
{
	pin(*(unsigned *)core);
	for (uint32_t round = 0; round < LINE_ROUNDS; round++) {
		while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * round + 1)
			;
		atomic_store_explicit(&ball, 2 * round + 2, memory_order_release);
	}
	return NULL;
}

/* the first two cores that this process may use.  Return: false if there is only one */
static bool two_cores(const cpu_set_t *allowed, unsigned cores[2])
{
	unsigned found = 0;

	for (unsigned core = 0; core < CPU_SETSIZE && found < 2; core++)
		if (CPU_ISSET(core, allowed))
			cores[found++] = core;
	return found == 2;
}

static void print_line_round_trip(void)
{
	cpu_set_t allowed;
	unsigned cores[2];
	pthread_t thread;
	uint64_t start;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!two_cores(&allowed, cores)) {
		printf("cache line round trip: only one core\n");
		return;
	}
	atomic_store(&ball, 0);
	if (pthread_create(&thread, NULL, line_return, &cores[1]))
		exit(1);
	pin(cores[0]);
	start = now_ns();
	for (uint32_t round = 0; round < LINE_ROUNDS; round++) {
		atomic_store_explicit(&ball, 2 * round + 1, memory_order_release);
		while (atomic_load_explicit(&ball, memory_order_acquire) != 2 * round + 2)
			;
	}
	printf("cache line round trip, core %u to core %u: %.0f ns\n", cores[0], cores[1],
	       (double)(now_ns() - start) / LINE_ROUNDS);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

/* ---- windows ---- */

struct load {
	enum event_loop_kind loop;
	uint32_t node_count, active_count;
	uint64_t windows;
};

static void node_process(const struct clock *clock, uint32_t node, const struct load *load)
{
	struct why why;
	struct event_loop *loop = event_loop_open(load->loop, -1, &why);
	uint32_t *wake = calloc(load->node_count, sizeof(*wake));
	struct turn turn;

	if (!loop || !wake) {
		fprintf(stderr, "bench_clock: %s\n", why.text);
		_exit(1);
	}
	turn_init(&turn, clock, loop, node, turn_cores());
	while (turn_wait(&turn) == TURN_RUN) {
		node_time_t end = atomic_load_explicit(&clock->page->end_ps, memory_order_relaxed);
		uint32_t count = clock_finish(
			clock, node, node < load->active_count ? end : NODE_TIME_NEVER, wake);

		event_loop_wake(loop, clock->asleep, wake, count);
	}
	_exit(0);
}

/* runs the clock up to @limit and waits for it.  Return: wall time */
static uint64_t run_until(const struct clock *clock, node_time_t limit, uint32_t *wake)
{
	uint32_t stops = atomic_load(&clock->page->stops);
	uint64_t start = now_ns();
	uint32_t count = clock_resume(clock, limit, wake);

	for (uint32_t k = 0; k < count; k++)
		futex_wake(&clock->asleep[wake[k]], 1);
	while (atomic_load(&clock->page->stops) == stops)
		futex_wait(&clock->page->stops, stops, NULL);
	return now_ns() - start;
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct load *load)
{
	size_t bytes = clock_bytes(load->node_count);
	struct clock_page *page =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t *pids = calloc(load->node_count, sizeof(*pids));
	uint32_t *wake = calloc(load->node_count, sizeof(*wake));
	double cpu = cpu_seconds(), ns[RUNS], turns;
	uint64_t wakes = 0, node_windows = 0;
	struct clock clock;
	node_time_t limit = LOOKAHEAD;

	if (page == MAP_FAILED || !pids || !wake)
		exit(1);
	clock_init(page, load->node_count, LOOKAHEAD);
	if (clock_attach(&clock, page, bytes))
		exit(1);
	for (uint32_t node = 0; node < load->node_count; node++) {
		pids[node] = fork();
		if (!pids[node]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			node_process(&clock, node, load);
		}
	}
	run_until(&clock, limit, wake); /* all threads are there */
	wakes = atomic_load(&page->wakes);
	node_windows = atomic_load(&page->node_windows);
	turns = (double)load->windows * load->active_count;
	for (int run = 0; run < RUNS; run++) {
		limit += load->windows * LOOKAHEAD;
		ns[run] = (double)run_until(&clock, limit, wake) / turns;
	}
	wakes = atomic_load(&page->wakes) - wakes;
	node_windows = atomic_load(&page->node_windows) - node_windows;
	atomic_store(&page->state, CLOCK_ENDED);
	for (uint32_t node = 0; node < load->node_count; node++)
		clock_ring(&clock, node);
	for (uint32_t node = 0; node < load->node_count; node++)
		waitpid(pids[node], NULL, 0);
	qsort(ns, RUNS, sizeof(*ns), compare);
	printf("%10u %7u %9llu %14.0f (%.0f..%.0f) %16.0f %14.4f\n", load->node_count,
	       load->active_count, (unsigned long long)load->windows, ns[RUNS / 2], ns[0],
	       ns[RUNS - 1], (cpu_seconds() - cpu) * 1e9 / (turns * RUNS),
	       (double)wakes / (double)node_windows);
	munmap(page, bytes);
	free(pids);
	free(wake);
}

int main(int argc, char **argv)
{
	static const uint32_t counts[] = { 2, 4, 16, 64, 256, 1024 };
	struct load load = { .loop = EVENT_LOOP_AUTO };
	uint64_t turns = 200000;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--loop=fallback"))
			load.loop = EVENT_LOOP_FALLBACK;
		else if (!strcmp(argv[i], "--loop=io_uring"))
			load.loop = EVENT_LOOP_URING;
		else if (atoll(argv[i]) > 0)
			turns = (uint64_t)atoll(argv[i]);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	print_line_round_trip();
	printf("%10s %7s %9s %14s %7s %22s %14s\n", "processes", "active", "windows",
	       "wall ns/turn", "(range)", "CPU ns/turn", "wakes/turn");
	for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		load.node_count = load.active_count = counts[i];
		load.windows = turns / counts[i];
		measure(&load);
	}
	for (unsigned i = 1; i < sizeof(counts) / sizeof(*counts); i++) {
		load.node_count = counts[i];
		load.active_count = 2;
		load.windows = turns / 2;
		measure(&load);
	}
	print_line_round_trip();
	return 0;
}
