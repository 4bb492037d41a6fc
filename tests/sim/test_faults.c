/*  FC-15 ... FC-17, FC-26, PG-9, PG-11, TB-4, TB-22, TB-25: every link and every switch of a fat
 *  tree of 16 hosts fails in turn under full load, and returns. All accounts balance all the
 *  time. No flow is reordered. What is lost was on what failed, waited for it, or had no route
 *  until tables followed. Nothing stalls, and at the end every channel is free. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"
#include "tests/testing.h"

#define STEP_US 60u

/* lines of the scenario: what kind of fabric, what kind of traffic */
static const char *const fabrics[] = {
	"", "routing: {choice: adaptive}\nclasses: [{name: any, unordered: yes}]\n",
	"fabric: port-group\n", "fabric: port-group\nclasses: [{name: any, unordered: no}]\n"
};

static const char fat_tree[] =
	"name: faults\n"
	"run: {duration: %uus, warmup: 1us, drain: yes, drain-max: 100ms}\n"
	"topology: {generate: fat-tree, radix: 4}\n"
	"%s"
	"workloads:\n"
	"  - {name: w, pattern: permutation, shift: 5, size: 16KiB, packet: 4096, arrival: closed, "
	"window: 2}\n"
	"faults:\n";

/* the scenario with a fault of each link, or of each switch, one after the other; malloc'd */
static char *scenario_text(bool switches, const char *class)
{
	struct sim sim;
	char start[1024], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint32_t count;

	snprintf(start, sizeof(start), fat_tree, 1000, class);
	sim_open_text(&sim, start, NULL);
	count = switches ? sim.plan.switch_count : sim.plan.link_count;
	fprintf(out, fat_tree, (count + 2) * STEP_US, class);
	for (uint32_t i = 0; i < count; i++) {
		const struct plan_link *link = &sim.plan.links[i];

		fprintf(out, "  - {at: %uus, for: %uus, ", (i + 1) * STEP_US, STEP_US / 2);
		if (switches)
			fprintf(out, "switch: %s}\n", sim.plan.nodes[i].name);
		else
			fprintf(out, "link: [%s, %s]}\n", sim.plan.nodes[link->node_a].name,
				sim.plan.nodes[link->node_b].name);
	}
	fclose(out);
	sim_close(&sim);
	return text;
}

static uint64_t sent_not_received(const struct sim *sim)
{
	uint64_t sent = 0, received = 0;

	for (uint32_t i = 0; i < sim->plan.node_count; i++) {
		sent += sim->nodes[i].stats->injected_packets;
		received += sim->nodes[i].stats->delivered_packets;
	}
	ck_assert_uint_gt(received, 10000);
	return sent - received;
}

/* each fault has come and gone; each host has sent and received until the end */
static void check_faults(struct sim *sim)
{
	struct results results;

	sim_results(sim, &results);
	ck_assert_uint_gt(results.fault_count, 0);
	for (uint32_t i = 0; i < results.fault_count; i++)
		ck_assert(results.faults[i].failed && results.faults[i].returned);
	for (uint32_t i = 0; i < results.flow_count; i++)
		ck_assert_uint_gt(results.flows[i].last_ps,
				  sim->plan.duration_ps - STEP_US * NODE_US);
	ck_assert_uint_eq(results.totals.reordered, 0);
	results_free(&results);
}

static void all_fail(bool switches, const char *fabric)
{
	char *text = scenario_text(switches, fabric);
	struct sim sim;

	sim_open_text(&sim, text, NULL);
	sim.check_windows = 50;
	sim_run(&sim);
	ck_assert_uint_eq(clock_earliest(&sim.clock), NODE_TIME_NEVER);
	sim_check_released(&sim);
	ck_assert_uint_gt(sim_drops(&sim, DROP_LINK_DOWN), 0);
	ck_assert_uint_eq(sent_not_received(&sim), sim_drops(&sim, DROP_LINK_DOWN) +
							   sim_drops(&sim, DROP_NO_ROUTE) +
							   sim_drops(&sim, DROP_BAD_LID) +
							   sim_drops(&sim, DROP_OUT_OF_ORDER));
	check_faults(&sim);
	sim_close(&sim);
	free(text);
}

TEST_GROUP(faults, .timeout_s = getenv("FAULTS_ALL") ? 7200 : 300);

TEST_RANGE(every_link__in_turn, 0, 4)
{
	all_fail(false, fabrics[_i]);
}

TEST_RANGE(every_switch__in_turn, 0, 4)
{
	all_fail(true, fabrics[_i]);
}

