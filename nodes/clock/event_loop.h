/*  event_loop - where a node sleeps: on its futex word and its control socket at once (TB-1, TB-5).
 *
 *  Two loops with the same behaviour:
 *    io_uring  one ring per process; a futex wait and a poll of the control socket stay armed in
 *              it, and all wake-ups of a window go to the kernel in one submission.
 *    fallback  for kernels before 6.7 and sandboxes that refuse io_uring: futex(2) alone. It cannot
 *              wait for a socket too, so a sender of a control message wakes the node afterwards
 *              (clock_ring()).
 *  Nothing here spins: a sleeping node costs no CPU. Spinning before sleep is turn.h's business.
 *  liburing is used in event_loop.c and nowhere else. Debian 12's 2.3 lacks the futex operations;
 *  they are written out there. */
#ifndef HEDDLE_NODES_CLOCK_EVENT_LOOP_H
#define HEDDLE_NODES_CLOCK_EVENT_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/why.h"

enum event_loop_kind {
	EVENT_LOOP_AUTO, /* io_uring if it works here, else the fallback */
	EVENT_LOOP_URING,
	EVENT_LOOP_FALLBACK,
	EVENT_LOOP_KINDS
};

/* names for a command line: auto, io_uring, fallback */
extern const char *const event_loop_name[EVENT_LOOP_KINDS];

/* what event_loop_wait() saw */
#define EVENT_LOOP_WOKEN 1u   /* the word is no longer 1, or was rung */
#define EVENT_LOOP_CONTROL 2u /* the control socket has a message, or its peer is gone */

struct event_loop;

/** event_loop_open() - the loop of this process; not to be used across a fork().
 *  @kind        which one is wanted.   @control_fd  socket to watch, -1: none; borrowed.
 *  @why always filled with one line for people: which loop it is, and why not the other one.
 *  Return: NULL if memory is short, or if io_uring is asked for explicitly and does not work. */
struct event_loop *event_loop_open(enum event_loop_kind kind, int control_fd, struct why *why);
void event_loop_close(struct event_loop *loop);

/** event_loop_wait() - sleeps while *@word is 1 and the control socket is silent. May return for no
 *  reason.
 *  @word the same one in all calls. Return: set of EVENT_LOOP_*. */
unsigned event_loop_wait(struct event_loop *loop, _Atomic uint32_t *word);

/* ---- real clock: descriptors and deadlines instead of a futex word ---- */

#define EVENT_LOOP_FDS_MAX 80u /* of one node */

/** event_loop_numbers() - numbers below @numbers can be watched from now on: for a worker, which
 *  watches the descriptors of many nodes. Without it they are those below EVENT_LOOP_FDS_MAX. Only
 *  before the first event_loop_watch().
 *  Return: 0 or -ENOMEM. */
int event_loop_numbers(struct event_loop *loop, uint32_t numbers);

/** event_loop_watch() - descriptor @fd is watched for input under @number, until unwatched.
 *  Return: 0 or -errno. Borrowed; unwatch before closing it. */
int event_loop_watch(struct event_loop *loop, uint32_t number, int fd);
void event_loop_unwatch(struct event_loop *loop, uint32_t number);

/** event_loop_close_all() - closes the @count descriptors @fds; event_loop_close() follows. The
 *  kernel takes 15 ms for a packet socket (it waits for readers of RCU): with io_uring many wait at
 *  a time. */
void event_loop_close_all(struct event_loop *loop, const int *fds, uint32_t count);

struct event_loop_ready {
	/* numbers with input; one that is not read until empty is not reported again before more
	 * comes. If there are more, the next sleep reports them at once. */
	uint32_t count;
	uint32_t numbers[EVENT_LOOP_FDS_MAX];
};

/** event_loop_sleep() - sleeps until CLOCK_MONOTONIC is @deadline_ns (UINT64_MAX: no deadline; 0:
 *  only looks), a watched descriptor has input, or the control socket a message. May return for no
 *  reason.
 *  @ready   filled.   Return: set of EVENT_LOOP_*. */
unsigned event_loop_sleep(struct event_loop *loop, uint64_t deadline_ns,
			  struct event_loop_ready *ready);

/** event_loop_tells_news_only() - is a descriptor reported once for each time that input comes,
 *  whether what came before was read or not? Then an eventfd need never be read. False: it is
 *  reported as long as there is input. */
bool event_loop_tells_news_only(const struct event_loop *loop);

/** event_loop_mute() - the owner knows that @number has input and will read it anyway: it need not
 *  end a sleep. A look (deadline 0) reports it all the same. */
void event_loop_mute(struct event_loop *loop, uint32_t number, bool mute);

/** event_loop_has_news() - would event_loop_sleep() find something at once? No system call, so the
 *  fallback does not know and says no. */
bool event_loop_has_news(struct event_loop *loop);

/** event_loop_wake() - wakes the sleepers of @words[@nodes[0..@count)], which are 0 already
 *  (clock_finish()). */
void event_loop_wake(struct event_loop *loop, _Atomic uint32_t *words, const uint32_t *nodes,
		     uint32_t count);

#endif
