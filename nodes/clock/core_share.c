#include "nodes/clock/core_share.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/futex.h"

/* [sched_setattr(2)]; glibc 2.36 has no wrapper */
struct scheduling {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns; /* SCHED_OTHER, from Linux 6.12: the time slice; 0: the kernel's own */
	uint64_t deadline_ns, period_ns;
};

#define SUSPECT_STEPS 400000u /* of the counter: 0.1 ms and more; then it is looked at closely */

/* of this core; no two cores are compared */
static uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return monotonic_ns();
#endif
}

/* the slot of the core that this node is on */
static uint32_t slot_now(void)
{
	int core = sched_getcpu();

	return core < 0 ? 0 : (uint32_t)core % CLOCK_CORES;
}

void core_share_init(struct core_share *share, const struct clock *clock, uint32_t node)
{
	*share = (struct core_share){ .clock = clock,
				      .node = node,
				      .first = counter(),
				      .first_ns = monotonic_ns(),
				      .core = slot_now() };
	if (sched_getaffinity(0, sizeof(share->home), &share->home))
		CPU_ZERO(&share->home);
}

/* ---- measuring ---- */

static void note(struct core_share *share, uint32_t core, uint64_t now)
{
	share->core = core;
	share->noted = now;
	atomic_store_explicit(&share->clock->cores[core].seen, now, memory_order_relaxed);
}

void core_share_note(struct core_share *share)
{
	note(share, slot_now(), counter());
}

static uint64_t steps_to_ns(const struct core_share *share, uint64_t steps)
{
	uint64_t passed = counter() - share->first;

	return passed ? (uint64_t)((double)steps * (double)(monotonic_ns() - share->first_ns) /
				   (double)passed)
		      : 0;
}

/* no node has held the core for @steps */
static void gap_add(const struct core_share *share, struct clock_core *core, uint64_t steps)
{
	uint64_t stolen_ns = steps_to_ns(share, steps);

	if (stolen_ns < CORE_SHARE_STOLEN_NS)
		return;
	atomic_fetch_add_explicit(&core->stolen_ns, stolen_ns, memory_order_relaxed);
	/* the orchestrator sleeps there, and looks around when it is woken; once it has acted it
	 * knows */
	if (!core_share_shared(share))
		futex_wake(&share->clock->page->stops, 1);
}

void core_share_yield(struct core_share *share)
{
	struct clock_core *core;
	uint64_t now, seen;
	uint32_t slot;

	sched_yield();
	now = counter();
	slot = slot_now();
	core = &share->clock->cores[slot];
	seen = atomic_load_explicit(&core->seen, memory_order_relaxed);
	/* of a move to another core it is not known what went on meanwhile */
	if (slot == share->core && now > seen + SUSPECT_STEPS && now > share->noted + SUSPECT_STEPS)
		gap_add(share, core, now - (seen > share->noted ? seen : share->noted));
	note(share, slot, now);
}

/* ---- following ---- */

/* @slice_ns 0: the kernel's own. @own filled with what holds then. Return: false if the call is
 * refused */
static bool slice_set(uint64_t slice_ns, struct scheduling *own)
{
	if (syscall(SYS_sched_getattr, 0, own, sizeof(*own), 0) || own->policy != SCHED_OTHER)
		return false;
	own->size = sizeof(*own);
	own->runtime_ns = slice_ns;
	return !syscall(SYS_sched_setattr, 0, own, 0) &&
	       !syscall(SYS_sched_getattr, 0, own, sizeof(*own), 0);
}

static void slice_follow(struct core_share *share)
{
	struct scheduling own = { 0 };

	/* kernels before 6.12 take the call and ignore the slice */
	if (core_share_shared(share))
		share->short_slices = slice_set(CORE_SHARE_SLICE_NS, &own) &&
				      own.runtime_ns == CORE_SHARE_SLICE_NS;
	else if (share->short_slices)
		share->short_slices = !slice_set(0, &own);
}

static void move(const struct core_share *share, int32_t core)
{
	cpu_set_t one;

	if (core < 0 || core >= CPU_SETSIZE) {
		if (CPU_COUNT(&share->home))
			sched_setaffinity(0, sizeof(share->home), &share->home);
		return;
	}
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	/* where it is forbidden the node stays, and is slower */
	sched_setaffinity(0, sizeof(one), &one);
}

void core_share_follow(struct core_share *share)
{
	share->placing = atomic_load_explicit(&share->clock->page->placing, memory_order_acquire);
	move(share,
	     atomic_load_explicit(&share->clock->core_of[share->node], memory_order_relaxed));
	slice_follow(share);
}
