/*  nodes/clock/clock: windows, limits and wake-ups (TB-7, TB-9). Many threads under one clock must
 *  produce the same events as one thread. `make tsan` runs this file too. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/random.h"
#include "nodes/clock/clock.h"
#include "nodes/clock/futex.h"
#include "nodes/clock/turn.h"
#include "tests/testing.h"

#define LOOKAHEAD 1000u

static struct clock clock_;
static uint32_t wake[NODE_COUNT_MAX];

static void clock_make(uint32_t node_count)
{
	size_t bytes = clock_bytes(node_count);
	struct clock_page *page = aligned_alloc(64, (bytes + 63) / 64 * 64);

	memset(page, 0, bytes);
	clock_init(page, node_count, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock_, page, bytes), 0);
}

static void clock_free(void)
{
	free(clock_.page);
}

static void window_expect(node_time_t start, node_time_t end)
{
	ck_assert_uint_eq(clock_.page->start_ps, start);
	ck_assert_uint_eq(clock_.page->end_ps, end);
	ck_assert(!clock_stopped(&clock_));
}

/* three nodes, stopped at 0, then resumed to @limit */
static void three_start(node_time_t limit)
{
	clock_make(3);
	clock_resume(&clock_, limit, wake);
	window_expect(0, limit < LOOKAHEAD ? limit : LOOKAHEAD);
}

TEST_GROUP(windows, .timeout_s = 60);

TEST(clock_attach__no_clock_page)
{
	size_t bytes = clock_bytes(2);
	_Alignas(64) static char memory[CLOCK_HEAD_BYTES + 4096];
	struct clock_page *page = (struct clock_page *)memory;

	ck_assert_int_eq(clock_attach(&clock_, page, bytes), -EINVAL);
	clock_init(page, 2, LOOKAHEAD);
	ck_assert_int_eq(clock_attach(&clock_, page, bytes - 1), -EINVAL);
	ck_assert_int_eq(clock_attach(&clock_, page, 8), -EINVAL);
	page->node_count = NODE_COUNT_MAX + 1;
	ck_assert_int_eq(clock_attach(&clock_, page, SIZE_MAX), -EINVAL);
	page->node_count = 0;
	ck_assert_int_eq(clock_attach(&clock_, page, bytes), -EINVAL);
	page->node_count = 2;
	ck_assert_int_eq(clock_attach(&clock_, page, bytes), 0);
}

TEST(clock_init__stopped_and_every_node_due_at_zero)
{
	clock_make(3);
	ck_assert(clock_stopped(&clock_));
	ck_assert_uint_eq(clock_earliest(&clock_), 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert(!clock_takes_part(&clock_, i));
	clock_free();
}

TEST(clock_resume__nothing_before_the_limit)
{
	clock_make(3);
	ck_assert_uint_eq(clock_resume(&clock_, 0, wake), 0);
	ck_assert(clock_stopped(&clock_));
	clock_free();
}

TEST(clock_resume__only_while_stopped)
{
	three_start(5000);
	ck_assert_uint_eq(clock_resume(&clock_, 9000, wake), 0);
	ck_assert_uint_eq(clock_.page->limit_ps, 5000);
	clock_free();
}

TEST(clock_finish__last_node_opens_the_next_window)
{
	three_start(NODE_TIME_NEVER);
	ck_assert_uint_eq(clock_finish(&clock_, 1, 2500, wake), 0); /* it wakes none */
	ck_assert_uint_eq(clock_finish(&clock_, 0, 4000, wake), 0);
	window_expect(0, 1000);
	ck_assert_uint_eq(clock_finish(&clock_, 2, 2600, wake), 0); /* none sleeps */
	window_expect(2500, 3500); /* a time without events is skipped */
	ck_assert(clock_takes_part(&clock_, 1));
	ck_assert(clock_takes_part(&clock_, 2));
	ck_assert(!clock_takes_part(&clock_, 0));
	ck_assert_uint_eq(clock_.page->remaining, 2);
	ck_assert_uint_eq(clock_.page->window, 2);
	ck_assert_uint_eq(clock_.page->windows, 2);
	ck_assert_uint_eq(clock_.page->node_windows, 5);
	ck_assert_uint_eq(clock_.done[2], 1);
	clock_free();
}

TEST(clock_finish__message_brings_the_next_event_forward)
{
	three_start(NODE_TIME_NEVER);
	clock_notify(&clock_, 0, 1800);
	clock_notify(&clock_, 0, 1500);
	clock_notify(&clock_, 0, 1700);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 9000, wake);
	window_expect(1500, 2500);
	ck_assert(clock_takes_part(&clock_, 0));
	ck_assert_uint_eq(clock_.page->remaining, 1);
	clock_finish(&clock_, 0, NODE_TIME_NEVER, wake);
	window_expect(9000, 10000); /* the inbox was emptied */
	clock_free();
}

