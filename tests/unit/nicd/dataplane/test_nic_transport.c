/*  nicd/dataplane with queue pairs: two NICs back to back (RC-2, RC-4, RC-5, RC-11). two_nics.h has
 *  the drawing. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nicd/transport/queue_pair.h"
#include "nodes/base/bytes.h"
#include "nodes/base/random.h"
#include "nodes/link/link_send.h"
#include "tests/series_ring.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define CAPACITY_BYTES TWO_PATH_MTU

/* ---- a link without losses ---- */

TEST_GROUP(nic_transport, .setup = two_setup, .timeout_s = 120);

/* RC-4: a message is complete for its sender when it is acknowledged. Only then does a closed loop
 * start the next one. */
TEST(nic_transport__completion_at_the_ack)
{
	/* with FCS and gap */
	const node_time_t packets_ps = 10 * (TWO_FRAME_BYTES + 24) * TWO_BYTE_PS;
	const node_time_t ack_ps = (62 + 4) * TWO_BYTE_PS;

	two[0].workloads[0].message_bytes = 10 * CAPACITY_BYTES;
	two[0].workloads[0].messages_max = 2;
	two_build();
	ck_assert_uint_eq(two_run(NODE_S), NODE_TIME_NEVER);
	two_check_delivered(1, 2);
	ck_assert_uint_eq(stats_message(two[1].stats, 0)->end_ps,
			  packets_ps - TWO_GAP_BYTES * TWO_BYTE_PS + TWO_LEAD_PS);
	ck_assert_uint_eq(stats_message(two[1].stats, 1)->start_ps,
			  packets_ps - TWO_GAP_BYTES * TWO_BYTE_PS + 2 * TWO_LEAD_PS + ack_ps);
	ck_assert_uint_eq(two_tx(0)->packets, 20);
	ck_assert_uint_eq(two_tx(0)->resent + two_tx(0)->timeouts + two_tx(0)->naks, 0);
	ck_assert_uint_eq(two[1].stats->injected_packets, 2); /* one ACK per message */
	two_free();
}

/* RC-4: with two messages in flight the link never waits for an ACK */
TEST(nic_transport__window_of_two_fills_the_link)
{
	two[0].workloads[0].message_bytes = 50 * CAPACITY_BYTES;
	two[0].workloads[0].window = 2;
	two[0].workloads[0].stop_ps = NODE_MS;
	two_build();
	two_run(NODE_MS);
	ck_assert_uint_ge(stats_port(two[0].stats, 0)->tx_busy_ps, NODE_MS - NODE_NS);
	two_run(NODE_S);
	two_check_delivered(1, two[0].nic->workloads.workloads[0].started);
	two_free();
}

/* every connection of a closed loop has its own window; IPv6 as well */
TEST(nic_transport__each_connection_has_a_window)
{
	const uint32_t connections = 1000;

	two[0].workloads[0].frame = FRAME_ROCE_IPV6;
	two[0].workloads[0].connections = connections;
	two[0].workloads[0].packet_bytes = TWO_FRAME_BYTES + 20;
	two[0].workloads[0].message_bytes = 3 * CAPACITY_BYTES;
	two[0].workloads[0].stop_ps = 2 * NODE_MS;
	two_build();
	two_run(NODE_S);
	two_check_delivered(connections, two[0].nic->workloads.workloads[0].started);
	for (uint32_t i = 0; i < connections; i++) {
		ck_assert_uint_eq(two_tx(i)->connection, i);
		/* they share the link fairly */
		ck_assert_uint_ge(two_tx(i)->packets + 3, two_tx(0)->packets);
		ck_assert_uint_le(two_tx(i)->packets, two_tx(0)->packets + 3);
	}
	ck_assert_uint_ge(two_tx(0)->messages, 7);
	two_free();
}

