#include "nodes/process/watchdog.h"

void watchdog_start(struct watchdog *watchdog, uint64_t patience_ns, uint64_t now_ns)
{
	*watchdog = (struct watchdog){ .patience_ns = patience_ns,
				       .last_ns = now_ns,
				       .fresh = true,
				       .from.progress = UINT32_MAX };
}

bool watchdog_wants_detail(const struct watchdog *watchdog, uint32_t progress)
{
	return watchdog->patience_ns && watchdog->from.progress == progress;
}

/* a stall starts here */
static void stall_begin(struct watchdog *watchdog, const struct watchdog_sight *sight)
{
	watchdog->fresh = false;
	watchdog->from = *sight;
	watchdog->stalled_ns = watchdog->quiet_ns = 0;
	watchdog->quiet_cpu_ns = watchdog->event_cpu_ns = sight->cpu_ns;
	watchdog->event_count = sight->events;
}

/* do the nodes use no CPU time? If they do, another `patience` starts */
static bool hangs(struct watchdog *watchdog, const struct watchdog_sight *sight)
{
	if (watchdog->stalled_ns - watchdog->quiet_ns < watchdog->patience_ns)
		return false;
	if (sight->cpu_ns - watchdog->quiet_cpu_ns < WATCHDOG_IDLE_CPU_NS)
		return true;
	watchdog->quiet_ns = watchdog->stalled_ns;
	watchdog->quiet_cpu_ns = sight->cpu_ns;
	return false;
}

static bool loops(struct watchdog *watchdog, const struct watchdog_sight *sight)
{
	if (!sight->late)
		return false;
	if ((sight->events - watchdog->from.events) / sight->late >= WATCHDOG_EVENTS_MAX)
		return true;
	if (sight->events != watchdog->event_count) {
		watchdog->event_count = sight->events;
		watchdog->event_cpu_ns = sight->cpu_ns;
	}
	return (sight->cpu_ns - watchdog->event_cpu_ns) / sight->late >=
	       watchdog->patience_ns * WATCHDOG_LOOP_FACTOR;
}

enum watchdog_verdict watchdog_look(struct watchdog *watchdog, uint64_t now_ns,
				    const struct watchdog_sight *sight)
{
	uint64_t passed_ns = now_ns - watchdog->last_ns;

	watchdog->last_ns = now_ns;
	if (!watchdog_wants_detail(watchdog, sight->progress)) {
		watchdog->from.progress = sight->progress;
		watchdog->stalled_ns = 0;
		watchdog->fresh = true;
		return WATCHDOG_FINE;
	}
	if (watchdog->fresh || sight->late != watchdog->from.late ||
	    sight->virtual_ps != watchdog->from.virtual_ps)
		stall_begin(watchdog, sight);
	watchdog->stalled_ns += passed_ns < WATCHDOG_PORTION_NS ? passed_ns : WATCHDOG_PORTION_NS;
	if (hangs(watchdog, sight))
		return WATCHDOG_HANGS;
	return loops(watchdog, sight) ? WATCHDOG_LOOPS : WATCHDOG_FINE;
}