TEST(clock_finish__stops_at_the_limit)
{
	three_start(1500);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 1200, wake);
	window_expect(1200, 1500); /* shortened by the limit */
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 1500 + i, wake);
	ck_assert(clock_stopped(&clock_));
	ck_assert_uint_eq(clock_.page->stops, 1);
	ck_assert_uint_eq(clock_earliest(&clock_), 1500);
	ck_assert_uint_eq(clock_resume(&clock_, 1501, wake), 0);
	window_expect(1500, 1501);
	ck_assert_uint_eq(clock_.page->remaining, 1);
	clock_free();
}

/* while the clock runs, the start of its window; while it stands, what is next, up to the limit */
TEST(clock_now__running_and_stopped)
{
	three_start(1500);
	ck_assert_uint_eq(clock_now(&clock_), 0);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 1200, wake);
	ck_assert_uint_eq(clock_now(&clock_), 1200);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 1700 + i, wake);
	ck_assert(clock_stopped(&clock_));
	ck_assert_uint_eq(clock_now(&clock_), 1500);
	clock_resume(&clock_, 5000, wake);
	ck_assert_uint_eq(clock_now(&clock_), 1700);
	clock_free();
}

TEST(clock_finish__nothing_due_stops_the_clock)
{
	three_start(NODE_TIME_NEVER);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, NODE_TIME_NEVER, wake);
	ck_assert(clock_stopped(&clock_));
	ck_assert_uint_eq(clock_earliest(&clock_), NODE_TIME_NEVER);
	clock_free();
}

TEST(clock_finish__end_of_time_does_not_wrap)
{
	three_start(NODE_TIME_NEVER);
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, NODE_TIME_NEVER - 10, wake);
	window_expect(NODE_TIME_NEVER - 10, NODE_TIME_NEVER);
	clock_free();
}

TEST(clock_finish__wakes_sleepers_that_take_part)
{
	three_start(NODE_TIME_NEVER);
	for (uint32_t i = 0; i < 3; i++)
		clock_.asleep[i] = i != 1;
	clock_finish(&clock_, 0, 3000, wake);
	clock_finish(&clock_, 1, 3000, wake);
	ck_assert_uint_eq(clock_finish(&clock_, 2, 9000, wake), 1);
	ck_assert_uint_eq(wake[0], 0);
	ck_assert_uint_eq(clock_.asleep[0], 0); /* the caller must wake this one now */
	ck_assert_uint_eq(clock_.asleep[2], 1); /* not in this window: it sleeps on */
	ck_assert_uint_eq(clock_.page->wakes, 1);
	clock_free();
}

TEST(clock_finish__an_ended_clock_stays_ended)
{
	three_start(1000);
	clock_.page->state = CLOCK_ENDED;
	for (uint32_t i = 0; i < 3; i++)
		clock_finish(&clock_, i, 1000, wake);
	ck_assert_uint_eq(clock_.page->state, CLOCK_ENDED);
	ck_assert_uint_eq(clock_resume(&clock_, 5000, wake), 0);
	ck_assert_uint_eq(clock_.page->state, CLOCK_ENDED);
	clock_free();
}

