/*  orchestrator/fabric/fabric_real: when a run under the real clock is over, before its time is
 *  (TB-8). No node runs: the test writes what nodes state in their pages. */
#include "orchestrator/fabric/fabric_real.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "nodes/process/process_look.h"
#include "orchestrator/fabric/fabric_watch.h"
#include "tests/testing.h"

#define NODES 3u
#define LONG_AGO_NS 1000000000ull /* all have slept for longer than it takes to be sure */

static struct node_config configs[NODES];
static struct port_config ports[NODES];
static struct plan plan;
static struct fabric_node nodes[NODES];
static struct clock_page page;
static struct fabric fabric;

static void setup(void)
{
	plan = (struct plan){ .nodes = configs, .node_count = NODES, .switch_count = NODES };
	page = (struct clock_page){ .dilation = 1, .epoch_ns = monotonic_ns() };
	for (uint32_t i = 0; i < NODES; i++) {
		configs[i] = (struct node_config){
			.name = "s", .kind = NODE_SWITCH, .port_count = 1, .ports = &ports[i]
		};
		nodes[i] = (struct fabric_node){ .lead = i, .slot = i, .control = -1 };
		nodes[i].stats = calloc(1, stats_bytes(&configs[i]));
		stats_init(nodes[i].stats, &configs[i]);
		nodes[i].stats->sleeps_ps = NODE_TIME_NEVER;
		nodes[i].stats->events = 10 + i;
	}
	fabric = (struct fabric){ .plan = &plan,
				  .nodes = nodes,
				  .options.real = true,
				  .page = &page,
				  .epoll_fd = epoll_create1(0),
				  .drain_look_at = NODE_TIME_NEVER };
}

static void teardown(void)
{
	for (uint32_t i = 0; i < NODES; i++)
		free(nodes[i].stats);
	close(fabric.epoll_fd);
}

/* one look; the fabric has an hour */
static enum fabric_state look(void)
{
	return fabric_real_wait(&fabric, 3600 * NODE_S, 0);
}

/* all have slept long without an event, as far as the looks before could see */
static void slept_long(void)
{
	fabric.idle_since_ns = monotonic_ns() - LONG_AGO_NS;
	fabric.idle_events = 10 + 11 + 12;
}

TEST_GROUP(fabric_real, .setup = setup, .teardown = teardown);

TEST(fabric_real_wait__over_once_all_have_slept)
{
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	ck_assert(!fabric.idle);
	ck_assert_uint_ne(fabric.idle_since_ns, 0);
	ck_assert_uint_eq(fabric.idle_events, 33);
	ck_assert_int_eq(fabric_real_wait(&fabric, 3600 * NODE_S, 3600000), FABRIC_STOPPED);
	ck_assert(fabric.idle);
	ck_assert_uint_ge(fabric.run_ns, 20000000);
}

TEST(fabric_real_wait__nothing_to_wait_for)
{
	slept_long();
	ck_assert_int_eq(look(), FABRIC_STOPPED);
	ck_assert(fabric.idle);
}

/* any of them */
TEST_RANGE(fabric_real_wait__one_has_an_event_due, 0, NODES)
{
	slept_long();
	nodes[_i].stats->sleeps_ps = NODE_S;
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	ck_assert(!fabric.idle);
	ck_assert_uint_eq(fabric.idle_since_ns, 0);
}

TEST_RANGE(fabric_real_wait__one_was_awake_meanwhile, 0, NODES)
{
	slept_long();
	nodes[_i].stats->events++;
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	ck_assert(!fabric.idle);
	ck_assert_uint_eq(fabric.idle_events, 34);
	ck_assert_uint_gt(fabric.idle_since_ns + LONG_AGO_NS / 2, monotonic_ns() - LONG_AGO_NS / 2);
}

/* a dead node handles nothing more, but what it would have sent is not known */
TEST_RANGE(fabric_real_wait__one_has_no_page, 0, NODES)
{
	struct stats_page *was = nodes[_i].stats;

	slept_long();
	nodes[_i].stats = NULL;
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	nodes[_i].stats = was;
}

TEST(fabric_real_wait__a_link_drains)
{
	slept_long();
	fabric.link_drain.count = 1;
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	ck_assert(!fabric.idle);
	fabric.link_drain.count = 0;
}

/* it was woken, and states that it sleeps until it runs */
TEST_RANGE(fabric_real_wait__one_waits_for_a_core, 0, NODES)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			;
	nodes[_i].pid = child;
	fabric.alive = 1;
	while (!process_wants_core(child))
		;
	slept_long();
	ck_assert_int_eq(look(), FABRIC_RUNNING);
	ck_assert(!fabric.idle);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TEST(fabric_real_wait__time_is_over)
{
	nodes[0].stats->sleeps_ps = 0;
	ck_assert_int_eq(fabric_real_wait(&fabric, NODE_US, 3600000), FABRIC_STOPPED);
	ck_assert(!fabric.idle);
}

/* ---- fabric_real_now, fabric_drain_step ---- */

TEST(fabric_real_now__since_the_epoch)
{
	uint64_t before_ns = monotonic_ns(), after_ns;
	node_time_t now;

	page.epoch_ns = 1000;
	now = fabric_real_now(&fabric);
	after_ns = monotonic_ns();
	ck_assert_uint_ge(now, (before_ns - 1000) * NODE_NS);
	ck_assert_uint_le(now, (after_ns - 1000) * NODE_NS);
	page.epoch_ns = UINT64_MAX;
	ck_assert_uint_eq(fabric_real_now(&fabric), 0);
}

/* in nanoseconds; it does not look more often than once in a millisecond */
TEST(fabric_drain_step__when_to_look_again)
{
	page.epoch_ns = UINT64_MAX; /* it is 0 */
	ck_assert_uint_eq(fabric_drain_step(&fabric), UINT64_MAX);
	fabric.drain_look_at = 5 * NODE_MS;
	ck_assert_uint_eq(fabric_drain_step(&fabric), 5000000);
	fabric.drain_look_at = NODE_US;
	ck_assert_uint_eq(fabric_drain_step(&fabric), 1000000);
}

TEST(fabric_tell__a_dead_node)
{
	struct control_message message = { .kind = CONTROL_LINK_SET };

	ck_assert_int_eq(fabric_tell(&fabric, 1, &message), -ESRCH);
	ck_assert_str_eq(fabric.failure, "");
}

TEST(fabric_node_restart__only_dead_ones)
{
	nodes[1].pid = getpid();
	ck_assert_int_eq(fabric_node_restart(&fabric, 1), -EEXIST);
}
