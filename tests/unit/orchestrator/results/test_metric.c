/*  orchestrator/results/metric: the value of every metric, each from counters that only it reads
 *  (TB-10, TB-13).
 *
 *  Each has a row, with its value computed by hand from the numbers below. A metric without a row
 *  fails the test: add one.
 *
 *      h1 --- p0 s1 p2 --- h3        mice: h1 and h2 send to h3, 1 : 3, 4000 bytes in 10 us
 *      h2 --- p1                     links of 100 Gb/s without delay
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/expect.h"
#include "orchestrator/results/metric.h"
#include "tests/testing.h"

#define GBPS 1000000000ull
#define SWITCH_PORTS 3u

static struct node_config nodes[4];
static struct port_config ports[SWITCH_PORTS], host_ports[3];
static struct route_config route = { .fabric_address = 2, .ports = 1 << 0 | 1 << 1 };
static struct plan_workload workload;
static struct scenario_text text;
static struct plan plan;
static struct result_flow flows[2];
static struct result_group group;
static struct result_port port_rows[6];
static struct result_class class_rows[3];
static struct result_fault faults[2];
static struct results results;

static void nodes_set(void)
{
	strcpy(nodes[0].name, "s1");
	nodes[0].fabric = FABRIC_ROCE;
	nodes[0].class_count = 2;
	nodes[0].port_count = SWITCH_PORTS;
	nodes[0].ports = ports;
	nodes[0].switch_.route_count = 1;
	nodes[0].switch_.routes = &route;
	for (uint32_t i = 0; i < 3; i++) {
		struct node_config *nic = &nodes[1 + i];

		*nic = (struct node_config){
			.kind = NODE_NIC, .index = 1 + i, .port_count = 1, .ports = &host_ports[i]
		};
		snprintf(nic->name, sizeof(nic->name), "h%u", 1 + i);
		ports[i] = (struct port_config){ .kind = PORT_EDGE,
						 .rate_bps = 100 * GBPS,
						 .peer_index = 1 + i };
		strcpy(ports[i].peer_name, nic->name);
		host_ports[i] = (struct port_config){
			.kind = PORT_EDGE, .rate_bps = 100 * GBPS, .gap_bytes = 20, .peer_port = i
		};
	}
	ports[2].buffer_units = 400; /* of each of two classes */
	strcpy(workload.name, "mice");
	workload.packet_bytes = 1000;
	plan = (struct plan){ .file = "f.yaml",
			      .node_count = 4,
			      .switch_count = 1,
			      .host_count = 3,
			      .nodes = nodes,
			      .workload_count = 1,
			      .workloads = &workload,
			      .expectations = &text };
}

/* Sets counter @field: @base at s1:p0, one more at s1:p2. At the NIC of h1, where it is no switch's
 * counter, it is three more. */
#define MARK_PORTS(field, base)                                                    \
	(port_rows[0].stats.field = (base), port_rows[2].stats.field = (base) + 1, \
	 port_rows[3].stats.field = (base) + 3)
#define MARK_CLASSES(field, base) \
	(class_rows[0].stats.field = (base), class_rows[2].stats.field = (base) + 1)

static void ports_set(void)
{
	for (uint32_t i = 0; i < 6; i++)
		port_rows[i] =
			(struct result_port){ .node = i < 3 ? 0 : i - 2, .port = i < 3 ? i : 0 };
	MARK_PORTS(eca_max, 100);
	MARK_PORTS(eca_acks, 110);
	MARK_PORTS(limited, 120);
	MARK_PORTS(efct_used_max, 130);
	MARK_PORTS(extent_units_max, 140);
	MARK_PORTS(blocked_extent, 150);
	MARK_PORTS(blocked_rate, 160);
	MARK_PORTS(blocked_empty, 170);
	MARK_PORTS(blocked_headroom, 180);
	MARK_PORTS(blocked_port, 190);
	MARK_PORTS(metered, 200);
	MARK_PORTS(headroom_starts, 210);
	MARK_PORTS(headroom_stops, 220);
	MARK_PORTS(headroom_units, 230);
	MARK_PORTS(input_units_max, 240);
	MARK_PORTS(stops, 250);
	MARK_PORTS(fgfc_held, 260);
	MARK_PORTS(fgfc_frames, 270);
	MARK_PORTS(fgfc_refused, 280);
	MARK_PORTS(reordered, 30);
	MARK_PORTS(duplicated, 40);
	MARK_PORTS(corrupted, 50);
	MARK_PORTS(choices, 290);
	MARK_PORTS(choices_other, 300);
	MARK_PORTS(choices_detour, 310);
	MARK_PORTS(choices_held, 320);
	MARK_PORTS(redirects, 330);
	MARK_PORTS(reroute_acks, 340);
	MARK_PORTS(folds, 350);
	MARK_PORTS(fecn_marked, 360);
	MARK_PORTS(becns, 370);
	MARK_PORTS(credit_wait_ps, 380);
	MARK_PORTS(signals_forwarded, 390);
	MARK_PORTS(path_pauses, 400);
	MARK_PORTS(path_resumes, 410);
	MARK_PORTS(pauses_received, 420);
	MARK_PORTS(pauses_sent, 430);
	port_rows[0].utilisation = 0.5;
	port_rows[1].utilisation = 1;
	port_rows[0].stats.queue_bytes_max = 61;
	port_rows[0].queue_bytes_mean = 71.5;
	/* the port of h3 is congested at 2 us; that of h1 is notified at 5 us, that of h2 never */
	port_rows[2].stats.eca_first_ps = 2 * NODE_US;
	port_rows[0].stats.limited_first_ps = 5 * NODE_US;
}

