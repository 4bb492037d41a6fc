/*  interrupt - SIGINT, SIGTERM and SIGHUP end a run in good order instead of at once (TB-22).
 *
 *  The handler only remembers; a waiting system call returns with EINTR and whoever waited looks here. SIGCHLD has an
 *  empty handler for the same reason: the death of a node ends the wait.                                              */
#ifndef HEDDLE_ORCHESTRATOR_BASE_INTERRUPT_H
#define HEDDLE_ORCHESTRATOR_BASE_INTERRUPT_H

#include <stdbool.h>

#define INTERRUPT_STATUS 130
#define INTERRUPT_ONE_NS 500000000ull /* what comes so soon is the same one: timeout(1) sends it twice (ours) */

/** interrupt_catch() - from now on. Another one, later than INTERRUPT_ONE_NS after the first, ends the process at once with
 *  a word and INTERRUPT_STATUS, whatever it waits for; the nodes follow it. To be called once.                        */
void interrupt_catch(void);

/** interrupt_seen() - has one of them arrived? */
bool interrupt_seen(void);

#endif
