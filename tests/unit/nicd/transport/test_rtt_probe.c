/*  nicd/transport/rtt_probe: packets that are timed, and the round trips of their ACKs (RC-16). */
#include "nicd/transport/rtt_probe.h"

#include "tests/testing.h"

static struct rtt_probe probe;

static void setup(void)
{
	probe = (struct rtt_probe){ 0 };
}

TEST_GROUP(rtt_probe, .setup = setup);

/* The last packet that an ACK covers counts; packets that it does not cover stay. */
TEST(rtt_probe_acknowledged__last_covered_packet_counts)
{
	rtt_probe_sent(&probe, 3, 100);
	rtt_probe_sent(&probe, 7, 250);
	rtt_probe_sent(&probe, 9, 400);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 3, 500), 0);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 9, 1000), 750);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 9, 1000), 0);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 10, 1000), 600);
}

/* A full ring times no further packets, and continues after an ACK; numbers wrap. */
TEST(rtt_probe_sent__full_ring_times_no_more)
{
	uint64_t base = UINT32_MAX - 3ull;

	for (uint64_t i = 0; i < 2 * RTT_PROBES; i++)
		rtt_probe_sent(&probe, base + i, 10 * i);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, base + 1, 1000), 1000);
	rtt_probe_sent(&probe, base + 100, 900);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, base + 50, 2000),
			  2000 - 10 * (RTT_PROBES - 1));
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, base + 101, 2000), 1100);
}

TEST(rtt_probe_lost__forgets_all)
{
	rtt_probe_sent(&probe, 1, 10);
	rtt_probe_lost(&probe);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 2, 500), 0);
	rtt_probe_sent(&probe, 2, 600);
	ck_assert_uint_eq(rtt_probe_acknowledged(&probe, 3, 650), 50);
}
