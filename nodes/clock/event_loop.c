#include "nodes/clock/event_loop.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"

/* [linux/io_uring.h and linux/futex.h of 6.7], absent from liburing 2.3 and the headers it was made
 * with */
#define OP_FUTEX_WAIT 51
#define OP_FUTEX_WAKE 52
#define FUTEX2_U32 0x2u /* FUTEX2_SIZE_U32, without FUTEX2_PRIVATE: the words are shared */
#define FUTEX_ANY 0xffffffffu

#define ENTRIES 64 /* submission queue; more wake-ups than that go in several submissions */

#define VAIN_LOOKS 32u

enum { TAG_NONE, TAG_FUTEX, TAG_CONTROL, TAG_WATCH }; /* TAG_WATCH + number */

/* user_data of what closes a descriptor; no number of a watched one */
#define CLOSED_FIRST (1ull << 48)

#define NO_SLOT UINT32_MAX

struct watched {
	uint32_t number; /* the owner's */
	int fd;
	bool armed;
	bool ready;
	bool mute; /* fallback: has input that its owner cannot take */
};

struct event_loop {
	struct io_uring ring;
	bool uring;
	bool futex_armed, control_armed; /* requests in the kernel */
	int control_fd;
	/* so often the kernel's sign that it has work is not believed: it can stay set without any
	 * */
	uint32_t vain;
	bool look;     /* the next sleep only looks: something was seen meanwhile, */
	unsigned kept; /* this */
	uint32_t numbers;
	uint32_t *slot_of; /* [numbers]: among the watched; NO_SLOT: none */
	uint32_t watched_count, unarmed, ready_count;
	uint32_t report_from; /* slot where the next report begins, so that all have their turn */
	struct watched *watched; /* [numbers], the first watched_count of them are used */
	struct pollfd *polled;   /* [numbers + 1]: fallback */
};

const char *const event_loop_name[EVENT_LOOP_KINDS] = {
	[EVENT_LOOP_AUTO] = "auto",
	[EVENT_LOOP_URING] = "io_uring",
	[EVENT_LOOP_FALLBACK] = "fallback",
};

static void futex_prepare(struct io_uring_sqe *sqe, int operation, _Atomic uint32_t *word,
			  uint64_t value)
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

/* Only what this file asks for, for good: io_uring could open files and make sockets, past the
 * filter of system calls. -EINVAL: the kernel does not know the operations. */
static int ring_restrict(struct io_uring *ring)
{
	struct io_uring_restriction allowed[] = {
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_ADD },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_POLL_REMOVE },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = OP_FUTEX_WAIT },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = OP_FUTEX_WAKE },
		{ .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_CLOSE },
		{ .opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED,
		  .sqe_flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_ASYNC },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_REGISTER_ENABLE_RINGS },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_REGISTER_RING_FDS },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_UNREGISTER_RING_FDS },
		{ .opcode = IORING_RESTRICTION_REGISTER_OP,
		  .register_op = IORING_REGISTER_IOWQ_MAX_WORKERS },
	};
	const unsigned count = COUNT_OF(allowed);

	/* liburing 2.3 declares functions for both, and lacks them */
	if (syscall(SYS_io_uring_register, ring->ring_fd, IORING_REGISTER_RESTRICTIONS, allowed,
		    count) ||
	    syscall(SYS_io_uring_register, ring->ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0))
		return -errno;
	return 0;
}

/* both futex operations are seen to do what they should */
static int futex_work(struct io_uring *ring)
{
	_Atomic uint32_t word = 0;
	int error = futex_try(ring, OP_FUTEX_WAIT, &word, 1);

	if (error == -EAGAIN)
		error = futex_try(ring, OP_FUTEX_WAKE, &word, 1);
	else if (error >= 0)
		error = -EPROTO;
	return error < 0 ? error : 0;
}

/* a ring in which the futex operations were seen to work, or -errno with the reason in @why */
static int ring_open(struct io_uring *ring, struct why *why)
{
	int error =
		io_uring_queue_init(ENTRIES, ring,
				    IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER |
					    IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG);

	if (error == -EINVAL)
		error = io_uring_queue_init(ENTRIES, ring, IORING_SETUP_R_DISABLED);
	if (error)
		return why_say(why, error, "io_uring cannot be set up: %s", strerror(-error));
	error = ring_restrict(ring);
	if (error && error != -EINVAL) {
		why_say(why, 0, "io_uring cannot be restricted: %s", strerror(-error));
		io_uring_queue_exit(ring);
		return error;
	}
	if (!error)
		error = futex_work(ring);
	if (error) {
		why_say(why, 0, "io_uring has no futex operations (Linux 6.7) here: %s",
			strerror(-error));
		io_uring_queue_exit(ring);
		return error;
	}
	io_uring_register_ring_fd(ring); /* spares a look-up per call; works without */
	return 0;
}

