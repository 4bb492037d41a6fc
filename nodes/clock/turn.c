#include "nodes/clock/turn.h"

#include <sched.h>

#define SPINS 2000u /* about 10 us, a few round trips of a cache line */
#define YIELDS 48u
#define YIELDS_IDLE 4u /* per window that passes by */

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

uint32_t turn_cores(void)
{
	cpu_set_t set;
	int cores;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	cores = CPU_COUNT(&set);
	return cores > 0 ? (uint32_t)cores : 1;
}

void turn_init(struct turn *turn, const struct clock *clock, struct event_loop *loop, uint32_t node,
	       uint32_t core_count)
{
	*turn = (struct turn){ .clock = clock,
			       .loop = loop,
			       .node = node,
			       .spins_max = clock->node_count <= core_count ? SPINS : 0,
			       .yields_max = YIELDS };
	core_share_init(&turn->share, clock, node);
}

/* end_ps is what publishes a window (clock.c): nothing else may be read before it */
static bool is_open(const struct turn *turn)
{
	node_time_t end = atomic_load_explicit(&turn->clock->page->end_ps, memory_order_seq_cst);

	return atomic_load_explicit(&turn->clock->own_next[turn->node], memory_order_relaxed) < end;
}

static enum clock_state state_of(const struct turn *turn)
{
	return (enum clock_state)atomic_load_explicit(&turn->clock->page->state,
						      memory_order_seq_cst);
}

/* awake, as long as it is worth it. */
static void wait_awake(struct turn *turn)
{
	const struct clock_page *page = turn->clock->page;
	uint32_t window = atomic_load_explicit(&page->window, memory_order_relaxed);
	bool shared = core_share_shared(&turn->share);
	uint32_t spins_left = shared ? 0 : turn->spins_max;
	uint32_t yields_left = shared ? 0 : turn->yields_max;

	for (; spins_left; spins_left--) {
		if (is_open(turn) || state_of(turn) != CLOCK_RUNNING)
			return;
		pause_briefly();
	}
	if (yields_left)
		core_share_note(&turn->share);
	while (yields_left) {
		uint32_t now;

		if (is_open(turn) || state_of(turn) != CLOCK_RUNNING)
			return;
		core_share_yield(&turn->share);
		yields_left--;
		now = atomic_load_explicit(&page->window, memory_order_relaxed);
		if (now != window) {
			window = now;
			yields_left = yields_left > YIELDS_IDLE ? yields_left - YIELDS_IDLE : 0;
		}
	}
}

enum turn_kind turn_wait(struct turn *turn)
{
	_Atomic uint32_t *asleep = &turn->clock->asleep[turn->node];

	for (;;) {
		unsigned what = 0;

		if (core_share_changed(&turn->share))
			core_share_follow(&turn->share);
		wait_awake(turn);
		if (state_of(turn) == CLOCK_ENDED)
			return TURN_ENDED;
		if (is_open(turn))
			return TURN_RUN;
		atomic_exchange_explicit(asleep, 1, memory_order_seq_cst);
		if (!is_open(turn) && state_of(turn) != CLOCK_ENDED)
			what = event_loop_wait(turn->loop, asleep);
		atomic_exchange_explicit(asleep, 0, memory_order_seq_cst);
		if (what & EVENT_LOOP_CONTROL)
			return TURN_CONTROL;
	}
}
