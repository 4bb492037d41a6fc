/*  flow_timer - the flows of a watched queue in the order of their last CNPs (RC-8).
 *
 *  All flows have the same period. So the flow whose period began first is the first to lack a CNP:
 *  a list in that order is a timer for each flow, and every operation is O(1). A period begins now,
 *  so a flow joins at the young end. A flow that has lacked a CNP for long, because the switch
 *  could not make one, joins at the old end.
 *  Memory: timers are part of the lines of flows (flow_watch.h). They are stopped before a line is
 *  forgotten. */
#ifndef HEDDLE_SWITCHD_ETHERNET_FLOW_TIMER_H
#define HEDDLE_SWITCHD_ETHERNET_FLOW_TIMER_H

#include <stddef.h>

#include "nodes/base/time.h"

struct flow_timers;

/* of a flow; zeros: it is stopped */
struct flow_timer {
	struct flow_timer *older, *younger;
	struct flow_timers *list; /* NULL: stopped */
	node_time_t from_ps;      /* when its period began; 0: its period is over */
};

/* of a queue; zeros: none runs */
struct flow_timers {
	struct flow_timer *oldest, *youngest;
};

/** flow_timer_stop() - takes a running timer out of its list; a stopped one stays so. */
void flow_timer_stop(struct flow_timer *timer);

/** flow_timer_restart() - a period begins at @now (not before that of any other), in @list; stops
 *  it elsewhere first. */
void flow_timer_restart(struct flow_timer *timer, struct flow_timers *list, node_time_t now);

/** flow_timer_expire() - the period of a stopped timer is over: it is the first of @list. */
void flow_timer_expire(struct flow_timer *timer, struct flow_timers *list);

/** flow_timers_due_at() - when the first of them has run for @period_ps; NODE_TIME_NEVER if none
 *  runs. */
static inline node_time_t flow_timers_due_at(const struct flow_timers *list, node_time_t period_ps)
{
	return list->oldest ? list->oldest->from_ps + period_ps : NODE_TIME_NEVER;
}

#endif
