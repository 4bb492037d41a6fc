/*  orchestrator/fabric/fabric: what is told of a run while it lasts, how a wait ends, what nodes
 *  hold, and that nothing of a fabric is left (TB-9, TB-22). No node runs. */
#include "orchestrator/fabric/fabric.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "nodes/process/memory.h"
#include "orchestrator/base/interrupt.h"
#include "tests/unit/orchestrator/fabric/fake_nodes.h"
#include "tests/unit/orchestrator/fabric/written_page.h"

static struct clock_page *clock_page;
static int page_fds[NODES];

static void setup(void)
{
	fake_setup();
	clock_page = aligned_alloc(64, (clock_bytes(NODES) + 63) / 64 * 64);
	memset(clock_page, 0, clock_bytes(NODES));
	clock_init(clock_page, NODES, NODE_US);
	fabric.page = clock_page;
	ck_assert_int_eq(clock_attach(&fabric.clock, clock_page, clock_bytes(NODES)), 0);
	configs[H1].nic.flows_max = 1;
	for (uint32_t i = 0; i < NODES; i++) {
		page_fds[i] = page_make(&nodes[i], &configs[i]);
		nodes[i].pid = 0;
		atomic_store(&fabric.clock.own_next[i], (50 + i) * NODE_US);
		atomic_store(&fabric.clock.inbox_next[i], NODE_TIME_NEVER);
	}
	fabric.alive = 0;
	fabric.limit_ps = NODE_TIME_NEVER;
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		page_drop(&nodes[i], page_fds[i]);
	free(clock_page);
	fake_teardown();
}

TEST_GROUP(fabric, .setup = setup, .teardown = teardown);

/* ---- what is told ---- */

static char told[300];

static void tell(void *observer, const char *text)
{
	ck_assert_ptr_eq(observer, &told);
	snprintf(told, sizeof(told), "%s", text);
}

TEST(fabric_note__and_stage)
{
	fabric_note(&fabric, "%s", "not told");
	fabric_stage(&fabric, "%s", "not told");
	fabric.options.observer = told;
	fabric.options.note = tell;
	fabric_note(&fabric, "note %d", 7);
	ck_assert_str_eq(told, "note 7");
	fabric.options.stage = tell;
	fabric_stage(&fabric, "stage %d", 8);
	ck_assert_str_eq(told, "stage 8");
}

#define SECOND_NS 1000000000ull

/* what is told of a wait that began @since_ns ago, when the last one was told @shown_ns ago; only
 * if this machine was not slow meanwhile */
static const char *waits_told(uint64_t since_ns, uint64_t shown_ns)
{
	uint64_t now_ns;

	do {
		told[0] = 0;
		now_ns = monotonic_ns();
		fabric.waits_shown_ns = now_ns - shown_ns;
		fabric_waits(&fabric, now_ns - since_ns, "waits for %d", 9);
	} while (monotonic_ns() - now_ns > SECOND_NS / 2);
	return told;
}

/* after two seconds, then once a second; with the seconds */
TEST(fabric_waits__when)
{
	uint64_t before_ns;

	fabric_waits(&fabric, 1, "nothing");
	ck_assert_uint_eq(fabric.waits_shown_ns, 0);
	fabric.options.observer = told;
	fabric.options.waits = tell;
	ck_assert_str_eq(waits_told(SECOND_NS, 3600 * SECOND_NS), "");
	ck_assert_str_eq(waits_told(3600 * SECOND_NS, SECOND_NS / 4), "");
	before_ns = monotonic_ns();
	ck_assert_str_eq(waits_told(2 * SECOND_NS, SECOND_NS), "waits for 9; 2 s so far");
	ck_assert_uint_ge(fabric.waits_shown_ns, before_ns);
	ck_assert_str_eq(waits_told(3600 * SECOND_NS, 3600 * SECOND_NS),
			 "waits for 9; 3600 s so far");
}