/* arrivals of an open loop use the connections in turn, with or without a transport */
TEST_RANGE(nic_transport__connections_in_turn, 0, 2)
{
	two[0].workloads[0].arrival = ARRIVAL_PACED;
	two[0].workloads[0].load_permille = 500;
	two[0].workloads[0].connections = 4;
	two[0].workloads[0].messages_max = 10;
	two[0].workloads[0].transport = _i ? TRANSPORT_RC : TRANSPORT_NONE;
	two_build();
	two_run(NODE_S);
	ck_assert_uint_eq(two[0].stats->flow_tx_count, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(two_tx(i)->messages, i < 2 ? 3 : 2);
	two_check_delivered(4, 10);
	two_free();
}

/* ---- losses ---- */

/* RC-4: up to a tenth of all frames is lost in both directions: data, ACKs, NAKs. Everything
 * arrives exactly once and in order. */
TEST_RANGE(nic_transport__lossy_link_exactly_once, 0, 40)
{
	struct random random;

	random_init(&random, 1000 + (uint64_t)_i, 0);
	for (uint32_t i = 0; i < 2; i++) {
		two[i].config.seed = 100 + 2 * (uint64_t)_i + i;
		two[i].port.loss_ppb = (uint32_t)random_below(&random, 100000000);
		two[i].config.roce.queue_pair.ack_packets = 1 + (uint32_t)random_below(&random, 20);
		two[i].config.roce.queue_pair.window_bytes = random_below(&random, 3) * 10000;
		two[i].config.roce.queue_pair.timeout_ps = 20 * NODE_US;
		two[i].config.roce.queue_pair.retries = 1000;
	}
	two[0].workloads[0].connections = 1 + (uint32_t)random_below(&random, 5);
	two[0].workloads[0].window = 1 + (uint32_t)random_below(&random, 4);
	two[0].workloads[0].message_bytes = 1 + random_below(&random, 40000);
	two[0].workloads[0].messages_max = 200;
	two[1].config.nic.workload_count = (uint32_t)_i & 1; /* in the other direction, too */
	two[1].workloads[0].messages_max = 100;
	two_build();
	ck_assert_uint_eq(two_run(10 * NODE_S), NODE_TIME_NEVER);
	two_check_delivered(two[0].workloads[0].connections, 200);
	if (_i & 1)
		ck_assert_uint_eq(stats_flow_rx(two[0].stats, 0)->messages, 100);
	two_free();
}

/* both ends begin at high numbers, as if so many packets had passed their queue pair */
static void far_on(uint64_t packets)
{
	struct transport_flow *flow = &two[0].nic->transport.flows[0];

	ck_assert_uint_eq(flow->acknowledged, flow->end);
	flow->acknowledged += packets;
	flow->next += packets;
	flow->top += packets;
	flow->end += packets;
	flow->ack_asked += (uint32_t)packets;
	two[1].nic->replies.responders[0].expected = (uint32_t)flow->next & ROCE_PSN_MASK;
	two[1].nic->receive.flows[0].packet += (uint32_t)packets;
}

/* RC-4: PSNs wrap at 2^24, packet numbers at 2^32, within a message and among losses */
TEST_RANGE(nic_transport__numbers_wrap, 0, 2)
{
	two[0].workloads[0].arrival = ARRIVAL_BURST;
	two[0].workloads[0].burst_messages = 1;
	two[0].workloads[0].burst_period_ps = NODE_MS;
	two[0].workloads[0].messages_max = 2;
	two[0].workloads[0].message_bytes = 300 * CAPACITY_BYTES;
	two[0].config.roce.queue_pair.timeout_ps = 20 * NODE_US;
	two[0].config.roce.queue_pair.retries = 1000;
	two[0].port.loss_ppb = two[1].port.loss_ppb = 20000000;
	two_build();
	two_run(NODE_MS - NODE_US);
	far_on((_i ? 1ull << 32 : 1 << 24) - 450);
	two_run(NODE_S);
	ck_assert_uint_gt(two_tx(0)->resent, 0);
	ck_assert_uint_eq(two_tx(0)->packets - two_tx(0)->resent, 600);
	two_check_delivered(1, 2);
	two_free();
}

/* RC-4: without an answer the queue pair gives up after its retries. Waiting messages are
 * discarded, and the fabric becomes idle. */
TEST(nic_transport__gives_up_after_its_retries)
{
	two[0].port.loss_ppb = 1000000000;
	two[0].workloads[0].window = 3;
	two_build();
	ck_assert_uint_eq(two_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(two_tx(0)->in_error, 1);
	ck_assert_uint_eq(two_tx(0)->timeouts, 8);
	ck_assert_uint_eq(two_tx(0)->resent, 7 * 30); /* three messages of 10 packets */
	ck_assert_uint_eq(two[0].nic->transport.discarded, 3);
	ck_assert_uint_eq(two[0].nic->transport.pool.count, 0);
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->queue_bytes, 0);
	two_free();
}

/* ---- PFC ---- */

/* sends a PFC frame of host 1 for class 0 over the link */
static void pfc_send(uint16_t quanta)
{
	struct pause_frame frame = { .enabled = 1, .quanta = { quanta } };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	pause_frame_write(&frame, two[1].nic->receive.mac, bytes);
	link_send_pause(&two[1].link, two_now, bytes, sizeof(bytes));
	ck_assert_uint_ne(link_flush(&two[1].link, &(bool){ 0 }), NODE_TIME_NEVER);
}

/* RC-11: the class is paused for the given time, then resumes */
TEST(nic_transport__pfc_pauses_until_it_expires)
{
	const node_time_t pause_ps = 65535 * pfc_quantum_ps(TWO_RATE_BPS); /* 335 us */
	uint64_t sent;

	two[0].workloads[0].window = 2;
	two[0].workloads[0].stop_ps = NODE_MS;
	two_build();
	two_run(100 * NODE_US);
	pfc_send(65535);
	two_run(110 * NODE_US);
	sent = two[0].stats->injected_packets;
	ck_assert_uint_eq(two_run(100 * NODE_US + pause_ps),
			  100 * NODE_US + pause_ps + TWO_LEAD_PS + 64 * TWO_BYTE_PS);
	ck_assert_uint_eq(two[0].stats->injected_packets, sent);
	two_run(NODE_S);
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->pauses_received, 1);
	ck_assert_uint_eq(stats_class(two[0].stats, 0, 0)->paused_ps, pause_ps);
	ck_assert_uint_gt(stats_port(two[0].stats, 0)->paused_ps,
			  pause_ps -
				  /* a frame was being sent */
				  (TWO_FRAME_BYTES + 24) * TWO_BYTE_PS);
	two_check_delivered(1, two[0].nic->workloads.workloads[0].started);
	ck_assert_uint_eq(two_tx(0)->timeouts, 0);
	two_free();
}

