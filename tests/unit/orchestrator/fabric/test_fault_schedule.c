/*  orchestrator/fabric/fault_schedule: which links fail and return when, what is lost, and how long
 *  it takes until as much is delivered as before (FC-26, TB-4, TB-13). The test is the fabric: it
 *  notes what it is told and writes the statistics pages.
 *
 *  a - b - c - a, hosts A, B, C; link a-b fails at 400 us and returns at 700 us; switch c fails at
 *  600 us, for good. Windows are of 10 us. */
#include "orchestrator/fabric/fault_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/scenario/scenario.h"
#include "tests/testing.h"

#define RING                                                                        \
	"name: t\nrun: {duration: 1ms, warmup: 100us}\n"                            \
	"topology: {switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b]" \
	", [b, c], [c, a]]}\n"                                                      \
	"faults:\n"                                                                 \
	"  - {at: 400us, link: [a, b], for: 300us}\n"                               \
	"  - {at: 600us, switch: c}\n"

enum { LINKS = 6, NODES = 6, SWITCH_C = 2, HOST_B = 4, HOST_C = 5 };

static struct plan plan;
static struct fault_schedule schedule;
static struct stats_page *pages[NODES];
static struct results results;
static char told[512]; /* "-ab" the link has failed, "+ab" it returned, "t" tables follow */
static uint64_t drops_at_failure;

static void tell(const char *what, const char *name, const char *peer)
{
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%s%s ", what, name, peer);
}

static void tell_link(const char *what, uint32_t link)
{
	const struct plan_link *ends = &plan.links[link];

	tell(what, plan.nodes[ends->node_a].name, plan.nodes[ends->node_b].name);
}

static int link_down(void *owner, uint32_t link)
{
	(void)owner;
	pages[0]->drops[DROP_LINK_DOWN] += drops_at_failure;
	tell_link("-", link);
	return 0;
}

static int link_up(void *owner, uint32_t link)
{
	(void)owner;
	tell_link("+", link);
	return 0;
}

static int manage(void *owner)
{
	(void)owner;
	tell("t", "", "");
	return 0;
}

static const struct stats_page *page(void *owner, uint32_t node)
{
	(void)owner;
	return pages[node];
}

static const struct fault_fabric fabric = {
	.link_down = link_down, .link_up = link_up, .manage = manage, .page = page
};

/* the ring with @settings */
static void setup_with(const char *const *settings, unsigned count)
{
	struct scenario_errors errors = { 0 };
	struct scenario scenario;

	ck_assert_msg(!scenario_read_memory("t.yaml", RING, strlen(RING), settings, count,
					    &scenario, &errors),
		      "%s", errors.count ? errors.texts[0] : "?");
	ck_assert_int_eq(plan_make(&scenario, &plan, &errors), 0);
	scenario_free(&scenario);
	ck_assert_uint_eq(plan.link_count, LINKS);
	plan.faults.window_ps = 10 * NODE_US;
	for (uint32_t i = 0; i < NODES; i++) {
		pages[i] = calloc(1, stats_bytes(&plan.nodes[i]));
		stats_init(pages[i], &plan.nodes[i]);
	}
	ck_assert_int_eq(fault_schedule_init(&schedule, &plan, &fabric), 0);
	told[0] = 0;
	drops_at_failure = 0;
}

static void setup(void)
{
	setup_with(NULL, 0);
}

static void teardown(void)
{
	fault_schedule_fini(&schedule);
	results_free(&results);
	for (uint32_t i = 0; i < NODES; i++)
		free(pages[i]);
	plan_free(&plan);
}

/* steps up to, and with, what is due at @until */
static void step_to(node_time_t until)
{
	while (fault_schedule_next_at(&schedule) <= until)
		ck_assert_int_eq(fault_schedule_step(&schedule), 0);
}

