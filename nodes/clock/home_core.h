/*  home_core - on which cores a node of the real clock may run: on one with its neighbours while
 *  that is enough.
 *
 *  Waking a process on another core costs several times what it costs on the same one (an idle core
 *  has to be called, in a virtual machine by way of its host), and a packet wakes a process at
 *  every hop. So as long as one core carries the fabric all nodes stay on it. A node that comes
 *  late there leaves for all cores that it may use, at once, and returns when it has been in time
 *  for a while: the longer, the more often that was too early.
 *  Cost: a comparison a turn; a system call for each change. */
#ifndef HEDDLE_NODES_CLOCK_HOME_CORE_H
#define HEDDLE_NODES_CLOCK_HOME_CORE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

/* later than this is too late: a few nodes before oneself are not. Ours */
#define HOME_CORE_LATE_PS (200 * NODE_US)
#define HOME_CORE_AWAY_MIN_PS (20 * NODE_MS) /* how long a node stays away at least */
#define HOME_CORE_AWAY_MAX_PS (10 * NODE_S)  /* and at most, after leaving again and again */
#define HOME_CORE_SETTLED_PS (1 * NODE_S)    /* who stayed at home so long is back for good */

struct home_core {
	cpu_set_t home, all;
	bool used; /* false: there is nothing to choose, or it is not wanted */
	bool is_home;
	node_time_t since_ps; /* of the last change */
	node_time_t late_ps;  /* when it was late last, away from home */
	node_time_t away_ps;  /* how long it stays away, this time */
};

/** home_core_init() - takes the node to core @core; -1: leaves it where it is, for good. */
void home_core_init(struct home_core *home, int core);

/** home_core_leave(), home_core_return() - all cores, or the one.   Called by the two below. */
void home_core_leave(struct home_core *home, node_time_t now);
void home_core_return(struct home_core *home, node_time_t now);

/** home_core_note() - the node was late by @late_ps at @now. */
static inline void home_core_note(struct home_core *home, node_time_t late_ps, node_time_t now)
{
	if (late_ps <= HOME_CORE_LATE_PS || !home->used)
		return;
	home->late_ps = now;
	if (home->is_home)
		home_core_leave(home, now);
}

/** home_core_look() - time to return? For nodes about to sleep: who is busy all the time has no
 *  reason to. */
static inline void home_core_look(struct home_core *home, node_time_t now)
{
	if (home->used && !home->is_home && now - home->late_ps > home->away_ps)
		home_core_return(home, now);
}

#endif
