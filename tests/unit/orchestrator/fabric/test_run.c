/*  orchestrator/fabric/run: a run that goes from stop to stop, what is shown and told meanwhile,
 *  and nodes that have data although nothing can happen any more (TB-9, TB-13, FC-26). No node
 *  runs: the clock has no event before its limit. */
#include "orchestrator/fabric/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/clock/clock.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_end.h"
#include "tests/unit/orchestrator/fabric/written_page.h"

#define NODES 11u

static struct node_config configs[NODES];
static struct port_config ports[NODES];
static struct plan plan;
static struct fabric_node nodes[NODES];
static int page_fds[NODES];
static struct run run;
static char told[2000];

static void stage_note(void *observer, const char *what)
{
	(void)observer;
	strcat(told, what);
	strcat(told, "\n");
}

static void shown(void *viewer, bool last)
{
	ck_assert_ptr_eq(viewer, &run);
	strcat(told, last ? "shown last\n" : "shown\n");
}

static void setup(void)
{
	struct clock_page *page = aligned_alloc(64, (clock_bytes(NODES) + 63) / 64 * 64);

	memset(page, 0, clock_bytes(NODES));
	clock_init(page, NODES, NODE_US);
	plan = (struct plan){ .nodes = configs,
			      .node_count = NODES,
			      .switch_count = NODES - 1,
			      .duration_ps = 100 * NODE_US };
	run = (struct run){ .fabric = { .plan = &plan,
					.nodes = nodes,
					.page = page,
					.options.stage = stage_note,
					.wake = calloc(NODES, sizeof(uint32_t)),
					.epoll_fd = epoll_create1(EPOLL_CLOEXEC) },
			    .faults = { .plan = &plan, .look_at = NODE_TIME_NEVER },
			    .show = shown,
			    .viewer = &run,
			    .end_ps = 80 * NODE_US };
	ck_assert_int_eq(clock_attach(&run.fabric.clock, page, clock_bytes(NODES)), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i] = (struct node_config){ .kind = i < NODES - 1 ? NODE_SWITCH : NODE_NIC,
						   .port_count = 1,
						   .ports = &ports[i],
						   .nic.flows_max = 1 };
		snprintf(configs[i].name, sizeof(configs[i].name), "n%u", i);
		nodes[i] = (struct fabric_node){ .lead = i, .slot = i, .control = -1 };
		page_fds[i] = page_make(&nodes[i], &configs[i]);
		atomic_store(&run.fabric.clock.own_next[i], (100 + i) * NODE_US);
		atomic_store(&run.fabric.clock.inbox_next[i], NODE_TIME_NEVER);
	}
	told[0] = 0;
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		page_drop(&nodes[i], page_fds[i]);
	close(run.fabric.epoll_fd);
	free(run.fabric.wake);
	free(run.fabric.page);
}

TEST_GROUP(run, .setup = setup, .teardown = teardown);

/* ---- from stop to stop ---- */

/* not beyond the end of the run; only a slowed run is shown */
TEST_RANGE(run_to__limit, 0, 2)
{
	run.slow_ps_per_s = _i ? NODE_MS : 0;
	ck_assert_int_eq(run_to(&run, 30 * NODE_US), RUN_REACHED);
	ck_assert_uint_eq(run.fabric.limit_ps, _i ? 0 : 30 * NODE_US);
	ck_assert_str_eq(told, _i ? "runs from 0\nshown last\nis stopped at 0\n"
				  : "runs from 0\nis stopped at 30us\n");
	run.slow_ps_per_s = 0;
	ck_assert_int_eq(run_to(&run, 90 * NODE_US), RUN_REACHED);
	ck_assert_uint_eq(run.fabric.limit_ps, 80 * NODE_US);
	ck_assert_uint_eq(run.fabric.page->limit_ps, 80 * NODE_US);
	ck_assert(run_over(&run));
}

/* a progress line is on the screen */
static void progress_begin(FILE *out)
{
	run.progress = (struct progress){ .out = out, .on = true, .shown = true };
}

/* steps are shown once they have ended; the progress line stays until then */
TEST(run_steps_end__shows)
{
	FILE *out = fopen("/dev/null", "we");

	progress_begin(out);
	ck_assert_int_eq(run_to(&run, 30 * NODE_US), RUN_REACHED);
	ck_assert(!run.progress.shown);
	told[0] = 0;
	run.fabric.limit_ps = 0;
	progress_begin(out);
	run.slow_ps_per_s = NODE_MS;
	run.steps = true;
	ck_assert_int_eq(run_to(&run, 30 * NODE_US), RUN_REACHED);
	ck_assert(run.progress.shown && run.progress.next_ns);
	ck_assert_str_eq(told, "runs from 0\nis stopped at 0\n");
	run_steps_end(&run);
	ck_assert_str_eq(told, "runs from 0\nis stopped at 0\nshown last\n");
	ck_assert(!run.steps && !run.progress.shown);
	fclose(out);
}

