/*  root - rank 0's part: between the orchestrator and the other ranks (SC-4).
 *
 *  To the orchestrator this process is a worker that runs all nodes of the other ranks. It has
 *  their control sockets, statistics pages and files, and passes messages on in both directions. It
 *  opens the windows of rank 0's clock. If the run must end, it reports the reason over its own
 *  socket (descriptor 3). */
#ifndef HEDDLE_RANKD_RUN_ROOT_H
#define HEDDLE_RANKD_RUN_ROOT_H

/** root_run() - from the first message of the orchestrator to the end.  Return: the exit status. */
int root_run(void);

#endif
