/*  switchd/flow_channel/injection: the injection limit of a port, in one switch (EC-9). */
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/limited_flows.h"

TEST_GROUP(port_limit, .setup = setup, .teardown = teardown);

/* EC-9: the sum grows when packets are injected, and shrinks when they are acknowledged or lost;
 * flows resume in the order of arrival */
TEST(port_limit__in_turn)
{
	uint32_t channels[12];
	node_time_t now = 3 * NODE_US;

	congestion()->port_limit_units = 40;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 12; i++)
		host_send(&s, 0, 0, 2, i % 4, 0, 4000 + i % 4);
	one_switch_run(&s, now);
	for (uint32_t i = 0; i < 3; i++) /* the third was injected at 32 */
		channels[i] = channel_expect(2, 4000 + i);
	ck_assert_uint_eq(stats_of(0)->blocked_port, 4);
	for (uint32_t i = 0; i < 12; i++, now += 2 * NODE_US) {
		no_packet_expect(2);
		ck_assert_uint_eq(stats_of(0)->extent_units, UNITS * (i < 9 ? 3 : 12 - i));
		ack_arrive(2, now, channels[i], i % 2 ? ACK_DELTA : ACK_LOSS, UNITS);
		if (i + 3 < 12)
			channels[i + 3] = channel_expect(2, 4000 + (i + 3) % 4);
	}
	ck_assert_uint_eq(stats_of(0)->extent_units_max, 3 * UNITS);
	all_released_expect();
}

/* EC-9: an ACK of many units releases as many: short packets of many flows fill the limit */
TEST(port_limit__one_ack_for_many_flows)
{
	uint32_t id, packets = 0;

	congestion()->port_limit_units = 10;
	one_switch_open(&s);
	host_send(&s, 0, 0, 2, 15, 0, PACKET);
	for (uint32_t i = 0; i < 14; i++)
		host_send(&s, 0, 0, 2, i, 0, 256);
	one_switch_run(&s, 2 * NODE_US);
	id = channel_expect(2, PACKET);
	no_packet_expect(2);
	ack_arrive(2, 2 * NODE_US, id, ACK_DELTA, UNITS);
	while (neighbour_receive(&s, 2, RECORD_PACKET, &got))
		packets++;
	ck_assert_uint_eq(packets, 11); /* the last one at 10 */
	ck_assert_uint_eq(stats_of(0)->extent_units, 11);
}

/* EC-9: a flow to another output does not wait for a stopped output, once nothing is in flight */
TEST(port_limit__no_blocking_by_a_stopped_output)
{
	uint32_t id;

	congestion()->port_limit_units = 10;
	one_switch_open(&s);
	neighbour_stop(&s, 3, 0, 1);
	host_send(&s, 0, NODE_US, 2, 1, 0, PACKET);
	host_send(&s, 0, NODE_US, 4, 2, 0, PACKET);
	host_send(&s, 0, NODE_US, 2, 3, 0, PACKET);
	one_switch_run(&s, 3 * NODE_US);
	id = channel_expect(2, PACKET);
	no_packet_expect(2);
	ack_arrive(2, 3 * NODE_US, id, ACK_DELTA, UNITS);
	packet_expect(2, PACKET);
	no_packet_expect(3);
}

/* the most that was in flight is kept when less is */
TEST(port_limit__the_most_is_kept)
{
	uint32_t channels[3];

	congestion()->port_limit_units = 40;
	one_switch_open(&s);
	for (uint32_t i = 0; i < 3; i++)
		host_send(&s, 0, 0, 2, i, 0, 4000 + i);
	one_switch_run(&s, 3 * NODE_US);
	for (uint32_t i = 0; i < 3; i++)
		channels[i] = channel_expect(2, 4000 + i);
	ck_assert_uint_eq(stats_of(0)->extent_units_max, 3 * UNITS);
	for (uint32_t i = 0; i < 3; i++)
		ack_arrive(2, 4 * NODE_US, channels[i], ACK_DELTA, UNITS);
	host_send(&s, 0, 5 * NODE_US, 2, 0, 0, 4000);
	one_switch_run(&s, 7 * NODE_US);
	channels[0] = channel_expect(2, 4000);
	ck_assert_uint_eq(stats_of(0)->extent_units, UNITS);
	ck_assert_uint_eq(stats_of(0)->extent_units_max, 3 * UNITS);
	ack_arrive(2, 8 * NODE_US, channels[0], ACK_DELTA, UNITS);
	all_released_expect();
}
