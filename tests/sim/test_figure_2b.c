/*  FC-7, [S2 S3 fig. 2B]: a flow on the chain 222 -> 224 -> 226. One unit is sent and not
 *  acknowledged at 226 and six wait there, two are in flight from 224, three wait at 224, one is
 *  in flight from 222: the flow_extent is 9 at 224, 13 at 222. The state results from
 *  traffic: thirteen packets of one unit, links that are free for just so many of them, and output
 *  queues of one unit (what waits there is sent as far as the input queue is concerned). */

#include "tests/sim/sim.h"
#include "tests/testing.h"

static const char chain[] = "name: figure-2b\n"
			    "run: {duration: 100us, drain: no}\n"
			    "topology:\n"
			    "  switches: [s222, s224, s226]\n"
			    "  hosts: {a: s222, b: s226}\n"
			    "  links: [[s222, s224], [s224, s226]]\n"
			    "links: {rate: 200Gb/s, delay: 1us, mtu: 256}\n"
			    "switch: {output-queue: 256B}\n"
			    "workloads:\n"
			    "  - {name: w, pattern: pairs, pairs: [[a, b]], size: 1B, packet: 128, "
			    "messages: 13, window: 13}\n";

/* on a link that was opened: a packet is more than a window */
#define BYTE_PS 100000u
#define PACKET_PS ((60 + 4 + 12 + 20) * BYTE_PS) /* 9.6 us */

static void link_close(struct sim *sim, const char *name, uint32_t port)
{
	sim_switch(sim, name)->ports[port].link->tx.busy_until_ps = NODE_S;
}

static void link_open(struct sim *sim, const char *name, uint32_t port, node_time_t now)
{
	struct dataplane *dp = sim_switch(sim, name);

	dp->ports[port].link->tx.busy_until_ps = now;
	dp->ports[port].link->ps_per_byte = BYTE_PS;
	event_tree_set(&dp->sw.events, dp->sw.port_count + port, now);
	clock_notify(&sim->clock, dp->sw.config->index, now);
}

/* lets @packets out of port @port from @now on; when that is done */
static node_time_t let_out(struct sim *sim, const char *name, uint32_t port, uint32_t packets,
			   node_time_t now)
{
	link_open(sim, name, port, now);
	now += packets * PACKET_PS;
	sim_run_until(sim, now - PACKET_PS / 2);
	link_close(sim, name, port);
	sim_run_until(sim, now);
	return now;
}

static const struct ifct_entry *the_flow(struct sim *sim, const char *name, uint32_t port)
{
	return TABLE_AT(sim_switch(sim, name)->ifcts[port].entries, 0);
}

/* packets in flight to port @port */
static uint32_t under_way(struct sim *sim, const char *name, uint32_t port)
{
	struct ring_rx ring = sim_switch(sim, name)->ports[port].link->rx.ring;
	struct record record;
	uint32_t packets = 0;

	ring_refresh(&ring);
	while (ring_peek(&ring, &record)) {
		packets += record.kind == RECORD_PACKET;
		ring_pop(&ring, &record);
	}
	return packets;
}

TEST(flow_extent__figure_2b)
{
	/* ports: s222: p0 host a, p1 to s224. s224: p0 to s222, p1 to s226. s226: p0 host b, p1 to
	 * s224. */
	node_time_t now = 10 * NODE_US;
	struct sim sim;

	sim_open_text(&sim, chain, NULL);
	link_close(&sim, "s226", 0);
	link_close(&sim, "s224", 1);
	link_close(&sim, "s222", 1);
	sim_run_until(&sim, now);
	now = let_out(&sim, "s222", 1, 12, now);
	now = let_out(&sim, "s224", 1, 7, now);
	ck_assert_uint_eq(sim_switch(&sim, "s226")->sw.stats->inside_packets, 7);
	ck_assert_uint_eq(sim_switch(&sim, "s224")->sw.stats->inside_packets, 5);
	ck_assert_uint_eq(sim_switch(&sim, "s222")->sw.stats->inside_packets, 1);

	link_open(&sim, "s224", 1, now);
	link_open(&sim, "s222", 1, now);
	sim_run_until(&sim, now + 100 * NODE_NS);
	ck_assert_uint_eq(under_way(&sim, "s226", 1), 1);
	ck_assert_uint_eq(sim_switch(&sim, "s224")->ports[1].output[0].queue.units, 1);
	ck_assert_uint_eq(under_way(&sim, "s224", 0), 1);

	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s226", 1)), 1);
	ck_assert_uint_eq(ifct_queue_extent(the_flow(&sim, "s226", 1)), 6);
	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s224", 0)), 9);
	ck_assert_uint_eq(ifct_queue_extent(the_flow(&sim, "s224", 0)), 3);
	ck_assert_uint_eq(ifct_flow_extent(the_flow(&sim, "s222", 0)), 13);
	ck_assert_uint_eq(ifct_total_extent(the_flow(&sim, "s222", 0)), 13);
	ck_assert_uint_eq(
		efct_flow_extent(TABLE_AT(sim_switch(&sim, "s222")->ports[0].edge.efct.lines, 0)),
		13);
	sim_close(&sim);
}