int event_loop_numbers(struct event_loop *loop, uint32_t numbers)
{
	free(loop->slot_of);
	free(loop->watched);
	free(loop->polled);
	loop->numbers = numbers;
	loop->slot_of = malloc(numbers * sizeof(*loop->slot_of));
	loop->watched = calloc(numbers, sizeof(*loop->watched));
	loop->polled = calloc((size_t)numbers + 1, sizeof(*loop->polled));
	if (!loop->slot_of || !loop->watched || !loop->polled) {
		loop->numbers = 0;
		return -ENOMEM;
	}
	memset(loop->slot_of, 0xff, numbers * sizeof(*loop->slot_of)); /* NO_SLOT */
	return 0;
}

static void memory_free(struct event_loop *loop)
{
	free(loop->slot_of);
	free(loop->watched);
	free(loop->polled);
	free(loop);
}

struct event_loop *event_loop_open(enum event_loop_kind kind, int control_fd, struct why *why)
{
	struct event_loop *loop = calloc(1, sizeof(*loop));
	struct why reason = { "it was asked for" };

	if (!loop || event_loop_numbers(loop, EVENT_LOOP_FDS_MAX)) {
		why_say(why, 0, "no memory for the event loop");
		if (loop)
			memory_free(loop);
		return NULL;
	}
	loop->control_fd = control_fd;
	loop->uring = kind != EVENT_LOOP_FALLBACK && !ring_open(&loop->ring, &reason);
	if (loop->uring) {
		why_say(why, 0, "event loop io_uring");
	} else if (kind == EVENT_LOOP_URING) {
		why_say(why, 0, "the io_uring event loop was asked for, but %s", reason.text);
		memory_free(loop);
		return NULL;
	} else {
		why_say(why, 0, "event loop fallback (futex): %s", reason.text);
	}
	return loop;
}

/* Threads of the kernel close the first of @fds, at most @count or ENTRIES.  Return: how many */
static uint32_t close_batch(struct event_loop *loop, const int *fds, uint32_t count)
{
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	uint32_t asked = 0, waited;
	int taken;

	while (asked < count && (sqe = io_uring_get_sqe(&loop->ring))) {
		io_uring_prep_close(sqe, fds[asked]);
		sqe->flags = IOSQE_ASYNC;
		sqe->user_data = CLOSED_FIRST + asked++;
	}
	taken = io_uring_submit(&loop->ring);
	waited = taken > 0 ? (uint32_t)taken : 0;
	asked = waited;
	while (waited && !io_uring_wait_cqe(&loop->ring, &cqe)) {
		if (cqe->user_data >= CLOSED_FIRST) {
			waited--;
			if (cqe->res)
				close(fds[cqe->user_data - CLOSED_FIRST]);
		}
		io_uring_cqe_seen(&loop->ring, cqe);
	}
	return asked;
}

void event_loop_close_all(struct event_loop *loop, const int *fds, uint32_t count)
{
	unsigned threads[2] = { ENTRIES, 0 };
	bool uring = loop->uring;

	if (uring)
		syscall(SYS_io_uring_register, loop->ring.ring_fd, IORING_REGISTER_IOWQ_MAX_WORKERS,
			threads, 2);
	while (count) {
		uint32_t batch = count < ENTRIES ? count : ENTRIES;

		uint32_t closed = uring ? close_batch(loop, fds, batch) : 0;

		/* else what the kernel did not take is still in the ring */
		uring = closed == batch;
		for (uint32_t i = closed; i < batch; i++)
			close(fds[i]);
		fds += batch;
		count -= batch;
	}
}

void event_loop_close(struct event_loop *loop)
{
	if (!loop)
		return;
	if (loop->uring)
		io_uring_queue_exit(&loop->ring);
	memory_free(loop);
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

static void ready_note(struct event_loop *loop, struct watched *watched)
{
	loop->ready_count += !watched->ready;
	watched->ready = true;
}

/* the poll of @number has a result; its descriptor may not be watched any more */
static void watched_reap(struct event_loop *loop, uint64_t number, const struct io_uring_cqe *cqe)
{
	uint32_t slot = number < loop->numbers ? loop->slot_of[number] : NO_SLOT;
	struct watched *watched;

	if (slot == NO_SLOT)
		return;
	watched = &loop->watched[slot];
	if (watched->armed && !(cqe->flags & IORING_CQE_F_MORE)) {
		watched->armed = false;
		loop->unarmed++;
	}
	if (cqe->res > 0)
		ready_note(loop, watched);
}

static unsigned reap(struct event_loop *loop)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0, what = 0;

	io_uring_for_each_cqe (&loop->ring, head, cqe) {
		seen++;
		if (cqe->user_data == TAG_FUTEX) {
			loop->futex_armed = false;
			what |= EVENT_LOOP_WOKEN;
		} else if (cqe->user_data == TAG_CONTROL) {
			loop->control_armed = cqe->flags & IORING_CQE_F_MORE;
			what |= EVENT_LOOP_CONTROL;
		} else if (cqe->user_data >= TAG_WATCH) {
			watched_reap(loop, cqe->user_data - TAG_WATCH, cqe);
		}
	}
	io_uring_cq_advance(&loop->ring, seen);
	return what;
}

