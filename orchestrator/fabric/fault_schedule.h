/*  fault_schedule - applies the faults of a plan to a fabric, whose clock is stopped at their times
 *  (FC-26, TB-4).
 *
 *  The caller lets the fabric run to fault_schedule_next_at() and calls fault_schedule_step()
 *  there: `heddle run` under both clocks, over control sockets (fabric_fault.c), and the simulation
 *  of the tests directly. Links that are down, the tables that follow, lost packets and the time
 *  until recovery are computed here only, so both get the same bytes. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FAULT_SCHEDULE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FAULT_SCHEDULE_H

#include "nodes/stats/stats.h"
#include "orchestrator/fabric/link_drain.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/results/results.h"

/* callbacks of the fabric; its virtual clock is stopped while they are called. Return: 0 or
 * -errno. */
struct fault_fabric {
	void *owner;
	int (*link_down)(void *owner, uint32_t link);
	int (*link_up)(void *owner, uint32_t link);
	int (*report_left)(void *owner, uint32_t node, uint32_t port,
			   /* link_drain.h; NULL: the fabric drains its links itself */
			   const struct channel_set *left);
	/* tables follow what has failed: a sweep of the fabric manager */
	int (*manage)(void *owner);
	/* kills the active fabric manager, if that is a process; NULL: its tables are late
	 * instead */
	int (*manager_dies)(void *owner);
	/* NULL: @node has left, or a vacant place */
	const struct stats_page *(*page)(void *owner, uint32_t node);
};

/* counts of a fault so far */
struct fault_record {
	uint64_t lost; /* as in struct result_fault */
	/* packets without a route until tables followed: the count before the fault, and then */
	uint64_t astray, astray_until;
};

struct fault_schedule {
	const struct plan *plan;
	struct fault_fabric fabric;
	uint32_t action; /* the next one */
	uint32_t *down;  /* per link: number of its present faults */
	struct link_drain link_drain;
	node_time_t look_at; /* link_drain_look() */
	uint64_t *delivered; /* bytes at the end of each window; the first entry is at the start */
	uint32_t window_count, window_max;
	struct fault_record *records;
};

/** fault_schedule_init() - @plan is borrowed. Return: 0 or -ENOMEM. fault_schedule_fini() in any
 *  case. */
int fault_schedule_init(struct fault_schedule *schedule, const struct plan *plan,
			const struct fault_fabric *fabric);
void fault_schedule_fini(struct fault_schedule *schedule);

/** fault_schedule_next_at() - when the clock must be stopped next; NODE_TIME_NEVER: no more. */
node_time_t fault_schedule_next_at(const struct fault_schedule *schedule);

/** fault_schedule_acts_now() - true if the next fault_schedule_step() changes the fabric; false: it
 *  only measures. */
bool fault_schedule_acts_now(const struct fault_schedule *schedule);

/** fault_schedule_step() - does what is due at fault_schedule_next_at(), the present time of the
 *  fabric.
 *  Return: 0 or -errno. */
int fault_schedule_step(struct fault_schedule *schedule);

/** fault_schedule_cut_off() - true if all links of @node are down. */
bool fault_schedule_cut_off(const struct fault_schedule *schedule, uint32_t node);

/** fault_schedule_report() - fills results->faults.  Return: 0 or -ENOMEM. */
int fault_schedule_report(const struct fault_schedule *schedule, struct results *results);

#endif
