/*  nicd/dataplane: FGFC frames pause single flows of a NIC (EC-15 to EC-17); end 1 acts as the edge
 *  switch. */
#include "nodes/link/link_send.h"
#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/nic_pair.h"

/* two closed loops to host 1, of flows 0 and 1 */
static void two_flows(void)
{
	ends[0].config.nic.workload_count = 2;
	fabric_build();
}

static inline uint64_t sent(uint32_t slot)
{
	return flow_tx(slot)->packets;
}

TEST_GROUP(nic_fgfc, .setup = setup, .teardown = fabric_free, .timeout_s = 90);

/* one flow is paused, the other one has the whole link; then they share it again */
TEST(nic_fgfc__others_at_full_rate)
{
	uint64_t before;

	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(PAUSE_PS);
	ck_assert_uint_eq(sender_port()->fgfc_frames, 1);
	ck_assert_uint_eq(sender_port()->fgfc_held, 1);
	ck_assert_uint_le(sent(0), 2); /* before it arrived */
	ck_assert_uint_ge((sent(0) + sent(1)) * packet_ps(PACKET_BYTES), PAUSE_PS);
	ck_assert_uint_eq(sender_port()->paused_ps, 0);
	before = sent(1);
	fabric_run(3 * PAUSE_PS);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
	ck_assert_uint_ge(sent(0) * 2 * packet_ps(PACKET_BYTES) + NODE_US, 2 * PAUSE_PS);
	ck_assert_uint_ge((sent(1) - before) * 2 * packet_ps(PACKET_BYTES) + NODE_US, 2 * PAUSE_PS);
	ck_assert_uint_eq(flow_rx(0)->reordered + flow_rx(1)->reordered, 0);
}

/* a paused flow sends its credit, up to the packet that takes the last unit */
TEST_RANGE(nic_fgfc__credit, 0, 4)
{
	static const uint32_t packets[] = { 1, 1, 2, 3 };
	static const uint32_t credit[] = { 1, PACKET_UNITS, PACKET_UNITS + 1, 3 * PACKET_UNITS };
	uint64_t before;

	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	before = sent(0);
	fgfc_send(0, MATCH_ALL, 10 * NODE_US, PAUSE_PS, credit[_i]);
	fabric_run(100 * NODE_US);
	ck_assert_uint_eq(sent(0) - before, packets[_i]);
	ck_assert_uint_eq(sender_port()->fgfc_held, 1);
}

/* samples of a flow that is paused, with what it has queued, and of one that is not */
TEST(nic_fgfc__samples)
{
	const node_time_t at = 20 * NODE_US;
	struct stats_page *stats;
	uint64_t queued;

	ends[0].config.sample_ps = 10 * NODE_US;
	ends[0].config.series = true;
	ends[0].workloads[1].window = 2; /* it has data at any time */
	two_flows();
	stats = ends[0].stats;
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(at + NODE_US);
	ck_assert_uint_eq(series_at(stats, at, SERIES_FLOW_HELD, 0, 0), 1);
	ck_assert_uint_eq(series_at(stats, at, SERIES_FLOW_HELD, 0, 1), 0);
	ck_assert_uint_eq(series_at(stats, at, SERIES_FLOW_ALLOWED_RATE_BPS, 0, 0), 0);
	ck_assert_uint_eq(series_at(stats, at, SERIES_FLOW_ALLOWED_RATE_BPS, 0, 1), RATE_BPS);
	ck_assert_uint_eq(series_at(stats, at, SERIES_ALLOWED_RATE_SUM_BPS, 0, 0), RATE_BPS);
	ck_assert_uint_eq(series_at(stats, at, SERIES_ALLOWED_RATE_MIN_BPS, 0, 0), RATE_BPS);
	ck_assert_uint_eq(series_at(stats, at, SERIES_FGFC_HELD, 0, 0), 1);
	/* the window is one message: what of it was not sent before the pause */
	ck_assert_uint_eq(series_at(stats, at, SERIES_FLOW_SENT_BYTES, 0, 0),
			  sent(0) * PACKET_BYTES);
	queued = series_at(stats, at, SERIES_FLOW_QUEUED_BYTES, 0, 0);
	ck_assert_uint_eq(queued, (10 - sent(0)) * CAPACITY_BYTES);
	ck_assert_uint_gt(queued, 0);
}

TEST(nic_fgfc__end_frame)
{
	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	ck_assert_uint_le(sent(0), 2);
	fgfc_send(0, MATCH_ALL, 10 * NODE_US, 0, 0);
	fabric_run(20 * NODE_US);
	ck_assert_uint_ge(sent(0), 20);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
	fgfc_send(0, MATCH_ALL, 20 * NODE_US, 0, 0); /* again: there is no pause */
	fabric_run(21 * NODE_US);
	ck_assert_uint_eq(sender_port()->fgfc_frames, 3);
}

/* a flow without packets is paused as well, and the flows of a group share its credit */
TEST(nic_fgfc__group)
{
	uint64_t before;

	ends[0].workloads[1].start_ps = 5 * NODE_US;
	two_flows();
	fgfc_send(0, MATCH_IP_PAIR, 0, PAUSE_PS, 0);
	fabric_run(10 * NODE_US);
	before = sent(0);
	ck_assert_uint_le(before, 3);
	ck_assert_uint_eq(sent(1), 0);
	for (uint32_t i = 0; i < 4; i++) {
		fgfc_send(0, MATCH_IP_PAIR, (10 + 2 * i) * NODE_US, PAUSE_PS, PACKET_UNITS);
		fabric_run((12 + 2 * i) * NODE_US);
	}
	ck_assert_uint_eq(sent(0) - before, 2);
	ck_assert_uint_eq(sent(1), 2);
}

/* a table of two entries: the third flow is not paused, the two stay paused */
TEST(nic_fgfc__table_full)
{
	two_flows();
	fgfc_send(0, MATCH_ALL, 0, PAUSE_PS, 0);
	fgfc_send(9, MATCH_ALL, 0, PAUSE_PS, 0);
	fgfc_send(1, MATCH_ALL, 0, PAUSE_PS, 0);
	fabric_run(50 * NODE_US);
	ck_assert_uint_eq(sender_port()->fgfc_refused, 1);
	ck_assert_uint_eq(sender_port()->fgfc_held, 2);
	ck_assert_uint_le(sent(0), 3);
	ck_assert_uint_ge(sent(1), 250);
}

TEST(nic_fgfc__malformed)
{
	uint8_t bytes[FGFC_MASKED_BYTES + 1] = { 0 };

	two_flows();
	link_send_fgfc(&ends[1].link, 0, bytes, FGFC_FRAME_BYTES);
	link_send_fgfc(&ends[1].link, 0, bytes, 60);
	link_send_fgfc(&ends[1].link, 0, bytes, sizeof(bytes)); /* longer than any */
	fabric_run(10 * NODE_US);
	ck_assert_uint_eq(ends[0].stats->drops[DROP_MALFORMED], 3);
	ck_assert_uint_eq(sender_port()->fgfc_frames, 3);
	ck_assert_uint_eq(sender_port()->fgfc_held, 0);
}
