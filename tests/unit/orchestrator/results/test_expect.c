/*  orchestrator/results/expect: the language of expectations (TB-10, TB-11, TB-13). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/expect.h"
#include "tests/testing.h"

#define EXPECTATIONS_MAX 8

static struct node_config nodes[4];
static struct port_config ports[3], host_port;
static struct plan_workload workloads[2];
static struct scenario_text texts[EXPECTATIONS_MAX];
static struct plan plan;
static struct result_flow flows[2];
static struct result_group groups[2];
static struct result_port port_rows[6];
static struct result_class class_rows[6 * 2]; /* of every port: best, roce */
static struct results results;

/* s1 with two links to h1 (ports 0, 1) and one to h2 (port 2); h1 and h2 send to h3, 1 : 3 */
static void set_up(void)
{
	memset(nodes, 0, sizeof(nodes));
	plan = (struct plan){ .file = "f.yaml",
			      .node_count = 4,
			      .switch_count = 1,
			      .host_count = 3,
			      .nodes = nodes,
			      .workload_count = 2,
			      .workloads = workloads,
			      .expectations = texts };
	strcpy(nodes[0].name, "s1");
	nodes[0].port_count = 3;
	nodes[0].ports = ports;
	strcpy(ports[0].peer_name, "h1");
	strcpy(ports[1].peer_name, "h1");
	strcpy(ports[2].peer_name, "h2");
	for (uint32_t i = 1; i < 4; i++) {
		nodes[i].kind = NODE_NIC;
		nodes[i].index = i;
		nodes[i].port_count = 1;
		nodes[i].ports = &host_port;
		snprintf(nodes[i].name, sizeof(nodes[i].name), "h%u", i);
	}
	strcpy(workloads[0].name, "mice");
	strcpy(workloads[1].name, "elephants");
	flows[0] = (struct result_flow){ .source = 0, .destination = 2, .measured_bytes = 1000 };
	flows[1] = (struct result_flow){ .source = 1, .destination = 2, .measured_bytes = 3000 };
	groups[0] =
		(struct result_group){ .flow_count = 2,
				       .goodput_bps = 3200000000,
				       .jain = 0.8,
				       .message_count = 9,
				       .fct = { .p50_ps = 20 * NODE_US, .p99_ps = 30 * NODE_US },
				       .slowdown = { .p50 = 1.5 } };
	groups[1] = (struct result_group){ .workload = 1 };
	for (uint32_t i = 0; i < 6; i++)
		port_rows[i] =
			(struct result_port){ .node = i < 3 ? 0 : i - 2, .port = i < 3 ? i : 0 };
	port_rows[0].utilisation = 0.5;
	port_rows[1].utilisation = 1;
	port_rows[0].stats.queue_bytes_max = 2000;
	port_rows[1].stats.queue_bytes_max = 5000;
	results = (struct results){ .measured_ps = 10 * NODE_US,
				    .flow_count = 2,
				    .flows = flows,
				    .group_count = 2,
				    .groups = groups,
				    .all = groups[0],
				    .port_count = 6,
				    .ports = port_rows };
	results.totals = (struct result_totals){
		.injected_bytes = 5000, .delivered_bytes = 4000, .inside_bytes = 1000, .lost = 3
	};
	results.drops[DROP_LINK_LOSS] = 3;
	results.drops[DROP_NO_ROUTE] = 1;
}

static double reached; /* of the last text */

/* Is @text true of the results above? */
static bool holds(const char *text)
{
	struct scenario_errors errors = { 0 };
	bool ok;

	texts[0] =
		(struct scenario_text){ .text = (char *)text, .place = { .line = 1, .column = 1 } };
	plan.expectation_count = 1;
	ck_assert_msg(!expect_check(&plan, &texts[0], &errors), "%s",
		      errors.count ? errors.texts[0] : "?");
	ck_assert_int_eq(expect_evaluate(&plan, &results), 0);
	ok = results.expectations[0].ok;
	reached = results.expectations[0].reached;
	ck_assert_uint_eq(expect_failed(&results), !ok);
	free(results.expectations);
	return ok;
}

