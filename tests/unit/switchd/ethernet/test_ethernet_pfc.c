/*  switchd/ethernet/ethernet_pause: PFC and PAUSE frames, sent and obeyed, headroom, and the
 *  watchdog of classes that stay paused (RC-5, TB-23). */
#include "nodes/stats/trace.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

TEST_GROUP(pfc, .setup = ethernet_setup, .teardown = teardown);

/* ---- XOFF and XON of this switch ---- */

/* RC-5: XOFF at the first byte above xoff, XON at xon_offset bytes less, XOFF again while the queue
 * stays above; at the exact times */
TEST(pfc__xoff_and_xon)
{
	struct pause_frame frame;
	node_time_t at;

	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 10);
	one_switch_run(&s, 20 * FULL_PS);
	ck_assert(!pause_receive(0, &frame));
	at = roce_send(0, 20 * FULL_PS, 1, 0, ROCE, SMALL_BYTES);
	one_switch_run(&s, 40 * FULL_PS);
	ck_assert(pause_receive(0, &frame));
	ck_assert(!frame.port);
	ck_assert_uint_eq(frame.enabled, 1 << ROCE);
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(got.header.at_ps, at + 100 * BYTE_PS + LEAD);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, at + 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_first_ps, at + 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(0, ROCE)->waits_for, 1 << 1);
	ck_assert_uint_eq(class_of(0, ROCE)->input_bytes, 10100);
	ck_assert_uint_eq(class_of(0, ROCE)->headroom_bytes_max, 0);
	/* half of 65535 quanta of 512 bits at 200 Gb/s: 84 us */
	one_switch_run(&s, 100 * NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.quanta[ROCE], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, at + 100 * BYTE_PS);
	/* the third packet makes it 7100: below 8000 */
	port_unblock(1, 101 * NODE_US);
	one_switch_run(&s, FAR);
	ck_assert(pause_receive(0, &frame));
	ck_assert_uint_eq(frame.enabled, 1 << ROCE);
	ck_assert_uint_eq(frame.quanta[ROCE], 0);
	ck_assert_uint_eq(got.header.at_ps, 101 * NODE_US + 2 * FULL_PS + LEAD);
	ck_assert(!pause_receive(0, &frame));
	ck_assert_uint_eq(class_of(0, ROCE)->xoff_since_ps, 0);
	ck_assert_uint_eq(class_of(0, ROCE)->waits_for, 0);
	ck_assert_uint_eq(stats_of(0)->pauses_sent, 3);
	books_expect(0);
}

/* RC-5: what arrives after XOFF in the worst case fits into the headroom, to the last byte; one
 * frame more is dropped and counted */
TEST(pfc__headroom)
{
	struct pause_frame frame;
	const uint32_t late = HEADROOM_BYTES / 1000;

	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_US);
	ck_assert(pause_receive(0, &frame));
	burst_send(0, NODE_US, 1, ROCE, late);
	one_switch_run(&s, 10 * NODE_US);
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(class_of(0, ROCE)->headroom_bytes_max, late * 1000);
	books_expect(11 + late);
	burst_send(0, 10 * NODE_US, 1, ROCE, 1);
	one_switch_run(&s, 20 * NODE_US);
	ck_assert_uint_eq(drops(DROP_HEADROOM), 1);
	ck_assert_uint_eq(class_of(0, ROCE)->drops, 1);
	ck_assert_uint_eq(stats_of(0)->dropped_bytes, FULL_BYTES);
	books_expect(11 + late);
}

/* without PFC there is no lossless class: packets above the limit are dropped, and no PAUSE is
 * sent */
TEST(pfc__off)
{
	struct pause_frame frame;

	s.config.roce.pfc = false;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	s.config.roce.classes[ROCE].queue_bytes_max = 20000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 30);
	one_switch_run(&s, NODE_MS);
	ck_assert(!pause_receive(0, &frame));
	ck_assert_uint_eq(drops(DROP_QUEUE_FULL), 10);
	ck_assert_uint_eq(class_of(1, ROCE)->drops, 10);
	ck_assert_uint_eq(class_of(1, ROCE)->queue_bytes_max, 20000);
	books_expect(20);
}

/* RC-5: in PAUSE mode the whole port is paused, not a class */
TEST(pfc__pause_mode)
{
	struct pause_frame frame;

	s.config.roce.pause = true;
	s.config.roce.classes[ROCE].xoff_bytes = 10000;
	one_switch_open(&s);
	port_block(1);
	burst_send(0, 0, 1, ROCE, 11);
	one_switch_run(&s, NODE_US);
	ck_assert(pause_receive(0, &frame));
	ck_assert(frame.port);
	ck_assert_uint_eq(frame.quanta[0], PAUSE_QUANTA_MAX);
}

/* ---- XOFF and XON of the peer ---- */

/* RC-5: a PFC frame pauses its class alone, for its time; the class resumes after it, or when XON
 * arrives */
TEST(pfc__obeyed)
{
	node_time_t paused_from;

	one_switch_open(&s);
	paused_from = pfc_send(1, 0, ROCE, 100) + PAUSE_PS; /* 256 ns */
	roce_send(0, paused_from, 1, 0, ROCE, SMALL_BYTES);
	roce_send(0, paused_from, 1, 0, TCP, 100);
	one_switch_run(&s, FAR);
	packet_expect(1, 100);
	packet_expect_at(1, SMALL_BYTES, paused_from + 100 * 512 * 5 + LEAD);
	ck_assert_uint_eq(stats_of(1)->pauses_received, 1);
	ck_assert_uint_eq(class_of(1, ROCE)->paused_ps, 100 * 512 * 5 - 100 * BYTE_PS);
	ck_assert_uint_eq(class_of(1, ROCE)->paused_since_ps, 0);
	ck_assert_uint_eq(class_of(1, TCP)->paused_ps, 0);
	/* XON before the end */
	pfc_send(1, 10 * NODE_US, ROCE, 60000);
	roce_send(0, 11 * NODE_US, 1, 0, ROCE, SMALL_BYTES);
	paused_from = pfc_send(1, 12 * NODE_US, ROCE, 0);
	one_switch_run(&s, FAR);
	packet_expect_at(1, SMALL_BYTES, paused_from + PAUSE_PS + LEAD);
	books_expect(0);
}