static node_time_t limits[8];
static uint32_t slices;

/* what is next is in the next slice, or after the end */
static void slice_shown(void *viewer, bool last)
{
	shown(viewer, last);
	limits[slices++] = run.fabric.limit_ps;
	if (!last)
		atomic_store(&run.fabric.clock.own_next[3], run.fabric.limit_ps + 12 * NODE_US);
}

/* the event that is due has been handled, and there is no other one */
static void slice_ends(void *follower, const struct fabric *fabric)
{
	(void)follower;
	atomic_store(&fabric->clock.own_next[3], NODE_TIME_NEVER);
	atomic_store(&fabric->page->state, CLOCK_STOPPED);
}

/* as much fabric time in each slice, and the rest in the last one */
TEST(run_to__slowly)
{
	uint64_t began_ns = monotonic_ns();

	run.slow_ps_per_s = 20 * 10 * NODE_US;
	run.show = slice_shown;
	atomic_store(&run.fabric.clock.own_next[3], 12 * NODE_US);
	ck_assert_int_eq(run_to(&run, 32 * NODE_US), RUN_REACHED);
	ck_assert_uint_ge(monotonic_ns() - began_ns,
			  2 * 50000000); /* a slice is a twentieth of 1 s */
	ck_assert_uint_eq(slices, 3);
	ck_assert_uint_eq(limits[0], 10 * NODE_US);
	ck_assert_uint_eq(limits[1], 20 * NODE_US);
	ck_assert_uint_eq(limits[2], 20 * NODE_US);
	ck_assert_str_eq(told, "runs from 0\nshown\nshown\nshown last\nis stopped at 20us\n");
	/* less than 1 ps in a slice is 1 ps */
	run.slow_ps_per_s = 1;
	atomic_store(&run.fabric.clock.own_next[3], 21 * NODE_US);
	slices = 0;
	ck_assert_int_eq(run_to(&run, 21 * NODE_US + 1), RUN_REACHED);
	ck_assert_uint_eq(limits[0], 20 * NODE_US + 1);
	ck_assert_uint_eq(slices, 2);
	/* the last slice is shorter */
	run.slow_ps_per_s = 20 * 10 * NODE_US;
	run.follow = slice_ends;
	atomic_store(&run.fabric.clock.own_next[3], 24 * NODE_US);
	slices = 0;
	ck_assert_int_eq(run_to(&run, 25 * NODE_US), RUN_REACHED);
	ck_assert_uint_eq(limits[0], 25 * NODE_US);
	ck_assert_uint_eq(slices, 2);
}

TEST(run_over__at_its_end)
{
	ck_assert(run_over(&run)); /* the next event is after it */
	atomic_store(&run.fabric.clock.own_next[4], 80 * NODE_US);
	ck_assert(run_over(&run));
	atomic_store(&run.fabric.clock.own_next[4], 80 * NODE_US - 1);
	ck_assert(!run_over(&run));
}

static int acts, act_error;

static int link_changes(void *owner, uint32_t link)
{
	ck_assert_ptr_eq(owner, &run);
	ck_assert_uint_eq(link, 0);
	acts++;
	return act_error;
}

/* the link s0 - s1 fails at 10 us and returns at 20 us; what is delivered is counted every 8 us */
static struct plan_action actions[] = { { .at_ps = 10 * NODE_US, .kind = ACTION_FAIL },
					{ .at_ps = 20 * NODE_US, .kind = ACTION_RETURN } };

static void faults_begin(void)
{
	static struct plan_link link = { .node_b = 1 };
	static struct plan_fault fault = { .kind = FAULT_LINK };
	const struct fault_fabric fabric = {
		.owner = &run, .link_down = link_changes, .link_up = link_changes, .page = NULL
	};

	plan.links = &link;
	plan.link_count = 1;
	plan.faults = (struct plan_faults){
		.list = &fault, .count = 1, .actions = actions, .action_count = 2
	};
	configs[0].fabric = FABRIC_ROCE;
	plan.switch_count = plan.node_count = 0; /* no drops are counted */
	ck_assert_int_eq(fault_schedule_init(&run.faults, &plan, &fabric), 0);
	plan.switch_count = NODES - 1;
}

