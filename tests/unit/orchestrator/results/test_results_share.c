/*  orchestrator/results/results_share: goodput as a share of what links can carry, and the use of
 *  buffers (TB-13). */
#include "orchestrator/results/results_share.h"
#include "tests/testing.h"
#include "tests/unit/orchestrator/results/three_hosts.h"

TEST_GROUP(share, .setup = set_up, .teardown = tear_down);

/* 2 flows of 5000 bytes in 10 us to one link of 100 Gb/s; FCS and gap make 1524 bytes of 1500 */
TEST(results_goodput_share__lesser_side)
{
	double share;

	for (uint32_t i = 0; i < HOSTS; i++)
		host_ports[i].gap_bytes = 20;
	flow_add(1, 0, 0, 5, 5);
	flow_add(2, 0, 0, 5, 5);
	gather(true);
	ck_assert(results_goodput_share(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 10000.0 * 8 * 1524 / 1500 / 1e6, 1e-12);
	ck_assert(!results_goodput_share(&plan, &results, &results.groups[1], &share));
	results_free(&results);
	flow_add(1, 2, 0, 10, 10); /* now two links at both ends */
	gather(true);
	ck_assert(results_goodput_share(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 20000.0 * 8 * 1524 / 1500 / 2e6, 1e-12);
}

/* the flow with the smallest share of the slower of its two links: 5000 and 10000 bytes at 100
 * Gb/s, 6000 at 50 Gb/s */
TEST(results_goodput_share_min__least_flow)
{
	double share;

	for (uint32_t i = 0; i < HOSTS; i++)
		host_ports[i].gap_bytes = 20;
	flow_add(0, 1, 0, 10, 10);
	flow_add(1, 2, 0, 5, 5);
	flow_add(2, 0, 1, 6, 6);
	host_ports[2].rate_bps = switch_ports[2].rate_bps = 50000000000;
	gather(true);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
	ck_assert(results_goodput_share_min(&plan, &results, &results.all, &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[1], &share));
	ck_assert_double_eq_tol(share, 6000.0 * 8 * 1524 / 1500 / 5e5, 1e-12);
}

/* a link whose directions have different rates: what the source sends, the destination receives */
TEST(results_goodput_share__of_each_direction)
{
	double share;

	flow_add(1, 0, 0, 5, 5);
	host_ports[0].rate_bps = 1000000000;   /* h0 sends nothing */
	switch_ports[1].rate_bps = 1000000000; /* h1 receives nothing */
	switch_ports[0].rate_bps = 50000000000;
	gather(false);
	ck_assert(results_goodput_share(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1504 / 1500 / 5e5, 1e-12);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 5000.0 * 8 * 1504 / 1500 / 5e5, 1e-12);
}

/* a flow of which nothing arrived has a share of 0; without flows there is no smallest one */
TEST(results_goodput_share_min__starved)
{
	double share;

	flow_add(0, 1, 0, 10, 10);
	flow_add(1, 2, 0, 5, 0);
	gather(false);
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq(share, 0);
	ck_assert(!results_goodput_share_min(&plan, &results, &results.groups[1], &share));
}

/* flows of programs, which belong to no workload, have no share */
TEST(results_goodput_share_min__without_workload)
{
	double share;

	flow_add(0, 1, 0, 10, 10);
	flow_add(1, 2, 0, 5, 5);
	gather(false);
	results.flows[1].workload = plan.workload_count;
	ck_assert(results_goodput_share_min(&plan, &results, &results.groups[0], &share));
	ck_assert_double_eq_tol(share, 10000.0 * 8 * 1504 / 1500 / 1e6, 1e-12);
	results.flows[0].destination = plan.host_count;
	ck_assert(!results_goodput_share_min(&plan, &results, &results.groups[0], &share));
}

/* a fabric port has a buffer for each lane of a class, an edge port uses one of them */
TEST(results_buffer_share__of_all_lanes)
{
	double share;

	switch_ports[1].buffer_units = 100;
	nodes[0].class_count = 2;
	nodes[0].lanes = 4;
	stats_port(pages[0], 1)->input_units_max = 80;
	gather(true);
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.4, 1e-12);
	switch_ports[1].kind = PORT_FABRIC;
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.1, 1e-12);
}

TEST(results_buffer_share__of_all_classes)
{
	double share;

	gather(true);
	ck_assert(!results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	switch_ports[1].buffer_units = 100;
	nodes[0].class_count = 2;
	stats_port(pages[0], 1)->input_units_max = 50;
	gather(true);
	ck_assert(results_buffer_share(&plan, results_port(&plan, &results, 0, 1), &share));
	ck_assert_double_eq_tol(share, 0.25, 1e-12);
}
