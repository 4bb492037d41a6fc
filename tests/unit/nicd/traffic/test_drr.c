/*  nicd/traffic/drr: the flows of a class share its link by bytes, whatever the lengths of their
 *  frames (FC-19). */
#include <signal.h>
#include <string.h>

#include "nicd/traffic/drr.h"
#include "tests/testing.h"

#define FLOWS 3u

struct flow {
	uint64_t before; /* more fields of a flow: the view must skip them */
	struct drr_flow turn;
	uint32_t frame_bytes;
	uint64_t sent_bytes, sent;
};

static struct drr drr;
static struct flow flows[FLOWS];

static struct drr_flows view(void)
{
	return (struct drr_flows){ &flows[0].turn, sizeof(flows[0]) };
}

static void setup(void)
{
	static const uint32_t frame_bytes[FLOWS] = { 1500, 500, 64 };

	drr_init(&drr);
	for (uint32_t f = 0; f < FLOWS; f++) {
		flows[f] = (struct flow){ .turn.next = DRR_NONE, .frame_bytes = frame_bytes[f] };
		drr_quantum(&drr, frame_bytes[f]);
	}
}

/* The flow whose turn it is sends a frame, its last one if @last.  Return: the flow. */
static uint32_t send(uint32_t traffic_class, bool last)
{
	uint32_t slot = drr_head(&drr, view(), traffic_class);
	struct flow *flow = &flows[slot];

	ck_assert_uint_ge(flow->turn.deficit_bytes, flow->frame_bytes);
	flow->sent_bytes += flow->frame_bytes;
	flow->sent++;
	drr_sent(&drr, view(), traffic_class, slot, flow->frame_bytes,
		 last ? 0 : flow->frame_bytes);
	return slot;
}

TEST_GROUP(drr, .setup = setup);

/* Two flows that always have packets differ by at most a quantum and a frame [Shreedhar and
 * Varghese 1995, lemma 2]. */
TEST(drr_sent__shares_by_bytes)
{
	for (uint32_t f = 0; f < FLOWS; f++)
		drr_join(&drr, view(), 2, f);
	ck_assert_uint_eq(drr.ready, 1u << 2);
	for (int i = 0; i < 5000; i++) {
		send(2, false);
		for (uint32_t f = 1; f < FLOWS; f++)
			ck_assert_uint_le(flows[f].sent_bytes, flows[0].sent_bytes + 2 * 1500);
		for (uint32_t f = 1; f < FLOWS; f++)
			ck_assert_uint_le(flows[0].sent_bytes, flows[f].sent_bytes + 2 * 1500);
	}
	ck_assert_uint_gt(flows[2].sent, 20 * flows[0].sent);
}

/* a flow that becomes idle loses its deficit, and returns as the last one */
TEST(drr_sent__last_frame_ends_the_turn)
{
	drr_join(&drr, view(), 0, 1);
	drr_join(&drr, view(), 0, 2);
	ck_assert_uint_eq(send(0, true), 1);
	ck_assert_uint_eq(flows[1].turn.next, DRR_NONE);
	ck_assert_uint_eq(flows[1].turn.deficit_bytes, 0);
	drr_join(&drr, view(), 0, 1);
	ck_assert_uint_eq(drr_head(&drr, view(), 0), 2);
	ck_assert_uint_eq(drr_leave(&drr, view(), 0), 2);
	ck_assert_uint_eq(drr_leave(&drr, view(), 0), 1);
	ck_assert_uint_eq(drr.ready, 0);
}

/* A retransmitted frame that is longer than the one for which the turn began uses up the turn. */
TEST(drr_sent__longer_frame_uses_up_the_turn)
{
	drr_join(&drr, view(), 0, 0);
	drr_join(&drr, view(), 0, 1);
	drr_sent(&drr, view(), 0, 0, 1600, 1500);
	ck_assert_uint_eq(flows[0].turn.deficit_bytes, 0);
	ck_assert_uint_eq(drr_head(&drr, view(), 0), 1);
}

TEST(drr_join__classes_are_separate)
{
	drr_join(&drr, view(), 0, 0);
	drr_join(&drr, view(), 7, 1);
	ck_assert_uint_eq(drr.ready, 1u << 0 | 1u << 7);
	ck_assert_uint_eq(drr_head(&drr, view(), 0), 0);
	ck_assert_uint_eq(drr_head(&drr, view(), 7), 1);
}

TEST_SIGNAL(drr_join__twice_aborts, SIGABRT)
{
	drr_join(&drr, view(), 0, 0);
	drr_join(&drr, view(), 0, 0);
}
