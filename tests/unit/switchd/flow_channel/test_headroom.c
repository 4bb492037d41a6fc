/*  switchd/flow_channel/headroom: credit per flow and hop, at the corners of its water levels
 *  (EC-12 ... EC-14). */
#include <stdlib.h>

#include "nodes/wire/ack_frame.h"
#include "switchd/flow_channel/headroom.h"
#include "tests/testing.h"

#define MTU 16u
#define ROOM 100000u

static const struct congestion_setting setting = {
	.high_units = 200, .target_units = 100, .drop_units = 50, .queue_extent_units = 400
};
static struct ifct_entry flow;

static void setup(void)
{
	flow = (struct ifct_entry){ .active = true };
}

static void queue(uint32_t units)
{
	flow.next_data_flow = flow.data_flow + units;
}

/* a packet of @units is sent, and @queued are left */
static uint32_t forward(uint32_t queued, uint32_t units, uint32_t room)
{
	queue(queued);
	return headroom_on_forward(&flow, &setting, units, room, MTU);
}

TEST_GROUP(credit, .setup = setup);

TEST(starts__at_the_target_level)
{
	queue(99);
	ck_assert(!headroom_starts(&flow, &setting, ROOM));
	queue(100);
	ck_assert(headroom_starts(&flow, &setting, ROOM));
	flow.um = true;
	ck_assert(!headroom_starts(&flow, &setting, ROOM)); /* it is met */
}

TEST(starts__earlier_where_buffer_is_short)
{
	queue(16);
	ck_assert(!headroom_starts(&flow, &setting, 17 * 16));
	ck_assert(headroom_starts(&flow, &setting, 16 * 16));
	queue(1);
	ck_assert(headroom_starts(&flow, &setting, 0));
	queue(0);
	/* a flow without packets here cannot be metered: nothing would end it */
	ck_assert(!headroom_starts(&flow, &setting, 0));
}

/* The first credit counts from what is not acknowledged: what is in flight is included. */
TEST(start__what_is_in_flight_counts)
{
	struct ifct_entry upstream = { .active = true };

	flow.ack_flow = 0;
	flow.data_flow = 30;
	queue(100);
	ck_assert_uint_eq(headroom_start(&flow), 130);
	ck_assert_int_eq(flow.committed_units, 100);
	headroom_on_ack(&upstream, 130, 130 + 48); /* three packets more are on the link */
	ck_assert(upstream.dm);
	ck_assert_int_eq(upstream.headroom, -48);
	headroom_on_ack(&upstream, 60, 999); /* further credit is added, whatever is in flight */
	ck_assert_int_eq(upstream.headroom, 12);
	headroom_on_ack(&upstream, HEADROOM_END, 999);
	ck_assert(!upstream.dm);
	ck_assert_int_eq(upstream.headroom, 0);
}

/* a false peer may give credit without end */
TEST(on_ack__credit_does_not_overflow)
{
	struct ifct_entry upstream = { .active = true };

	headroom_on_ack(&upstream, ACK_HEADROOM_MAX, 0);
	for (uint32_t i = 0; i < INT32_MAX / ACK_HEADROOM_MAX + 1; i++)
		headroom_on_ack(&upstream, ACK_HEADROOM_MAX, 0);
	ck_assert_int_gt(upstream.headroom, CONGESTION_UNITS_MAX);
}

/* ... or send without any */
TEST(forward__overdraft_does_not_overflow)
{
	queue(setting.high_units + 1);
	headroom_start(&flow);
	for (uint32_t i = 0; i < INT32_MAX / 1000000 + 2; i++)
		ck_assert_uint_eq(forward(setting.high_units + 1, 1000000, ROOM), 0);
	ck_assert_uint_eq(headroom_promise(&flow, MTU), 0);
}

/* A lost grant is repeated with all credit that is still valid: what was promised stays promised,
 * and both ends agree again. */
TEST(again__valid_credit_is_repeated)
{
	struct ifct_entry upstream = { .active = true };

	queue(100);
	headroom_start(&flow);
	/* credit of 80 was given since; it may be lost, or used for data in flight */
	flow.committed_units = 180;
	flow.data_flow += 40;
	queue(60);
	flow.committed_units -= 40;
	ck_assert_uint_eq(headroom_again(&flow), 100 + 80);
	ck_assert_int_eq(flow.committed_units, 140);
	headroom_on_ack(&upstream, 180, 100 + 32);
	ck_assert_int_eq(60 + 32 + upstream.headroom, flow.committed_units);
}

