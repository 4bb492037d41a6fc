/*  switchd/port_group: links that fail and return (FC-26, PG-9). */
#include "tests/testing.h"
#include "tests/unit/switchd/port_group/one_lid.h"

static void link_return(uint32_t port, node_time_t at)
{
	one_switch_unplug(&s, port);
	one_switch_plug(&s, port);
	s.ops->link_up(s.dataplane, port, at);
	for (uint32_t l = 0; l < LANES; l++)
		grant(port, at, l, PLENTY);
}

TEST_GROUP(link, .setup = lid_setup, .teardown = teardown);

/* packets that wait take another port of their group; no packet of any class selects the failed
 * port; it returns empty */
TEST(link__down_and_up)
{
	lid_open(0);
	port_block(2);
	for (uint32_t c = 0; c < 2; c++)
		for (uint32_t i = 0; i < 3; i++)
			lid_send(0, 2 * NODE_US, 3, c, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	books_expect(6);
	s.ops->link_down(s.dataplane, 2, 4 * NODE_US);
	lid_send(0, 5 * NODE_US, 4, ORDERED, FULL_BYTES);
	lid_send(0, 5 * NODE_US, 4, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 8);
	no_packet_expect(2);
	books_expect(0);
	link_return(2, 10 * NODE_US);
	lid_send(0, 12 * NODE_US, 3, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	books_expect(0);
	ck_assert_uint_eq(drops_all(), 0);
}

/* no other port: dropped and counted; the buffer of their input is free */
TEST(link__down_without_another_port)
{
	lid_open(0);
	port_block(1);
	lid_send(0, 2 * NODE_US, 2, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 0xc000, ORDERED, 100);
	one_switch_run(&s, 4 * NODE_US);
	s.ops->link_down(s.dataplane, 1, 4 * NODE_US);
	lid_send(0, 5 * NODE_US, 2, ORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_LINK_DOWN), 2);
	ck_assert_uint_eq(drops(DROP_NO_ROUTE), 1);
	ck_assert_uint_eq(lid_of()->sw.flood_packets, 0);
	books_expect(0);
}

/* port 0 fails while a packet of FULL_UNITS from it waits for port 3, and returns; with @peer_units
 * its peer has credit for the whole buffer from the start */
static void returns_with_one_left(uint32_t peer_units)
{
	lid_open(1 << 3);
	lid_send(0, 2 * NODE_US, 5, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	s.ops->link_down(s.dataplane, 0, 4 * NODE_US);
	one_switch_unplug(&s, 0);
	s.config.ports[0].peer_units = peer_units;
	one_switch_plug(&s, 0);
	s.ops->link_up(s.dataplane, 0, 5 * NODE_US);
	lid_send(0, 6 * NODE_US, 2, ORDERED, 100);
	one_switch_run(&s, 8 * NODE_US);
	ck_assert_uint_eq(lid_of()->sw.pool.used, 1);
}

/* PG-9: the link returns while a packet of the former one still waits: the port is up at once, with
 * credit for the rest of its buffer */
TEST(link__up_beside_what_is_left)
{
	returns_with_one_left(0);
	ck_assert(lid_port_up(lid_of(), 0));
	ck_assert(!lid_of()->sw.ports_coming);
	lid_expect(1, 100);
	books_expect(1);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], FULL_UNITS);
	ck_assert_uint_eq(word_expect(0, LINK_WORD_CREDIT),
			  s.links[0].rx.buffer_units - FULL_UNITS);
	ck_assert_uint_eq(got.header.traffic_class, 0);
	grant(3, 8 * NODE_US, ORDERED * LEVELS, PLENTY);
	one_switch_run(&s, FAR);
	lid_expect(3, FULL_BYTES);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
	books_expect(0);
}