/* the whole run; @rate(window) bytes are delivered in each window, to host B */
static void run_all(uint64_t (*rate)(uint32_t window))
{
	node_time_t now;

	while ((now = fault_schedule_next_at(&schedule)) != NODE_TIME_NEVER) {
		pages[HOST_B]->delivered_bytes = 0;
		for (uint32_t window = 0; window < now / plan.faults.window_ps; window++)
			pages[HOST_B]->delivered_bytes += rate(window);
		ck_assert_int_eq(fault_schedule_step(&schedule), 0);
	}
	ck_assert_int_eq(fault_schedule_report(&schedule, &results), 0);
	ck_assert_uint_eq(results.fault_count, 2);
}

TEST_GROUP(fault_schedule, .setup = setup, .teardown = teardown);

/* ---- the time line ---- */

TEST(fault_schedule_step__what_fails_and_returns)
{
	step_to(400 * NODE_US - 1);
	ck_assert_str_eq(told, "");
	step_to(400 * NODE_US);
	ck_assert_msg(!strncmp(told, "-ab ", 4), "%s", told);
	told[0] = 0;
	step_to(599 * NODE_US);
	told[0] = 0;
	step_to(600 * NODE_US); /* a switch is its links, with that of its host */
	ck_assert_msg(strstr(told, "-bc ") && strstr(told, "-ca ") && strstr(told, "C"), "%s",
		      told);
	ck_assert_ptr_null(strstr(told, "-ab "));
	ck_assert(fault_schedule_cut_off(&schedule, SWITCH_C));
	ck_assert(fault_schedule_cut_off(&schedule, HOST_C));
	ck_assert(!fault_schedule_cut_off(&schedule, 0));
	told[0] = 0;
	step_to(700 * NODE_US);
	ck_assert_ptr_nonnull(strstr(told, "+ab "));
	ck_assert_ptr_null(strstr(told, "+bc "));
}

TEST(fault_schedule_step__tables_follow)
{
	step_to(400 * NODE_US);
	told[0] = 0;
	step_to(599 * NODE_US);
	ck_assert_str_eq(told, "t ");
}

/* two faults of one link: it returns with the end of the last one */
TEST(fault_schedule_step__a_link_with_two_faults)
{
	for (uint32_t i = 0; i < LINKS; i++)
		schedule.down[i]++;
	step_to(400 * NODE_US);
	ck_assert_ptr_null(strstr(told, "-ab "));
	step_to(700 * NODE_US);
	ck_assert_ptr_null(strstr(told, "+ab "));
	for (uint32_t i = 0; i < LINKS; i++)
		schedule.down[i]--;
	ck_assert(!fault_schedule_cut_off(&schedule, 0));
}

/* windows only measure */
TEST(fault_schedule_acts_now__not_in_a_window)
{
	while (fault_schedule_next_at(&schedule) < 400 * NODE_US) {
		ck_assert(!fault_schedule_acts_now(&schedule));
		ck_assert_int_eq(fault_schedule_step(&schedule), 0);
	}
	ck_assert(fault_schedule_acts_now(&schedule));
}

TEST(fault_schedule_next_at__ends)
{
	step_to(NODE_S);
	ck_assert_uint_eq(fault_schedule_next_at(&schedule), NODE_TIME_NEVER);
	ck_assert(!fault_schedule_acts_now(&schedule));
	ck_assert_uint_eq(schedule.window_count, 101); /* 0 us to 1 ms */
}

/* ---- the report ---- */

static uint64_t steady(uint32_t window)
{
	(void)window;
	return 1000;
}

/* 1000 bytes in 10 us are 800 Mb/s */
TEST(fault_schedule_report__nothing_is_lost)
{
	run_all(steady);
	ck_assert(results.faults[0].failed && results.faults[0].returned);
	ck_assert(results.faults[1].failed && !results.faults[1].returned);
	ck_assert_uint_eq(results.faults[0].before_bps, 800000000);
	ck_assert_uint_eq(results.faults[0].least_bps, 800000000);
	ck_assert_uint_eq(results.faults[0].recovery_ps, 0);
	ck_assert_uint_eq(results.faults[0].lost, 0);
}