/* RC-11: XON ends the pause at once */
TEST(nic_transport__pfc_xon_resumes)
{
	two[0].workloads[0].window = 2;
	two[0].workloads[0].stop_ps = NODE_MS;
	two_build();
	two_run(100 * NODE_US);
	pfc_send(65535);
	two_run(150 * NODE_US);
	pfc_send(0);
	two_run(NODE_S);
	ck_assert_uint_eq(stats_class(two[0].stats, 0, 0)->paused_ps, 50 * NODE_US);
	two_check_delivered(1, two[0].nic->workloads.workloads[0].started);
	two_free();
}

/* RC-5: `pauses` make the NIC send XOFF, again after half a pause time, and XON. The sender sends
 * nothing meanwhile. */
TEST(nic_transport__pauses_are_pfc)
{
	two[1].config.nic.pause_count = 1;
	two[1].pauses[0] = (struct pause_config){ .start_ps = 200 * NODE_US,
						  .stop_ps = NODE_S,
						  .every_ps = NODE_S,
						  .for_ps = 500 * NODE_US,
						  .classes = 1 };
	two[0].workloads[0].window = 2;
	two[0].workloads[0].stop_ps = NODE_MS;
	two[0].config.roce.queue_pair.timeout_ps = 10 * NODE_MS;
	two_build();
	two_run(NODE_S);
	/* XOFF at 200, 368, 536 us; XON */
	ck_assert_uint_eq(stats_port(two[1].stats, 0)->pauses_sent, 4);
	ck_assert_uint_eq(stats_port(two[0].stats, 0)->pauses_received, 4);
	ck_assert_uint_ge(stats_class(two[0].stats, 0, 0)->paused_ps, 499 * NODE_US);
	ck_assert_uint_le(stats_class(two[0].stats, 0, 0)->paused_ps, 501 * NODE_US);
	ck_assert_uint_eq(stats_class(two[1].stats, 0, 0)->xoff_since_ps, 0);
	ck_assert_uint_eq(stats_class(two[1].stats, 0, 0)->xoff_first_ps, 200 * NODE_US);
	two_check_delivered(1, two[0].nic->workloads.workloads[0].started);
	two_free();
}

