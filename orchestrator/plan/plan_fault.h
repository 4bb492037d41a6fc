/*  plan_fault - the faults of a scenario as a time line: what fails, what returns, and when tables
 *  follow (FC-26).
 *
 *  Of what is due at one moment, what returns comes first, then what fails, then new tables; among
 *  equals in the order of the scenario. If the active fabric manager dies, tables that would follow
 *  before the other one has taken over do so at that moment; under the real clock it is a process
 *  that dies, and taking over takes what it takes.
 *  Links fail as often as they are named: a link is down while any fault of it, or of a switch at
 *  its ends, lasts. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_FAULT_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_FAULT_H

#include "orchestrator/scenario/scenario.h"

struct plan;

#define PLAN_FAULT_NAME_MAX (2 * NODE_NAME_MAX + 16)

struct plan_fault {
	enum fault_kind kind;
	char name[PLAN_FAULT_NAME_MAX]; /* for people: "link s1:p2 - s3:p0", "switch s1" */
	node_time_t at_ps, until_ps;    /* NODE_TIME_NEVER: it stays */
	/* FAULT_LINK: which of the plan; FAULT_SWITCH: which node */
	uint32_t link, node;
	node_time_t tables_ps; /* when tables first follow */
};

enum plan_action_kind { ACTION_RETURN, ACTION_FAIL, ACTION_TABLES };

struct plan_action {
	node_time_t at_ps;
	enum plan_action_kind kind;
	uint32_t fault;
};

struct plan_faults {
	uint32_t count, action_count;
	struct plan_fault *list;
	struct plan_action *actions; /* in the order of time */
	node_time_t reaction_ps;     /* from a change to new tables */
	/* from the death of the active fabric manager to the first sweep of the other one */
	node_time_t takeover_ps;
	/* the delivered throughput is measured over such windows; 0: there are no faults */
	node_time_t window_ps;
};

/** plan_faults_make() - the time line of @scenario; nodes and links of @plan are there.
 *  Return: 0; -EINVAL, reported to @errors; -ENOMEM. */
int plan_faults_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		     struct scenario_errors *errors);
void plan_faults_free(struct plan_faults *faults);

/** plan_faults_hops() - the most links between two switches that have hosts, on minimal paths,
 *  while the faults of @plan start and end; in a fabric of kind port-group also on the path of a
 *  packet that is in the fabric while tables change (routing_in_flight.h). The routes of @plan are
 *  there already.
 *  Return: 0 or -ENOMEM. O(faults * switches * links). */
int plan_faults_hops(const struct plan *plan, uint32_t *hops);

/** plan_fault_concerns() - does @link of @plan fail with @fault? */
bool plan_fault_concerns(const struct plan *plan, const struct plan_fault *fault, uint32_t link);

#endif