static void classes_set(void)
{
	for (uint32_t i = 0; i < 3; i++)
		class_rows[i] = (struct result_class){ .port = i, .traffic_class = 1 };
	MARK_CLASSES(delay_ns_max, 10);
	MARK_CLASSES(input_bytes_max, 20);
	MARK_CLASSES(headroom_bytes_max, 30);
	MARK_CLASSES(drops, 40);
	MARK_CLASSES(marked, 50);
	MARK_CLASSES(paused_ps, 60);
	MARK_CLASSES(stuck, 70);
	MARK_CLASSES(xoff_first_ps, 80);
	MARK_CLASSES(state_max, 90);
	MARK_CLASSES(ecn_failed_ps, 100);
	MARK_CLASSES(cnp_failed_ps, 110);
	MARK_CLASSES(cnps_seen, 120);
	MARK_CLASSES(cnps_supplemented, 130);
	MARK_CLASSES(signals_pause, 140);
	MARK_CLASSES(signals_resume, 150);
	class_rows[0].throughput_bps = 81;
	class_rows[0].stats.tx_packets_measured = 4;
	class_rows[0].stats.delay_ns_measured = 10;
}

/* Sets counter @field: @base of the first flow, one more of the second. */
#define MARK_FLOWS(field, base) \
	(flows[0].transport.field = (base), flows[1].transport.field = (base) + 1)

static void flows_set(void)
{
	for (uint32_t i = 0; i < 2; i++)
		flows[i] = (struct result_flow){ .source = i,
						 .destination = 2,
						 .measured_bytes = 1000 + 2000 * i };
	MARK_FLOWS(cnps, 10);
	MARK_FLOWS(cnps_made, 20);
	MARK_FLOWS(resent, 30);
	MARK_FLOWS(timeouts, 40);
	MARK_FLOWS(naks, 50);
	MARK_FLOWS(in_error, 60);
	flows[0].packets = 10;
	flows[1].packets = 20;
	MARK_FLOWS(marked, 1);
	MARK_FLOWS(duplicates, 3);
	MARK_FLOWS(out_of_order, 5); /* 3 marked of 48 */
	MARK_FLOWS(cnp_gap_min_ps, 44);
	MARK_FLOWS(rate_min_bps, 22);
	flows[0].transport.rate_bps = 200;
	flows[1].transport.rate_bps = 202;
	group = (struct result_group){ .flow_count = 2,
				       .goodput_bps = 3200000000,
				       .jain = 0.8,
				       .message_count = 9,
				       .fct = { 10 * NODE_US, 20 * NODE_US, 30 * NODE_US,
						40 * NODE_US },
				       .slowdown = { 1.25, 1.5, 2, 3 } };
}

static void set_up(void)
{
	nodes_set();
	ports_set();
	classes_set();
	flows_set();
	faults[0] = (struct result_fault){ .failed = true,
					   .lost = 3,
					   .astray = 5,
					   .before_bps = 100,
					   .least_bps = 40,
					   .recovery_ps = 7 * NODE_US };
	faults[1] = (struct result_fault){ .failed = true,
					   .lost = 4,
					   .astray = 6,
					   .before_bps = 100,
					   .least_bps = 30,
					   .recovery_ps = 9 * NODE_US };
	results = (struct results){ .measured_ps = 10 * NODE_US,
				    .flow_count = 2,
				    .flows = flows,
				    .group_count = 1,
				    .groups = &group,
				    .all = group,
				    .port_count = 6,
				    .ports = port_rows,
				    .class_count = 3,
				    .classes = class_rows,
				    .fault_count = 2,
				    .faults = faults,
				    .deadlocks.count = 2,
				    .data_hops = 21 };
	results.totals = (struct result_totals){
		.injected_bytes = 5000,
		.delivered_bytes = 4000,
		.delivered_packets = 6,
		.inside_bytes = -50,
		.lost = 11,
		.under_way = 12,
		.reordered = 13,
		.channels = 14,
		.channel_waits = 15,
		.unreported_units = 16,
	};
	results.drops[DROP_LINK_LOSS] = 3;
	results.drops[DROP_NO_ROUTE] = 1;
}

