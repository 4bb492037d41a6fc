/*  interrupt - SIGINT, SIGTERM and SIGHUP end a run in good order instead of at once (TB-22).
 *
 *  The handler only remembers; a waiting system call returns with EINTR and whoever waited looks here. SIGCHLD has an
 *  empty handler for the same reason: the death of a node ends the wait.                                              */
#ifndef HEDDLE_ORCHESTRATOR_INTERRUPT_H
#define HEDDLE_ORCHESTRATOR_INTERRUPT_H

#include <stdbool.h>

/** interrupt_catch() - from now on. A second SIGINT or SIGTERM ends the process as usual; the nodes follow it. */
void interrupt_catch(void);

/** interrupt_seen() - has one of them arrived? */
bool interrupt_seen(void);

#endif