/* the class of CNPs is paused, too: only answers wait */
TEST(nic_transport__paused_answers_wait)
{
	const node_time_t pause_ps = 10000 * pfc_quantum_ps(TWO_RATE_BPS);

	two[0].workloads[0].messages_max = 3;
	two[0].config.roce.queue_pair.timeout_ps = NODE_MS;
	two_build();
	two[1].nic->pfc.gate.until_ps[0] = pause_ps; /* host 1 may not send ACKs */
	two_run(NODE_S);
	ck_assert_uint_ge(stats_message(two[1].stats, 1)->start_ps, pause_ps + TWO_LEAD_PS);
	ck_assert_uint_gt(stats_class(two[1].stats, 0, 0)->paused_ps, pause_ps - 10 * NODE_US);
	two_check_delivered(1, 3);
	two_free();
}

/* RC-11: a pause applies to frames of an attached host, too */
TEST(nic_transport__paused_host_frames_wait)
{
	const node_time_t pause_ps = 10000 * pfc_quantum_ps(TWO_RATE_BPS);
	struct frame_spec spec = { .kind = FRAME_ETHERNET,
				   .destination = 1,
				   .frame_bytes = FRAME_BYTES_MIN };
	struct frame_payload payload = {
		.message_bytes = 1, .payload_bytes = 1, .message_first = true, .message_last = true
	};
	uint8_t message[sizeof(struct virtio_net_hdr) + FRAME_HEADERS_MAX] = { 0 };
	int sockets[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sockets), 0);
	two[0].config.nic.host_queues = 1;
	two[0].config.nic.workload_count = 0;
	two_build();
	ck_assert_int_eq(nicd_ops.host_open(two[0].nic, sockets, 1), 0);
	two[0].nic->pfc.gate.until_ps[0] = pause_ps;
	frame_write(&spec, &payload, message + sizeof(struct virtio_net_hdr));
	ck_assert_int_eq(
		send(sockets[1], message, sizeof(struct virtio_net_hdr) + FRAME_BYTES_MIN, 0),
		sizeof(struct virtio_net_hdr) + FRAME_BYTES_MIN);
	ck_assert(nicd_ops.host_receive(two[0].nic, &(uint32_t){ 1 }, two_now));
	two_run(NODE_S);
	ck_assert_uint_eq(two[0].stats->host_tx_packets, 1);
	ck_assert_uint_eq(two_rx(0)->first_ps,
			  pause_ps + TWO_LEAD_PS + (FRAME_BYTES_MIN + 4) * TWO_BYTE_PS);
	ck_assert_uint_eq(stats_class(two[0].stats, 0, 0)->paused_ps, pause_ps);
	two_free();
	close(sockets[1]);
}

/* RC-11: PAUSE pauses all classes; a class that is paused for long is reported */
TEST(nic_transport__pause_stops_all_classes)
{
	struct pause_frame frame = { .port = true, .quanta = { 65535 } };
	uint8_t bytes[PAUSE_FRAME_BYTES];

	two[0].workloads[0].stop_ps = NODE_MS;
	two[0].config.roce.watchdog_ps = 300 * NODE_US;
	two[0].config.roce.queue_pair.timeout_ps = NODE_MS;
	two_build();
	two_run(10 * NODE_US);
	pause_frame_write(&frame, two[1].nic->receive.mac, bytes);
	link_send_pause(&two[1].link, two_now, bytes, sizeof(bytes));
	two_run(20 * NODE_US);
	ck_assert_uint_eq(pfc_gate_paused(&two[0].nic->pfc.gate, two_now), 0xff);
	two_run(NODE_S);
	ck_assert_uint_eq(stats_class(two[0].stats, 0, 0)->stuck, 1);
	ck_assert_uint_eq(stats_class(two[0].stats, 0, 0)->paused_since_ps, 0);
	two_check_delivered(1, two[0].nic->workloads.workloads[0].started);
	two_free();
}

/* ---- frames that the test injects ---- */

/* a frame of @length bytes arrives at host @to */
static void inject(uint32_t to, const uint8_t *bytes, uint32_t length)
{
	uint8_t *at = link_send_packet(&two[!to].link, two_now, length + 4, length, length, 0, 0);

	ck_assert_ptr_nonnull(at);
	memcpy(at, bytes, length);
	two[!to].stats->injected_packets++; /* for the balance of injected packets */
}

/* Injects an answer as host 1 would send it for queue pair @queue_pair of host 0. */
static struct roce_reply answer_of(uint32_t queue_pair)
{
	return (struct roce_reply){ .ends = two[1].nic->replies.responders[0].ends,
				    .queue_pair = queue_pair,
				    .psn = 5,
				    .syndrome = ROCE_SYNDROME_NAK_PSN };
}

