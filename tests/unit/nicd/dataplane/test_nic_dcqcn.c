/*  nicd/dataplane with DCQCN: two NICs with queue pairs, back to back (RC-2, RC-3). two_nics.h has
 *  the drawing. There is no switch: the test marks packets, or sends the CNPs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nicd/transport/queue_pair.h"
#include "nodes/link/link_send.h"
#include "nodes/wire/ecn_mark.h"
#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define GBPS 1000000000ull
#define T (55 * NODE_US)
#define WIRE_BYTES (TWO_FRAME_BYTES + 24) /* of a full packet */

static void setup(void)
{
	two_setup();
	for (uint32_t i = 0; i < 2; i++)
		two[i].config.roce.dcqcn = (struct dcqcn_config){
			.enabled = true,
			.g_ppb = 3906250,
			.alpha_initial_ppm = 1000000,
			.alpha_timer_ps = T,
			.increase_timer_ps = T,
			.byte_counter_bytes = 1ull << 40,
			.fast_recovery = 5,
			.ai_bps = 40000000,
			.hai_bps = 400000000,
			.rate_min_bps = 40000000,
			.clamp_target = true,
			.cnp_interval_ps = 50 * NODE_US,
		};
	two[0].workloads[0].message_bytes = 1ull << 35;
	two[0].config.roce.queue_pair.timeout_ps = 100 * NODE_MS;
}

static const struct flow_tx_stats *tx(uint32_t slot)
{
	return stats_flow_tx(two[0].stats, slot);
}

/* Host 1 sends a CNP for its received flow in @slot at two_now, after the frame that it is sending.
 * The CNP arrives before this returns. */
static void send_cnp(uint32_t slot)
{
	struct roce_reply reply = {
		.ends = two[1].nic->replies.responders[slot].ends,
		.queue_pair = two[1].nic->replies.responders[slot].queue_pair,
		.traffic_class = 1,
	};
	uint8_t frame[ROCE_REPLY_BYTES_MAX], *bytes;
	uint32_t length = roce_cnp_write(&reply, frame);
	uint64_t before = two[0].stats->delivered_packets, cnps = tx(slot)->cnps;

	bytes = link_send_packet(&two[1].link, node_time_max(two_now, two[1].link.tx.busy_until_ps),
				 length + 4, length, length, 1, SEND_NONE);
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, frame, length);
	link_flush(&two[1].link, &(bool){ 0 });
	while (tx(slot)->cnps == cnps)
		two_run(two_now + 10 * NODE_NS);
	ck_assert_uint_gt(two[0].stats->delivered_packets, before);
}

/* bits per second that host 0 sends on average for @for_ps */
static uint64_t sent_bps(node_time_t for_ps)
{
	uint64_t before = stats_port(two[0].stats, 0)->tx_packets;
	node_time_t from = two_now;

	two_run(two_now + for_ps);
	return (stats_port(two[0].stats, 0)->tx_packets - before) * WIRE_BYTES * 8 * NODE_S /
	       (two_now - from);
}

static void check_near(uint64_t bps, uint64_t expected_bps)
{
	ck_assert_uint_ge(bps, expected_bps - expected_bps / 50);
	ck_assert_uint_le(bps, expected_bps + expected_bps / 50);
}

TEST_GROUP(nic_dcqcn, .setup = setup, .timeout_s = 120);

/* RC-3 on the wire: 100 Gb/s, a CNP, 50, then 75, 87.5 ... every 55 us */
TEST(nic_dcqcn__one_cnp_halves_the_rate)
{
	two_build();
	two_run(20 * NODE_US);
	check_near(sent_bps(20 * NODE_US), 100 * GBPS);
	ck_assert_uint_eq(tx(0)->rate_bps, 100 * GBPS);
	send_cnp(0);
	ck_assert_uint_eq(tx(0)->rate_bps, 50 * GBPS);
	check_near(sent_bps(T - NODE_US), 50 * GBPS);
	two_run(two_now + NODE_US);
	check_near(sent_bps(T - NODE_US), 75 * GBPS);
	two_run(two_now + NODE_US);
	check_near(sent_bps(T - NODE_US), 87500000000);
	two_run(two_now + NODE_MS);
	check_near(sent_bps(20 * NODE_US), 100 * GBPS);
	ck_assert_uint_eq(tx(0)->cnps, 1);
	ck_assert_uint_eq(tx(0)->rate_min_bps, 50 * GBPS);
	ck_assert_uint_eq(tx(0)->resent, 0);
	two_free();
}

/* RC-3, TB-9: `show queue-pairs` has R_C, R_T, alpha, T and BC of each queue pair */
TEST(nic_dcqcn__state_is_shown)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	two_build();
	two_run(20 * NODE_US);
	send_cnp(0);
	two_run(two_now + 2 * T + NODE_US);
	ck_assert_int_eq(nicd_ops.show(two[0].nic, "queue-pairs", 0, two_now, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "target_bps\talpha\ttimers\tcounters\tcounter_bytes"));
	ck_assert_ptr_nonnull(strstr(text, "\t87500000000\t100000000000\t0.992203\t2\t0\t"));
	free(text);
	two_free();
}

