/*  orchestrator/fabric/fabric_cores: which core each node is pinned to at the start, and which ones
 *  nodes use while other programs compute (TB-1). Children of the test stand for the nodes. The
 *  test has two cores, also on a machine of more. */
#include "orchestrator/fabric/fabric_cores.h"

#include <sched.h>
#include <sys/wait.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/clock.h"
#include "nodes/process/process_look.h"
#include "orchestrator/plan/placement.h"
#include "tests/unit/orchestrator/fabric/packed_fabric.h"

#define CORES 2u

static int cores[CPU_SETSIZE];

/* this process, and those that it starts, may use the first two cores.  Return: false: there is
 * one */
static bool two_cores(void)
{
	cpu_set_t two;

	if (fabric_cores_allowed(cores) < CORES) {
		printf("skipped, needs two cores\n");
		return false;
	}
	CPU_ZERO(&two);
	CPU_SET(cores[0], &two);
	CPU_SET(cores[1], &two);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(two), &two), 0);
	ck_assert_uint_eq(fabric_cores_allowed(cores), CORES);
	return true;
}

TEST(fabric_cores_allowed__their_numbers)
{
	cpu_set_t one;
	int last;

	ck_assert_uint_ge(fabric_cores_allowed(cores), 1);
	last = cores[fabric_cores_allowed(cores) - 1];
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	ck_assert_uint_eq(fabric_cores_allowed(cores), 1);
	ck_assert_int_eq(cores[0], last);
}

/* ---- at the start ---- */

static const pid_t own_pid = 0;

/* the core that process @pid is pinned to; -1: it may use both */
static int core_of_process(pid_t pid)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(pid, sizeof(set), &set), 0);
	if (CPU_COUNT(&set) == (int)CORES)
		return -1;
	ck_assert_int_eq(CPU_COUNT(&set), 1);
	return CPU_ISSET(cores[0], &set) ? cores[0] : cores[1];
}

/* the node is a child that waits */
static void node_begins(uint32_t node)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	fabric.nodes[node].pid = pid;
}

static void nodes_end(void)
{
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (fabric.nodes[i].pid <= 0)
			continue;
		kill(fabric.nodes[i].pid, SIGKILL);
		ck_assert_int_eq(waitpid(fabric.nodes[i].pid, NULL, 0), fabric.nodes[i].pid);
	}
	ck_assert_int_eq(core_of_process(own_pid), -1);
	done();
}

static const struct {
	enum fabric_cores cores;
	uint32_t hosts;
	bool pinned;
} pinnings[] = {
	{ FABRIC_CORES_ADAPT, 4, true },  { FABRIC_CORES_SPREAD, 2, true },
	{ FABRIC_CORES_HOME, 4, false },  { FABRIC_CORES_FREE, 4, false },
	{ FABRIC_CORES_ADAPT, 1, false }, /* no more nodes than cores */
};

TEST_RANGE(fabric_cores_pin__processes, 0, (int)(sizeof(pinnings) / sizeof(pinnings[0])))
{
	uint32_t core_of[8];
	char topology[32];

	if (!two_cores())
		return;
	snprintf(topology, sizeof(topology), "star, hosts: %u", pinnings[_i].hosts);
	pack(topology, 1, 1);
	fabric.options.pack = 0;
	fabric.options.cores = pinnings[_i].cores;
	ck_assert_int_eq(placement_make(&plan, CORES, core_of), 0);
	for (uint32_t i = 0; i + 1 < plan.node_count; i++) /* the last one has died */
		node_begins(i);
	ck_assert_int_eq(fabric_cores_pin(&fabric), 0);
	ck_assert_uint_eq(fabric.core_choice.core_count, CORES);
	for (uint32_t i = 0; i + 1 < plan.node_count; i++)
		ck_assert_int_eq(core_of_process(fabric.nodes[i].pid),
				 pinnings[_i].pinned ? cores[core_of[i]] : -1);
	nodes_end();
}

static const struct {
	enum fabric_cores cores;
	uint32_t workers, ranks;
	bool pinned;
} worker_pinnings[] = {
	{ FABRIC_CORES_ADAPT, 3, 1, true },  { FABRIC_CORES_SPREAD, 2, 0, true },
	{ FABRIC_CORES_FREE, 3, 1, false },  { FABRIC_CORES_ADAPT, 1, 1, false },
	{ FABRIC_CORES_ADAPT, 3, 2, false },
};

/* each on a core of its own, in turn; not if other ranks may be here too */
TEST_RANGE(fabric_cores_pin__workers, 0,
	   (int)(sizeof(worker_pinnings) / sizeof(worker_pinnings[0])))
{
	if (!two_cores())
		return;
	pack("star, hosts: 9", 1, worker_pinnings[_i].workers);
	fabric.options.ranks = worker_pinnings[_i].ranks;
	fabric.options.cores = worker_pinnings[_i].cores;
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (fabric.nodes[i].lead == i)
			node_begins(i);
	ck_assert_int_eq(fabric_cores_pin(&fabric), 0);
	for (uint32_t i = 0; i < plan.node_count; i++)
		if (fabric.nodes[i].pid)
			ck_assert_int_eq(core_of_process(fabric.nodes[i].pid),
					 worker_pinnings[_i].pinned
						 ? cores[fabric.nodes[i].slot % CORES]
						 : -1);
	nodes_end();
}