/* Is @text rejected at @column, with an error that contains @words? */
static void refused(const char *text, int column, const char *words)
{
	struct scenario_text place = { .text = (char *)text, .place = { .line = 7, .column = 5 } };
	struct scenario_errors errors = { 0 };
	char at[64];

	ck_assert_msg(expect_check(&plan, &place, &errors) == -22, "accepted: %s", text);
	ck_assert_uint_eq(errors.count, 1);
	snprintf(at, sizeof(at), "f.yaml:7:%d: ", 4 + column);
	ck_assert_msg(!strncmp(errors.texts[0], at, strlen(at)), "%s, not %s", errors.texts[0], at);
	ck_assert_msg(strstr(errors.texts[0], words) != NULL, "%s lacks '%s'", errors.texts[0],
		      words);
	scenario_errors_free(&errors);
}

TEST_GROUP(expect, .setup = set_up);

TEST(expect_evaluate__totals)
{
	ck_assert(holds("lost == 3"));
	ck_assert(holds("lost<=3"));
	ck_assert(!holds("lost < 3"));
	ck_assert(holds("lost != 0"));
	ck_assert(holds("lost == 4 +- 1 \t"));
	ck_assert(!holds("lost == 5 +- 1 "));
	ck_assert(!holds("reordered > 0"));
	ck_assert(holds("inside == 1kB"));
	ck_assert(holds("inside >= 1000"));
	ck_assert(holds("delivered == 80%"));
	ck_assert(holds("delivered >= 0.8"));
	results.totals.injected_bytes = 0;
	ck_assert(!holds("delivered >= 0")); /* of nothing: no value */
	results.totals.injected_bytes = 5000;
	ck_assert(holds("delivered_bytes == 4kB"));
	ck_assert(holds("drops == 4"));
	ck_assert(holds("drops(no_route) == 1"));
	ck_assert(holds("drops(malformed) == 0"));
	ck_assert(holds("channels == 0"));
}

/* FC-20: shares of a link, as fractions and with a tolerance in percent of the value */
TEST(expect_evaluate__shares)
{
	ck_assert(holds("share(h1, h3) == 1/4 +- 0.001%"));
	ck_assert(holds("share(h2,h3) >= 75%"));
	ck_assert(holds("share(h1, h3) == 1/5 +- 25.1%"));
	ck_assert(!holds("share(h1, h3) == 1/5 +- 24.9%"));
	ck_assert(holds("share(h1, h3) == 1/5 \xc2\xb1 0.051"));
	ck_assert(!holds("share(h1, h3) != 1/5 +- 0.051"));
	ck_assert(!holds("share(h1, h2) == 0"));
}

TEST(expect_evaluate__groups)
{
	ck_assert(holds("jain(mice) >= 0.799"));
	ck_assert(holds("jain == 0.8 +- 1%"));
	ck_assert(holds("jain == 0.8 +- 1% \t"));
	ck_assert(holds("jain(mice ) == 0.9 +- 12%"));
	ck_assert(!holds("jain( mice\t) == 0.9 +- 11%"));
	ck_assert(!holds("jain(elephants) <= 1"));
	ck_assert(holds("goodput(mice) == 3.2Gb/s"));
	ck_assert(holds("goodput(h2, h3) == 2.4 Gb/s"));
	ck_assert(holds("messages(mice) == 9"));
	ck_assert(!holds("hops > 0")); /* nothing was delivered: no value */
	results.data_hops = 21;
	results.totals.delivered_packets = 6;
	ck_assert(holds("hops == 3.5"));
	ck_assert(holds("flows == 2"));
	ck_assert(holds("fct.p50(mice) <= 20us"));
	ck_assert(holds("fct.p99 > 29.9us"));
	ck_assert(!holds("fct.p99(elephants) < 1s"));
	ck_assert(holds("slowdown.p50(mice) < 1.6"));
}