/* RC-3: each queue pair has its own rate; the others use what it leaves free */
TEST(nic_dcqcn__each_queue_pair_has_its_rate)
{
	uint64_t before[2];

	two[0].workloads[0].connections = 2;
	two[0].config.sample_ps = NODE_US;
	two[0].config.series = true;
	two_build();
	two_run(20 * NODE_US);
	send_cnp(0);
	send_cnp(0);
	send_cnp(0);
	ck_assert_uint_lt(tx(0)->rate_bps, 13 * GBPS);
	ck_assert_uint_eq(tx(1)->rate_bps, 100 * GBPS);
	before[0] = tx(0)->packets;
	before[1] = tx(1)->packets;
	two_run(two_now + 50 * NODE_US);
	check_near((tx(0)->packets - before[0]) * WIRE_BYTES * 8 * NODE_S / (50 * NODE_US),
		   tx(0)->rate_bps);
	check_near((tx(1)->packets - before[1]) * WIRE_BYTES * 8 * NODE_S / (50 * NODE_US),
		   100 * GBPS - tx(0)->rate_bps);
	/* TB-13: both together were allowed 112.5 Gb/s or more, which exceeds the link */
	ck_assert_uint_gt(series_samples(two[0].stats), 40);
	ck_assert_uint_eq(series_at(two[0].stats, two_now, SERIES_ALLOWED_RATE_SUM_BPS, 0, 0),
			  100 * GBPS);
	ck_assert_uint_eq(series_at(two[0].stats, two_now, SERIES_ALLOWED_RATE_MIN_BPS, 0, 0),
			  series_at(two[0].stats, two_now, SERIES_FLOW_ALLOWED_RATE_BPS, 0, 0));
	ck_assert_uint_eq(series_at(two[0].stats, two_now, SERIES_FLOW_ALLOWED_RATE_BPS, 0, 1),
			  100 * GBPS);
	ck_assert_uint_eq(series_at(two[0].stats, two_now, SERIES_CNPS_RECEIVED, 0, 0), 3);
	two_free();
}

/* RC-3: never below the lowest rate of the configuration */
TEST(nic_dcqcn__rate_min_is_kept)
{
	two[0].config.roce.dcqcn.rate_min_bps = GBPS;
	two_build();
	two_run(20 * NODE_US);
	for (uint32_t i = 0; i < 20; i++)
		send_cnp(0);
	ck_assert_uint_eq(tx(0)->rate_min_bps, GBPS);
	check_near(sent_bps(4 * T), GBPS);
	ck_assert_uint_eq(tx(0)->cnps, 20);
	two_free();
}

/* RC-3: the rate of a flow is at most that of its link. So a CNP halves the link's new rate, and a
 * flow that starts later starts with that rate. */
TEST(nic_dcqcn__new_link_rate_is_the_limit)
{
	two_build();
	two_run(20 * NODE_US);
	ck_assert_uint_eq(tx(0)->rate_bps, 100 * GBPS);
	two[0].port.rate_bps = 40 * GBPS;
	link_set(&two[0].link, &two[0].port);
	nicd_ops.link_set(two[0].nic, 0);
	two_run(two_now + 20 * NODE_US);
	check_near(sent_bps(20 * NODE_US), 40 * GBPS);
	send_cnp(0);
	ck_assert_uint_eq(tx(0)->rate_bps, 20 * GBPS);
	check_near(sent_bps(T - NODE_US), 20 * GBPS);
	two_run(two_now + NODE_MS); /* it recovers up to the link's rate */
	check_near(tx(0)->rate_bps, 40 * GBPS);
	check_near(sent_bps(20 * NODE_US), 40 * GBPS);
	two_free();
}

/* marks all packets in flight from host 0 to host 1; a record begins with a line of the ring */
static void mark_all(void)
{
	uint8_t addresses[12], *line = two_rings[0]->data, *end = line + TWO_RING_BYTES;

	memcpy(addresses, two[1].nic->receive.mac, 6);
	memcpy(addresses + 6, two[0].nic->receive.mac, 6);
	for (; line < end; line += RING_LINE)
		if (!memcmp(line + sizeof(struct record), addresses, sizeof(addresses)))
			ck_assert(ecn_mark(line + sizeof(struct record), 34));
}

/* RC-2: a flow whose packets are all marked gets a CNP every 50 us, no more. RC-3: each of them
 * cuts the rate. */
TEST_RANGE(nic_dcqcn__marked_flow_gets_a_cnp_per_interval, 0, 2)
{
	const struct flow_rx_stats *rx;

	two[1].config.roce.dcqcn.cnp_interval_ps = _i ? 0 : 50 * NODE_US;
	two_build();
	rx = stats_flow_rx(two[1].stats, 0);
	while (two_now < 401 * NODE_US) {
		two_run(two_now + TWO_LEAD_PS);
		mark_all();
	}
	ck_assert_uint_eq(rx->marked, rx->packets);
	if (_i) {
		ck_assert_uint_eq(rx->cnps, rx->packets);
	} else {
		ck_assert_uint_ge(rx->cnps, 8);
		ck_assert_uint_le(rx->cnps, 9);
		ck_assert_uint_ge(rx->cnp_gap_min_ps, 50 * NODE_US);
	}
	ck_assert_uint_le(rx->cnps - tx(0)->cnps, 1); /* the last one may be in flight */
	ck_assert_uint_lt(tx(0)->rate_bps, GBPS);
	two_free();
}
