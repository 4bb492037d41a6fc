/*  orchestrator/results/results: from counters on statistics pages to flows, groups and totals
 *  (TB-13, TB-25). */
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(results, .setup = set_up, .teardown = tear_down);

/* TB-13: flows are sorted by workload, source and destination, in any order of the slots */
TEST(results_gather__orders_flows)
{
	flow_add(2, 0, 1, 5, 5);
	flow_add(2, 1, 0, 5, 5);
	flow_add(0, 2, 1, 5, 5);
	flow_add(0, 1, 1, 5, 5);
	gather(true);
	ck_assert_uint_eq(results.flow_count, 4);
	ck_assert_uint_eq(results.flows[0].source, 2);
	ck_assert_uint_eq(results.flows[0].workload, 0);
	ck_assert_uint_eq(results.flows[1].destination, 1);
	ck_assert_uint_eq(results.flows[2].destination, 2);
	ck_assert_uint_eq(results.flows[3].source, 2);
	ck_assert_uint_eq(results.groups[0].flow_count, 1);
	ck_assert_uint_eq(results.groups[1].flow_count, 3);
}

/* TB-13: 10 us measured, 5 packets of 1000 bytes: 4 Gb/s */
TEST(results_gather__goodput_over_measured_interval)
{
	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert_uint_eq(results.flows[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.groups[0].goodput_bps, 4000000000);
	ck_assert_uint_eq(results.flows[0].first_ps, 2 * NODE_US);
}

/* TB-25: packets that did not arrive are lost if the fabric is empty, and only then */
TEST(results_gather__losses_when_empty)
{
	flow_add(0, 1, 0, 7, 5);
	flow_add(0, 2, 0, 3, 0);
	stats_port(pages[1], 0)->lost_bytes = 5000;
	gather(true);
	ck_assert_uint_eq(results.totals.lost, 5);
	ck_assert_uint_eq(results.flows[1].lost, 3);
	ck_assert_uint_eq(results.flows[1].first_ps, NODE_TIME_NEVER);
	ck_assert_int_eq(results.totals.inside_bytes, 0);
	ck_assert(results_balanced(&results));
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 0);
}

/* a run that is not drained: gaps are losses if anything was dropped, the rest is in flight */
TEST(results_gather__in_flight)
{
	flow_add(1, 0, 0, 9, 9);
	flow_add(0, 1, 0, 7, 4);
	flow_add(0, 2, 0, 3, 0);
	stats_flow_rx(pages[2], 0)->lost = 2; /* overtaken */
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 0);
	ck_assert_uint_eq(results.totals.under_way, 6);
	ck_assert_uint_eq(results.flows[0].under_way, 3);
	ck_assert_uint_eq(results.flows[1].under_way, 3);
	ck_assert_uint_eq(results.flows[2].under_way, 0);
	results_free(&results);
	pages[0]->drops[DROP_LINK_DOWN] = 1;
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 1);
	ck_assert_uint_eq(results.totals.under_way, 5);
	results_free(&results);
	/* gaps in two flows, and one lost frame, of either flow */
	stats_flow_rx(pages[1], 0)->lost = 2;
	stats_flow_tx(pages[2], 0)->packets = 11;
	gather(false);
	ck_assert_uint_eq(results.totals.lost, 1);
	ck_assert_uint_eq(results.totals.under_way, 7);
	results_free(&results);
	stats_flow_rx(pages[1], 0)->lost = 0;
	stats_flow_tx(pages[2], 0)->packets = 9;
	gather(true);
	ck_assert_uint_eq(results.totals.lost, 6);
	ck_assert_uint_eq(results.totals.under_way, 0);
}

/* FC-17, FC-26: a source counts the losses that are reported to it; what failed links lose and
 * report is separate */
TEST(results_gather__unreported)
{
	stats_port(pages[0], 1)->loss_report_units = 100;
	stats_port(pages[0], 1)->extent_units = 3;
	stats_port(pages[2], 0)->lost_units = 9;
	stats_port(pages[2], 0)->loss_report_units = 4;
	gather(true);
	ck_assert_uint_eq(results.totals.unreported_units, 3 + 5);
	stats_port(pages[0], 1)->extent_units = 0;
	stats_port(pages[2], 0)->loss_report_units = 9;
	gather(true);
	ck_assert_uint_eq(results.totals.unreported_units, 0);
}

/* a stall: nothing can happen any more, though data is inside or waits to be sent */
TEST(results_gather__stalled)
{
	flow_add(0, 1, 0, 5, 5);
	gather(true);
	ck_assert(!results.stalled);
	results_free(&results);
	stats_port(pages[1], 0)->queue_bytes = 1;
	gather(false);
	ck_assert(!results.stalled);
	gather(true);
	ck_assert(results.stalled);
	results_free(&results);
	stats_port(pages[1], 0)->queue_bytes = 0;
	pages[0]->inside_bytes = 1;
	gather(true);
	ck_assert(results.stalled);
}

