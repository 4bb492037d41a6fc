/*  switchd/ethernet: links that fail, return or come later, and new tables, under the real clock
 *  (FC-26). */
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

TEST_GROUP(link, .setup = ethernet_setup, .teardown = teardown);

/* FC-26: packets that wait for a failed link are dropped and counted; other packets are forwarded;
 * a flow takes another path while there is one */
TEST(link__down_and_up)
{
	s.config.clock = CLOCK_REAL;
	s.routes[0].ports = 1 << 2 | 1 << 3;
	one_switch_open(&s);
	port_block(2);
	port_block(3);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, 0, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, NODE_MS);
	books_expect(20);
	ethernet_ops.link_down(s.eth, 2, NODE_MS);
	ck_assert_uint_gt(drops(DROP_LINK_DOWN), 4);
	books_expect(20 - drops(DROP_LINK_DOWN));
	ck_assert_uint_eq(s.stats->inside_bytes, s.stats->inside_packets * FULL_BYTES);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, NODE_MS, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, 2 * NODE_MS);
	books_expect(40 - drops(DROP_LINK_DOWN));
	ck_assert_uint_eq(class_of(2, ROCE)->queue_bytes, 0);
	one_switch_unplug(&s, 2);
	one_switch_plug(&s, 2);
	ethernet_ops.link_up(s.eth, 2, 3 * NODE_MS);
	for (uint32_t flow = 0; flow < 20; flow++)
		roce_send(0, 3 * NODE_MS, 2, flow, ROCE, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_MS);
	ck_assert_uint_eq(packets_receive(2), drops(DROP_LINK_DOWN)); /* the same flows as before */
}

/* TB-8: while the ring to a late peer is full, the port is paused */
TEST(link__full_ring_is_a_pause)
{
	const struct port_stats *port;
	node_time_t full_at;

	s.config.clock = CLOCK_REAL;
	one_switch_open(&s);
	port = stats_of(1);
	for (uint32_t i = 0; i < 20; i++) {
		for (uint32_t packet = 0; packet < 40; packet++)
			roce_send(0, i * 10 * NODE_US, 1, packet, ROCE, SMALL_BYTES);
		one_switch_run(&s, (i + 1) * 10 * NODE_US);
	}
	full_at = port->paused_since_ps;
	ck_assert_uint_gt(full_at, 10 * NODE_US);
	ck_assert_uint_gt(port->queue_bytes, 0);
	ck_assert_uint_eq(port->paused_ps, 0);
	packets_receive(1);
	one_switch_run(&s, NODE_MS + 1);
	ck_assert_uint_eq(port->paused_ps, NODE_MS - full_at);
	ck_assert_uint_eq(port->paused_since_ps, 0);
	for (uint32_t ms = 2; port->queue_bytes; ms++) {
		one_switch_run(&s, ms * NODE_MS);
		packets_receive(1);
	}
	ck_assert_uint_eq(drops_all(), 0);
}

/* a vacant port: no frames until there is a link, but its headroom is reserved, so the shared
 * buffer stays as configured */
TEST(link__vacant)
{
	uint64_t shared;

	s.config.clock = CLOCK_REAL;
	s.ports[3] = (struct port_config){
		.vacant = true, .mtu_bytes = MTU, .channels = 1, .headroom_bytes = HEADROOM_BYTES
	};
	one_switch_open(&s);
	shared = s.eth->buffer.shared_bytes;
	ck_assert_uint_eq(shared, BUFFER_BYTES - 4 * HEADROOM_BYTES);
	roce_send(0, 0, 4, 0, ROCE, 100);
	one_switch_run(&s, NODE_MS);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	s.ports[3] = s.ports[2];
	s.ports[3].peer_index = 4;
	one_switch_plug(&s, 3);
	ethernet_ops.link_up(s.eth, 3, NODE_MS);
	ck_assert_uint_eq(s.eth->buffer.shared_bytes, shared);
	roce_send(0, NODE_MS, 4, 0, ROCE, 100);
	one_switch_run(&s, 2 * NODE_MS);
	packet_expect(3, 100);
}

/* the input of a failed link is still above XOFF: the new link is paused at once */
TEST(link__up_while_stopped)
{
	struct pause_frame frame;

	s.config.clock = CLOCK_REAL;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_MS);
	ck_assert(pause_receive(0, &frame));
	ethernet_ops.link_down(s.eth, 0, NODE_MS);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, 0);
	one_switch_unplug(&s, 0);
	one_switch_plug(&s, 0);
	ethernet_ops.link_up(s.eth, 0, NODE_MS);
	one_switch_run(&s, NODE_MS + NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
}

TEST(tables__replace_the_former)
{
	struct switch_config config;

	one_switch_open(&s);
	config = s.config.switch_;
	config.flood_ports = 1;
	config.route_count = 0;
	config.routes = NULL;
	ck_assert_uint_eq(s.eth->sw.stats->tables_taken, 1);
	ck_assert_int_eq(ethernet_ops.tables(s.eth, &config), 0);
	ck_assert_uint_eq(s.eth->sw.stats->tables_taken, 2);
	roce_send(0, 0, 2, 0, ROCE, 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(s.eth->sw.flood_ports, 1);
}