/* RC-2, RC-4: a CNP reaches its queue pair. An answer with a wrong ICRC, another sender or an
 * unknown queue pair is rejected. */
TEST(nic_transport__answers_are_checked)
{
	struct roce_reply reply;
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	uint32_t length;

	two[0].workloads[0].messages_max = 1;
	two_build();
	two_run(NODE_MS);
	reply = answer_of(ROCE_REQUESTER | 0);
	inject(0, bytes, roce_cnp_write(&reply, bytes));
	two_run(2 * NODE_MS);
	ck_assert_uint_eq(two_tx(0)->cnps, 1);
	length = roce_cnp_write(&reply, bytes);
	bytes[length - 1] ^= 1;
	inject(0, bytes, length);
	two_run(3 * NODE_MS);
	ck_assert_uint_eq(two[0].stats->drops[DROP_BAD_ICRC], 1);
	reply = answer_of(ROCE_REQUESTER | 1);
	inject(0, bytes, roce_cnp_write(&reply, bytes));
	reply = answer_of(ROCE_REQUESTER | (QUEUE_PAIR_SLOTS_MAX - 1));
	inject(0, bytes, roce_ack_write(&reply, bytes));
	reply = answer_of(ROCE_REQUESTER | 0);
	reply.ends.source_mac[5]++;
	inject(0, bytes, roce_ack_write(&reply, bytes));
	two_run(4 * NODE_MS);
	ck_assert_uint_eq(two[0].stats->drops[DROP_UNKNOWN_FLOW], 3);
	reply = answer_of(ROCE_REQUESTER | 0); /* with an impossible value */
	inject(0, bytes, roce_ack_write(&reply, bytes));
	two_run(5 * NODE_MS);
	ck_assert_uint_eq(two_tx(0)->cnps, 1);
	ck_assert_uint_eq(two_tx(0)->naks + two_tx(0)->resent, 0);
	two_check_delivered(1, 1);
	two_free();
}

