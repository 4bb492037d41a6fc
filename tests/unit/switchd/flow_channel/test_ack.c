/*  switchd/flow_channel/ack: ACKs are collected, with three timers, 48 per frame (FC-12, FC-13,
 *  FC-18). */
#include <stdlib.h>

#include "switchd/flow_channel/ack.h"
#include "tests/testing.h"

#define CHANNELS 128u
#define COLLECT 16u
#define T1 (30 * NODE_NS)
#define T2 (60 * NODE_NS)
#define T3 (90 * NODE_NS)

static struct ack_collector collector;
static struct ack acks[ACK_FRAME_ACKS_MAX];

static void setup(void)
{
	struct switch_config config = {
		.ack_t1_ps = T1, .ack_t2_ps = T2, .ack_t3_ps = T3, .ack_collect = COLLECT
	};

	ck_assert_int_eq(ack_collector_init(&collector, CHANNELS, &config, NULL), 0);
}

static void teardown(void)
{
	ack_collector_fini(&collector);
}

/* one ACK of one unit for each of flows @from .. @from + @count - 1 */
static void collect_flows(uint32_t from, uint32_t count, node_time_t now)
{
	for (uint32_t i = 0; i < count; i++)
		ack_collect(&collector, (from + i) % CHANNELS, ACK_DELTA, 1, now);
}

static void ack_expect(const struct ack *ack, uint32_t flow_id, enum ack_type type, uint32_t value)
{
	ck_assert_uint_eq(ack->flow_id, flow_id);
	ck_assert_uint_eq(ack->type, type);
	ck_assert_uint_eq(ack->value, value);
}

TEST_GROUP(ack, .setup = setup, .teardown = teardown);

/* ACKs that add up: a flow waits once, with the sum */
TEST_RANGE(ack_collect__deliveries_losses_and_credits_add_up, 0, 4)
{
	static const enum ack_type types[] = { ACK_DELTA, ACK_DELTA_ECA, ACK_LOSS, ACK_HEADROOM };

	ack_collect(&collector, 7, types[_i], 16, 0);
	ack_collect(&collector, 7, types[_i], 3, 5);
	ck_assert_uint_eq(ack_take(&collector, acks), 1);
	ack_expect(&acks[0], 7, types[_i], 19);
	ack_collect(&collector, 7, types[_i], 1, 20);
	ck_assert_uint_eq(ack_take(&collector, acks), 1);
	ack_expect(&acks[0], 7, types[_i], 1);
}

TEST_RANGE(ack_collect__other_types_keep_the_latest, 0, 2)
{
	static const enum ack_type types[] = { ACK_ECA, ACK_REROUTE };

	ack_collect(&collector, 7, types[_i], 900, 0);
	ack_collect(&collector, 7, types[_i], 30, 5);
	ck_assert_uint_eq(ack_take(&collector, acks), 1);
	ack_expect(&acks[0], 7, types[_i], 30);
}

/* EC-2, EC-5: congestion is reported before deliveries that wait. Deliveries before the congestion
 * do not clear it. */
TEST(ack_collect__deliveries_do_not_clear_later_congestion)
{
	ack_collect(&collector, 7, ACK_DELTA_ECA, 1, 0);
	ack_collect(&collector, 7, ACK_DELTA, 16, 0);
	ack_collect(&collector, 7, ACK_ECA, 9, 1);
	ck_assert_uint_eq(ack_take(&collector, acks), 2);
	ack_expect(&acks[0], 7, ACK_ECA, 9);
	ack_expect(&acks[1], 7, ACK_DELTA_ECA, 17);
	ack_collect(&collector, 7, ACK_ECA, 9, 2);
	ack_collect(&collector, 7, ACK_DELTA, 16, 3);
	ck_assert_uint_eq(ack_take(&collector, acks), 2);
	ack_expect(&acks[0], 7, ACK_ECA, 9);
	ack_expect(&acks[1], 7, ACK_DELTA, 16);
}