/* EC-1, EC-12, EC-14, EC-15: of a port, of several ports to one peer, of all switches */
TEST(expect_evaluate__congestion)
{
	port_rows[0].stats.eca_max = 7;
	port_rows[1].stats.eca_max = 200;
	port_rows[0].stats.eca_acks = 10;
	port_rows[2].stats.eca_acks = 5;
	port_rows[3].stats.eca_acks = 1000; /* of a NIC: not one of the fabric's */
	port_rows[0].stats.extent_units_max = 3;
	port_rows[2].stats.extent_units_max = 4;
	port_rows[2].stats.blocked_empty = 6;
	port_rows[2].stats.headroom_units = 2;
	port_rows[0].stats.fgfc_frames = 2;
	port_rows[3].stats.fgfc_frames = 2; /* the same, received */
	port_rows[3].stats.fgfc_refused = 1;
	ck_assert(holds("eca.max(s1:h1) == 200"));
	ck_assert(holds("eca.max(s1:p0) == 7"));
	ck_assert(holds("eca.max == 200"));
	ck_assert(holds("eca.acks(s1:h1) == 10"));
	ck_assert(holds("eca.acks == 15"));
	ck_assert(holds("extent.max(s1:h2) == 1024B"));
	ck_assert(holds("extent.max == 1KiB"));
	ck_assert(holds("extent.sum == 1792"));
	ck_assert(holds("blocked.empty == 6"));
	ck_assert(holds("blocked.empty(s1:h1) == 0"));
	ck_assert(holds("headroom.bytes == 512"));
	ck_assert(holds("fgfc.frames == 2"));
	ck_assert(holds("fgfc.frames(h1:0) == 2"));
	ck_assert(holds("fgfc.refused == 1"));
	ck_assert(holds("stops == 0"));
}

/* FC-23 ... FC-25, EC-11, PG-9, PG-10: of a port, of a node, of all switches */
TEST(expect_evaluate__paths)
{
	port_rows[0].stats = (struct port_stats){
		.choices = 10, .choices_other = 4, .choices_detour = 3, .choices_held = 2
	};
	port_rows[2].stats =
		(struct port_stats){ .choices = 5, .redirects = 6, .folds = 7, .reroute_acks = 8 };
	port_rows[1].stats =
		(struct port_stats){ .fecn_marked = 9, .credit_wait_ps = 11 * NODE_US };
	port_rows[3].stats = (struct port_stats){ .becns = 12, .credit_wait_ps = 100 * NODE_US };
	ck_assert(holds("choices == 15"));
	ck_assert(holds("choices(s1:h2) == 5"));
	ck_assert(holds("choices(s1) == 15"));
	ck_assert(holds("choices.other == 4"));
	ck_assert(holds("choices.detour == 3"));
	ck_assert(holds("choices.held == 2"));
	ck_assert(holds("redirects <= 6"));
	ck_assert(!holds("redirects < 6"));
	ck_assert(holds("reroute-acks(s1:p2) == 8"));
	ck_assert(holds("folds == 7"));
	ck_assert(holds("fecn(s1:h1) == 9"));
	ck_assert(holds("becns == 12"));
	ck_assert(holds("becns(h2) == 0"));
	ck_assert(holds("credit-waits == 111us")); /* NICs too */
	ck_assert(holds("credit-waits(h1) == 100us"));
	refused("redirects(s1, mice) == 0", 15, "redirects takes one argument");
	refused("redirects(s2) == 0", 11, "s2");
}

TEST(expect_evaluate__buffers)
{
	port_rows[1].stats.input_units_max = 50;
	ck_assert(holds("buffer.max(s1:h1) == 12800"));
	ck_assert(!holds("buffer.share <= 100%")); /* it has no limit */
	ports[1].buffer_units = 200;
	nodes[0].class_count = 1;
	ck_assert(holds("buffer.share == 25%"));
	ck_assert(holds("buffer.share(s1:p1) == 1/4"));
	ck_assert(!holds("buffer.share(s1:h2) == 0"));
}

/* ports 0 and 2 of s1 lead to h1 and h2, which send to h3 at port 1 */
TEST(expect_evaluate__reaction)
{
	static struct port_config hosts[3];

	for (uint32_t i = 0; i < 3; i++) {
		hosts[i] = (struct port_config){ .kind = PORT_EDGE,
						 .rate_bps = 100000000000,
						 .peer_port = i };
		ports[i].rate_bps = 100000000000;
		ports[i].peer_index = 1 + i;
		nodes[1 + i].ports = &hosts[i];
	}
	workloads[0].packet_bytes = 1500;
	flows[0].workload = flows[1].workload = 0;
	ck_assert(!holds("reaction(h3) < 1s")); /* there was no congestion */
	ck_assert(!holds("reached(h3) >= 0"));
	port_rows[2].stats.eca_first_ps = 2 * NODE_US;
	ck_assert(!holds("reaction(h3) < 1s")); /* no source received it */
	ck_assert(holds("reached(h3) == 0"));
	port_rows[1].stats.limited_first_ps = 5 * NODE_US;
	ck_assert(holds("reaction(h3) == 3us"));
	ck_assert(holds("reached(h3) == 1/2"));
	ck_assert(holds("reaction.trips(h3) > 1"));
}