/* in the order of the table */
static const struct {
	const char *name, *arguments; /* "": none */
	double value;
} expected[] = {
	{ "lost", "", 11 },
	{ "under_way", "", 12 },
	{ "reordered", "", 13 },
	{ "inside", "", -50 },
	{ "channels", "", 14 },
	{ "waits", "", 15 },
	{ "unreported", "", 16 },
	{ "delivered", "", 0.8 },
	{ "delivered_bytes", "", 4000 },
	{ "injected_bytes", "", 5000 },
	{ "drops", "", 4 },
	{ "hops", "", 3.5 },
	{ "messages", "", 9 },
	{ "flows", "", 2 },
	{ "jain", "", 0.8 },
	{ "goodput", "", 3200000000 },
	{ "goodput.share", "", 0.032768 },
	{ "goodput.share.min", "", 0.008192 },
	{ "share", "h1, h3", 0.25 },
	{ "utilisation", "s1:p0", 0.5 },
	{ "queue.max", "s1:p0", 61 },
	{ "queue.mean", "s1:p0", 71.5 },
	{ "fct.mean", "", 10000000 },
	{ "fct.p50", "", 20000000 },
	{ "fct.p99", "", 30000000 },
	{ "fct.p999", "", 40000000 },
	{ "slowdown.mean", "", 1.25 },
	{ "slowdown.p50", "", 1.5 },
	{ "slowdown.p99", "", 2 },
	{ "slowdown.p999", "", 3 },
	{ "eca.max", "", 101 },
	{ "eca.acks", "", 221 },
	{ "limited", "", 241 },
	{ "reaction", "h3", 3000000 },
	{ "reaction.trips", "h3", 146.484375 },
	{ "reached", "h3", 0.5 },
	{ "channels.max", "", 131 },
	{ "extent.max", "", 36096 },
	{ "extent.sum", "", 71936 },
	{ "blocked.extent", "", 301 },
	{ "blocked.rate", "", 321 },
	{ "blocked.empty", "", 341 },
	{ "blocked.headroom", "", 361 },
	{ "blocked.port", "", 381 },
	{ "metered", "", 401 },
	{ "headroom.starts", "", 421 },
	{ "headroom.stops", "", 441 },
	{ "headroom.bytes", "", 118016 },
	{ "buffer.max", "", 61696 },
	{ "buffer.share", "", 0.30125 },
	{ "stops", "", 501 },
	{ "fgfc.held", "", 521 },
	{ "fgfc.frames", "", 541 },
	{ "fgfc.refused", "", 283 },
	{ "link.reordered", "", 94 },
	{ "link.duplicated", "", 124 },
	{ "link.corrupted", "", 154 },
	{ "choices", "", 581 },
	{ "choices.other", "", 601 },
	{ "choices.detour", "", 621 },
	{ "choices.held", "", 641 },
	{ "redirects", "", 661 },
	{ "reroute-acks", "", 681 },
	{ "folds", "", 701 },
	{ "imbalance", "", 0.33333333333333 },
	{ "imbalance.max", "", 1.3333333333333 },
	{ "fecn", "", 721 },
	{ "becns", "", 373 },
	{ "credit-waits", "", 1144 },
	{ "fault.lost", "", 7 },
	{ "fault.astray", "", 11 },
	{ "fault.least", "", 0.3 },
	{ "recovery", "", 9000000 },
	{ "deadlocks", "", 2 },
	{ "throughput", "s1:p0", 81 },
	{ "delay.mean", "s1:p0", 2500 },
	{ "delay.max", "", 11000 },
	{ "input.max", "", 21 },
	{ "headroom.max", "", 31 },
	{ "drops.at", "", 81 },
	{ "marked", "", 101 },
	{ "paused", "", 121 },
	{ "stuck", "", 141 },
	{ "xoff.first", "", 80 },
	{ "state.max", "", 91 },
	{ "ecn-failed.first", "", 100 },
	{ "cnp-failed.first", "", 110 },
	{ "cnps.seen", "", 241 },
	{ "cnps.supplemented", "", 261 },
	{ "signals.pause", "", 281 },
	{ "signals.resume", "", 301 },
	{ "signals.forwarded", "", 781 },
	{ "path.pauses", "", 801 },
	{ "path.resumes", "", 821 },
	{ "pauses", "", 841 },
	{ "pauses.sent", "", 861 },
	{ "cnps", "", 21 },
	{ "cnps.made", "", 41 },
	{ "marked.share", "", 0.0625 },
	{ "cnps.gap", "", 44 },
	{ "resent", "", 61 },
	{ "timeouts", "", 81 },
	{ "naks", "", 101 },
	{ "errors", "", 121 },
	{ "rate.min", "", 22 },
	{ "rate.mean", "", 201 },
};

