/*  nicd/dataplane: the link of a NIC: STOP and pauses of the peer, losses, malformed frames,
 *  another rate, a full ring (TB-8, TB-13, TB-23, EC-4, FC-17, FC-19). */
#include "nodes/link/link_send.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/nic_pair.h"

TEST_GROUP(nic_link, .setup = setup, .teardown = fabric_free, .timeout_s = 90);

/* TB-13: STOP of the peer makes packets wait at the sender, without loss, and the wait is
 * measured */
TEST(nic_run__stops)
{
	const struct port_stats *port;

	ends[0].workloads[0].messages_max = 50;
	fabric_build();
	for (uint32_t i = 0; i < 4; i++) {
		fabric_run((10 * i + 5) * NODE_US);
		link_stop_set(&ends[1].link, 0, !(i % 2));
		link_send_words(&ends[1].link, (10 * i + 5) * NODE_US, false);
		ck_assert(!link_words_due(&ends[1].link));
	}
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	port = sender_port();
	ck_assert_uint_eq(ends[1].stats->message_count, 50);
	ck_assert_uint_ge(port->paused_ps, 2 * 9 * NODE_US);
	ck_assert_uint_le(port->paused_ps, 2 * 10 * NODE_US);
	/* from the first to the last packet the link was busy or paused */
	ck_assert_uint_eq(port->tx_busy_ps + port->paused_ps,
			  flow_rx(0)->last_ps - LEAD_PS + GAP_BYTES * BYTE_PS);
	fabric_check();
}

/* packets received until @limit */
static uint64_t received_at(node_time_t limit)
{
	fabric_run(limit);
	return ends[1].stats->delivered_packets;
}

/* EC-4: host 1 pauses its link from 10 us to 50 us, for 10 us of every 20 us. Packets in flight
 * still arrive, then none until a round trip after the end of the pause; none is lost. */
TEST(nic_run__pauses)
{
	struct pause_config pause = { .start_ps = 10 * NODE_US,
				      .stop_ps = 50 * NODE_US,
				      .every_ps = 20 * NODE_US,
				      .for_ps = 10 * NODE_US,
				      .classes = 1 };
	const struct port_stats *port;
	uint64_t before, after;

	ends[1].config.nic.pause_count = 1;
	ends[1].config.nic.pauses = &pause;
	ends[0].workloads[0].stop_ps = 100 * NODE_US;
	fabric_build();
	port = sender_port();
	for (node_time_t at = 10 * NODE_US; at < 50 * NODE_US; at += 20 * NODE_US) {
		before = received_at(at);
		after = received_at(at + NODE_US);
		ck_assert_uint_gt(before, 0);
		ck_assert_uint_gt(after, before); /* packets in flight */
		/* the real clock calls it after every turn; without a host it changes nothing */
		nicd_ops.host_deliver(ends[1].nic, at + NODE_US);
		ck_assert_uint_eq(received_at(at + 10 * NODE_US + 2 * LEAD_PS), after);
		ck_assert_uint_gt(received_at(at + 12 * NODE_US), after);
	}
	before = received_at(60 * NODE_US);
	ck_assert_uint_ge(received_at(70 * NODE_US),
			  before + 10 * NODE_US / packet_ps(PACKET_BYTES));
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_ge(port->paused_ps, 2 * 9 * NODE_US);
	ck_assert_uint_le(port->paused_ps, 2 * 10 * NODE_US);
	ck_assert_uint_eq(ends[1].stats->message_count * 10, ends[0].stats->injected_packets);
	fabric_check();
}

/* FC-17: every loss on a guarded link is reported to the NIC that sent the packet, the last one
 * too; nothing stalls */
TEST_RANGE(nic_run__losses_are_reported, 1, 20)
{
	for (uint32_t i = 0; i < 2; i++) {
		ends[i].port.guarded = true;
		ends[i].port.loss_ppb = 50000000;
	}
	ends[0].workloads[0].messages_max = 500;
	ends[0].config.seed = (uint64_t)_i;
	fabric_build();
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[0].stats->injected_packets, 5000);
	ck_assert_uint_gt(sender_port()->lost_packets, 150);
	ck_assert_uint_eq(flow_tx(0)->reported_lost, sender_port()->lost_packets);
	ck_assert_uint_le(flow_rx(0)->lost, sender_port()->lost_packets);
	ck_assert_uint_eq(flow_rx(0)->reordered, 0);
	ck_assert_uint_lt(ends[1].stats->message_count, 500);
	ck_assert_uint_gt(ends[1].stats->message_count, 100);
	fabric_check();
}

/* TB-23: frames of a kind that is not for NICs, and malformed ones, are counted */
TEST(nic_run__bad_frames)
{
	uint8_t ack_frame[64] = { 0 };

	ends[0].config.nic.workload_count = 0;
	fabric_build();
	link_send_acks(&ends[0].link, 0, ack_frame, sizeof(ack_frame), 60);
	memset(link_send_packet(&ends[0].link, 0, 104, 100, 100, 0, 0), 0xff, 100);
	memset(link_send_packet(&ends[0].link, 0, 9224, 9000, 9220, 0, 0), 0xff, 9000);
	ck_assert_uint_eq(fabric_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_MALFORMED], 2);
	ck_assert_uint_eq(ends[1].stats->drops[DROP_OVERSIZE], 1);
	ck_assert_uint_eq(ends[1].stats->delivered_packets, 0);
}