/* several links to a peer: mean utilisation, largest queue */
TEST(expect_evaluate__ports)
{
	ck_assert(holds("utilisation(s1:h1) == 75%"));
	ck_assert(holds("utilisation(s1:p1) >= 98%"));
	ck_assert(holds("utilisation(s1:0) == 0.5"));
	ck_assert(holds("queue.max(s1:h1) == 5kB"));
	ck_assert(holds("queue.max(s1:h2) == 0"));
}

/* the same as a fabric of kind roce, with two classes */
static void roce_set_up(void)
{
	for (uint32_t i = 0; i < 4; i++) {
		nodes[i].fabric = FABRIC_ROCE;
		nodes[i].class_count = 2;
		strcpy(nodes[i].classes[0].name, "best");
		strcpy(nodes[i].classes[1].name, "roce");
	}
	for (uint32_t i = 0; i < 12; i++)
		class_rows[i] = (struct result_class){ .node = port_rows[i / 2].node,
						       .port = port_rows[i / 2].port,
						       .traffic_class = i % 2 };
	results.classes = class_rows;
	results.class_count = 12;
}

/* RC-1, RC-5, RC-7 ... RC-10: of a class at a port, of a port, a switch, all switches */
TEST(expect_evaluate__classes)
{
	roce_set_up();
	class_rows[1].stats = (struct class_stats){ .queue_bytes_max = 7000,
						    .marked = 3,
						    .drops = 4,
						    .delay_ns_max = 9,
						    .delay_ns_measured = 60,
						    .tx_packets_measured = 20,
						    .xoff_first_ps = 5 * NODE_US,
						    .state_max = ROCE_CNP_FAILED,
						    .cnp_failed_ps = 8 * NODE_US,
						    .cnps_supplemented = 6 };
	class_rows[3].stats = (struct class_stats){ .queue_bytes_max = 6000,
						    .marked = 2,
						    .delay_ns_measured = 20,
						    .tx_packets_measured = 20,
						    .xoff_first_ps = 4 * NODE_US,
						    .headroom_bytes_max = 100,
						    .paused_ps = 3 * NODE_US,
						    .stuck = 1 };
	class_rows[4].stats.marked = 10;
	class_rows[7].stats.marked = 1000; /* of a NIC: not one of the fabric's */
	class_rows[1].queue_bytes_mean = 100;
	class_rows[3].queue_bytes_mean = 300;
	class_rows[1].throughput_bps = 3000000000;
	class_rows[0].throughput_bps = 1000000000;
	ck_assert(holds("queue.max(s1:h1, roce) == 7kB"));
	ck_assert(holds("queue.max(s1:p1,roce) == 6kB"));
	ck_assert(holds("queue.max(s1:h1, best) == 0"));
	ck_assert(holds("queue.max(s1:h1) == 5kB"));
	ck_assert(holds("queue.mean(s1:h1, roce) == 200B"));
	ck_assert(holds("delay.max(s1:h1) == 9ns"));
	ck_assert(holds("delay.mean(s1:h1, roce) == 2ns"));
	ck_assert(!holds("delay.mean(s1:h2) >= 0s")); /* nothing was sent */
	ck_assert(holds("throughput(s1:p0) == 4Gb/s"));
	ck_assert(holds("throughput(s1:p0, roce) == 3Gb/s"));
	ck_assert(holds("marked == 15"));
	ck_assert(holds("marked(s1) == 15"));
	ck_assert(holds("marked(s1, roce) == 5"));
	ck_assert(holds("marked(s1:h2) == 10"));
	ck_assert(holds("marked(h1) == 1000"));
	ck_assert(holds("drops.at(s1:p0) == 4"));
	ck_assert(holds("xoff.first == 4us"));
	ck_assert(holds("xoff.first(s1:p0) == 5us"));
	ck_assert(!holds("xoff.first(s1:h2) < 1s")); /* never */
	ck_assert(holds("state.max(s1:p0) == 2"));
	ck_assert(holds("cnp-failed.first == 8us"));
	ck_assert(!holds("ecn-failed.first >= 0s"));
	ck_assert(holds("headroom.max == 100"));
	ck_assert(holds("paused(s1:h1) == 3us"));
	ck_assert(holds("stuck == 1"));
	ck_assert(holds("cnps.supplemented == 6"));
}