/* Overdrawn by more than is not acknowledged: an ACK cannot express it, so both ends use the value
 * of the ACK. */
TEST(again__overdraft_is_forgiven)
{
	struct ifct_entry upstream = { .active = true };

	queue(70);
	flow.um = true;
	flow.committed_units = -20;
	ck_assert_uint_eq(headroom_again(&flow), 0);
	ck_assert_int_eq(flow.committed_units, 0);
	headroom_on_ack(&upstream, 0, 70 + 16);
	ck_assert_int_eq(70 + 16 + upstream.headroom, flow.committed_units);
}

TEST(forward__credit_follows_the_water_levels)
{
	static const struct {
		uint32_t queued, units, credit;
	} cases[] = {
		{ 201, 16, 0 }, { 200, 16, 14 },          { 101, 16, 14 },         { 100, 16, 18 },
		{ 50, 16, 18 }, { 49, 16, HEADROOM_END }, { 0, 16, HEADROOM_END }, { 150, 1, 0 },
		{ 100, 1, 2 },  { 150, 36, 31 },          { 100, 36, 41 },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		flow = (struct ifct_entry){ .active = true, .um = true };
		flow.committed_units = (int32_t)(cases[i].queued + cases[i].units);
		ck_assert_uint_eq(forward(cases[i].queued, cases[i].units, ROOM), cases[i].credit);
		ck_assert_int_eq(flow.um, cases[i].credit != HEADROOM_END);
		if (flow.um)
			ck_assert_int_eq(flow.committed_units,
					 (int32_t)(cases[i].queued + cases[i].credit));
	}
}

TEST(forward__never_more_than_the_maximum_queue_extent)
{
	flow.um = true;
	flow.committed_units = 410;
	ck_assert_uint_eq(forward(100, 16, ROOM), 400 - (410 - 16));
	ck_assert_int_eq(flow.committed_units, 400);
	ck_assert_uint_eq(forward(84, 16, ROOM), 16); /* one packet leaves, one may arrive */
}

TEST(forward__never_more_than_the_free_buffer)
{
	flow.um = true;
	flow.committed_units = 116;
	/* the packet that overdraws would not fit */
	ck_assert_uint_eq(forward(100, 16, MTU - 1), 0);
	flow.committed_units = 116;
	ck_assert_uint_eq(forward(100, 16, MTU), 1);
	ck_assert_uint_eq(headroom_promise(&flow, MTU), MTU);
	flow.committed_units = 86; /* 30 were overdrawn: paying them back permits no packet */
	ck_assert_uint_eq(forward(100, 16, 0), 18);
	ck_assert_uint_eq(headroom_promise(&flow, MTU), 0);
}

TEST(promise__is_what_credit_permits)
{
	queue(100);
	flow.committed_units = 100;
	flow.um = true;
	ck_assert_uint_eq(headroom_promise(&flow, MTU), 0);
	flow.committed_units = 101; /* one unit of credit permits a whole packet */
	ck_assert_uint_eq(headroom_promise(&flow, MTU), MTU);
	flow.um = false;
	ck_assert_uint_eq(headroom_promise(&flow, MTU), 0);
}

/* EC-13: a queue that is drained at a third of its possible input rate converges to its target */
TEST(loop__converges_to_the_target)
{
	int32_t headroom = 0, credit_in_flight[8] = { 0 };
	uint32_t queued = 300, lowest = UINT32_MAX, highest = 0;

	flow.um = true;
	flow.committed_units = 300;
	for (uint32_t step = 0; step < 4000; step++) {
		int32_t *slot = &credit_in_flight[step % 8];

		headroom += *slot; /* after eight steps */
		*slot = 0;
		if (headroom > 0) {
			headroom -= 16;
			queued += 16;
		}
		if (step % 3 == 0 && queued >= 16) {
			queued -= 16;
			*slot = (int32_t)forward(queued, 16, ROOM);
			ck_assert(flow.um);
		}
		if (step < 1000)
			continue;
		lowest = queued < lowest ? queued : lowest;
		highest = queued > highest ? queued : highest;
		ck_assert_int_eq(
			flow.committed_units,
			(int32_t)queued + headroom + credit_in_flight[0] + credit_in_flight[1] +
				credit_in_flight[2] + credit_in_flight[3] + credit_in_flight[4] +
				credit_in_flight[5] + credit_in_flight[6] + credit_in_flight[7]);
	}
	ck_assert_uint_ge(lowest, 100 - 2 * MTU);
	ck_assert_uint_le(highest, 100 + 2 * MTU);
}