/* each type of a flow is a separate ACK; none is lost, none is added */
TEST(ack_collect__several_types_of_a_flow)
{
	uint32_t seen = 0;

	for (uint32_t type = ACK_TYPES; type--;) /* congestion before deliveries */
		ack_collect(&collector, 9, type, 10 + type, 0);
	ck_assert_uint_eq(ack_take(&collector, acks), ACK_TYPES);
	for (uint32_t i = 0; i < ACK_TYPES; i++) {
		ack_expect(&acks[i], 9, (enum ack_type)acks[i].type, 10u + acks[i].type);
		seen |= 1u << acks[i].type;
	}
	ck_assert_uint_eq(seen, (1u << ACK_TYPES) - 1);
	ck_assert_uint_eq(ack_take(&collector, acks), 0);
}

TEST(ack_collect__a_value_of_zero_is_an_ack)
{
	ack_collect(&collector, 9, ACK_ECA, 0, 0);
	ck_assert_uint_eq(ack_take(&collector, acks), 1);
	ack_expect(&acks[0], 9, ACK_ECA, 0);
}

TEST(ack_ready_at__never_if_nothing_waits)
{
	ck_assert_uint_eq(ack_ready_at(&collector, true), NODE_TIME_NEVER);
	ck_assert_uint_eq(ack_ready_at(&collector, false), NODE_TIME_NEVER);
	collect_flows(0, 3, 100);
	ack_take(&collector, acks);
	ck_assert_uint_eq(ack_ready_at(&collector, true), NODE_TIME_NEVER);
}

/* FC-18: T1 on an idle link, from the first waiting ACK, however many follow */
TEST(ack_ready_at__t1_idle_link)
{
	collect_flows(0, 1, 1000);
	ck_assert_uint_eq(ack_ready_at(&collector, true), 1000 + T1);
	collect_flows(1, 30, 1000 + T1 - 1);
	ck_assert_uint_eq(ack_ready_at(&collector, true), 1000 + T1);
}

/* FC-18: on a busy link T2 once the configured number waits, T3 before */
TEST(ack_ready_at__t2_and_t3_busy_link)
{
	collect_flows(0, COLLECT - 1, 1000);
	ck_assert_uint_eq(ack_ready_at(&collector, false), 1000 + T3);
	collect_flows(0, COLLECT - 1, 2000); /* the same flows again: no more ACKs than before */
	ck_assert_uint_eq(ack_ready_at(&collector, false), 1000 + T3);
	collect_flows(COLLECT, 1, 3000);
	ck_assert_uint_eq(ack_ready_at(&collector, false), 1000 + T2);
}

/* FC-18: 48 fill a frame, which waits for no timer */
TEST(ack_ready_at__full_frame_waits_for_no_timer)
{
	collect_flows(0, ACK_FRAME_ACKS_MAX - 1, 1000);
	ck_assert_uint_eq(ack_ready_at(&collector, false), 1000 + T2);
	collect_flows(100, 1, 2000);
	ck_assert_uint_le(ack_ready_at(&collector, false), 2000);
	ck_assert_uint_le(ack_ready_at(&collector, true), 2000);
}

/* FC-18: the timers run from the first ACK after the last frame */
TEST(ack_ready_at__timers_restart_after_a_frame)
{
	collect_flows(0, 5, 1000);
	ack_take(&collector, acks);
	collect_flows(3, 1, 500 * NODE_NS);
	ck_assert_uint_eq(ack_ready_at(&collector, true), 500 * NODE_NS + T1);
}

/* in order of arrival, 48 at a time; there is a line for every channel, so nothing overflows */
TEST(ack_take__all_channels_in_order)
{
	uint32_t taken = 0, count;

	collect_flows(100, CHANNELS, 0);
	while ((count = ack_take(&collector, acks))) {
		ck_assert_uint_eq(count, CHANNELS - taken < ACK_FRAME_ACKS_MAX
						 ? CHANNELS - taken
						 : ACK_FRAME_ACKS_MAX);
		for (uint32_t i = 0; i < count; i++)
			ack_expect(&acks[i], (100 + taken + i) % CHANNELS, ACK_DELTA, 1);
		taken += count;
	}
	ck_assert_uint_eq(taken, CHANNELS);
}