#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

/* -1: there is none */
static int row_of(const char *name)
{
	for (uint32_t i = 0; i < EXPECTED; i++)
		if (!strcmp(expected[i].name, name))
			return (int)i;
	return -1;
}

TEST_GROUP(metric, .setup = set_up);

TEST(metric_table__every_metric_has_a_row)
{
	for (size_t i = 0; i < metric_count; i++)
		ck_assert_msg(row_of(metric_table[i].name) >= 0,
			      "metric '%s' is not evaluated by this test", metric_table[i].name);
	ck_assert_uint_eq(EXPECTED, metric_count);
}

TEST_RANGE(metric_table__has_the_computed_value, 0, EXPECTED)
{
	struct scenario_errors errors = { 0 };
	char words[128];

	snprintf(words, sizeof(words), expected[_i].arguments[0] ? "%s(%s) >= 0" : "%s%s >= 0",
		 expected[_i].name, expected[_i].arguments);
	text = (struct scenario_text){ .text = words, .place = { .line = 1, .column = 1 } };
	plan.expectation_count = 1;
	ck_assert_msg(!expect_check(&plan, &text, &errors), "%s",
		      errors.count ? errors.texts[0] : "?");
	ck_assert_int_eq(expect_evaluate(&plan, &results), 0);
	ck_assert_msg(results.expectations[0].known, "%s has no value", words);
	ck_assert_msg(fabs(results.expectations[0].value - expected[_i].value) <=
			      1e-9 * fabs(expected[_i].value),
		      "%s: %.12g, not %.12g", expected[_i].name, results.expectations[0].value,
		      expected[_i].value);
	free(results.expectations);
}

/* the rates of a port-group NIC count as well; its other transport counters do not */
TEST(metric_flow_counter__port_group)
{
	struct result_expectation row;

	nodes[0].fabric = FABRIC_PORT_GROUP;
	row = expect_metric_evaluate(&plan, "rate.min", &results);
	ck_assert(row.ok && row.value == 22);
	ck_assert(!expect_metric_evaluate(&plan, "resent", &results).ok);
}

/* with a number it is of that fault alone; of one that has not failed there is nothing */
TEST(metric_fault__of_one)
{
	plan.faults.count = 2;
	ck_assert(expect_metric_evaluate(&plan, "fault.lost(1)", &results).value == 3);
	ck_assert(expect_metric_evaluate(&plan, "fault.lost(2)", &results).value == 4);
	ck_assert(expect_metric_evaluate(&plan, "fault.astray(1)", &results).value == 5);
	ck_assert(expect_metric_evaluate(&plan, "fault.least(1)", &results).value == 0.4);
	ck_assert(expect_metric_evaluate(&plan, "recovery(1)", &results).value == 7 * NODE_US);
	faults[0].failed = false;
	ck_assert(!expect_metric_evaluate(&plan, "fault.lost(1)", &results).ok);
	ck_assert(expect_metric_evaluate(&plan, "fault.lost", &results).value == 4);
	plan.faults.count = 0;
}

/* links that carry nothing are in no balance */
TEST(metric_imbalance__of_idle_links)
{
	struct result_expectation row = expect_metric_evaluate(&plan, "imbalance", &results);

	ck_assert(row.known);
	port_rows[0].utilisation = port_rows[1].utilisation = 0;
	ck_assert(!expect_metric_evaluate(&plan, "imbalance", &results).known);
	ck_assert(!expect_metric_evaluate(&plan, "imbalance.max", &results).known);
	port_rows[1].utilisation = 0.5;
	ck_assert(expect_metric_evaluate(&plan, "imbalance", &results).value == 1);
	ck_assert(expect_metric_evaluate(&plan, "imbalance.max", &results).value == 2);
}
