#include "rankd/link/windows.h"

#include <sched.h>
#include <time.h>

#include "nodes/base/monotonic.h"
#include "rankd/link/transport.h"

#define LOOK_NS 5000000u
#define YIELDS 64u      /* before it sleeps */
#define SLEEP_NS 20000u /* at first */
#define SLEEP_MAX_NS 500000u

void windows_wait(uint32_t *turn)
{
	struct timespec time = { 0 };
	uint64_t sleep_ns;

	if ((*turn)++ < YIELDS) {
		sched_yield();
		return;
	}
	sleep_ns = (uint64_t)SLEEP_NS * (1 + (*turn - YIELDS) / 8);
	time.tv_nsec = (long)(sleep_ns < SLEEP_MAX_NS ? sleep_ns : SLEEP_MAX_NS);
	nanosleep(&time, NULL);
}

static int workers_await(struct windows *windows)
{
	uint64_t began_ns = monotonic_ns();

	while (!clock_gate_wait(&windows->gate, LOOK_NS)) {
		int error = windows->look(windows->owner, LETTER_WORKS, monotonic_ns() - began_ns);

		if (error)
			return error;
	}
	return 0;
}

static int round_await(struct windows *windows, uint64_t least[2])
{
	uint64_t began_ns = monotonic_ns(), looked_ns = began_ns;
	uint32_t turn = 0;

	while (!transport_round_done(least)) {
		uint64_t now_ns;

		windows_wait(&turn);
		now_ns = monotonic_ns();
		if (now_ns - looked_ns >= LOOK_NS) {
			int error = windows->look(windows->owner, LETTER_WAITS, now_ns - began_ns);

			if (error)
				return error;
			looked_ns = now_ns;
		}
	}
	return 0;
}

static void round_begin(struct windows *windows)
{
	const struct clock_page *page = windows->gate.clock.page;
	struct crossing *crossing = &windows->crossing;
	uint8_t *bytes[RANKS_MAX];
	size_t lengths[RANKS_MAX];
	uint64_t times[2] = { windows->earliest,
			      windows->root ? atomic_load(&page->limit_ps) : NODE_TIME_NEVER };

	for (uint32_t i = 0; i < crossing->neighbour_count; i++) {
		bytes[i] = crossing->messages[i].bytes;
		lengths[i] = crossing->messages[i].length;
	}
	transport_round_begin(bytes, lengths, times);
}

static int records_deliver(struct windows *windows)
{
	struct crossing *crossing = &windows->crossing;
	int error = 0;

	for (uint32_t i = 0; i < crossing->neighbour_count && !error; i++) {
		size_t length;
		const uint8_t *bytes = transport_received(i, &length);

		error = crossing_deliver(crossing, i, bytes, length, (uint32_t)windows->count,
					 windows->end);
	}
	crossing_publish(crossing);
	return error;
}

static node_time_t window_end(const struct windows *windows, node_time_t start, node_time_t limit)
{
	node_time_t lookahead = windows->gate.clock.page->lookahead_ps;

	return node_time_min(
		start > NODE_TIME_NEVER - lookahead ? NODE_TIME_NEVER : start + lookahead, limit);
}

int windows_run(struct windows *windows)
{
	struct clock_page *page = windows->gate.clock.page;

	for (;;) {
		uint64_t least[2];
		int error;

		windows->earliest = clock_gate_earliest(&windows->gate);
		error = crossing_collect(&windows->crossing, (uint32_t)windows->count);
		if (error)
			return error;
		round_begin(windows);
		error = round_await(windows, least);
		if (!error)
			error = records_deliver(windows);
		if (error)
			return error;
		windows->count++;
		if (!windows->root)
			atomic_store(&page->limit_ps, least[1]);
		if (least[0] >= least[1]) {
			/* a pause has no limit: nodes take for the time what is next */
			if (!windows->root && least[1] < windows->end)
				atomic_store(&page->limit_ps, least[0]);
			break;
		}
		windows->end = window_end(windows, least[0], least[1]);
		error = clock_gate_open(&windows->gate, least[0], windows->end)
				? workers_await(windows)
				: 0;
		if (error)
			return error;
	}
	/* what has just arrived counts here from now on */
	windows->earliest = clock_gate_earliest(&windows->gate);
	return 0;
}