/* what waits is forgotten, wherever the ring of those that wait begins; then all is as at first */
TEST(ack_collector_clear__forgets_all)
{
	collect_flows(0, CHANNELS, 0);
	ck_assert_uint_eq(ack_take(&collector, acks), ACK_FRAME_ACKS_MAX);
	collect_flows(0, ACK_FRAME_ACKS_MAX,
		      0); /* after the others: the ring is full, and turned */
	ack_collector_clear(&collector);
	ck_assert_uint_eq(ack_take(&collector, acks), 0);
	ck_assert_uint_eq(ack_ready_at(&collector, true), NODE_TIME_NEVER);
	for (uint32_t flow = 0; flow < CHANNELS; flow++)
		ck_assert_uint_eq(TABLE_AT(collector.lines, flow)->types, 0);
	collect_flows(7, 2, 9);
	ck_assert_uint_eq(ack_take(&collector, acks), 2);
	ack_expect(&acks[0], 7, ACK_DELTA, 1);
	ack_expect(&acks[1], 8, ACK_DELTA, 1);
}

/* a flow with a second ACK keeps its place among those that wait */
TEST(ack_take__a_flow_keeps_its_place)
{
	collect_flows(5, 2, 0);
	collect_flows(5, 1, 1);
	ck_assert_uint_eq(ack_take(&collector, acks), 2);
	ack_expect(&acks[0], 5, ACK_DELTA, 2);
	ack_expect(&acks[1], 6, ACK_DELTA, 1);
}

/* A sum beyond the 11 bits of an ACK is sent as several ACKs, in more than one frame if
 * necessary. */
TEST(ack_take__large_sum_is_split)
{
	uint64_t sum = 0;
	uint32_t count, frames = 0;

	ack_collect(&collector, 1, ACK_LOSS, 100 * ACK_VALUE_MAX + 5, 0);
	while ((count = ack_take(&collector, acks))) {
		frames++;
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_uint_eq(acks[i].flow_id, 1);
			ck_assert_uint_le(acks[i].value, ACK_VALUE_MAX);
			sum += acks[i].value;
		}
	}
	ck_assert_uint_eq(sum, 100 * ACK_VALUE_MAX + 5);
	ck_assert_uint_eq(frames, 3);
}

/* Each frame may be lost. So the end of metering and the credit that follows it are in one
 * frame. */
TEST(ack_take__restated_credit_stays_together)
{
	collect_flows(0, ACK_FRAME_ACKS_MAX - 1, 0);
	ack_collect(&collector, 99, ACK_HEADROOM_END, ACK_VALUE_MAX, 0);
	ack_collect(&collector, 99, ACK_HEADROOM, 7, 0);
	ck_assert_uint_eq(ack_take(&collector, acks), ACK_FRAME_ACKS_MAX - 1);
	ck_assert_uint_eq(ack_take(&collector, acks), 2);
	ack_expect(&acks[0], 99, ACK_HEADROOM, ACK_VALUE_MAX);
	ack_expect(&acks[1], 99, ACK_HEADROOM, 7);
}

/* all that is collected is sent, over many frames and the wrap of the ring */
TEST(ack_take__sums_balance)
{
	uint64_t in = 0, out = 0;

	for (uint32_t round = 0; round < 500; round++) {
		for (uint32_t i = 0; i < round % 90; i++) {
			ack_collect(&collector, (round * 31 + i * 7) % CHANNELS, ACK_DELTA, i,
				    round);
			in += i;
		}
		for (uint32_t i = ack_take(&collector, acks); i; i--)
			out += acks[i - 1].value;
	}
	for (uint32_t count; (count = ack_take(&collector, acks));)
		while (count--)
			out += acks[count].value;
	ck_assert_uint_eq(in, out);
}
