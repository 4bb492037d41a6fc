/*  up_machines - the options of `heddle up` for a fabric on several machines (SC-5). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_UP_MACHINES_H
#define HEDDLE_ORCHESTRATOR_OPERATE_UP_MACHINES_H

#include "orchestrator/plan/plan_machines.h"
#include "orchestrator/tunnel/tunnel.h"

struct up_machines {
	const char *list, *self, *key_file; /* of the command line; NULL: not given */
	struct machine_list machines;       /* count 0: one machine */
	struct tunnel_options tunnel;
};

/** up_machines_read() - reads the options and the key.
 *  Return: 0, or the status of a wrong command, reported. */
int up_machines_read(struct up_machines *up);

/** up_machines_digest() - fills the digest that all machines must have: of the version, the
 *  scenario with the files that it names, the settings and the machines. @plan has its origin. */
void up_machines_digest(struct up_machines *up, const struct plan *plan);

#endif
