#include "nodes/event_loop.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/futex.h"

/* [linux/io_uring.h and linux/futex.h of 6.7], absent from liburing 2.3 and the headers it was made with */
#define OP_FUTEX_WAIT 51
#define OP_FUTEX_WAKE 52
#define FUTEX2_U32 0x2u /* FUTEX2_SIZE_U32, without FUTEX2_PRIVATE: the words are shared */
#define FUTEX_ANY 0xffffffffu

#define ENTRIES 64 /* submission queue; more wake-ups than that go in several submissions */

enum { TAG_NONE, TAG_FUTEX, TAG_CONTROL };

struct event_loop {
	struct io_uring ring;
	bool uring;
	bool futex_armed, control_armed; /* requests in the kernel */
	int control_fd;
};

const char *const event_loop_name[EVENT_LOOP_KINDS] = {
	[EVENT_LOOP_AUTO] = "auto",
	[EVENT_LOOP_URING] = "io_uring",
	[EVENT_LOOP_FALLBACK] = "fallback",
};

static void futex_prepare(struct io_uring_sqe *sqe, int operation, _Atomic uint32_t *word, uint64_t value)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = (uint8_t)operation;
	sqe->fd = FUTEX2_U32;
	sqe->addr = (uint64_t)(uintptr_t)word;
	sqe->off = value;
	sqe->addr3 = FUTEX_ANY;
}

/* one operation and its result, on a ring with nothing else in it */
static int futex_try(struct io_uring *ring, int operation, _Atomic uint32_t *word, uint64_t value)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
	struct io_uring_cqe *cqe;
	int result;

	if (!sqe)
		return -EBUSY;
	futex_prepare(sqe, operation, word, value);
	result = io_uring_submit(ring);
	if (result < 0)
		return result;
	result = io_uring_wait_cqe(ring, &cqe);
	if (result < 0)
		return result;
	result = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return result;
}

/* a ring in which the futex operations were seen to work, or 0 < errno with the reason in @why */
static int ring_open(struct io_uring *ring, char *why, unsigned why_max)
{
	_Atomic uint32_t word = 0;
	int error = io_uring_queue_init(ENTRIES, ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);

	if (error == -EINVAL)
		error = io_uring_queue_init(ENTRIES, ring, 0);
	if (error) {
		snprintf(why, why_max, "io_uring cannot be set up: %s", strerror(-error));
		return error;
	}
	error = futex_try(ring, OP_FUTEX_WAIT, &word, 1);
	if (error == -EAGAIN)
		error = futex_try(ring, OP_FUTEX_WAKE, &word, 1);
	else if (error >= 0)
		error = -EPROTO;
	if (error < 0) {
		snprintf(why, why_max, "io_uring has no futex operations (Linux 6.7) here: %s", strerror(-error));
		io_uring_queue_exit(ring);
		return error;
	}
	io_uring_register_ring_fd(ring); /* spares a look-up per call; works without */
	return 0;
}

bool event_loop_probe(char *why, unsigned why_max)
{
	struct io_uring ring;

	if (ring_open(&ring, why, why_max))
		return false;
	io_uring_queue_exit(&ring);
	return true;
}

struct event_loop *event_loop_open(enum event_loop_kind kind, int control_fd, char *why, unsigned why_max)
{
	struct event_loop *loop = calloc(1, sizeof(*loop));
	char reason[128] = "it was asked for";

	if (!loop) {
		snprintf(why, why_max, "no memory for the event loop");
		return NULL;
	}
	loop->control_fd = control_fd;
	loop->uring = kind != EVENT_LOOP_FALLBACK && !ring_open(&loop->ring, reason, sizeof(reason));
	if (loop->uring) {
		snprintf(why, why_max, "event loop io_uring");
	} else if (kind == EVENT_LOOP_URING) {
		snprintf(why, why_max, "the io_uring event loop was asked for, but %s", reason);
		free(loop);
		return NULL;
	} else {
		snprintf(why, why_max, "event loop fallback (futex): %s", reason);
	}
	return loop;
}

