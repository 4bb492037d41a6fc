/*  manager_process - the fabric manager as a separate process (PG-11, TB-14).
 *
 *  The process that owns a fabric under the real clock, the keeper, starts two managers: one is
 *  active, the other is the standby and idle (manager_pair.h). A manager has one descriptor,
 *  CONTROL_FD, a socket to the keeper, which relays its questions to the nodes (manager_message.h).
 *  The active manager is the one that the keeper requests to sweep. No manager keeps state between
 *  two sweeps, so the standby can continue at once. The kernel kills a manager whose keeper dies. A
 *  closed socket and an invalid message end it too. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H

#define MANAGER_COMMAND "fabric-manager" /* internal: started by the keeper of a fabric */

/** manager_process_run() - the manager, from start to end.
 *  Return: exit status. */
int manager_process_run(int argc, char **argv);

#endif