/* TB-13: nearest rank, of each flow and each workload; slowdown against the empty fabric */
TEST(results_gather__completion_times)
{
	flow_add(0, 1, 0, 5, 5);
	flow_add(2, 1, 0, 5, 5);
	for (uint32_t i = 4; i > 0; i--)
		message_add(1, 0, NODE_US, NODE_US + i * NODE_US);
	message_add(1, 1, 0, 10 * NODE_US);
	gather(true);
	ck_assert_uint_eq(results.message_count, 5);
	ck_assert_uint_eq(results.flows[0].fct.p50_ps, 2 * NODE_US);
	ck_assert_uint_eq(results.flows[0].fct.mean_ps, 5 * NODE_US / 2);
	ck_assert_uint_eq(results.all.fct.mean_ps, 4 * NODE_US);
	ck_assert_uint_eq(results.flows[0].fct.p99_ps, 4 * NODE_US);
	ck_assert_uint_eq(results.flows[1].fct.p50_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p50_ps, 3 * NODE_US);
	ck_assert_uint_eq(results.groups[0].fct.p999_ps, 10 * NODE_US);
	ck_assert_uint_eq(results.groups[0].message_count, 5);
	ck_assert(results.groups[0].slowdown.p50 > 0);
	ck_assert(results.groups[0].slowdown.mean > results.groups[0].slowdown.p50);
	ck_assert(results.messages[0].end_ps == 2 * NODE_US);
}

/* TB-23: rows of a broken node that name flows without a sender are counted, and nothing else */
TEST(results_gather__strange_rows)
{
	flow_add(0, 1, 0, 5, 5);
	stats_flow_rx(pages[2], 0)->source = 77;
	message_add(1, 0, 0, 1);
	stats_message(pages[2], pages[2]->message_count++)->flow = 3;
	gather(false);
	ck_assert_uint_eq(results.strange_rows, 3);
	ck_assert_uint_eq(results.message_count, 0);
	ck_assert_uint_eq(results.flows[0].packets, 0);
}

/* nor are messages of a workload that the plan does not have */
TEST(results_gather__messages_of_no_workload)
{
	flow_add(0, 1, 2, 5, 5);
	flow_add(2, 1, 1, 5, 5);
	message_add(1, 0, 0, NODE_US);
	message_add(1, 1, 0, NODE_US);
	gather(true);
	ck_assert_uint_eq(results.message_count, 1);
	ck_assert_uint_eq(results.flows[results.messages[0].flow].workload, 1);
}

TEST(results_gather__ports_and_tables)
{
	struct port_stats *port = stats_port(pages[0], 1);

	port->tx_busy_measured_ps = 5 * NODE_US;
	port->queue_byte_ns_sum = 20000;
	port->ifct_used = 1;
	port->ofct_used = 2;
	pages[1]->now_ps = 7 * NODE_US;
	gather(true);
	ck_assert_uint_eq(results.port_count, 2 * HOSTS);
	ck_assert(results_port(&plan, &results, 0, 1)->utilisation == 0.5);
	ck_assert(results_port(&plan, &results, 0, 1)->queue_bytes_mean == 2.0);
	ck_assert_uint_eq(results_port(&plan, &results, 3, 0)->node, 3);
	ck_assert_uint_eq(results.totals.channels, 3);
	ck_assert_uint_eq(results.end_ps, 7 * NODE_US);
}

/* TB-13: in a run that was interrupted no link is busier than it can be */
TEST(results_gather__interrupted)
{
	static struct result_expectation expectation = { .text = "lost == 0", .ok = true };
	char *text;

	results.interrupted = true;
	stats_port(pages[0], 0)->tx_busy_measured_ps = 2 * NODE_US + 300 * NODE_NS;
	gather_at(3 * NODE_US);
	ck_assert_double_eq(results_port(&plan, &results, 0, 0)->utilisation, 1.0);
	results.expectations = malloc(sizeof(expectation));
	results.expectations[0] = expectation;
	results.expectation_count = 1;
	text = summary_text();
	HAS(text, "interrupted: the figures are those of that moment",
	    "expectations, of a run that was interrupted");
	free(text);
}

/* TB-13: a pause that has not ended counts to the end of the run, draining included */
TEST(results_gather__a_pause_that_lasts)
{
	stats_port(pages[0], 0)->paused_ps = NODE_US;
	stats_port(pages[0], 0)->paused_since_ps = 2 * NODE_US;
	stats_port(pages[1], 0)->paused_ps = NODE_US;
	gather_at(50 * NODE_US);
	ck_assert_uint_eq(results_port(&plan, &results, 0, 0)->stats.paused_ps, 49 * NODE_US);
	ck_assert_uint_eq(results_port(&plan, &results, 1, 0)->stats.paused_ps, NODE_US);
}

/* TB-25: bytes that no counter accounts for are detected */
TEST(results_balanced__bytes_missing)
{
	flow_add(0, 1, 0, 7, 5);
	gather(true);
	ck_assert_int_eq(results.totals.inside_bytes, 2000);
	ck_assert(!results_balanced(&results));
	pages[0]->inside_bytes = 2000;
	gather(true);
	ck_assert(results_balanced(&results));
}

TEST(results_rank__nearest)
{
	ck_assert_uint_eq(results_rank(1, 500), 0);
	ck_assert_uint_eq(results_rank(2, 500), 0);
	ck_assert_uint_eq(results_rank(3, 500), 1);
	ck_assert_uint_eq(results_rank(100, 990), 98);
	ck_assert_uint_eq(results_rank(100, 999), 99);
	ck_assert_uint_eq(results_rank(1000, 999), 998);
}

TEST(results_jain__even_and_starved)
{
	struct result_flow flows[4] = {
		{ .measured_bytes = 8 }, { .measured_bytes = 8 }, { 0 }, { 0 }
	};

	ck_assert(results_jain(flows, 2) == 1.0);
	ck_assert(results_jain(flows, 4) == 0.5);
	ck_assert(results_jain(flows + 2, 2) == 0.0);
	ck_assert(results_jain(flows, 0) == 0.0);
}