void event_loop_close(struct event_loop *loop)
{
	if (!loop)
		return;
	if (loop->uring)
		io_uring_queue_exit(&loop->ring);
	free(loop);
}

/* ---- fallback ---- */

static bool control_readable(int control_fd)
{
	struct pollfd control = { .fd = control_fd, .events = POLLIN };

	return control_fd >= 0 && poll(&control, 1, 0) > 0;
}

/* a message sent before this look is seen by it; one sent after it finds *word at 1 and rings it */
static unsigned wait_fallback(struct event_loop *loop, _Atomic uint32_t *word)
{
	if (control_readable(loop->control_fd))
		return EVENT_LOOP_CONTROL;
	futex_wait(word, 1, NULL);
	return EVENT_LOOP_WOKEN | (control_readable(loop->control_fd) ? EVENT_LOOP_CONTROL : 0);
}

/* ---- io_uring ---- */

static unsigned reap(struct event_loop *loop)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0, what = 0;

	io_uring_for_each_cqe(&loop->ring, head, cqe)
	{
		seen++;
		if (cqe->user_data == TAG_FUTEX) {
			loop->futex_armed = false;
			what |= EVENT_LOOP_WOKEN;
		} else if (cqe->user_data == TAG_CONTROL) {
			loop->control_armed = cqe->flags & IORING_CQE_F_MORE;
			what |= EVENT_LOOP_CONTROL;
		}
	}
	io_uring_cq_advance(&loop->ring, seen);
	return what;
}

/*  Both requests outlive the sleep that armed them. A futex wait that is left over from a sleep which a message ended
 *  serves the next one: who finds the word at 1 wakes it, whatever happened between.                                 */
static unsigned wait_uring(struct event_loop *loop, _Atomic uint32_t *word)
{
	struct io_uring_sqe *sqe;

	if (!loop->futex_armed && (sqe = io_uring_get_sqe(&loop->ring))) {
		futex_prepare(sqe, OP_FUTEX_WAIT, word, 1);
		sqe->user_data = TAG_FUTEX;
		loop->futex_armed = true;
	}
	if (!loop->control_armed && loop->control_fd >= 0 && (sqe = io_uring_get_sqe(&loop->ring))) {
		io_uring_prep_poll_multishot(sqe, loop->control_fd, POLLIN);
		sqe->user_data = TAG_CONTROL;
		loop->control_armed = true;
	}
	io_uring_submit_and_wait(&loop->ring, 1);
	return reap(loop);
}

static void wake_each(_Atomic uint32_t *words, const uint32_t *nodes, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		futex_wake(&words[nodes[k]], 1);
}

/* at most ENTRIES in one submission; should the kernel refuse it, one by one: nobody is left asleep */
static void wake_batch(struct event_loop *loop, _Atomic uint32_t *words, const uint32_t *nodes, uint32_t count)
{
	struct io_uring_sqe *sqe;

	for (uint32_t k = 0; k < count && (sqe = io_uring_get_sqe(&loop->ring)); k++) {
		futex_prepare(sqe, OP_FUTEX_WAKE, &words[nodes[k]], 1);
		sqe->user_data = TAG_NONE;
		sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	}
	if (io_uring_submit(&loop->ring) != (int)count)
		wake_each(words, nodes, count);
}

unsigned event_loop_wait(struct event_loop *loop, _Atomic uint32_t *word)
{
	return loop->uring ? wait_uring(loop, word) : wait_fallback(loop, word);
}

void event_loop_wake(struct event_loop *loop, _Atomic uint32_t *words, const uint32_t *nodes, uint32_t count)
{
	if (!loop->uring || count == 1) {
		wake_each(words, nodes, count);
		return;
	}
	for (uint32_t k = 0; k < count; k += ENTRIES)
		wake_batch(loop, words, nodes + k, count - k < ENTRIES ? count - k : ENTRIES);
}
