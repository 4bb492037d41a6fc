/*  nicd/transport/congestion_control.h: what a congestion control is told of a queue pair between
 *  two NICs: round trips, hops and ECN marks (RC-16). */
#include "nicd/transport/congestion_control.h"

#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define PACKETS 3u

struct told {
	struct congestion_flow base;
	struct congestion_ack acks[PACKETS];
	uint32_t count;
};

static void told_init(void *shared, const struct node_config *config, uint64_t line_bps)
{
	(void)shared;
	(void)config;
	ck_assert_uint_eq(line_bps, TWO_RATE_BPS);
}

static void told_open(const void *shared, struct congestion_flow *flow, node_time_t now)
{
	(void)shared;
	(void)now;
	flow->window_packets = 1;
	((struct told *)flow)->count = 0;
}

static void told_ack(const void *shared, struct congestion_flow *flow,
		     const struct congestion_ack *ack, node_time_t now)
{
	struct told *told = (struct told *)flow;

	(void)shared;
	(void)now;
	ck_assert_uint_lt(told->count, PACKETS);
	told->acks[told->count++] = *ack;
}

static const struct congestion_control told_control = {
	.name = "told",
	.flow_bytes = sizeof(struct told),
	.echo = true,
	.rtt = true,
	.init = told_init,
	.open = told_open,
	.on_ack = told_ack,
};

static const struct told *start(void)
{
	two_setup();
	two[0].workloads[0].message_bytes = PACKETS * TWO_PATH_MTU;
	two[0].workloads[0].messages_max = 1;
	two_build();
	for (uint32_t i = 0; i < 2; i++) {
		struct congestion *congestion =
			&two[i].nic->transport.rules[TRANSPORT_RC].congestion;

		congestion_fini(congestion);
		ck_assert_int_eq(congestion_init(congestion, &told_control, &two[i].config,
						 TWO_RATE_BPS, 4096),
				 0);
	}
	return (struct told *)two[0].nic->transport.rules[TRANSPORT_RC].congestion.flows;
}

TEST_GROUP(nic_congestion);

/* A window of one: each packet requests an ACK, and each ACK gives the round trip: two frames on
 * the link, and twice the latencies of a NIC and of the link. */
TEST(nic_congestion__round_trip_is_exact)
{
	const struct told *told = start();
	const node_time_t ack_ps = (62 + 4) * TWO_BYTE_PS;
	const node_time_t data_ps = (TWO_FRAME_BYTES + 4) * TWO_BYTE_PS;

	two_run(NODE_MS);
	ck_assert_uint_eq(told->count, PACKETS);
	for (uint32_t i = 0; i < PACKETS; i++) {
		ck_assert_uint_eq(told->acks[i].packets, 1);
		ck_assert_uint_eq(told->acks[i].bytes, TWO_PATH_MTU);
		ck_assert_uint_eq(told->acks[i].in_flight, 0);
		ck_assert_uint_eq(told->acks[i].rtt_ps, data_ps + ack_ps + 2 * TWO_LEAD_PS);
		ck_assert_uint_eq(told->acks[i].hops, 0);
		ck_assert(!told->acks[i].echo);
	}
	two_free();
}

/* the receiver's next ACK repeats a mark, once */
TEST(nic_congestion__mark_is_echoed_once)
{
	const struct told *told = start();

	/* the first ACK is in flight, the second packet is not sent yet */
	two_run(2 * TWO_LEAD_PS);
	two[1].nic->replies.responders[0].marked = true;
	two_run(NODE_MS);
	ck_assert_uint_eq(told->count, PACKETS);
	ck_assert(!told->acks[0].echo);
	ck_assert(told->acks[1].echo);
	ck_assert(!told->acks[2].echo);
	two_free();
}