/* A node whose next event lies inside the window that it finishes would change the past. */
TEST_SIGNAL(clock_finish__going_back_aborts, SIGABRT)
{
	three_start(NODE_TIME_NEVER);
	clock_finish(&clock_, 0, 999, wake);
}

TEST(clock_ring__clears_the_word)
{
	clock_make(3);
	clock_.asleep[1] = 1;
	clock_ring(&clock_, 1);
	ck_assert_uint_eq(clock_.asleep[1], 0);
	clock_free();
}

/* ---- a small fabric: nodes with timers send each other messages; each node folds what it receives
 * into one number ---- */

#define NODES 6u
#define QUEUE 4096u

struct letter {
	node_time_t at;
	uint32_t from, number;
};

/* messages from one node to another; only these two touch it */
struct mail {
	_Atomic uint32_t written;
	uint32_t read;
	struct letter letters[QUEUE];
};

static struct mail mails[NODES][NODES];

struct toy {
	uint32_t index, sent, pending_count;
	struct random random;
	node_time_t timer;
	struct letter pending[QUEUE];
	uint64_t digest;
	struct event_loop *loop;
};

static struct toy toys[NODES];
static node_time_t toys_until;

static void toys_make(node_time_t until)
{
	memset(mails, 0, sizeof(mails));
	memset(toys, 0, sizeof(toys));
	toys_until = until;
	for (uint32_t i = 0; i < NODES; i++) {
		toys[i].index = i;
		random_init(&toys[i].random, 7, i);
	}
}

static void toy_collect(struct toy *toy)
{
	for (uint32_t from = 0; from < NODES; from++) {
		struct mail *mail = &mails[from][toy->index];
		uint32_t written = atomic_load_explicit(&mail->written, memory_order_acquire);

		while (mail->read != written) {
			ck_assert_uint_lt(toy->pending_count, QUEUE);
			toy->pending[toy->pending_count++] = mail->letters[mail->read++ % QUEUE];
		}
	}
}

static void toy_send(struct toy *toy, node_time_t now)
{
	uint32_t to = (toy->index + 1 + (uint32_t)random_below(&toy->random, NODES - 1)) % NODES;
	struct mail *mail = &mails[toy->index][to];
	uint32_t written = atomic_load_explicit(&mail->written, memory_order_relaxed);
	node_time_t at = now + LOOKAHEAD + random_below(&toy->random, 3 * LOOKAHEAD);

	mail->letters[written % QUEUE] =
		(struct letter){ .at = at, .from = toy->index, .number = toy->sent++ };
	atomic_store_explicit(&mail->written, written + 1, memory_order_release);
	clock_notify(&clock_, to, at);
}

/* in the order (time, sender, number) */
static uint32_t toy_first(const struct toy *toy)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < toy->pending_count; i++) {
		const struct letter *a = &toy->pending[i], *b = &toy->pending[first];

		if (a->at < b->at ||
		    (a->at == b->at &&
		     (a->from < b->from || (a->from == b->from && a->number < b->number))))
			first = i;
	}
	return first;
}

static void toy_see(struct toy *toy, node_time_t now, uint64_t what)
{
	ck_assert_uint_ge(now, atomic_load_explicit(&clock_.page->start_ps, memory_order_relaxed));
	toy->digest = (toy->digest ^ now ^ (what << 40)) * 0x100000001b3u;
	if (now < toys_until && random_below(&toy->random, 4) != 0)
		toy_send(toy, now);
}

static node_time_t toy_run(struct toy *toy, node_time_t end)
{
	toy_collect(toy);
	for (;;) {
		uint32_t first = toy_first(toy);
		node_time_t letter = toy->pending_count ? toy->pending[first].at : NODE_TIME_NEVER;

		if (node_time_min(letter, toy->timer) >= end)
			return node_time_min(letter, toy->timer);
		if (letter <= toy->timer) {
			uint64_t what =
				toy->pending[first].from * 1000003u + toy->pending[first].number;

			toy->pending[first] = toy->pending[--toy->pending_count];
			toy_see(toy, letter, what);
		} else {
			toy_see(toy, toy->timer, 1);
			toy->timer += random_below(&toy->random, 8 * LOOKAHEAD) + 1;
			if (toy->timer >= toys_until)
				toy->timer = NODE_TIME_NEVER;
		}
	}
}