/* the first four windows after 400 us have less; 900 bytes are enough */
static uint64_t dip(uint32_t window)
{
	return window < 40 ? 1000 : window < 43 ? 100 : window == 43 ? 899 : 900;
}

TEST(fault_schedule_report__recovery)
{
	run_all(dip);
	ck_assert_uint_eq(results.faults[0].before_bps, 800000000);
	ck_assert_uint_eq(results.faults[0].least_bps, 80000000);
	ck_assert_uint_eq(results.faults[0].recovery_ps, 40 * NODE_US);
}

/* the reference of a fault is at most 20 windows, none before the last change */
static uint64_t stairs(uint32_t window)
{
	return window < 20 ? 5000 : window < 40 ? 1000 : 600;
}

TEST(fault_schedule_report__before)
{
	run_all(stairs);
	ck_assert_uint_eq(results.faults[0].before_bps, 800000000);
	ck_assert_uint_eq(results.faults[1].before_bps, 480000000);
	ck_assert_uint_eq(results.faults[1].recovery_ps, 0);
}

/* 60 % until the next fault is no recovery */
TEST(fault_schedule_report__not_before_the_next_fault)
{
	run_all(stairs);
	ck_assert_uint_eq(results.faults[0].least_bps, 480000000);
	ck_assert_uint_eq(results.faults[0].recovery_ps, NODE_TIME_NEVER);
}

/* the next fault is at the end of window 59: four windows with enough can be chance */
static uint64_t four_last(uint32_t window)
{
	return window < 40 || window >= 56 ? 1000 : 100;
}

TEST(fault_schedule_report__four_windows_are_no_recovery)
{
	run_all(four_last);
	ck_assert_uint_eq(results.faults[0].recovery_ps, NODE_TIME_NEVER);
}

static uint64_t five_last(uint32_t window)
{
	return window < 40 || window >= 55 ? 1000 : 100;
}

TEST(fault_schedule_report__five_windows_are_a_recovery)
{
	run_all(five_last);
	ck_assert_uint_eq(results.faults[0].recovery_ps, 150 * NODE_US);
}

/* faults at one moment, or at which another one returns, have the same windows before them */
TEST(fault_schedule_report__faults_at_one_moment)
{
	static const char *const settings[] = { "faults.1.at=400us", "faults.1.at=700us" };

	for (unsigned i = 0; i < 2; i++) {
		teardown();
		setup_with(settings + i, 1);
		run_all(steady);
		for (unsigned f = 0; f < 2; f++) {
			ck_assert_uint_eq(results.faults[f].before_bps, 800000000);
			ck_assert_uint_eq(results.faults[f].least_bps, 800000000);
			ck_assert_uint_eq(results.faults[f].recovery_ps, 0);
		}
	}
}

static uint64_t none(uint32_t window)
{
	return window < 40 ? 0 : 1000;
}

TEST(fault_schedule_report__nothing_was_delivered_before)
{
	run_all(none);
	ck_assert_uint_eq(results.faults[0].before_bps, 0);
	ck_assert_uint_eq(results.faults[0].recovery_ps, NODE_TIME_NEVER);
}

/* what was on the link; those of former faults, and those without a route before, do not count */
TEST(fault_schedule_report__lost)
{
	pages[1]->drops[DROP_LINK_DOWN] = 50;
	pages[1]->drops[DROP_NO_ROUTE] = 60;
	drops_at_failure = 7;
	run_all(steady);
	ck_assert_uint_eq(results.faults[0].lost, 7);
	ck_assert_uint_eq(results.faults[1].lost, 7 * 3);
	ck_assert_uint_eq(results.faults[0].astray, 0);
}

/* a run that ended before: the fault has not happened */
TEST(fault_schedule_report__an_interrupted_run)
{
	step_to(500 * NODE_US);
	ck_assert_int_eq(fault_schedule_report(&schedule, &results), 0);
	ck_assert(results.faults[0].failed && !results.faults[0].returned);
	ck_assert(!results.faults[1].failed);
}