static void control_arm(struct event_loop *loop)
{
	struct io_uring_sqe *sqe;

	if (loop->control_armed || loop->control_fd < 0 || !(sqe = io_uring_get_sqe(&loop->ring)))
		return;
	io_uring_prep_poll_multishot(sqe, loop->control_fd, POLLIN);
	sqe->user_data = TAG_CONTROL;
	loop->control_armed = true;
}

/*  Both requests outlive the sleep that armed them. If a message ended a sleep, its futex wait
 *  serves the next one: a process that reads 1 in the word wakes it, whatever happened between. */
static unsigned wait_uring(struct event_loop *loop, _Atomic uint32_t *word)
{
	struct io_uring_sqe *sqe;

	if (!loop->futex_armed && (sqe = io_uring_get_sqe(&loop->ring))) {
		futex_prepare(sqe, OP_FUTEX_WAIT, word, 1);
		sqe->user_data = TAG_FUTEX;
		loop->futex_armed = true;
	}
	control_arm(loop);
	io_uring_submit_and_wait(&loop->ring, 1);
	return reap(loop);
}

static void wake_each(_Atomic uint32_t *words, const uint32_t *nodes, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		futex_wake(&words[nodes[k]], 1);
}

/* at most ENTRIES in one submission; one by one if the kernel refuses it: no node stays asleep */
static void wake_batch(struct event_loop *loop, _Atomic uint32_t *words, const uint32_t *nodes,
		       uint32_t count)
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

void event_loop_wake(struct event_loop *loop, _Atomic uint32_t *words, const uint32_t *nodes,
		     uint32_t count)
{
	if (!loop->uring || count == 1) {
		wake_each(words, nodes, count);
		return;
	}
	for (uint32_t k = 0; k < count; k += ENTRIES)
		wake_batch(loop, words, nodes + k, count - k < ENTRIES ? count - k : ENTRIES);
}

/* ---- real clock ---- */

int event_loop_watch(struct event_loop *loop, uint32_t number, int fd)
{
	uint32_t slot = loop->watched_count;

	if (number >= loop->numbers || loop->slot_of[number] != NO_SLOT)
		return -EINVAL;
	loop->slot_of[number] = slot;
	loop->watched[slot] = (struct watched){ .number = number, .fd = fd };
	loop->watched_count++;
	loop->unarmed++;
	return 0;
}

void event_loop_unwatch(struct event_loop *loop, uint32_t number)
{
	uint32_t slot = number < loop->numbers ? loop->slot_of[number] : NO_SLOT;
	struct io_uring_sqe *sqe;
	const struct watched *last;

	if (slot == NO_SLOT)
		return;
	if (loop->uring && loop->watched[slot].armed && (sqe = io_uring_get_sqe(&loop->ring))) {
		io_uring_prep_poll_remove(sqe, TAG_WATCH + number);
		sqe->user_data = TAG_NONE;
		io_uring_submit_and_get_events(&loop->ring);
		loop->kept = reap(loop);
		loop->look = true; /* others may have been reaped with it */
	}
	loop->ready_count -= loop->watched[slot].ready;
	loop->unarmed -= !loop->watched[slot].armed;
	last = &loop->watched[--loop->watched_count];
	loop->watched[slot] = *last;
	loop->slot_of[last->number] = slot;
	loop->slot_of[number] = NO_SLOT;
}

static void watched_arm(struct event_loop *loop)
{
	struct io_uring_sqe *sqe;

	for (uint32_t i = 0; i < loop->watched_count && loop->unarmed; i++) {
		struct watched *watched = &loop->watched[i];

		if (watched->armed)
			continue;
		sqe = io_uring_get_sqe(&loop->ring);
		if (!sqe) {
			io_uring_submit(&loop->ring);
			sqe = io_uring_get_sqe(&loop->ring);
		}
		if (!sqe)
			return;
		io_uring_prep_poll_multishot(sqe, watched->fd, POLLIN);
		sqe->user_data = TAG_WATCH + watched->number;
		watched->armed = true;
		loop->unarmed--;
	}
}