/* of what is left, each lane's packets take buffer of that lane, and copies take none */
TEST(link__up_beside_each_lane)
{
	lid_open(1 << 3 | 1 << 2);
	lid_send(0, 2 * NODE_US, 5, ORDERED, FULL_BYTES);
	lid_send(0, 2 * NODE_US, 5, UNORDERED, 2 * FULL_BYTES);
	lid_send(0, 2 * NODE_US, 0xc000, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	s.ops->link_down(s.dataplane, 0, 4 * NODE_US);
	link_return(0, 5 * NODE_US);
	ck_assert_uint_eq(s.links[0].rx.held_units[ORDERED * LEVELS], FULL_UNITS);
	ck_assert_uint_eq(s.links[0].rx.held_units[UNORDERED * LEVELS], 2 * FULL_UNITS);
	for (uint32_t p = 2; p < 4; p++)
		for (uint32_t l = 0; l < LANES; l++)
			grant(p, 8 * NODE_US, l, PLENTY);
	one_switch_run(&s, FAR);
	books_expect(0);
}

/* the peer may fill the whole buffer from the start: the port is up once that packet has left */
TEST(link__up_waits_for_an_empty_buffer)
{
	returns_with_one_left(PLENTY);
	ck_assert(!lid_port_up(lid_of(), 0));
	no_packet_expect(1);
	grant(3, 8 * NODE_US, ORDERED * LEVELS, PLENTY);
	one_switch_run(&s, FAR);
	ck_assert(lid_port_up(lid_of(), 0));
	lid_expect(3, FULL_BYTES);
	lid_expect(1, 100);
	ck_assert_uint_eq(s.links[0].rx.held_units[0], 0);
	books_expect(0);
}

/* the static port returns: packets that wait for another port meanwhile follow */
TEST(link__up_packets_that_wait_follow)
{
	lid_open(0);
	s.ops->link_down(s.dataplane, 2, 2 * NODE_US);
	port_block(3);
	lid_send(0, 3 * NODE_US, 3, ORDERED, FULL_BYTES);
	lid_send(0, 3 * NODE_US, 5, ORDERED, FULL_BYTES);
	one_switch_run(&s, 5 * NODE_US);
	books_expect(2);
	link_return(2, 6 * NODE_US);
	lid_send(0, 8 * NODE_US, 3, ORDERED, FULL_BYTES - 100);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES).dlid, 3);
	ck_assert_uint_eq(lid_expect(2, FULL_BYTES - 100).dlid, 3);
	books_expect(1);
}

/* no packet of a lane has waited for credit once all have moved to another port */
TEST(link__up_moved_packets_wait_no_more)
{
	lid_open(1 << 3);
	s.ops->link_down(s.dataplane, 2, 2 * NODE_US);
	lid_send(0, 3 * NODE_US, 3, ORDERED, FULL_BYTES);
	one_switch_run(&s, 5 * NODE_US);
	ck_assert(lid_of()->ports[3].lanes[ORDERED * LEVELS].waited);
	link_return(2, 6 * NODE_US);
	one_switch_run(&s, FAR);
	lid_expect(2, FULL_BYTES);
	ck_assert(!lid_of()->ports[3].lanes[ORDERED * LEVELS].waited);
}

/* A link fails for which a packet waits whose DLID is in no table any more: that is why the packet
 * is dropped. */
TEST(link__down_after_its_dlid)
{
	struct switch_config changed;

	lid_open(1 << 2);
	changed = s.config.switch_;
	changed.lids.lid_count = 3;
	lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_int_eq(s.ops->tables(s.dataplane, &changed), 0);
	one_switch_run(&s, 5 * NODE_US);
	s.ops->link_down(s.dataplane, 2, 5 * NODE_US);
	ck_assert_uint_eq(drops(DROP_BAD_LID), 1);
	books_expect(0);
}

/* FC-19: the shares of classes are those of the new rate, at this port alone */
TEST(link__set_to_another_rate)
{
	s.config.classes[UNORDERED].max_permille = 250;
	lid_open(0);
	s.ports[2].rate_bps = 100000000000;
	s.ops->link_set(s.dataplane, 2);
	ck_assert_uint_eq(lid_of()->ports[2].classes.share[UNORDERED].max_bps, 25000000000);
	ck_assert_uint_eq(lid_of()->ports[2].classes.share[ORDERED].max_bps, 0);
	ck_assert_uint_eq(lid_of()->ports[3].classes.share[UNORDERED].max_bps, 50000000000);
}