/* one thread runs the nodes in order until the clock stops */
static void toys_run_alone(void)
{
	while (!clock_stopped(&clock_)) {
		bool part[NODES];

		for (uint32_t i = 0; i < NODES; i++)
			part[i] = clock_takes_part(&clock_, i);
		for (uint32_t i = 0; i < NODES; i++)
			if (part[i])
				clock_finish(&clock_, i, toy_run(&toys[i], clock_.page->end_ps),
					     wake);
	}
}

static void *toy_thread(void *argument)
{
	struct toy *toy = argument;
	uint32_t to_wake[NODES];
	struct turn turn;

	turn_init(&turn, &clock_, toy->loop, toy->index, toy->index % 2 ? 1 : NODES);
	if (toy->index == 3)
		turn.yields_max = 0; /* this one always sleeps */
	while (turn_wait(&turn) == TURN_RUN) {
		node_time_t end = atomic_load_explicit(&clock_.page->end_ps, memory_order_relaxed);
		uint32_t count = clock_finish(&clock_, toy->index, toy_run(toy, end), to_wake);

		event_loop_wake(toy->loop, clock_.asleep, to_wake, count);
	}
	event_loop_close(toy->loop);
	return NULL;
}

/* runs the threads up to @limit */
static void resume_and_wait(node_time_t limit)
{
	uint32_t stops = atomic_load(&clock_.page->stops);
	uint32_t count = clock_resume(&clock_, limit, wake);

	for (uint32_t k = 0; k < count; k++)
		clock_ring(&clock_, wake[k]);
	while (atomic_load(&clock_.page->stops) == stops)
		futex_wait(&clock_.page->stops, stops, NULL);
}

static void toys_run_threads(enum event_loop_kind kind, node_time_t pause_at)
{
	pthread_t threads[NODES];
	struct why why;

	for (uint32_t i = 0; i < NODES; i++) {
		toys[i].loop = event_loop_open(kind, -1, &why);
		ck_assert_ptr_nonnull(toys[i].loop);
		ck_assert_int_eq(pthread_create(&threads[i], NULL, toy_thread, &toys[i]), 0);
	}
	resume_and_wait(pause_at);
	ck_assert_uint_ge(clock_earliest(&clock_), pause_at);
	resume_and_wait(NODE_TIME_NEVER);
	atomic_store(&clock_.page->state, CLOCK_ENDED);
	for (uint32_t i = 0; i < NODES; i++)
		clock_ring(&clock_, i);
	for (uint32_t i = 0; i < NODES; i++)
		pthread_join(threads[i], NULL);
}

/* TB-7: the same events in the same order, however the threads are scheduled, with both event
 * loops, with a stop in between */
TEST_RANGE(clock__threads_see_what_one_thread_sees, 0, 2)
{
	const node_time_t until = 400 * LOOKAHEAD, pause_at = 170 * LOOKAHEAD + 123;
	uint64_t digest[NODES], windows;

	toys_make(until);
	clock_make(NODES);
	clock_resume(&clock_, pause_at, wake);
	toys_run_alone();
	clock_resume(&clock_, NODE_TIME_NEVER, wake);
	toys_run_alone();
	windows = clock_.page->windows;
	for (uint32_t i = 0; i < NODES; i++)
		digest[i] = toys[i].digest;
	clock_free();

	toys_make(until);
	clock_make(NODES);
	toys_run_threads(_i ? EVENT_LOOP_FALLBACK : EVENT_LOOP_AUTO, pause_at);
	ck_assert_uint_eq(clock_.page->windows, windows);
	for (uint32_t i = 0; i < NODES; i++) {
		ck_assert_uint_eq(toys[i].digest, digest[i]);
		ck_assert_uint_eq(toys[i].pending_count, 0);
	}
	clock_free();
}
