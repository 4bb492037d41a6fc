/*  manager_pair - the fabric managers of a fabric under the real clock: one active, one standby
 *  (PG-11, FC-26, TB-14).
 *
 *  The process that owns the fabric, `heddle up` or `heddle run --clock real`, requests a sweep
 *  from the active manager after each change, and relays its questions (manager_message.h). If the
 *  active manager dies, hangs, loops or sends an invalid message, it is killed, the standby becomes
 *  active and sweeps, and a new standby is started. The time of a sweep depends on the fabric and
 *  on the other load of the machine, so it has no limit. A manager that sends nothing is judged as
 *  a node is (watchdog.h): it hangs if for five seconds it neither uses a core nor waits for one;
 *  it loops if it uses 30 times that, 150 s, of its own CPU time. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_MANAGER_PAIR_H
#define HEDDLE_ORCHESTRATOR_FABRIC_MANAGER_PAIR_H

#include <jansson.h>
#include <poll.h>

#include "orchestrator/fabric/fabric.h"
#include "orchestrator/manager/fabric_manager.h"

#define MANAGER_PAIR 2u

struct manager_end {
	pid_t pid;
	int fd, pid_fd; /* the socket to it; -1: it does not run */
	uint64_t started_ns;
};

struct manager_pair {
	struct fabric *fabric; /* borrowed */
	uint64_t patience_ns;  /* a manager that is idle for so long hangs */
	struct manager_end list[MANAGER_PAIR];
	uint32_t active; /* the other one is the standby */
	uint32_t sweeps, takeovers;
	struct manager_report last;
	uint64_t last_ns;
	uint64_t changed_ns; /* the last sweep that wrote anything, and what; 0: none did */
	uint32_t changed_blocks, changed_switches;
};

/** manager_pair_init() - no manager runs yet; the first sweep starts them. manager_pair_end() -
 *  kills them. Idempotent. */
void manager_pair_init(struct manager_pair *pair, struct fabric *fabric);
void manager_pair_end(struct manager_pair *pair);

/** manager_pair_sweep() - a sweep of the active manager, after a link, a node or a host joined or
 *  left, and at the start. Waits for it.
 *  Return: 0 or -errno, usually with the reason in fabric->failure. */
int manager_pair_sweep(struct manager_pair *pair);

/** manager_pair_kill() - kills the active manager, as a fault of a scenario does. */
void manager_pair_kill(struct manager_pair *pair);

/** manager_pair_poll() - descriptors that become readable when a manager dies. */
void manager_pair_poll(const struct manager_pair *pair, struct pollfd polled[MANAGER_PAIR]);

/** manager_pair_watch() - replaces a dead manager; if it was the active one, the standby takes
 *  over.
 *  Return: true if one is still missing: call it again in a second. */
bool manager_pair_watch(struct manager_pair *pair);

/** manager_pair_describe() - pids, last sweep and last change, as JSON. */
json_t *manager_pair_describe(const struct manager_pair *pair);

#endif