/* RC-2 ... RC-4: of flows, of a workload */
TEST(expect_evaluate__transports)
{
	roce_set_up();
	flows[0].workload = 0;
	flows[1].workload = 1;
	flows[0].transport =
		(struct result_transport){ .cnps = 4, .naks = 1, .rate_min_bps = 5000000000 };
	flows[1].transport = (struct result_transport){ .resent = 7,
							.timeouts = 2,
							.in_error = 1,
							.rate_min_bps = 1000000000,
							.rate_bps = 3000000000 };
	flows[0].packets = 20;
	flows[0].transport.marked = 15;
	flows[1].packets = 29;
	flows[1].transport.marked = 10;
	flows[1].transport.duplicates = 1;
	flows[0].transport.cnp_gap_min_ps = 51 * NODE_US;
	port_rows[0].stats.pauses_received = 11;
	port_rows[3].stats.pauses_received = 5; /* a NIC's */
	port_rows[1].stats.path_pauses = 2;
	ck_assert(holds("cnps == 4"));
	ck_assert(holds("cnps(elephants) == 0"));
	ck_assert(holds("naks(mice) == 1"));
	ck_assert(holds("resent == 7"));
	ck_assert(holds("timeouts(elephants) == 2"));
	ck_assert(holds("errors == 1"));
	ck_assert(holds("rate.min == 1Gb/s"));
	ck_assert(holds("rate.min(mice) == 5Gb/s"));
	ck_assert(holds("cnps.gap == 51us")); /* that of mice: elephants have none */
	ck_assert(!holds("cnps.gap(elephants) >= 0s"));
	ck_assert(holds("rate.mean == 3Gb/s"));
	ck_assert(!holds("rate.mean(mice) >= 1Mb/s")); /* it has none */
	ck_assert(holds("marked.share == 1/2"));
	ck_assert(holds("marked.share(mice) == 75%"));
	ck_assert(holds("pauses == 11"));
	ck_assert(holds("pauses(h1) == 5"));
	ck_assert(holds("path.pauses(s1) == 2"));
	ck_assert(holds("path.resumes == 0"));
}

/* metrics of the other kind of fabric are unknown, not 0 */
TEST(expect_evaluate__metrics_of_another_kind_are_unknown)
{
	nodes[0].class_count = 1;
	strcpy(nodes[0].classes[0].name, "best");
	ck_assert(!holds("marked == 0"));
	ck_assert(!holds("pauses == 0"));
	ck_assert(!holds("cnps == 0"));
	ck_assert(!holds("queue.max(s1:h1, best) >= 0"));
}

/* cycles of PFC; or the one stall at the end of events */
TEST(expect_evaluate__deadlocks)
{
	ck_assert(holds("deadlocks == 0"));
	results.stalled = true;
	ck_assert(holds("deadlocks == 1"));
	results.deadlocks.count = 3;
	ck_assert(holds("deadlocks == 3"));
	ck_assert(expect_speaks_of(&plan, "deadlocks"));
	ck_assert(!expect_speaks_of(&plan, "lost"));
}

/* a column of a comparison: a metric and nothing else */
TEST(expect_metric_evaluate__column)
{
	struct scenario_text place = { .text = "goodput(mice) > 1",
				       .place = { .line = 7, .column = 5 } };
	struct scenario_errors errors = { 0 };
	struct result_expectation row = expect_metric_evaluate(&plan, "goodput(mice) ", &results);

	ck_assert(row.known);
	ck_assert_str_eq(row.shown, "3.200 Gb/s");
	ck_assert(!expect_metric_evaluate(&plan, "marked", &results).known);
	ck_assert_int_eq(expect_metric_check(&plan, &place, &errors), -22);
	ck_assert_ptr_nonnull(
		strstr(errors.texts[0], "f.yaml:7:19: expected the end of the metric"));
	scenario_errors_free(&errors);
}

