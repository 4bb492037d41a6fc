/*  orchestrator/plan/plan_fault and fault_schedule: which faults happen when, and their effects,
 *  without a fabric (FC-26, PG-11, TB-4, TB-11). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/fabric/fault_schedule.h"
#include "tests/testing.h"

#define RING                                                                                       \
	"name: t\nrun: {duration: 100us, sample: 5us}\nrouting: {reaction: 3us, takeover: 20us}\n" \
	"topology: {switches: [a, b, c], hosts: {A: a, B: b, C: c}, links: [[a, b], [b, c], [c, "  \
	"a], [a, b]]}\n"                                                                           \
	"workloads: [{name: w, pattern: permutation, shift: 1, size: 1KiB, arrival: "              \
	"closed}]\nfaults:\n"

static struct plan plan;
static struct scenario scenario;
static struct scenario_errors errors;

static void tear_down(void)
{
	plan_free(&plan);
	scenario_free(&scenario);
	scenario_errors_free(&errors);
}

static int make(const char *faults)
{
	char text[2048];
	int error;

	snprintf(text, sizeof(text), RING "%s", faults);
	error = scenario_read_memory("t.yaml", text, strlen(text), NULL, 0, &scenario, &errors);
	return error ? error : plan_make(&scenario, &plan, &errors);
}

static void made(const char *faults)
{
	int error = make(faults);

	ck_assert_msg(!error, "%s", errors.count ? errors.texts[0] : "no error");
}

static void refused(const char *faults, const char *why)
{
	ck_assert_int_ne(make(faults), 0);
	ck_assert_uint_eq(errors.count, 1);
	ck_assert_msg(strstr(errors.texts[0], why) != NULL, "%s", errors.texts[0]);
}

static void action_is(uint32_t at, uint64_t at_us, enum plan_action_kind kind, uint32_t fault)
{
	const struct plan_action *action = &plan.faults.actions[at];

	ck_assert_uint_lt(at, plan.faults.action_count);
	ck_assert_uint_eq(action->at_ps, at_us * NODE_US);
	ck_assert_int_eq(action->kind, kind);
	ck_assert_uint_eq(action->fault, fault);
}

TEST_GROUP(faults, .teardown = tear_down);

TEST(plan_faults_make__repairs_precede_failures)
{
	made("  - {at: 20us, for: 10us, link: [b, c]}\n  - {at: 30us, switch: a}\n");
	ck_assert_uint_eq(plan.faults.action_count, 6);
	action_is(0, 20, ACTION_FAIL, 0);
	action_is(1, 23, ACTION_TABLES, 0);
	action_is(2, 30, ACTION_RETURN, 0);
	action_is(3, 30, ACTION_FAIL, 1);
	action_is(4, 33, ACTION_TABLES, 0);
	action_is(5, 33, ACTION_TABLES, 1);
	ck_assert_str_eq(plan.faults.list[0].name, "link b:p2 - c:p1");
	ck_assert_str_eq(plan.faults.list[1].name, "switch a");
	ck_assert_uint_eq(plan.faults.window_ps, 5 * NODE_US);
}

TEST(plan_faults_make__no_tables_without_a_manager)
{
	made("  - {at: 20us, fabric-manager: active}\n  - {at: 18us, for: 10us, link: [b, c]}\n"
	     "  - {at: 35us, fabric-manager: active}\n");
	action_is(0, 18, ACTION_FAIL, 1);
	action_is(1, 20, ACTION_FAIL, 0);
	action_is(2, 28, ACTION_RETURN, 1);
	action_is(3, 35, ACTION_FAIL, 2);
	for (uint32_t i = 4; i < 8;
	     i++) /* the manager that took over at 40 us would be the one that died at 35 us */
		ck_assert(plan.faults.actions[i].kind == ACTION_TABLES &&
			  plan.faults.actions[i].at_ps == 55 * NODE_US);
	ck_assert_uint_eq(plan.faults.action_count, 8);
	for (uint32_t i = 0; i < plan.link_count; i++)
		ck_assert(!plan_fault_concerns(&plan, &plan.faults.list[0], i));
}

TEST_RANGE(plan_faults_make__rejects, 0, 7)
{
	static const struct {
		const char *faults, *why;
	} cases[] = {
		{ "  - {at: 20us, link: [a, b]}\n",
		  "2 links lead from 'a' to 'b': say which, such as [a:p1, b]" },
		{ "  - {at: 20us, link: [A, b]}\n", "no link leads from 'A' to 'b'" },
		{ "  - {at: 20us}\n", "a fault is that of one 'link'" },
		{ "  - {at: 20us, switch: a, fabric-manager: active}\n",
		  "a fault is that of one 'link'" },
		{ "  - {at: 20us, fabric-manager: standby}\n", "expected active" },
		{ "  - {at: 20us, for: 1us, fabric-manager: active}\n", "the standby takes over" },
		{ "  - {at: 100us, switch: a}\n", "at or after the end of the run" },
	};

	refused(cases[_i].faults, cases[_i].why);
}

/* without their link, b and c are two links apart; the fault names one of the two links between a
 * and b */
TEST(plan_faults_hops__counts_the_detour)
{
	uint32_t hops;

	made("  - {at: 20us, for: 10us, link: [b, c]}\n  - {at: 40us, link: ['a:p1', b]}\n");
	ck_assert_int_eq(plan_faults_hops(&plan, &hops), 0);
	ck_assert_uint_eq(hops, 2);
	plan_free(&plan);
	scenario_free(&scenario);
	made("  - {at: 40us, link: ['a:p1', b]}\n");
	ck_assert_int_eq(plan_faults_hops(&plan, &hops), 0);
	ck_assert_uint_eq(hops, 1);
}