/* ---- a wait ---- */

TEST(fabric_wait__stopped)
{
	ck_assert_int_eq(fabric_wait(&fabric, 3600000), FABRIC_STOPPED);
	ck_assert_uint_gt(fabric.run_ns, 0);
	/* what nodes have said by then counts */
	strcpy(fabric.failure, "something");
	ck_assert_int_eq(fabric_wait(&fabric, 3600000), FABRIC_FAILED);
}

/* a message, or a death, before the clock stopped */
TEST_RANGE(fabric_wait__stopped_but_failed, 0, 2)
{
	struct control_message event = { .kind = CONTROL_EVENT, .number = 1, .text = "hot" };
	siginfo_t info;

	if (_i) {
		nodes[S1].pid = fork();
		if (!nodes[S1].pid)
			_exit(3);
		ck_assert_int_eq(waitid(P_PID, (id_t)nodes[S1].pid, &info, WEXITED | WNOWAIT), 0);
		fabric.alive = 1;
	} else {
		node_sends(S1, event);
	}
	ck_assert_int_eq(fabric_wait(&fabric, 3600000), FABRIC_FAILED);
	ck_assert_str_eq(fabric.failure,
			 _i ? "switch s1 (pid 100) left in the middle of the run with status 3"
			    : "switch s1 (pid 100) reports: hot");
}

TEST(fabric_wait__runs)
{
	uint64_t began_ns = monotonic_ns();

	atomic_store(&clock_page->state, CLOCK_RUNNING);
	fabric.options.cores = FABRIC_CORES_SPREAD;
	ck_assert_int_eq(fabric_wait(&fabric, 0), FABRIC_RUNNING);
	ck_assert_int_eq(fabric_wait(&fabric, 60), FABRIC_RUNNING);
	ck_assert_uint_ge(monotonic_ns() - began_ns, 60000000);
	ck_assert_uint_ge(fabric.run_ns, 60000000);
	interrupt_catch();
	raise(SIGTERM);
	ck_assert_int_eq(fabric_wait(&fabric, 3600000), FABRIC_INTERRUPTED);
}

/* while it runs: a message, or a window that does not end */
TEST_RANGE(fabric_wait__fails, 0, 2)
{
	struct control_message event = { .kind = CONTROL_EVENT, .number = 1, .text = "hot" };

	atomic_store(&clock_page->state, CLOCK_RUNNING);
	fabric.options.cores = FABRIC_CORES_SPREAD;
	if (!_i)
		node_sends(S2, event);
	fabric.options.watchdog_ns = _i ? 1000000 : 0;
	watchdog_start(&fabric.watchdog, fabric.options.watchdog_ns, monotonic_ns());
	ck_assert_int_eq(fabric_wait(&fabric, 3600000), FABRIC_FAILED);
	ck_assert_ptr_nonnull(strstr(fabric.failure, _i ? "nothing followed for " : "hot"));
}

/* ---- time ---- */

TEST(fabric_now__and_over)
{
	ck_assert_uint_eq(fabric_now(&fabric), 50 * NODE_US);
	ck_assert(!fabric_over(&fabric));
	fabric.limit_ps = 40 * NODE_US;
	ck_assert_uint_eq(fabric_now(&fabric), 40 * NODE_US);
	atomic_store(&clock_page->start_ps, 30 * NODE_US);
	atomic_store(&clock_page->state, CLOCK_RUNNING);
	ck_assert_uint_eq(fabric_now(&fabric), 30 * NODE_US);
	for (uint32_t i = 0; i < NODES; i++)
		atomic_store(&fabric.clock.own_next[i], NODE_TIME_NEVER);
	ck_assert(fabric_over(&fabric));
	fabric.options.real = true;
	ck_assert(!fabric_over(&fabric));
	fabric.idle = true;
	ck_assert(fabric_over(&fabric));
	clock_page->epoch_ns = UINT64_MAX;
	ck_assert_uint_eq(fabric_now(&fabric), 0);
}

