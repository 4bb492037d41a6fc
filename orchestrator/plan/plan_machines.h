/*  plan_machines - which nodes of a fabric run on which machine (SC-5).
 *
 *  Switches are divided, and hosts follow the switch of their eth0. A link between two machines is
 *  a cut link: its medium is MEDIUM_TUNNEL. The scenario may say where switches run
 *  (topology.machines). If not, the graph of switches is cut: machines get about as many nodes
 *  each, and few links are cut. The result depends on the scenario and the number of machines only,
 *  so every machine computes the same. partition.h, whose result one rank computes for all, has
 *  METIS for its cuts: what that finds may depend on its version, which machines need not share. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_MACHINES_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_MACHINES_H

#include "orchestrator/plan/plan.h"

/* the machines of a command line, in its order */
struct machine_list {
	uint32_t count, self; /* 2..SCENARIO_MACHINES_MAX; the index of this machine */
	char names[SCENARIO_MACHINES_MAX][NODE_NAME_MAX];
};

/** plan_machines_make() - divides @plan, as plan_make_for() has made it, among @machines: fills
 *  plan->machine_of, and sets the medium of cut links.
 *  Return: 0; -EINVAL: the scenario names other machines, or no switch is left for one; reported to
 *  @errors; -ENOMEM. */
int plan_machines_make(const struct scenario *scenario, const struct machine_list *machines,
		       struct plan *plan, struct scenario_errors *errors);

/** plan_machines_cut() - divides @count vertices into @parts parts, numbered from 0.
 *  @weights  of each vertex, at least 1.   @edges  pairs of vertices, @edge_count of them.
 *  @part     filled: the part of each vertex. No part is empty if @count >= @parts. A part has at
 *            most its share, and the heaviest vertex, and an eighth more. Pure.
 *  Return: 0 or -ENOMEM. */
int plan_machines_cut(uint32_t count, const uint32_t *weights, const uint32_t (*edges)[2],
		      uint32_t edge_count, uint32_t parts, uint8_t *part);

#endif
