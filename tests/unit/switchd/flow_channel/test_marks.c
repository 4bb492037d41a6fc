/*  switchd/flow_channel/marks: the ring of flows, in order, each once, with wrap (FC-11). */
#include <stdlib.h>

#include "switchd/flow_channel/marks.h"
#include "tests/testing.h"

#define FLOWS 4u

static struct ifct ifct;
static uint32_t flows[FLOWS];
static struct marks marks;

static void setup(void)
{
	ck_assert_int_eq(ifct_init(&ifct, FLOWS, NULL), 0);
	marks = (struct marks){ .flows = flows, .flows_max = FLOWS };
}

static void teardown(void)
{
	ifct_fini(&ifct);
}

TEST_GROUP(flow, .setup = setup, .teardown = teardown);

TEST(flow__oldest_first)
{
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), FLOW_REF_NONE);
	marks_flow(&marks, &ifct, 2);
	marks_flow(&marks, &ifct, 0);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), 2);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), 0);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), FLOW_REF_NONE);
}

/* so the ring holds every flow at most once */
TEST(flow__once_until_taken_out)
{
	for (uint32_t i = 0; i < 2 * FLOWS; i++)
		marks_flow(&marks, &ifct, i % FLOWS);
	ck_assert_uint_eq(marks.flows_count, FLOWS);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), 0);
	marks_flow(&marks, &ifct, 0);
	for (uint32_t i = 1; i <= FLOWS; i++)
		ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), i % FLOWS);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), FLOW_REF_NONE);
}

/* the mark outlives the channel: the next flow of the channel is not in the ring twice */
TEST(flow__channel_set_up_again)
{
	struct packet packet = { .flow_id = 3, .units = 1 };
	uint32_t hole_units;

	marks_flow(&marks, &ifct, 3);
	ck_assert_ptr_nonnull(ifct_arrive(&ifct, &packet, 0, &hole_units));
	marks_flow(&marks, &ifct, 3);
	ck_assert_uint_eq(marks.flows_count, 1);
	ck_assert_uint_eq(marks_flow_pop(&marks, &ifct), 3);
}