/* those that are to run are woken, and only those */
TEST(fabric_resume__wakes)
{
	uint32_t wake[NODES];

	fabric.wake = wake;
	for (uint32_t i = 0; i < NODES; i++)
		atomic_store(&fabric.clock.asleep[i], 1);
	atomic_store(&fabric.clock.own_next[S2], 10 * NODE_US);
	atomic_store(&clock_page->stops, 17);
	fabric.options.watchdog_ns = 5;
	fabric_resume(&fabric, 20 * NODE_US);
	ck_assert_uint_eq(fabric.limit_ps, 20 * NODE_US);
	ck_assert_uint_eq(clock_page->limit_ps, 20 * NODE_US);
	ck_assert_uint_eq(fabric.stops_seen, 17);
	ck_assert_uint_eq(fabric.watchdog.patience_ns, 5);
	ck_assert(!clock_stopped(&fabric.clock));
	ck_assert_uint_eq(fabric.clock.asleep[S1], 1);
	ck_assert_uint_eq(fabric.clock.asleep[S2], 0);
	ck_assert_uint_eq(fabric.clock.asleep[H1], 1);
}

/* ---- pages ---- */

static void writes(uint32_t node, const void *place, uint64_t value)
{
	page_write(&nodes[node], page_fds[node], place, value);
}

TEST(fabric_holds__of_switches_and_nics)
{
	writes(S1, &nodes[S1].stats->inside_bytes, 1234);
	writes(S1, &stats_port(nodes[S1].stats, 0)->queue_bytes, 99);
	writes(H1, &nodes[H1].stats->inside_bytes, 98);
	writes(H1, &stats_port(nodes[H1].stats, 0)->queue_bytes, 5678);
	ck_assert_uint_eq(fabric_holds(&fabric, S1), 1234);
	ck_assert_uint_eq(fabric_holds(&fabric, H1), 5678);
	page_destroy(page_fds[S1]);
	ck_assert_uint_eq(fabric_holds(&fabric, S1), 0);
}

TEST(fabric_pages__checked)
{
	struct stats_page **pages = fabric_pages(&fabric);

	ck_assert_ptr_nonnull(pages);
	for (uint32_t i = 0; i < NODES; i++)
		ck_assert_ptr_eq(pages[i], nodes[i].stats);
	free(pages);
	page_destroy(page_fds[S2]);
	ck_assert_ptr_null(fabric_pages(&fabric));
	ck_assert_str_eq(fabric.failure, "switch s2 (pid 101) has destroyed its statistics page");
}

/* ---- the end ---- */

/* descriptors, mappings and memory; the test would fail if one was left */
TEST(fabric_free__all)
{
	struct fabric own = { .plan = &plan,
			      .nodes = calloc(NODES, sizeof(*own.nodes)),
			      .wake = calloc(NODES, sizeof(*own.wake)),
			      .ring_fds = calloc(4, sizeof(*own.ring_fds)),
			      .page_size = 4096,
			      .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };

	own.clock_fd = memory_make("clock", own.page_size);
	own.page = mmap(NULL, own.page_size, PROT_READ, MAP_SHARED, own.clock_fd, 0);
	for (uint32_t i = 0; i < NODES; i++) {
		own.nodes[i].control = dup(STDERR_FILENO);
		own.nodes[i].doorbell = i ? eventfd(0, EFD_CLOEXEC) : -1;
		ck_assert_int_eq(stats_view_map(&own.nodes[i].view, page_fds[i], &configs[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++)
		own.ring_fds[i] = i ? dup(STDERR_FILENO) : -1;
	fabric_free(&own);
	ck_assert_ptr_null(own.nodes);
	fabric_free(&own);
	own = (struct fabric){ .plan = &plan, .clock_fd = -1, .epoll_fd = -1 };
	fabric_free(&own);
}