/* a data frame to host 1's queue pair, and @mask for the first byte of its number */
static void data_inject(uint32_t packet, bool marked, uint8_t mask)
{
	struct frame_spec spec = { .kind = FRAME_ROCE,
				   .destination = 1,
				   .flow = QUEUE_PAIR_RELIABLE,
				   .frame_bytes = 100 };
	struct frame_payload payload = { .packet = packet,
					 .message_bytes = 14,
					 .payload_bytes = 14,
					 .message_first = true,
					 .message_last = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured_bytes = frame_write(&spec, &payload, bytes);
	uint8_t *at;

	if (marked) {
		bytes[15] |= 3; /* CE, and the header checksum for it */
		bytes_put16(bytes + 24, (uint16_t)(bytes_get16(bytes + 24) - 3));
	}
	bytes[14 + 20 + 8 + 5] &= mask;
	at = link_send_packet(&two[0].link, two_now, 104, captured_bytes, 100, 0, 0);
	memcpy(at, bytes, captured_bytes);
	two[0].stats->injected_packets++;
}

/* marks data frames in flight to host 1, as a congested switch does */
static void inject_marked(uint32_t packet)
{
	data_inject(packet, true, 0xff);
}

/* TB-23: data for the number to which answers are sent is of no flow */
TEST(nic_transport__data_to_a_requester)
{
	two[0].config.nic.workload_count = 0;
	two_build();
	data_inject(0, false, 0x7f);
	two_run(10 * NODE_US);
	ck_assert_uint_eq(two[1].stats->drops[DROP_UNKNOWN_FLOW], 1);
	ck_assert_uint_eq(two[1].stats->flow_rx_count, 0);
	ck_assert_uint_eq(two[1].stats->injected_packets, 0);
	ck_assert_uint_eq(two[1].stats->delivered_packets, 0);
	data_inject(0, false, 0xff);
	two_run(20 * NODE_US);
	ck_assert_uint_eq(two[1].stats->drops[DROP_UNKNOWN_FLOW], 1);
	ck_assert_uint_eq(two_rx(0)->packets, 1);
	two_free();
}

/* RC-2: marked packets lead to CNPs, one per flow and interval, out of order or not. The CNPs reach
 * their queue pair. */
TEST(nic_transport__marks_lead_to_cnps)
{
	two[1].config.roce.dcqcn =
		(struct dcqcn_config){ .enabled = true, .cnp_interval_ps = 50 * NODE_US };
	two[0].config.nic.workload_count = 0;
	two_build();
	for (uint32_t i = 0; i < 10; i++) {
		inject_marked(2 * i); /* all but the first follow a gap */
		two_run((i + 1) * 10 * NODE_US);
	}
	two_run(NODE_MS);
	ck_assert_uint_eq(two_rx(0)->marked, 10);
	ck_assert_uint_eq(two_rx(0)->cnps, 2);
	ck_assert_uint_eq(two_rx(0)->cnp_gap_min_ps, 50 * NODE_US);
	ck_assert_uint_eq(two_rx(0)->out_of_order, 9);
	ck_assert_uint_eq(two_rx(0)->messages, 1);
	/* two CNPs, a NAK: no packet requested an ACK */
	ck_assert_uint_eq(two[1].stats->injected_packets, 3);
	ck_assert_uint_eq(two[0].stats->drops[DROP_UNKNOWN_FLOW], 3);
	two_check_books();
	two_free();
}

/* the next ACK echoes a mark only if the congestion control uses echoes */
TEST_RANGE(nic_transport__marks_are_echoed_if_used, 0, 2)
{
	struct congestion_control control = { .echo = _i };

	two[0].config.nic.workload_count = 0;
	two_build();
	two[1].nic->transport.rules[TRANSPORT_RC].congestion.control = &control;
	inject_marked(0);
	two_run(10 * NODE_US);
	ck_assert_uint_eq(two_rx(0)->marked, 1);
	ck_assert_uint_eq(two_rx(0)->cnps, 0);
	ck_assert_int_eq(two[1].nic->replies.responders[0].marked, _i);
	two[1].nic->transport.rules[TRANSPORT_RC].congestion.control = NULL;
	two_free();
}

/* ---- observing ---- */

/* what is not sent waits at the port; what is unacknowledged is part of what was sent */
static void flow_check(node_time_t at_ps)
{
	uint64_t queued = series_at(two[0].stats, at_ps, SERIES_FLOW_QUEUED_BYTES, 0, 0);
	uint64_t sent = 1000ull * CAPACITY_BYTES - queued;

	ck_assert_uint_eq(queued, series_at(two[0].stats, at_ps, SERIES_QUEUE_BYTES, 0, 0));
	if (at_ps)
		ck_assert_uint_eq(sent % CAPACITY_BYTES, 0);
	ck_assert_uint_le(series_at(two[0].stats, at_ps, SERIES_FLOW_UNACKED_BYTES, 0, 0), sent);
	ck_assert_uint_le(sent, series_at(two[0].stats, at_ps, SERIES_FLOW_SENT_BYTES, 0, 0));
}

/* samples until the measured interval ends; tables */
TEST(nic_transport__samples_and_tables)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	two[0].config.sample_ps = 10 * NODE_US;
	two[0].config.series = true;
	two[0].config.measure_to_ps = 95 * NODE_US;
	two[0].workloads[0].message_bytes = 1000 * CAPACITY_BYTES;
	two[0].workloads[0].messages_max = 1;
	two_build();
	two_run(50 * NODE_US);
	ck_assert_int_eq(nicd_ops.show(two[0].nic, "queue-pairs", 0, 0, out), 0);
	ck_assert_int_eq(nicd_ops.show(two[0].nic, "pfc", -1, 0, out), 0);
	ck_assert_int_eq(nicd_ops.show(two[0].nic, "flows", 0, 0, out), 0);
	ck_assert_int_eq(nicd_ops.show(two[0].nic, "nothing", 0, 0, out), -ENOENT);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "ready"));
	ck_assert_ptr_nonnull(strstr(text, "=frames_sent\t0\n=frames_received\t0\n"));
	ck_assert_ptr_nonnull(strstr(text, "queue-pairs pfc"));
	free(text);
	ck_assert_uint_eq(two_run(NODE_S), NODE_TIME_NEVER);
	ck_assert_uint_eq(series_samples(two[0].stats), 10); /* 0 ... 90 us */
	ck_assert_uint_eq(series_sample_at(two[0].stats, 5), 50 * NODE_US);
	for (uint32_t i = 0; i < 10; i++)
		flow_check(i * 10 * NODE_US);
	ck_assert_uint_gt(series_at(two[0].stats, 50 * NODE_US, SERIES_TX_BYTES, 0, 0), 0);
	ck_assert_uint_gt(series_at(two[0].stats, 50 * NODE_US, SERIES_FLOW_UNACKED_BYTES, 0, 0),
			  0);
	two_free();
}
