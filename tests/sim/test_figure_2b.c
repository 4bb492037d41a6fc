/*  FC-7, [S2 S3 fig. 2B]: a flow on the chain 222 -> 224 -> 226. One unit is sent and not acknowledged at 226 and six wait there,
 *  two are on their way from 224, three wait at 224, one is on its way from 222: the flow_extent is 9 at 224, 13 at 222.
 *  The state is brought about by traffic: thirteen packets of one unit, links that have credit for just so many of them, and
 *  output queues of one unit (what waits there is sent as far as the input queue is concerned).                        */
#include <check.h>

#include "tests/sim/sim.h"

static const char chain[] =
	"name: figure-2b\n"
	"run: {duration: 100us, drain: no}\n"
	"topology:\n"
	"  switches: [s222, s224, s226]\n"
	"  hosts: {a: s222, b: s226}\n"
	"  links: [[s222, s224], [s224, s226]]\n"
	"links: {rate: 200Gb/s, delay: 1us, mtu: 256}\n"
	"switch: {output-queue: 256B}\n"
	"workloads:\n"
	"  - {name: w, pattern: pairs, pairs: [[a, b]], size: 1B, packet: 128, messages: 13, window: 13}\n";

/* lets @units more of its only class out of port @port at @now */
static void credit_give(struct sim *sim, const char *name, uint32_t port, uint32_t units, node_time_t now)
{
	struct dataplane *dp = sim_switch(sim, name);

	dp->ports[port].link->credit_units[0] += units;
	event_tree_set(&dp->events, dp->port_count + port, now);
	clock_notify(&sim->clock, dp->config->index, now);
}

/* nothing goes out of port @port until credit is given */
static void credit_withdraw(struct sim *sim, const char *name, uint32_t port)
{
	struct link *link = sim_switch(sim, name)->ports[port].link;

	link->peer_buffer_units = 1024;
	link->credit_units[0] = 0;
}

static const struct ifct_entry *the_flow(struct sim *sim, const char *name, uint32_t port)
{
	return &sim_switch(sim, name)->ifcts[port].entries[0];
}

/* packets on their way to port @port */
static uint32_t under_way(struct sim *sim, const char *name, uint32_t port)
{
	struct ring_rx ring = sim_switch(sim, name)->ports[port].link->rx;
	struct record record;
	uint32_t packets = 0;

	ring_refresh(&ring);
	while (ring_peek(&ring, &record)) {
		packets += record.kind == RECORD_PACKET;
		ring_pop(&ring, &record);
	}
	return packets;
}

START_TEST(flow_extent__figure_2b)
{
	/* ports: s222: p0 host a, p1 to s224. s224: p0 to s222, p1 to s226. s226: p0 host b, p1 to s224. */
	struct sim sim;

	sim_open_text(&sim, chain, NULL);
	credit_withdraw(&sim, "s226", 0);
	credit_withdraw(&sim, "s224", 1);
	credit_withdraw(&sim, "s222", 1);
	credit_give(&sim, "s222", 1, 12, 0);
	credit_give(&sim, "s224", 1, 7, 0);
	sim_run_until(&sim, 20 * NODE_US);
	ck_assert_uint_eq(sim_switch(&sim, "s226")->stats->inside_packets, 7);
	ck_assert_uint_eq(sim_switch(&sim, "s224")->stats->inside_packets, 5);
	ck_assert_uint_eq(sim_switch(&sim, "s222")->stats->inside_packets, 1);

	credit_give(&sim, "s224", 1, 1, 20 * NODE_US);
	credit_give(&sim, "s222", 1, 1, 20 * NODE_US);
	sim_run_until(&sim, 20 * NODE_US + 100 * NODE_NS);
	ck_assert_uint_eq(under_way(&sim, "s226", 1), 1);
	ck_assert_uint_eq(sim_switch(&sim, "s224")->ports[1].output[0].queue.units, 1);
	ck_assert_uint_eq(under_way(&sim, "s224", 0), 1);

	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s226", 1)), 1);
	ck_assert_uint_eq(ifct_queue_extent(the_flow(&sim, "s226", 1)), 6);
	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s224", 0)), 9);
	ck_assert_uint_eq(ifct_queue_extent(the_flow(&sim, "s224", 0)), 3);
	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s222", 0)), 13);
	ck_assert_uint_eq(ifct_total_extent(the_flow(&sim, "s222", 0)), 13);
	ck_assert_uint_eq(efct_flow_extent(&sim_switch(&sim, "s222")->ports[0].efct.lines[0]), 13);
	sim_close(&sim);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("figure 2B");
	TCase *tests = tcase_create("extents");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tests, flow_extent__figure_2b);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