/* TB-11: the place inside the text, what was expected, what was meant */
TEST(expect_check__rejects)
{
	refused("", 1, "begins with a metric");
	refused("lots == 0", 1, "did you mean 'lost'");
	refused("lost = 0", 6, "one of ==");
	refused("lost == ", 9, "value is missing");
	refused("lost == 3us", 9, "whole number");
	refused("lost(x) == 0", 6, "takes no argument");
	refused("share(h1) == 1/2", 7, "two hosts");
	refused("share == 1/2", 7, "two hosts");
	refused("share(h1, h9) == 1/2", 11, "there is no host 'h9'");
	refused("jain(mise) > 0.9", 6, "did you mean 'mice'");
	refused("jain(mice > 0.9", 5, "never closed");
	refused("jain() > 0.9", 6, "name is missing");
	refused("jain(mice, mice) > 0.9", 12, "one argument");
	refused("share(h1, h2, h3) > 0.9", 13, "fewer");
	refused("drops(no_rout) == 0", 7, "did you mean 'no_route'");
	refused("utilisation(s1) > 0", 13, "node:peer");
	refused("utilisation(s1:h3) > 0", 16, "no port 'h3'");
	refused("utilisation(s1:p7) > 0", 16, "number below 3");
	refused("utilisation(s2:h1) > 0", 13, "no switch or host 's2'");
	refused("fct.p50(mice) < 20", 17, "a time");
	refused("eca.max(s1:h3) == 0", 12, "no port 'h3'");
	refused("extent.sum(s1:h1) == 0", 12, "takes no argument");
	refused("reaction < 1us", 10, "needs a host");
	refused("reaction(h9) < 1us", 10, "no host 'h9'");
	refused("reaction(h1, h2) < 1us", 14, "one argument");
	refused("jain(mice) == 1 +- much", 20, "tolerance");
	nodes[0].class_count = 1;
	strcpy(nodes[0].classes[0].name, "best");
	refused("queue.max(s1:h1, bets) == 0", 18, "did you mean 'best'");
	refused("queue.max == 0", 11, "needs a port");
	refused("marked(s2) == 0", 8, "no switch or host 's2'");
	refused("marked(s1:h3) == 0", 11, "no port 'h3'");
	refused("cnps(s1) == 0", 6, "no workload 's1'");
	refused("share(h1, ) == 1", 11, "a name is missing after the comma");
	refused("recovery(1) < 1s", 10, "there is no fault '1': the scenario has none");
}

TEST(expect_check__rejects_long_texts)
{
	char text[2000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	refused(text, 1, "no metric");
	memcpy(text, "share(", 6);
	refused(text, 6, "never closed");
	memcpy(text, "lost ==", 7);
	refused(text, 8, "cannot be read");
}

/* what heddle lab score counts: how near a value comes to its bound */
TEST(expect_evaluate__how_much_of_a_bound_is_reached)
{
	holds("lost >= 2");
	ck_assert_double_eq(reached, 1);
	holds("lost >= 6");
	ck_assert_double_eq(reached, 0.5);
	holds("lost > 12");
	ck_assert_double_eq(reached, 0.25);
	holds("inside <= 250B");
	ck_assert_double_eq(reached, 0.25);
	holds("inside < 1000B"); /* missed by nothing */
	ck_assert_double_eq(reached, 1);
	holds("delivered >= 160%");
	ck_assert_double_eq(reached, 0.5);
	holds("lost == 2");
	ck_assert_double_eq(reached, 0);
	holds("lost <= 0");
	ck_assert_double_eq(reached, 0);
	holds("reordered >= 1");
	ck_assert_double_eq(reached, 0);
}

/* what heddle lab check does with the values of several runs */
TEST(expect_value_judge__value_of_a_metric)
{
	char text[QUANTITY_TEXT_MAX];
	struct why why;
	bool ok = false;

	ck_assert_int_eq(expect_value_judge("goodput(load)", 20e9, "== 24Gb/s +- 20%", &ok, &why),
			 0);
	ck_assert(ok);
	ck_assert_int_eq(expect_value_judge("goodput(load)", 20e9, " > 20Gb/s", &ok, &why), 0);
	ck_assert(!ok);
	ck_assert_int_eq(expect_value_judge("goodput(load)", 20e9, "> 20us", &ok, &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot be read"));
	ck_assert_int_eq(expect_value_judge("goodpud", 20e9, "> 20us", &ok, &why), -EINVAL);
	ck_assert_str_eq(expect_value_text("fct.p99(load)", 1500000, text), "1500ns");
	ck_assert_str_eq(expect_value_text("jain", 0.25, text), "25%");
	ck_assert_str_eq(expect_value_text("jain", -1, text), "0%");
	ck_assert_ptr_null(expect_value_text("jane", 1, text));
}