/* PG-5: with port groups, a packet from a to c may be at b when the link between b and c fails: it
 * returns, and goes to c. It has a lane for each of these links, although all paths have two at
 * most. A plan without faults has two lanes. */
TEST(plan_faults_hops__counts_packets_in_flight)
{
	const char *more = "fabric: port-group\nport-group: {non-minimal: yes}\n";
	char faults[256];
	uint32_t hops;

	snprintf(faults, sizeof(faults), "  - {at: 20us, for: 10us, link: [b, c]}\n%s", more);
	made(faults);
	ck_assert_int_eq(plan.routing.lane_rule, LANES_BY_HOP);
	ck_assert_uint_eq(plan.routing.path_hops_max, 2);
	ck_assert_int_eq(plan_faults_hops(&plan, &hops), 0);
	ck_assert_uint_eq(hops, 3);
	ck_assert_uint_eq(plan.routing.lanes, 3);
	plan_free(&plan);
	scenario_free(&scenario);
	snprintf(faults, sizeof(faults), "  - {at: 20us, fabric-manager: active}\n%s", more);
	made(faults);
	ck_assert_uint_eq(plan.routing.lanes, 2);
}

/* ---- the schedule ---- */

static struct stats_page *pages[16];
static uint32_t downs[16], ups[16], tables;

static int link_down(void *owner, uint32_t link)
{
	(void)owner;
	downs[link]++;
	pages[0]->drops[DROP_LINK_DOWN] += 7;
	return 0;
}

static int link_up(void *owner, uint32_t link)
{
	(void)owner;
	ups[link]++;
	return 0;
}

static int manage(void *owner)
{
	(void)owner;
	tables++;
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

static void fabric_make(void)
{
	memset(downs, 0, sizeof(downs));
	memset(ups, 0, sizeof(ups));
	tables = 0;
	for (uint32_t i = 0; i < plan.node_count; i++)
		pages[i] = calloc(1, sizeof(*pages[i]));
}

/* the first NIC receives @bytes in each microsecond, half of that from @slow_us to @fast_us */
static void simulate(struct fault_schedule *schedule, uint64_t bytes, uint64_t slow_us,
		     uint64_t fast_us)
{
	node_time_t at, before = 0;

	while ((at = fault_schedule_next_at(schedule)) < plan.duration_ps) {
		uint64_t us = before / NODE_US;
		uint64_t span_us = (at - before) / NODE_US;

		pages[plan.switch_count]->delivered_bytes +=
			us >= slow_us && us < fast_us ? bytes * span_us / 2 : bytes * span_us;
		ck_assert_int_eq(fault_schedule_step(schedule), 0);
		before = at;
	}
}

static void fabric_free(void)
{
	for (uint32_t i = 0; i < plan.node_count; i++)
		free(pages[i]);
}

TEST(fault_schedule__a_link_is_down_while_any_fault_of_it_lasts)
{
	struct fault_schedule schedule;
	struct results results = { 0 };
	uint32_t link;

	made("  - {at: 20us, for: 30us, link: [b, c]}\n  - {at: 30us, for: 10us, switch: c}\n");
	link = plan.faults.list[0].link;
	fabric_make();
	ck_assert_int_eq(fault_schedule_init(&schedule, &plan, &fabric), 0);
	simulate(&schedule, 1000, 20, 40);
	ck_assert_uint_eq(downs[link], 1);
	ck_assert_uint_eq(ups[link], 1);
	ck_assert_uint_eq(tables, 4);
	for (uint32_t i = 0; i < plan.link_count; i++)
		ck_assert(downs[i] == ups[i] && schedule.down[i] == 0);
	ck_assert_int_eq(fault_schedule_report(&schedule, &results), 0);
	ck_assert_uint_eq(results.faults[0].lost, 7);
	/* to a and to the host; the third was down */
	ck_assert_uint_eq(results.faults[1].lost, 2 * 7);
	ck_assert_uint_eq(results.faults[0].before_bps, 8000000000);
	ck_assert_uint_eq(results.faults[0].least_bps, 4000000000);
	/* before the next fault */
	ck_assert_uint_eq(results.faults[0].recovery_ps, NODE_TIME_NEVER);
	/* the same rate as just before */
	ck_assert_uint_eq(results.faults[1].recovery_ps, 0);
	free(results.faults);
	fault_schedule_fini(&schedule);
	fabric_free();
}

TEST(fault_schedule__recovery_is_measured)
{
	struct fault_schedule schedule;
	struct results results = { 0 };

	made("  - {at: 20us, link: [b, c]}\n");
	fabric_make();
	ck_assert_int_eq(fault_schedule_init(&schedule, &plan, &fabric), 0);
	simulate(&schedule, 1000, 20, 40);
	ck_assert_int_eq(fault_schedule_report(&schedule, &results), 0);
	ck_assert(results.faults[0].failed && !results.faults[0].returned);
	ck_assert_uint_eq(results.faults[0].recovery_ps, 20 * NODE_US);
	ck_assert_uint_eq(results.faults[0].least_bps, 4000000000);
	free(results.faults);
	fault_schedule_fini(&schedule);
	fabric_free();
}
