/*  interrupt - SIGINT, SIGTERM and SIGHUP end a run in good order instead of at once (TB-22).
 *
 *  The handler only sets a flag. A waiting system call returns EINTR, and its caller looks at the
 *  flag. SIGCHLD has an empty handler for the same reason: the death of a node ends the wait. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_INTERRUPT_H
#define HEDDLE_ORCHESTRATOR_BASE_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#define INTERRUPT_STATUS 130
/* a second signal so soon counts as the same one: timeout(1) sends it twice (ours) */
#define INTERRUPT_ONE_NS 500000000ull

/** interrupt_catch() - installs the handlers; call it once. A second signal, later than
 *  INTERRUPT_ONE_NS after the first, ends the process at once with a message and INTERRUPT_STATUS,
 *  and the nodes with it. */
void interrupt_catch(void);

/** interrupt_seen() - true once one of the signals has arrived. */
bool interrupt_seen(void);

/** interrupt_forgive() - forgets a SIGINT that stopped a command and not the process: Ctrl-C at the
 *  prompt.
 *  Return: false: SIGTERM or SIGHUP has arrived too, and interrupt_seen() stays true. */
bool interrupt_forgive(void);

/** interrupt_wait() - sleeps until one of the signals arrives or has arrived, or @fd (-1: none) can
 *  be read, at most @time_ns; UINT64_MAX: without limit. May return earlier.
 *  Return: interrupt_seen(). */
bool interrupt_wait(int fd, uint64_t time_ns);

#endif