/* ---- at size (FC-26) ----
 *
 * 128 hosts, 256 links between switches, 80 switches: one of them dies under load, adaptive
 * routing, and returns. All but those next to hosts, whose hosts are cut off until it is back, are
 * in the sample or, with FAULTS_ALL in the environment, taken in turn. Books every 400 windows and
 * at the end. */

#define AT_US 110u
#define FOR_US 30u
#define END_US 210u /* 70 us after the return */
#define WINDOW_US 10u
#define SAMPLE 6

static const char large_tree[] =
	"name: faults\n"
	"run: {duration: %uus, warmup: 60us, sample: 10us, drain: yes, drain-max: 100ms}\n"
	"topology: {generate: fat-tree, radix: 8}\n"
	"routing: {choice: adaptive}\n"
	"workloads:\n"
	"  - {name: w, pattern: permutation, shift: 37, size: 32KiB, arrival: closed, window: 2}\n"
	"faults:\n"
	"  - {at: %uus, for: %uus, %s}\n";

/* what a frame and its ACKs can have on a link, in both directions, and committed to it */
#define LOST_OF_A_LINK 60u

/* fault number @number of the fat tree: its links between switches, then its switches; false: there
 * are no more */
static bool fault_text(const struct plan *plan, uint32_t number, char *text, size_t text_max,
		       uint32_t *links)
{
	for (uint32_t i = 0; i < plan->link_count; i++) {
		const struct plan_link *link = &plan->links[i];

		if (link->node_a >= plan->switch_count || link->node_b >= plan->switch_count ||
		    number--)
			continue;
		*links = 1;
		snprintf(text, text_max, "link: [%s, %s]", plan->nodes[link->node_a].name,
			 plan->nodes[link->node_b].name);
		return true;
	}
	if (number >= plan->switch_count)
		return false;
	*links = plan->nodes[number].port_count;
	snprintf(text, text_max, "switch: %s", plan->nodes[number].name);
	return true;
}

/* in the 50 us that begin 20 us after the return as much is delivered as in the 50 us before the
 * fault, or nearly: a permutation with adaptive routing is not the same at any two times */
static void check_recovered(const struct sim *sim, const char *what)
{
	const uint64_t *delivered = sim->faults.delivered;
	uint32_t end = END_US / WINDOW_US, at = AT_US / WINDOW_US, span = 50 / WINDOW_US;
	uint64_t before = delivered[at] - delivered[at - span],
		 after = delivered[end] - delivered[end - span];

	ck_assert_uint_gt(sim->faults.window_count, end);
	ck_assert_uint_gt(before, 0);
	ck_assert_msg(after * 100 >= before * 85, "%s: %lu bytes before, %lu afterwards", what,
		      before, after);
}

static void one_fails(const char *what, uint32_t links)
{
	char text[1024];
	struct results results;
	struct sim sim;

	snprintf(text, sizeof(text), large_tree, END_US, AT_US, FOR_US, what);
	sim_open_text(&sim, text, NULL);
	sim.check_windows = 400;
	sim_run(&sim);
	ck_assert_msg(clock_earliest(&sim.clock) == NODE_TIME_NEVER, "%s: something is left", what);
	sim_check_released(&sim);
	ck_assert_uint_eq(sent_not_received(&sim),
			  sim_drops(&sim, DROP_LINK_DOWN) + sim_drops(&sim, DROP_NO_ROUTE));
	sim_results(&sim, &results);
	ck_assert(results.faults[0].failed && results.faults[0].returned);
	ck_assert_msg(results.faults[0].lost <= links * LOST_OF_A_LINK, "%s: %u lost", what,
		      (unsigned)results.faults[0].lost);
	check_recovered(&sim, what);
	ck_assert_msg(!results.totals.reordered, "%s: reordered", what);
	results_free(&results);
	sim_close(&sim);
}

TEST(large_tree__any_link_or_switch)
{
	bool all = getenv("FAULTS_ALL");
	char text[1024], what[100];
	uint32_t count = 0, links;
	struct sim sim;

	snprintf(text, sizeof(text), large_tree, END_US, AT_US, FOR_US, "switch: c0");
	sim_open_text(&sim, text, NULL);
	while (fault_text(&sim.plan, count, what, sizeof(what), &links))
		count++;
	ck_assert_uint_eq(count, 256 + 80);
	for (uint32_t i = all ? 0 : 7; i < count; i += all ? 1 : count / SAMPLE) {
		fault_text(&sim.plan, i, what, sizeof(what), &links);
		one_fails(what, links);
	}
	sim_close(&sim);
}
