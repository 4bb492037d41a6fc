/*  plan_save - a running fabric as a scenario, with all that has changed since its start (DU-6).
 *
 *  The sections of the scenario that it was started from are copied as they are, comments included.
 *  A section that --set has changed, or that names what has left, is written again. The topology is
 *  always written again: each switch, host and link, with what its link is like now. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAVE_H
#define HEDDLE_ORCHESTRATOR_PLAN_PLAN_SAVE_H

#include <stdio.h>

#include "orchestrator/plan/plan.h"

struct plan_saving {
	const char *fabric; /* its name */
	const char *when;   /* for the comment at the top */
	const char *folder; /* of the file to be written; absolute */
	/* [plan->link_count]: the link is down by a fault of the scenario, which the saved one
	 * has, too; NULL: none */
	const bool *taken;
	/* "path=value", as after --set and after those of the start: what has changed since */
	const char *const *settings;
	uint32_t setting_count;
	const char *commands; /* that no scenario can have, a line each, for comments; NULL: none */
};

/** plan_save() - writes @plan, which has an origin, to @out.
 *  A link that is down becomes a fault at 0s. A host whose default addresses would change has them
 *  as a list: hosts before it have left. Paths become absolute if the file is to be in another
 *  folder than the scenario. What names nodes that have left is left out, and a comment says so.
 *  Return: 0; -EINVAL: the scenario cannot be read again; -ENOMEM. */
int plan_save(const struct plan *plan, const struct plan_saving *saving, FILE *out);

#endif
