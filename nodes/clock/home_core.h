/*  home_core - on which cores a node of the real clock may run: on one with its neighbours while
 *  that is enough.
 *
 *  Waking a process on another core costs several times what it costs on the same one: an idle core
 *  needs an interrupt, in a virtual machine through its host. A packet wakes a process at every
 *  hop. So all nodes stay on one core while it carries the fabric. A node that is late there moves
 *  to all cores that it may use, at once. It returns when it has been in time for a while; after
 *  each return that was too early the while is longer.
 *  Cost: a comparison a turn; a system call for each change. */
#ifndef HEDDLE_NODES_CLOCK_HOME_CORE_H
#define HEDDLE_NODES_CLOCK_HOME_CORE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/time.h"

/* above this a node is too late; a few nodes that run before it cost less. Ours */
#define HOME_CORE_LATE_PS (200 * NODE_US)
#define HOME_CORE_AWAY_MIN_PS (20 * NODE_MS) /* how long a node stays away at least */
#define HOME_CORE_AWAY_MAX_PS (10 * NODE_S)  /* and at most, after leaving again and again */
#define HOME_CORE_SETTLED_PS (1 * NODE_S)    /* a node that stayed at home so long is settled */

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

/** home_core_look() - returns home if it is time to. For nodes about to sleep: a node that is busy
 *  all the time stays away. */
static inline void home_core_look(struct home_core *home, node_time_t now)
{
	if (home->used && !home->is_home && now - home->late_ps > home->away_ps)
		home_core_return(home, now);
}

#endif
