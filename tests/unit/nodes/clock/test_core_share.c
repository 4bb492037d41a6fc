/*  nodes/clock/core_share (TB-1): measures the time that other programs take from a core, and moves
 *  a node to a new core. Scheduling state is read from the kernel. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/clock/core_share.h"
#include "nodes/clock/turn.h"
#include "tests/testing.h"

#define NODE 1u

static struct clock clock_;
static struct core_share share;
static cpu_set_t all;
static int core;

static void set_up(void)
{
	size_t bytes = clock_bytes(2);
	struct clock_page *page = aligned_alloc(64, (bytes + 63) / 64 * 64);
	cpu_set_t one;

	if (!page || sched_getaffinity(0, sizeof(all), &all))
		abort();
	memset(page, 0, bytes);
	clock_init(page, 2, NODE_US);
	ck_assert_int_eq(clock_attach(&clock_, page, bytes), 0);
	for (core = 0; !CPU_ISSET(core, &all);)
		core++;
	/* keeps the process on this core, so that a yield is measured */
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	core_share_init(&share, &clock_, NODE);
}

static void tear_down(void)
{
	sched_setaffinity(0, sizeof(all), &all);
	free(clock_.page);
}

static struct clock_core *slot(void)
{
	return &clock_.cores[(uint32_t)core % CLOCK_CORES];
}

static int cores_now(void)
{
	cpu_set_t now;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	return CPU_COUNT(&now);
}

static void place(int32_t at, bool shared)
{
	uint32_t placing = clock_.page->placing;

	atomic_store(&clock_.core_of[NODE], at);
	atomic_store(&clock_.page->placing, ((placing | 1) + 1) | shared);
	ck_assert(core_share_changed(&share));
	core_share_follow(&share);
	ck_assert(!core_share_changed(&share));
	ck_assert(core_share_shared(&share) == shared);
}

TEST_GROUP(core_share, .setup = set_up, .teardown = tear_down);

/* The yield took long, but another node of the fabric used the core just before: nothing is
 * counted. */
TEST(core_share_yield__a_node_of_ours_had_the_core)
{
	core_share_note(&share);
	share.noted = 0;
	atomic_store(&slot()->seen, UINT64_MAX / 2);
	core_share_yield(&share);
	ck_assert_uint_eq(slot()->stolen_ns, 0);
}

TEST(core_share_yield__moved_to_another_core)
{
	core_share_note(&share);
	share.core++;
	share.noted = 0;
	atomic_store(&slot()->seen, 0);
	core_share_yield(&share);
	ck_assert_uint_eq(slot()->stolen_ns, 0);
	ck_assert_uint_eq(share.core, (uint32_t)core % CLOCK_CORES);
}

/* neither this node nor another node used the core for 20 ms */
TEST(core_share_yield__nothing_of_ours_had_the_core)
{
	struct timespec while_away = { .tv_nsec = 20000000 };

	core_share_note(&share);
	nanosleep(&while_away, NULL);
	core_share_yield(&share);
	ck_assert_uint_ge(slot()->stolen_ns, 15000000);
}

/* a program that computes on the core of this node */
TEST(core_share_yield__a_busy_program_is_counted)
{
	uint32_t stops = atomic_load(&clock_.page->stops);
	pid_t busy = fork();

	if (!busy) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			atomic_signal_fence(memory_order_seq_cst);
	}
	ck_assert_int_gt(busy, 0);
	core_share_note(&share);
	while (!atomic_load(&slot()->stolen_ns))
		core_share_yield(&share);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	ck_assert_uint_ge(slot()->stolen_ns, CORE_SHARE_STOLEN_NS);
	/* nodes that sleep on this core are woken; nothing else changes */
	ck_assert_uint_eq(clock_.page->stops, stops);
}

TEST(core_share_follow__moves_and_returns)
{
	sched_setaffinity(0, sizeof(all), &all);
	core_share_init(&share, &clock_, NODE);
	place(core, true);
	ck_assert_int_eq(cores_now(), 1);
	place(CLOCK_CORE_HOME, false);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	/* the page was overwritten */
	place(CPU_SETSIZE, true);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	place(CPU_SETSIZE - 1, true);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
}

static uint64_t slice_ns(void)
{
	uint64_t attributes[6] = { 0 }; /* [sched_setattr(2)]: the runtime is at byte 24 */

	ck_assert_int_eq((int)syscall(SYS_sched_getattr, 0, attributes, sizeof(attributes), 0), 0);
	return attributes[3];
}

TEST(core_share_follow__short_slices_while_shared)
{
	uint64_t usual_ns = slice_ns();

	place(CLOCK_CORE_HOME, true);
	if (share.short_slices)
		ck_assert_uint_eq(slice_ns(), CORE_SHARE_SLICE_NS);
	else
		ck_assert_uint_eq(slice_ns(), usual_ns); /* before Linux 6.12 */
	place(CLOCK_CORE_HOME, true);
	place(CLOCK_CORE_HOME, false);
	ck_assert(!share.short_slices);
	ck_assert_uint_eq(slice_ns(), usual_ns);
}

/* of a node with another scheduling policy the slice is left alone, and nothing is claimed */
TEST(core_share_follow__another_policy_has_no_slices)
{
	struct sched_param none = { 0 };

	place(CLOCK_CORE_HOME, true);
	ck_assert_int_eq(sched_setscheduler(0, SCHED_BATCH, &none), 0);
	share.short_slices = false;
	place(CLOCK_CORE_HOME, true);
	ck_assert(!share.short_slices);
	share.short_slices = true;
	place(CLOCK_CORE_HOME, false);
	ck_assert(share.short_slices);
}
