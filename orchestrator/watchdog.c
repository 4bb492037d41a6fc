#include "orchestrator/watchdog.h"

void watchdog_start(struct watchdog *watchdog, uint64_t patience_ns, uint64_t now_ns)
{
	*watchdog = (struct watchdog){ .patience_ns = patience_ns, .window = UINT32_MAX, .last_ns = now_ns };
}

bool watchdog_wants_cpu(const struct watchdog *watchdog, uint32_t window)
{
	return watchdog->patience_ns && watchdog->window == window;
}

enum watchdog_verdict watchdog_look(struct watchdog *watchdog, uint64_t now_ns, uint32_t window, uint64_t cpu_ns)
{
	uint64_t passed_ns = now_ns - watchdog->last_ns;

	watchdog->last_ns = now_ns;
	if (window != watchdog->window) {
		watchdog->window = window;
		watchdog->stalled_ns = 0;
		return WATCHDOG_FINE;
	}
	if (!watchdog->stalled_ns)
		watchdog->cpu_ns = cpu_ns;
	watchdog->stalled_ns += passed_ns < WATCHDOG_PORTION_NS ? passed_ns : WATCHDOG_PORTION_NS;
	if (!watchdog->patience_ns || watchdog->stalled_ns < watchdog->patience_ns)
		return WATCHDOG_FINE;
	if (cpu_ns - watchdog->cpu_ns < WATCHDOG_IDLE_CPU_NS)
		return WATCHDOG_HANGS;
	if (watchdog->stalled_ns >= watchdog->patience_ns * WATCHDOG_LOOP_FACTOR)
		return WATCHDOG_LOOPS;
	return WATCHDOG_FINE;
}