TEST(pfc__pause_stops_all)
{
	node_time_t until = PAUSE_PS + 100 * 512 * 5;

	one_switch_open(&s);
	pause_send(1, 0, &(struct pause_frame){ .port = true, .quanta = { 100 } });
	roce_send(0, PAUSE_PS, 1, 0, TCP, 100);
	roce_send(0, 0, 1, 0, CNP, SMALL_BYTES);
	one_switch_run(&s, until);
	no_packet_expect(1);
	ck_assert_uint_gt(class_of(1, CNP)->paused_since_ps, 0);
	one_switch_run(&s, FAR);
	packet_expect_at(1, 100, until + LEAD);
	packet_expect(1, SMALL_BYTES);
	ck_assert_uint_eq(stats_of(1)->paused_ps, until - PAUSE_PS - 104 * BYTE_PS);
}

/* TB-23: frames that are no PAUSE frames are counted, and records of another kind of fabric */
TEST(pfc__malformed)
{
	uint8_t bytes[PAUSE_FRAME_BYTES] = { 0 };

	one_switch_open(&s);
	neighbour_send_frame(&s, 1, 0, RECORD_PAUSE, 64, 0, bytes, sizeof(bytes));
	neighbour_send_frame(&s, 1, 0, RECORD_PAUSE, 64, 0, bytes, 3);
	neighbour_send_frame(&s, 1, 0, RECORD_ACKS, 64, 0, bytes, sizeof(bytes));
	neighbour_send_frame(&s, 1, 0, RECORD_PACKET, 64, 0, bytes, sizeof(bytes));
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(drops(DROP_MALFORMED), 2);
	ck_assert_uint_eq(drops(DROP_BAD_RECORD), 1);
	ck_assert_uint_eq(stats_of(1)->pauses_received, 0);
	books_expect(0);
}

/* RC-5: a peer that pauses a class for ever is reported once, and again only after a break */
TEST_RANGE(pfc__watchdog, 0, 2)
{
	uint32_t port = (uint32_t)_i;

	s.config.roce.watchdog_ps = 500 * NODE_US;
	one_switch_open(&s);
	roce_send(!port, 0, port, 0, ROCE, SMALL_BYTES);
	for (node_time_t at = 0; at < 1500 * NODE_US; at += 100 * NODE_US)
		pfc_send(port, at, ROCE, PAUSE_QUANTA_MAX); /* 168 us */
	one_switch_run(&s, 499 * NODE_US);
	ck_assert_uint_eq(class_of(port, ROCE)->stuck, 0);
	one_switch_run(&s, 1400 * NODE_US);
	ck_assert_uint_eq(class_of(port, ROCE)->stuck, 1);
	ck_assert_uint_ge(class_of(port, ROCE)->paused_ps,
			  1290 * NODE_US); /* counted up to the last PFC frame */
	ck_assert_uint_eq(stats_trace(s.stats, s.stats->trace.count - 1)->kind, TRACE_STUCK);
	ck_assert_uint_eq(stats_trace(s.stats, s.stats->trace.count - 1)->port, port);
	ck_assert_uint_eq(stats_trace(s.stats, s.stats->trace.count - 1)->value, 500); /* us */
	/* the only event left is the end of the measured interval */
	ck_assert_uint_eq(one_switch_run(&s, FAR), NODE_S - 1);
	packet_expect(port, SMALL_BYTES);
	ck_assert_uint_eq(class_of(port, ROCE)->stuck, 1);
	books_expect(0);
}

/* two ports that are paused for ever from different times on: each is reported after its own */
TEST(pfc__watchdog_of_two_ports)
{
	s.config.roce.watchdog_ps = 500 * NODE_US;
	one_switch_open(&s);
	for (node_time_t at = 0; at < 1000 * NODE_US; at += 100 * NODE_US) {
		pfc_send(0, at, ROCE, PAUSE_QUANTA_MAX);
		if (at >= 200 * NODE_US)
			pfc_send(1, at, ROCE, PAUSE_QUANTA_MAX);
	}
	roce_send_from(2, 2, 0, 0, 0, ROCE, SMALL_BYTES);
	roce_send_from(3, 4, 200 * NODE_US, 1, 0, ROCE, SMALL_BYTES);
	one_switch_run(&s, 499 * NODE_US);
	ck_assert_uint_eq(class_of(0, ROCE)->stuck, 0);
	one_switch_run(&s, 699 * NODE_US);
	ck_assert_uint_eq(class_of(0, ROCE)->stuck, 1);
	ck_assert_uint_eq(class_of(1, ROCE)->stuck, 0);
	one_switch_run(&s, 702 * NODE_US);
	ck_assert_uint_eq(class_of(0, ROCE)->stuck, 1);
	ck_assert_uint_eq(class_of(1, ROCE)->stuck, 1);
	ck_assert_uint_eq(one_switch_run(&s, FAR), NODE_S - 1);
	books_expect(0);
}