/* an action at the limit itself is for the next run */
TEST(run_to__time_line)
{
	faults_begin();
	ck_assert_int_eq(run_to(&run, 10 * NODE_US), RUN_REACHED);
	ck_assert_int_eq(acts, 0);
	ck_assert_int_eq(run_to(&run, 10 * NODE_US + 1), RUN_REACHED);
	ck_assert_int_eq(acts, 1);
	told[0] = 0;
	ck_assert_int_eq(run_to(&run, 50 * NODE_US), RUN_REACHED);
	ck_assert_int_eq(acts, 2);
	ck_assert_str_eq(told, "runs from 10000001ps\napplies faults at 20us\ncontinues from "
			       "20us\nis stopped at 50us\n");
	ck_assert_uint_eq(run.fabric.limit_ps, 50 * NODE_US);
	ck_assert(!run.torn);
	fault_schedule_fini(&run.faults);
}

/* what a signal has interrupted cannot be continued */
TEST_RANGE(run_to__time_line_fails, 0, 2)
{
	faults_begin();
	act_error = _i ? -EINTR : -EIO;
	ck_assert_int_eq(run_to(&run, 50 * NODE_US), _i ? RUN_INTERRUPTED : RUN_FAILED);
	ck_assert_int_eq(acts, 1);
	ck_assert_int_eq(run.torn, _i);
	ck_assert_uint_eq(run.fabric.limit_ps, 10 * NODE_US);
	ck_assert_str_eq(told, "runs from 0\napplies faults at 10us\n");
	ck_assert_int_eq(run_pause(&run), _i ? -EINTR : 0);
	fault_schedule_fini(&run.faults);
}

/* ---- an interrupted run ---- */

static uint32_t followed;

static void follow(void *follower, const struct fabric *fabric)
{
	ck_assert_ptr_eq(follower, &followed);
	ck_assert_ptr_eq(fabric, &run.fabric);
	followed++;
	raise(SIGTERM);
}

/* the follower is called while the clock runs; it stands when the run can be asked again */
TEST(run_to__interrupted)
{
	FILE *out = fopen("/dev/null", "we");

	interrupt_catch();
	atomic_store(&run.fabric.clock.own_next[3], 20 * NODE_US);
	run.follow = follow;
	run.follower = &followed;
	run.steps = true;
	progress_begin(out);
	ck_assert_int_eq(run_to(&run, 50 * NODE_US), RUN_INTERRUPTED);
	ck_assert_uint_eq(followed, 1);
	ck_assert_str_eq(told, "runs from 0\n");
	ck_assert(!run.progress.shown && run.progress.next_ns);
	run.steps = false;
	/* the window ends */
	atomic_store(&run.fabric.page->state, CLOCK_STOPPED);
	run.slow_ps_per_s = 1;
	ck_assert_int_eq(run_pause(&run), 0);
	ck_assert_str_eq(told, "runs from 0\nshown last\n");
	run.steps = true;
	ck_assert_int_eq(run_pause(&run), 0);
	ck_assert_str_eq(told, "runs from 0\nshown last\n");
	fclose(out);
}

/* ---- a stall ---- */

static void holds(uint32_t node, uint64_t bytes)
{
	struct stats_page *page = nodes[node].stats;

	page_write(&nodes[node], page_fds[node],
		   configs[node].kind == NODE_SWITCH ? &page->inside_bytes
						     : &stats_port(page, 0)->queue_bytes,
		   bytes);
}

static void nothing_is_due(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		atomic_store(&run.fabric.clock.own_next[i], NODE_TIME_NEVER);
}

TEST(run_stalled__not_while_something_is_due)
{
	struct why why = { "" };

	holds(3, 1000);
	ck_assert(!run_stalled(&run, &why));
	nothing_is_due();
	ck_assert(run_stalled(&run, &why));
	ck_assert_str_eq(why.text, "n3 holds 1.000 kB");
	holds(3, 0);
	ck_assert(!run_stalled(&run, &why));
}

/* eight nodes are named; what a node holds that faults have cut off does not count */
TEST_RANGE(run_stalled__names_nodes, 8, 12)
{
	char expected[512] = "";
	struct why why;
	uint32_t down[1] = { 1 };
	struct plan_link link = { .node_a = 0, .node_b = 1 };

	nothing_is_due();
	plan.links = &link;
	plan.link_count = 1;
	run.faults.down = down;
	for (uint32_t i = 1; i < NODES; i++)
		ports[i].link_index = 0;
	for (int i = 0; i < _i; i++) {
		char one[64];

		holds((uint32_t)i + (NODES - (uint32_t)_i), 1000u + (uint32_t)i);
		if (i >= 8)
			continue;
		snprintf(one, sizeof(one), "%sn%d holds 1.00%d kB", i ? ", " : "",
			 i + (int)NODES - _i, i);
		strcat(expected, one);
	}
	ck_assert(!run_stalled(&run, &why));
	run.faults.down = NULL;
	if (_i > 8)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			 " and %d more nodes", _i - 8);
	ck_assert(run_stalled(&run, &why));
	ck_assert_str_eq(why.text, expected);
}
