#include "nodes/clock/home_core.h"

void home_core_init(struct home_core *home, int core)
{
	*home = (struct home_core){ .away_ps = HOME_CORE_AWAY_MIN_PS };
	/* CPU_ISSET() is false beyond CPU_SETSIZE */
	if (core < 0 || sched_getaffinity(0, sizeof(home->all), &home->all) ||
	    CPU_COUNT(&home->all) < 2 || !CPU_ISSET(core, &home->all))
		return;
	CPU_SET(core, &home->home);
	home->used = home->is_home = !sched_setaffinity(0, sizeof(home->home), &home->home);
}

void home_core_leave(struct home_core *home, node_time_t now)
{
	bool settled = now - home->since_ps > HOME_CORE_SETTLED_PS;

	sched_setaffinity(0, sizeof(home->all), &home->all);
	home->is_home = false;
	home->since_ps = now;
	home->away_ps = settled ? HOME_CORE_AWAY_MIN_PS
				: node_time_min(2 * home->away_ps, HOME_CORE_AWAY_MAX_PS);
}

void home_core_return(struct home_core *home, node_time_t now)
{
	/* a node that may not use the core any more stays away */
	home->used = !sched_setaffinity(0, sizeof(home->home), &home->home);
	home->is_home = home->used;
	home->since_ps = now;
}