/* ---- while it runs ---- */

static struct clock_page *clock_page;
static uint32_t packed; /* workers that were made, though nodes may be processes */

/* other programs have taken all of core @core of the two for a second; nodes have used @cpu_ns
 * since the begin */
static void taken_of(uint32_t core, uint32_t workers, uint64_t cpu_ns)
{
	uint32_t slots = workers ? workers : 5;
	size_t bytes = (clock_bytes(slots) + 63) / 64 * 64;

	pack("star, hosts: 4", 1, workers ? workers : 1);
	fabric.options.pack = workers;
	packed = fabric.pack.worker_count;
	fabric.pack.worker_count = workers;
	clock_page = aligned_alloc(64, bytes);
	memset(clock_page, 0, bytes);
	clock_init(clock_page, slots, NODE_US);
	fabric.page = clock_page;
	ck_assert_int_eq(clock_attach(&fabric.clock, clock_page, clock_bytes(slots)), 0);
	for (uint32_t i = 0; i < slots; i++)
		atomic_store(&fabric.clock.core_of[i], 99);
	core_choice_init(&fabric.core_choice, CORES);
	fabric.core_choice.from_ns = monotonic_ns() - 1000000000;
	fabric.clock.cores[(uint32_t)cores[core] % CLOCK_CORES].stolen_ns = 1000000000000000;
	while (process_cpu_ns(getpid()) < 20000000)
		;
	fabric.nodes[0].pid = getpid();
	fabric.cores_cpu_ns = process_cpu_ns(getpid()) - cpu_ns;
}

static void taken(uint32_t workers, uint64_t cpu_ns)
{
	taken_of(1, workers, cpu_ns);
}

static void looked(void)
{
	fabric.pack.worker_count = packed;
	free(clock_page);
	done();
}

static bool all_cores_are(int32_t core, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++)
		if (atomic_load(&fabric.clock.core_of[i]) != core)
			return false;
	return true;
}

/* they leave the core of which most was taken, and return after a while */
TEST_RANGE(fabric_cores_look__fewer_and_all, 0, 2)
{
	uint32_t workers = _i ? 2 : 0, slots = _i ? 2 : 5;

	if (!two_cores())
		return;
	taken_of(!_i, workers, 0);
	atomic_store(&clock_page->placing, 6);
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 9);
	ck_assert(all_cores_are(cores[_i], slots));
	fabric_cores_look(&fabric); /* too soon */
	ck_assert_uint_eq(clock_page->placing, 9);
	fabric.core_choice.since_ns -= CORE_CHOICE_STAY_MAX_NS;
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 10);
	ck_assert(all_cores_are(CLOCK_CORE_HOME, slots));
	looked();
}

/* the kernel places them; they are told that cores are shared */
TEST(fabric_cores_look__not_placed)
{
	if (!two_cores())
		return;
	taken(0, 0);
	fabric.options.cores = FABRIC_CORES_FREE;
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 3);
	ck_assert(all_cores_are(99, 5));
	looked();
}

/* with so much work in a window both cores are worth it */
TEST(fabric_cores_look__much_work)
{
	if (!two_cores())
		return;
	taken(0, 10000000);
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 0);
	fabric.core_choice.from_ns = monotonic_ns() - 2000000000;
	atomic_store(&clock_page->windows, 1000);
	memset(fabric.core_choice.stolen_ns, 0, sizeof(fabric.core_choice.stolen_ns));
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 3);
	looked();
}

TEST_RANGE(fabric_cores_look__never, 0, 3)
{
	if (!two_cores())
		return;
	taken(0, 0);
	fabric.options.real = _i == 0;
	fabric.options.cores = _i == 1 ? FABRIC_CORES_SPREAD : FABRIC_CORES_ADAPT;
	fabric.core_choice.core_count = _i == 2 ? CORES - 1 : CORES; /* since it began */
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(clock_page->placing, 0);
	ck_assert(all_cores_are(99, 5));
	ck_assert_uint_eq(fabric.core_choice.changes, 0);
	looked();
}

/* the first look is the begin: what was used and taken before does not count */
TEST(fabric_cores_look__first)
{
	uint64_t used_ns;

	if (!two_cores())
		return;
	taken(0, 0);
	used_ns = fabric.cores_cpu_ns;
	fabric.cores_cpu_ns = 1;
	fabric.core_choice.from_ns = 0;
	fabric_cores_look(&fabric);
	ck_assert_uint_ge(fabric.cores_cpu_ns, used_ns);
	ck_assert_uint_ne(fabric.core_choice.from_ns, 0);
	ck_assert_uint_eq(fabric.core_choice.stolen_ns[1], 1000000000000000);
	ck_assert_uint_eq(fabric.core_choice.changes, 0);
	fabric.cores_cpu_ns = 1;
	fabric_cores_look(&fabric);
	ck_assert_uint_eq(fabric.cores_cpu_ns, 1);
	looked();
}
