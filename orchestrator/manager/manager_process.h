/*  manager_process - the fabric manager as a process of its own (PG-11, TB-14).
 *
 *  The process that keeps a fabric under the real clock, the keeper, starts two: one is active, the
 *  other is the standby and has nothing to do (manager_pair.h). A manager has one descriptor,
 *  CONTROL_FD, a socket to the keeper, which relays its questions to the nodes
 *  (manager_message.h). The one that is told to sweep is the active one: no manager keeps state
 *  between two sweeps, so the standby can continue at once. The kernel kills a manager whose keeper
 *  dies. A closed socket, and a message that makes no sense, end it too. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_PROCESS_H

#define MANAGER_COMMAND "fabric-manager" /* not for people: started by the keeper of a fabric */

/** manager_process_run() - the whole life of a manager.  Return: exit status. */
int manager_process_run(int argc, char **argv);

#endif