/*  Return: true if there is a time to wait for, in @left */
static bool time_left(uint64_t deadline_ns, uint64_t *left_ns)
{
	uint64_t now_ns;

	*left_ns = 0;
	if (!deadline_ns)
		return true;
	if (deadline_ns == UINT64_MAX)
		return false;
	now_ns = monotonic_ns();
	*left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	return true;
}

static unsigned sleep_uring(struct event_loop *loop, uint64_t deadline_ns)
{
	uint64_t left_ns;
	bool timed = time_left(deadline_ns, &left_ns);

	control_arm(loop);
	watched_arm(loop);
	if (timed && !left_ns) {
		io_uring_submit_and_get_events(&loop->ring);
	} else if (timed) {
		struct __kernel_timespec timeout = { .tv_sec = (int64_t)(left_ns / 1000000000ull),
						     .tv_nsec =
							     (long long)(left_ns % 1000000000ull) };
		struct io_uring_cqe *cqe;

		io_uring_submit_and_wait_timeout(&loop->ring, &cqe, 1, &timeout, NULL);
	} else {
		io_uring_submit_and_wait(&loop->ring, 1);
	}
	return reap(loop);
}

/* @look: the owner only looks. Known input must not end a sleep, but a look shows what has come
 * since then. */
static unsigned sleep_fallback(struct event_loop *loop, uint64_t deadline_ns, bool look)
{
	struct pollfd *polled = loop->polled;
	struct timespec timeout;
	uint64_t left_ns;
	bool timed = time_left(deadline_ns, &left_ns);

	polled[0] = (struct pollfd){ .fd = loop->control_fd, .events = POLLIN };
	for (uint32_t i = 0; i < loop->watched_count; i++) {
		bool silent = loop->watched[i].mute && !look;

		polled[i + 1] = (struct pollfd){ .fd = silent ? -1 : loop->watched[i].fd,
						 .events = POLLIN };
	}
	timeout = (struct timespec){ .tv_sec = (time_t)(left_ns / 1000000000ull),
				     .tv_nsec = (long)(left_ns % 1000000000ull) };
	if (ppoll(polled, loop->watched_count + 1, timed ? &timeout : NULL, NULL) <= 0)
		return 0;
	for (uint32_t i = 0; i < loop->watched_count; i++)
		if (polled[i + 1].fd >= 0 && polled[i + 1].revents)
			ready_note(loop, &loop->watched[i]);
	return polled[0].revents ? EVENT_LOOP_CONTROL : 0;
}

static void ready_take(struct event_loop *loop, struct event_loop_ready *ready)
{
	uint32_t slot = loop->report_from;

	ready->count = 0;
	while (loop->ready_count && ready->count < EVENT_LOOP_FDS_MAX) {
		struct watched *watched;

		slot = slot < loop->watched_count ? slot : 0;
		watched = &loop->watched[slot++];
		if (!watched->ready)
			continue;
		watched->ready = false;
		loop->ready_count--;
		ready->numbers[ready->count++] = watched->number;
	}
	loop->report_from = slot;
	loop->look = loop->ready_count;
}

unsigned event_loop_sleep(struct event_loop *loop, uint64_t deadline_ns,
			  struct event_loop_ready *ready)
{
	bool look = !deadline_ns;
	unsigned what;

	if (loop->look)
		deadline_ns = 0;
	what = loop->uring ? sleep_uring(loop, deadline_ns)
			   : sleep_fallback(loop, deadline_ns, look);
	what |= loop->kept;
	loop->look = false;
	loop->kept = 0;
	ready_take(loop, ready);
	loop->vain = !deadline_ns && !what && !ready->count ? VAIN_LOOKS : 0;
	return what;
}

bool event_loop_has_news(struct event_loop *loop)
{
	if (loop->vain) {
		loop->vain--;
		return false;
	}
	return loop->uring &&
	       (io_uring_cq_ready(&loop->ring) ||
		(__atomic_load_n(loop->ring.sq.kflags, __ATOMIC_RELAXED) & IORING_SQ_TASKRUN));
}

/* a multishot poll is edge-triggered */
bool event_loop_tells_news_only(const struct event_loop *loop)
{
	return loop->uring;
}

void event_loop_mute(struct event_loop *loop, uint32_t number, bool mute)
{
	if (number < loop->numbers && loop->slot_of[number] != NO_SLOT)
		loop->watched[loop->slot_of[number]].mute = mute;
}
