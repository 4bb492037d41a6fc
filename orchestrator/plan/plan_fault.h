/*  plan_fault - the faults of a scenario as a sequence of actions: what fails, what returns, and
 *  when tables change (FC-26).
 *
 *  Actions of the same time have an order: returns, failures, new tables; each in the order of the
 *  scenario. After the active fabric manager has died, tables do not change until the standby has
 *  taken over. Under the real clock the manager is a process, and the time of its takeover is not
 *  planned.
 *  Faults of a link may overlap: it is down during each fault of it, or of a switch at its ends. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_FAULT_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_FAULT_H

#include "orchestrator/scenario/scenario.h"

struct plan;

#define PLAN_FAULT_NAME_MAX (2 * NODE_NAME_MAX + 16)

struct plan_fault {
	enum fault_kind kind;
	char name[PLAN_FAULT_NAME_MAX]; /* as printed: "link s1:p2 - s3:p0", "switch s1" */
	node_time_t at_ps, until_ps;    /* NODE_TIME_NEVER: it stays */
	/* indices in the plan: of FAULT_LINK, of FAULT_SWITCH */
	uint32_t link, node;
	node_time_t tables_ps; /* the first new tables */
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
	struct plan_action *actions; /* by time */
	node_time_t reaction_ps;     /* from a change to new tables */
	/* from the death of the active fabric manager to the first sweep of the standby */
	node_time_t takeover_ps;
	/* the throughput is measured in windows of this length; 0: there are no faults, or no run
	 * that ends */
	node_time_t window_ps;
	bool held; /* they wait for a request: live_fault.h */
};

/** plan_faults_make() - fills plan->faults. Nodes and links of @plan are filled already.
 *  Return: 0; -EINVAL, reported to @errors; -ENOMEM. */
int plan_faults_make(enum clock_kind clock, const struct scenario *scenario, struct plan *plan,
		     struct scenario_errors *errors);
void plan_faults_free(struct plan_faults *faults);

/** plan_faults_hops() - the most hops of a minimal path between two switches that have hosts, while
 *  the faults of @plan start and end. In a fabric of kind port-group also of the path of a packet
 *  that is in flight while tables change (routing_in_flight.h). The routes of @plan are filled
 *  already.
 *  Return: 0 or -ENOMEM. O(faults * switches * links). */
int plan_faults_hops(const struct plan *plan, uint32_t *hops);

/** plan_fault_concerns() - does @link of @plan fail with @fault? */
bool plan_fault_concerns(const struct plan *plan, const struct plan_fault *fault, uint32_t link);

#endif
