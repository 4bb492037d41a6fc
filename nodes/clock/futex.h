/*  futex - sleeping on 32 bits of shared memory, and waking those that sleep there (TB-2, TB-5).
 *
 *  The words lie in memfds that several processes map, so all futexes are shared ones. This is the
 *  plain system call, one word at a time; event_loop.h does the same through io_uring, many at a
 *  time. */
#ifndef HEDDLE_NODES_CLOCK_FUTEX_H
#define HEDDLE_NODES_CLOCK_FUTEX_H

#include <stdint.h>
#include <time.h>

#include "nodes/clock/clock.h"

/** futex_wait() - sleeps while *@word is @value, at most @timeout (relative; NULL: for ever).
 *  Return: 0 woken (perhaps for no reason), -EAGAIN the word differs, -EINTR a signal,
 *  -ETIMEDOUT. */
int futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *timeout);

/** futex_wake() - wakes up to @count sleepers of @word.  Return: how many there were. */
int futex_wake(_Atomic uint32_t *word, int count);

/** clock_ring() - wakes node @node if it sleeps, so that it looks at the clock's state and at its
 *  control socket. A sender of a control message calls it afterwards; so does the one that ends the
 *  clock, and for each node that clock_resume() lists. Any process, at any time; no effect on a
 *  node that is awake. */
void clock_ring(const struct clock *clock, uint32_t node);

#endif