/* FC-19: shares of classes follow the rate of the link: a quarter at most of 200 Gb/s, then of 80
 * Gb/s */
TEST(nic_link_set__class_maximum)
{
	uint64_t before;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].config.class_count = 2;
	ends[0].config.classes[1].max_permille = 250;
	ends[0].workloads[0].traffic_class = 1;
	fabric_build();
	fabric_run(100 * NODE_US);
	before = flow_tx(0)->bytes;
	ck_assert_uint_ge(before * 8, 97 * 50000); /* 50 Gb/s */
	ck_assert_uint_le(before * 8, 103 * 50000);
	ends[0].port.rate_bps = 80000000000;
	link_set(&ends[0].link, &ends[0].port);
	nicd_ops.link_set(ends[0].nic, 0);
	fabric_run(150 * NODE_US); /* the burst that was allowed before is over */
	before = flow_tx(0)->bytes;
	fabric_run(250 * NODE_US);
	/* 20 Gb/s */
	ck_assert_uint_ge((flow_tx(0)->bytes - before) * 8, 97 * 20000);
	ck_assert_uint_le((flow_tx(0)->bytes - before) * 8, 103 * 20000);
}

/* FC-17, FC-26: what a guarded link has not confirmed when it goes down is lost, and reported */
TEST(nic_link_down__unconfirmed_packets)
{
	uint64_t lost;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].port.guarded = true;
	ends[0].workloads[0].messages_max = 5;
	fabric_build();
	fabric_run(2 * NODE_US);
	nicd_ops.link_down(ends[0].nic, 1, 2 * NODE_US); /* there is no such port */
	ck_assert_uint_eq(sender_port()->loss_reports, 0);
	nicd_ops.link_down(ends[0].nic, 0, 2 * NODE_US);
	lost = sender_port()->loss_reports;
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(flow_tx(0)->reported_lost, lost);
	ck_assert_uint_eq(sender_port()->loss_report_units, lost * PACKET_UNITS);
	nicd_ops.link_down(ends[0].nic, 0, 3 * NODE_US);
	ck_assert_uint_eq(sender_port()->loss_reports, lost);
}

/* FC-17: each packet that was on a guarded link when it went down is counted as dropped once, by
 * the end that did not receive it */
TEST(nic_link_down__counts_each_packet_once)
{
	const node_time_t at = 2 * NODE_US;

	for (uint32_t i = 0; i < 2; i++)
		ends[i].port.guarded = true;
	ends[0].workloads[0].messages_max = 5;
	fabric_build();
	fabric_run(at);
	for (uint32_t i = 0; i < 2; i++)
		nicd_ops.link_down(ends[i].nic, 0, at);
	ck_assert_uint_gt(ends[1].stats->delivered_packets, 0);
	ck_assert_uint_gt(ends[1].stats->drops[DROP_LINK_DOWN], 0);
	ck_assert_uint_eq(ends[0].stats->injected_packets,
			  ends[1].stats->delivered_packets + ends[0].stats->drops[DROP_LINK_DOWN] +
				  ends[1].stats->drops[DROP_LINK_DOWN]);
}

/* TB-8, real clock: packets that waited for space in the ring keep the times of the link, which was
 * never idle. So a late peer costs no rate, and the wait is no pause. */
TEST(nic_run__full_ring)
{
	const node_time_t space_at = 5 * NODE_MS;
	uint64_t sent;

	ends[0].config.clock = CLOCK_REAL;
	fabric_build();
	nicd_ops.run(ends[0].nic, NODE_MS);
	link_flush(&ends[0].link, &(bool){ 0 });
	ck_assert(ends[0].link.tx.starved);
	sent = sender_port()->tx_packets;
	ring_refresh(&ends[1].link.rx.ring);
	nicd_ops.run(ends[1].nic, space_at);
	ring_release(&ends[1].link.rx.ring);
	nicd_ops.run(ends[0].nic, space_at + 1);
	link_flush(&ends[0].link, &(bool){ 0 });
	ck_assert_uint_gt(sender_port()->tx_packets, sent + 100);
	ck_assert_uint_eq(sender_port()->tx_busy_ps, ends[0].link.tx.busy_until_ps);
	ck_assert_uint_eq(ends[0].link.tx.last_at_ps + packet_ps(PACKET_BYTES),
			  ends[0].link.tx.busy_until_ps + LEAD_PS);
	ck_assert_uint_eq(sender_port()->paused_ps, 0);
}

/* FC-19: a class that waits at its maximum, 250 kb/s, may send at once when the rate rises */
TEST(nic_link_set__ends_a_wait_at_the_maximum)
{
	const node_time_t set_at = 900 * NODE_MS;
	uint64_t sent;

	ends[0].config.class_count = 2;
	ends[0].config.classes[1].max_permille = 250;
	ends[0].port.rate_bps = 1000000;
	ends[0].workloads[0].traffic_class = 1;
	fabric_build();
	nicd_ops.run(ends[0].nic, set_at);
	sent = sender_port()->tx_packets;
	ends[0].port.rate_bps = RATE_BPS;
	link_set(&ends[0].link, &ends[0].port);
	nicd_ops.link_set(ends[0].nic, 0);
	nicd_ops.run(ends[0].nic, set_at + 1);
	link_flush(&ends[0].link, &(bool){ 0 });
	ck_assert_uint_eq(sender_port()->tx_packets, sent + 1);
	ck_assert_uint_eq(ends[0].link.tx.last_at_ps, set_at + LEAD_PS);
}
