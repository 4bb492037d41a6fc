/*  switchd/ethernet/ethernet_path: one Ethernet switch, whose peers are the test
 *  (one_ethernet.h). As the congested switch it supplements CNPs and signals; as the first switch
 *  it pauses its devices; between the two it forwards signals (RC-7 ... RC-10).
 *
 *  The queue of p1 is watched. Host 0 at p0 and host 2 behind switch 2 at p2 send to host 1 there,
 *  so the queue grows by 24.5 bytes a ns. */
#include <errno.h>
#include <stdio.h>

#include "nodes/wire/hop_limit.h"
#include "nodes/wire/roce_frame.h"
#include "tests/testing.h"
#include "tests/unit/switchd/ethernet/one_ethernet.h"

#define KMAX 20000u
#define REFERENCE 30000u
#define HIGH 60000u
#define LOW 20000u
#define UNKNOWN 40u /* no such host */
#define GIGA 1000000000ull
#define PERIOD (10 * NODE_US)
/* half of the pause of a PFC frame at 200 Gb/s */
#define RENEW (PAUSE_QUANTA_MAX * (node_time_t)2560 / 2)

/* what a port has sent so far */
static struct heard {
	uint32_t cnps, pause_signals, resume_signals, xoffs, xons;
	struct roce_header cnp, signal;
	uint8_t signal_bytes[ROCE_REPLY_BYTES_MAX];
	struct pause_frame pause;
	uint64_t bytes; /* of packets, without FCS */
} heard[PORTS];

static node_time_t now_ps;

static void path_setup(void)
{
	struct roce_config *roce = &s.config.roce;

	ethernet_setup();
	roce->buffer_bytes = 8u << 20;
	roce->supplement = roce->path_pause = true;
	roce->increase_period_ps = PERIOD;
	roce->path_high_bytes = HIGH;
	roce->path_low_bytes = LOW;
	roce->flows_max = 1024;
	roce->classes[ROCE].ecn = roce->classes[ROCE].watched = true;
	roce->classes[ROCE].kmin_bytes = 5000;
	roce->classes[ROCE].kmax_bytes = KMAX;
	roce->classes[ROCE].xoff_bytes = 4u << 20; /* hosts here do not obey pauses */
	memset(heard, 0, sizeof(heard));
	now_ps = 0;
}

/* ---- peers ---- */

static void hear_packet(struct heard *h)
{
	struct roce_header roce;
	uint32_t frame_bytes = got.header.wire_bytes - FRAME_FCS_BYTES;

	h->bytes += frame_bytes;
	ck_assert_int_eq(roce_frame_read(got.bytes, got.header.captured_bytes, frame_bytes, &roce),
			 0);
	if (roce.opcode != ROCE_OPCODE_CNP)
		return;
	if (!roce.signal) {
		h->cnps++;
		h->cnp = roce;
		return;
	}
	h->pause_signals += roce.signal == ROCE_SIGNAL_PAUSE;
	h->resume_signals += roce.signal == ROCE_SIGNAL_RESUME;
	h->signal = roce;
	memcpy(h->signal_bytes, got.bytes, got.header.captured_bytes);
}

static void hear_pause(struct heard *h)
{
	ck_assert_int_eq(pause_frame_read(got.bytes, got.header.captured_bytes, &h->pause), 0);
	h->xoffs += h->pause.quanta[ROCE] != 0;
	h->xons += h->pause.quanta[ROCE] == 0;
}

static void listen(void)
{
	for (uint32_t p = 0; p < PORTS; p++)
		while (neighbour_receive_any(&s, p, &got)) {
			if (got.header.kind == RECORD_PACKET)
				hear_packet(&heard[p]);
			else if (got.header.kind == RECORD_PAUSE)
				hear_pause(&heard[p]);
		}
}

/* Runs up to @end in small steps, because the rings are short, and receives what was sent. */
static void run(node_time_t end)
{
	for (; now_ps < end; now_ps += 5 * NODE_US) {
		one_switch_run(&s, node_time_min(now_ps + 5 * NODE_US, end));
		listen();
	}
	now_ps = end;
}

/* the receiver's frame to flow @flow of @source */
static struct roce_reply reply_to(uint32_t source, uint32_t destination, uint32_t flow)
{
	struct roce_reply reply = { .queue_pair = ROCE_REQUESTER | flow, .traffic_class = CNP };
	uint8_t bytes[FRAME_HEADERS_MAX];
	struct roce_header header;
	uint32_t captured = roce_make(source, destination, flow, ROCE, FULL_BYTES, bytes);

	ck_assert_int_eq(roce_frame_read(bytes, captured, FULL_BYTES, &header), 0);
	reply.ends = roce_ends_reversed(&header.ends);
	return reply;
}

static void check_comes_from_receiver(const struct roce_header *header, uint32_t source,
				      uint32_t destination, uint32_t flow)
{
	struct roce_ends ends = reply_to(source, destination, flow).ends;

	ck_assert_mem_eq(header->ends.source_mac, ends.source_mac, 6);
	ck_assert_mem_eq(header->ends.destination_mac, ends.destination_mac, 6);
	ck_assert_mem_eq(header->ends.source_ip, ends.source_ip, 16);
	ck_assert_mem_eq(header->ends.destination_ip, ends.destination_ip, 16);
	ck_assert_uint_eq(header->ends.source_port, ends.source_port);
}

static void reply_send(uint32_t port, node_time_t at, const uint8_t *bytes, uint32_t length)
{
	neighbour_send_frame(&s, port, at, RECORD_PACKET, length + FRAME_FCS_BYTES, 0, bytes,
			     length);
}

static void ack_send(uint32_t port, node_time_t at, uint32_t source, uint32_t destination,
		     uint32_t flow)
{
	struct roce_reply reply = reply_to(source, destination, flow);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];

	reply.syndrome = ROCE_SYNDROME_ACK;
	reply_send(port, at, bytes, roce_ack_write(&reply, bytes));
}

static void cnp_send(uint32_t port, node_time_t at, uint32_t source, uint32_t destination,
		     uint32_t flow, uint8_t signal)
{
	struct roce_reply reply = reply_to(source, destination, flow);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];

	reply.signal = signal;
	reply_send(port, at, bytes, roce_cnp_write(&reply, bytes));
}

/* Hosts 0 and 2 send to host 1 at full speed from @begin to @end, flow 0 each. Runs up to @end. */
static void incast(node_time_t begin, node_time_t end)
{
	uint32_t count = 0;

	for (node_time_t at = begin; at < end; at += FULL_PS) {
		roce_send(0, at, 1, 0, ROCE, FULL_BYTES);
		roce_send_from(2, 2, at, 1, 0, ROCE, FULL_BYTES);
		if (++count % 100 == 0) /* the rings are short */
			run(at);
	}
	run(end);
}

/* ... and host 1 acknowledges, once */
static void incast_acked(node_time_t end)
{
	ack_send(1, NODE_US, 0, 1, 0);
	ack_send(1, NODE_US, 2, 1, 0);
	incast(0, end);
}

/* what arrived or was made here was sent, removed, or is still here */
static void check_books(void)
{
	uint64_t in = 0, out = 0;

	for (uint32_t p = 0; p < PORTS; p++) {
		in += stats_of(p)->rx_bytes - FRAME_FCS_BYTES * stats_of(p)->rx_packets -
		      (PAUSE_FRAME_BYTES + FRAME_FCS_BYTES) * stats_of(p)->pauses_received;
		out += heard[p].bytes;
	}
	ck_assert_uint_eq(drops_all(), 0);
	ck_assert_uint_eq(in + s.stats->injected_bytes,
			  out + s.stats->delivered_bytes + s.stats->inside_bytes);
	books_expect(s.stats->inside_packets);
}

TEST_GROUP(ethernet_path, .setup = path_setup, .teardown = teardown);

/* ---- the congested switch ---- */

TEST(states__follow_the_queue)
{
	one_switch_open(&s);
	incast_acked(NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->state, ROCE_ECN_NORMAL); /* 24 kB */
	incast(NODE_US, 2 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->state, ROCE_ECN_FAILED); /* RC-7 */
	incast(2 * NODE_US, 15 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->state, ROCE_CNP_FAILED);
	ck_assert_uint_ge(class_of(1, ROCE)->ecn_failed_ps, REFERENCE * BYTE_PS);
	ck_assert_uint_ge(class_of(1, ROCE)->cnp_failed_ps,
			  class_of(1, ROCE)->ecn_failed_ps + PERIOD);
	ck_assert_uint_le(class_of(1, ROCE)->cnp_failed_ps,
			  class_of(1, ROCE)->ecn_failed_ps + PERIOD + 2 * FULL_PS);
	check_books();
	run(NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->state, ROCE_ECN_NORMAL);
	ck_assert_uint_eq(class_of(1, ROCE)->state_max, ROCE_CNP_FAILED);
	ck_assert_uint_eq(class_of(0, ROCE)->state_max, ROCE_ECN_NORMAL);
	check_books();
}

/* None before the first period. Then one CNP to each flow, a sixteenth of the period early, while
 * the queue is too long: until 90 us. */
TEST(supplement__reaches_the_sender)
{
	s.config.roce.path_pause = false;
	one_switch_open(&s);
	incast_acked(45 * NODE_US);
	run(NODE_MS);
	ck_assert_uint_eq(heard[0].cnps, 9); /* RC-8 */
	ck_assert_uint_eq(heard[2].cnps, 9);
	ck_assert_uint_eq(class_of(1, ROCE)->cnps_supplemented, 18);
	ck_assert_uint_eq(class_of(1, ROCE)->cnps_seen, 0); /* its own CNPs do not count */
	ck_assert_uint_eq(heard[0].cnp.queue_pair, ROCE_REQUESTER);
	ck_assert_uint_eq(heard[0].cnp.traffic_class, CNP);
	check_comes_from_receiver(&heard[0].cnp, 0, 1, 0);
	check_books();
}

TEST(supplement__not_if_the_receiver_sends_cnps)
{
	s.config.roce.path_pause = false;
	one_switch_open(&s);
	for (node_time_t at = 2 * NODE_US; at < 90 * NODE_US; at += 8 * NODE_US) {
		cnp_send(1, at, 0, 1, 0, ROCE_SIGNAL_NONE);
		if (at == 34 * NODE_US)
			ack_send(1, 40 * NODE_US, 2, 1, 0);
	}
	incast(0, 45 * NODE_US);
	run(NODE_MS);
	/* RC-8: the time of the CNP is recorded, ... */
	ck_assert_uint_eq(class_of(1, ROCE)->cnps_seen, 11);
	/* ... and only host 2 lacks one, ... */
	ck_assert_uint_eq(class_of(1, ROCE)->cnps_supplemented, 6);
	ck_assert_uint_eq(heard[0].cnps, 11);
	ck_assert_uint_eq(heard[2].cnps, 6); /* ... from 40 us on */
	check_books();
}

TEST(supplement__not_before_the_queue_pair_is_known)
{
	s.config.roce.path_pause = false;
	one_switch_open(&s);
	incast(0, 25 * NODE_US);
	ck_assert_uint_eq(heard[0].cnps, 0);
	ack_send(1, 25 * NODE_US, 0, 1, 0);
	incast(25 * NODE_US, 30 * NODE_US);
	run(NODE_MS);
	/* at 25 us, and every 9.4 us until the queue is short at 60 us */
	ck_assert_uint_eq(heard[0].cnps, 4);
	ck_assert_uint_eq(heard[2].cnps, 0);
}

/* a CNP of the receiver may arrive when all timers have expired */
TEST(supplement__continues_after_a_late_cnp)
{
	s.config.roce.path_pause = false;
	one_switch_open(&s);
	incast(0, 25 * NODE_US);
	cnp_send(1, 25 * NODE_US, 0, 1, 0, ROCE_SIGNAL_NONE);
	incast(25 * NODE_US, 30 * NODE_US);
	run(NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->cnps_supplemented, 3); /* at 34.4 us, 43.8, 53.1 */
	ck_assert_uint_eq(heard[0].cnps, 4);
}

/* RC-8, the example of S4 with smaller numbers: packets arrive every 16.7 us, the sources' period
 * is 10 us. Host 1 pauses its class, so the queue stays. */
TEST(supplement__between_two_packets)
{
	uint32_t first;

	s.config.roce.path_pause = false;
	one_switch_open(&s);
	pfc_send(1, 3 * NODE_US, ROCE, PAUSE_QUANTA_MAX);
	incast_acked(5 * NODE_US);
	run(20 * NODE_US);
	first = heard[0].cnps;
	for (uint32_t i = 0; i < 6; i++) {
		roce_send(0, 20 * NODE_US + i * 50 * NODE_US / 3, 1, 0, ROCE, FULL_BYTES);
		run(20 * NODE_US + (i + 1) * 50 * NODE_US / 3);
	}
	run(120 * NODE_US);
	ck_assert_uint_eq(heard[0].cnps - first, 10); /* every 9.4 us */
	ck_assert_uint_eq(heard[2].cnps - first, 10); /* its packets are in the queue */
	check_books();
}

/* this is the first switch of host 0, and a remote one for host 2 */
TEST(path__pauses_its_own_device_and_signals_to_others)
{
	one_switch_open(&s);
	incast_acked(15 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->signals_pause, 2); /* RC-9 */
	ck_assert_uint_eq(heard[0].xoffs, 1);                   /* RC-10 */
	ck_assert_uint_eq(heard[0].pause.enabled, 1 << ROCE);
	ck_assert_uint_eq(heard[0].pause.quanta[ROCE], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(heard[0].pause_signals, 0); /* removed */
	ck_assert_uint_eq(heard[1].xoffs, 0);         /* does not feed the queue */
	ck_assert_uint_eq(heard[2].xoffs, 0);         /* is no device of this switch */
	ck_assert_uint_eq(heard[2].pause_signals, 1);
	ck_assert_uint_eq(heard[2].signal.signal, 1);
	check_comes_from_receiver(&heard[2].signal, 2, 1, 0);
	ck_assert_uint_eq(heard[3].bytes, 0); /* RC-15: no other node receives it */
	ck_assert_uint_eq(stats_of(0)->path_pauses, 1);
	check_books();
}

TEST(path__resumes_when_the_queue_is_short)
{
	one_switch_open(&s);
	incast_acked(15 * NODE_US);
	run(NODE_MS);
	ck_assert_uint_eq(class_of(1, ROCE)->signals_resume, 2); /* RC-9 */
	ck_assert_uint_eq(heard[0].xons, 1);                     /* RC-10 */
	ck_assert_uint_eq(heard[0].resume_signals, 0);
	ck_assert_uint_eq(heard[2].resume_signals, 1);
	ck_assert_uint_eq(heard[2].signal.signal, 2);
	ck_assert_uint_eq(stats_of(0)->path_resumes, 1);
	ck_assert_uint_eq(stats_of(0)->signals_forwarded, 0);
	check_books();
}

/* a device with an address that no host has: a flood of signals would reach all other devices */
TEST(path__signals_no_unknown_device)
{
	one_switch_open(&s);
	for (uint32_t i = 0; i < 700; i++) {
		roce_send_from(0, UNKNOWN, i * FULL_PS, 1, 0, ROCE, FULL_BYTES);
		roce_send_from(2, UNKNOWN, i * FULL_PS, 1, 0, ROCE, FULL_BYTES);
		if (i % 100 == 99) /* the rings are short */
			run(i * FULL_PS);
	}
	run(NODE_MS);
	ck_assert_uint_gt(class_of(1, ROCE)->signals_pause, 0);
	ck_assert_uint_eq(drops(DROP_NO_DESTINATION), s.stats->injected_packets);
	for (uint32_t p = 0; p < PORTS; p++)
		ck_assert_uint_eq(heard[p].cnps + heard[p].pause_signals, 0);
}

TEST(path__target_ecn_failed)
{
	s.config.roce.supplement = false;
	s.config.roce.path_target = ROCE_ECN_FAILED;
	one_switch_open(&s);
	incast_acked(4 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs, 1); /* RC-9 */
	ck_assert_uint_eq(class_of(1, ROCE)->state_max, ROCE_ECN_FAILED);
}

/* the queue stays too long, because host 1 pauses its class */
TEST(path__repeats_its_signal)
{
	one_switch_open(&s);
	for (node_time_t at = 12 * NODE_US; at < 3 * RENEW; at += RENEW)
		pfc_send(1, at, ROCE, PAUSE_QUANTA_MAX);
	incast_acked(15 * NODE_US);
	run(2 * RENEW); /* the duration of one PFC frame */
	ck_assert_uint_eq(heard[2].pause_signals, 2);
	ck_assert_uint_eq(heard[0].xoffs, 2);
	run(3 * RENEW);
	ck_assert_uint_eq(heard[2].pause_signals, 3);
	ck_assert_uint_eq(heard[0].xoffs, 3);
	ck_assert_uint_eq(heard[0].xons, 0);
	check_books();
	run(10 * NODE_MS);
	ck_assert_uint_eq(heard[0].xons, 1);
	ck_assert_uint_eq(heard[2].resume_signals, 1);
	check_books();
}

/* more flows than are signalled at a time: each gets its signals */
TEST(path__signals_many_flows)
{
	one_switch_open(&s);
	incast_acked(15 * NODE_US);
	for (uint32_t flow = 0; flow < 100; flow++)
		roce_send_from(2, 2, 15 * NODE_US, 1, flow, ROCE, FULL_BYTES);
	run(NODE_MS);
	ck_assert_uint_eq(heard[2].pause_signals, 100);
	ck_assert_uint_eq(heard[2].resume_signals, 100);
	ck_assert_uint_eq(s.eth->ports[1].queues[ROCE].signals.paused, 0);
	check_books();
}

/* ---- the first switch, and those between ---- */

/* flow 7 of host 0 is sent to host 4, over p3 */
TEST(signal__pauses_the_device_that_it_names)
{
	one_switch_open(&s);
	roce_send(0, 0, 4, 7, ROCE, FULL_BYTES);
	cnp_send(3, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs, 1); /* RC-10 */
	ck_assert_uint_eq(heard[0].bytes, 0); /* the signal is dropped */
	ck_assert_uint_eq(stats_of(3)->signals_forwarded, 0);
	cnp_send(3, 30 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(40 * NODE_US);
	ck_assert_uint_eq(heard[0].xons, 1);
	ck_assert_uint_eq(heard[0].bytes, 0);
	check_books();
}

TEST_RANGE(signal__forms, 0, PATH_PAUSE_FORMS)
{
	static const struct pause_frame expected[PATH_PAUSE_FORMS] = {
		[PATH_PAUSE_TARGET] = { .enabled = 1 << ROCE, .quanta = { [ROCE] = 65535 } },
		[PATH_PAUSE_ALL] = { .enabled = 0xff,
				     .quanta = { 65535, 65535, 65535, 65535, 65535, 65535, 65535,
						 65535 } },
		[PATH_PAUSE_NONE] = { .quanta = { 65535 } },
		[PATH_PAUSE_PORT] = { .port = true, .quanta = { 65535 } },
	};

	s.config.roce.path_form = (enum path_pause_form)_i;
	one_switch_open(&s);
	roce_send(0, 0, 4, 7, ROCE, FULL_BYTES);
	cnp_send(3, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(stats_of(0)->path_pauses, 1); /* RC-10 */
	ck_assert_mem_eq(&heard[0].pause, &expected[_i], sizeof(struct pause_frame));
}

/* RC-10: the device may be a switch, whose links may have no PFC otherwise */
TEST_RANGE(signal__switch_obeys_without_pfc, 0, 2)
{
	s.config.roce.pfc = false;
	s.config.roce.path_pause = _i;
	one_switch_open(&s);
	pfc_send(3, 0, ROCE, 65535);
	roce_send(0, PAUSE_PS, 4, 7, ROCE, FULL_BYTES);
	run(20 * NODE_US);
	ck_assert_uint_eq(heard[3].bytes, _i ? 0 : FULL_BYTES);
	pfc_send(3, 30 * NODE_US, ROCE, 0);
	run(40 * NODE_US);
	ck_assert_uint_eq(heard[3].bytes, FULL_BYTES);
	check_books();
}

/* from host 4 (over p3) to host 2 (over p2) */
TEST(signal__passes_an_intermediate_switch)
{
	struct roce_reply reply = reply_to(2, 4, 7);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	struct frame_fields fields;
	uint32_t length;

	reply.signal = ROCE_SIGNAL_PAUSE;
	length = roce_cnp_write(&reply, bytes);
	ck_assert_int_eq(frame_parse(bytes, length, length, &fields), 0);
	ck_assert(hop_limit_take(bytes, length, &fields));
	one_switch_open(&s);
	roce_send_from(2, 2, 0, 4, 7, ROCE, FULL_BYTES);
	cnp_send(3, 10 * NODE_US, 2, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	/* RC-10: forwarded unchanged, except for the hop limit */
	ck_assert_uint_eq(heard[2].pause_signals, 1);
	ck_assert_mem_eq(heard[2].signal_bytes, bytes, length);
	ck_assert_uint_eq(heard[2].xoffs, 0);
	ck_assert_uint_eq(stats_of(3)->signals_forwarded, 1);
	ck_assert_uint_eq(s.eth->flows.used, 1);
	check_books();
}

TEST(signal__is_dropped_if_path_pause_is_off)
{
	s.config.roce.path_pause = false;
	one_switch_open(&s);
	cnp_send(3, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(heard[0].pause_signals, 1);
	ck_assert_uint_eq(heard[0].xoffs, 0);
	check_books();
}

/* A signal of host 1 would pause host 0, or hosts elsewhere. A CNP without a signal may come from
 * any host. */
TEST(signal__from_a_host_is_dropped)
{
	one_switch_open(&s);
	cnp_send(1, 10 * NODE_US, 0, 1, 7, ROCE_SIGNAL_PAUSE);
	cnp_send(1, 20 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	cnp_send(1, 30 * NODE_US, 2, 1, 7, ROCE_SIGNAL_PAUSE);
	cnp_send(1, 40 * NODE_US, 0, 1, 7, ROCE_SIGNAL_NONE);
	run(50 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs + heard[0].xons, 0);
	ck_assert_uint_eq(heard[2].pause_signals, 0);
	ck_assert_uint_eq(heard[0].cnps, 1);
	ck_assert_uint_eq(s.stats->drops[DROP_MALFORMED], 3);
	books_expect(0);
}

TEST(signal__of_a_flow_that_never_passed)
{
	one_switch_open(&s);
	cnp_send(3, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	cnp_send(3, 20 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(30 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs, 1);
	ck_assert_uint_eq(heard[0].xons, 1);
}

/* the shared buffer has paused host 0, too: the resume signal must not resume it */
TEST(both__must_resume)
{
	s.config.roce.classes[ROCE].xoff_bytes = 20000;
	s.config.roce.path_high_bytes = 1u << 30; /* this switch does not signal itself */
	one_switch_open(&s);
	roce_send(0, 0, 4, 7, ROCE, FULL_BYTES);
	pfc_send(1, NODE_US, ROCE, PAUSE_QUANTA_MAX); /* what arrived stays */
	for (uint32_t i = 0; i < 30; i++)
		roce_send(0, 3 * NODE_US, 1, 0, ROCE, FULL_BYTES);
	cnp_send(3, 20 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	cnp_send(3, 21 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(30 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs, 2); /* the buffer's, the path's */
	ck_assert_uint_eq(heard[0].xons, 0);
	run(10 * NODE_MS);
	ck_assert_uint_eq(heard[0].xons, 1);
	check_books();
}

/* pauses are repeated as often as the fastest present link requires */
TEST(link_set__pauses_are_repeated_in_time)
{
	const struct path_signal *signals;

	for (uint32_t p = 0; p < PORTS; p++)
		s.ports[p].rate_bps = 10 * GIGA;
	one_switch_open(&s);
	signals = &s.eth->ports[1].queues[ROCE].signals;
	ck_assert_uint_eq(signals->renew_ps, 65535ull * 51200 / 2);
	s.ports[3].rate_bps = 100 * GIGA;
	ethernet_ops.link_up(s.dataplane, 3, NODE_US);
	ck_assert_uint_eq(signals->renew_ps, 65535ull * 5120 / 2);
	s.ports[3].rate_bps = 40 * GIGA;
	ethernet_ops.link_set(s.dataplane, 3);
	ck_assert_uint_eq(signals->renew_ps, 65535ull * 12800 / 2);
}

TEST(link_down__forgets_the_pauses_of_the_device)
{
	one_switch_open(&s);
	roce_send(0, 0, 4, 7, ROCE, FULL_BYTES);
	cnp_send(3, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ethernet_ops.link_down(s.dataplane, 0, 20 * NODE_US);
	one_switch_unplug(&s, 0);
	one_switch_plug(&s, 0);
	ethernet_ops.link_up(s.dataplane, 0, 30 * NODE_US);
	cnp_send(3, 40 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(50 * NODE_US);
	ck_assert_uint_eq(heard[0].xons, 0); /* another device */
	cnp_send(3, 60 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(70 * NODE_US);
	ck_assert_uint_eq(heard[0].xoffs, 2);
}

/* ---- tables ---- */

static char *shown(const char *table, int port)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(ethernet_ops.show(s.dataplane, table, port, 0, out), 0);
	fclose(out);
	return text;
}

TEST(show__states_and_flows)
{
	char *states, *flows, *elsewhere, *first;

	one_switch_open(&s);
	incast_acked(15 * NODE_US);
	states = shown("states", 1);
	flows = shown("flows", -1);
	elsewhere = shown("flows", 3);
	first = shown("flows", 0);
	ck_assert_ptr_nonnull(strstr(states, "cnp-failed"));
	ck_assert_ptr_nonnull(strstr(flows, "=used\t2\n=limit\t1024\n"));
	ck_assert_ptr_nonnull(strstr(flows, "\t10.0.0.1\t10.0.0.2\t"));
	ck_assert_ptr_nonnull(strstr(flows, "0x400000"));
	ck_assert_ptr_nonnull(strstr(flows, "paused"));
	ck_assert_ptr_null(strstr(elsewhere, "10.0.0.1"));
	ck_assert_ptr_null(strstr(first, "10.0.0.1"));
	free(first);
	free(states);
	free(flows);
	free(elsewhere);
}

static int set(const char *name, const char *value)
{
	FILE *out = fopen("/dev/null", "w");
	int error = ethernet_ops.set(s.dataplane, name, value, out);

	fclose(out);
	return error;
}

/* new levels apply from the next packet on; they are checked as at the start */
TEST(set__levels_apply_to_the_next_packet)
{
	one_switch_open(&s);
	ck_assert_int_eq(set("path-pause.high", "2000000"), 0); /* TB-10 */
	ck_assert_int_eq(set("reference", "2000"), 0);
	ck_assert_int_eq(set("supplement.period", "5000000"), 0);
	ck_assert_int_eq(set("path-pause.low", "2000000"), -EINVAL); /* not below path-pause.high */
	ck_assert_int_eq(set("reference", "999"), -EINVAL);
	ck_assert_int_eq(set("supplement.period", "0"), -EINVAL);
	ck_assert_int_eq(set("path-middle", "1"), -ENOENT);
	incast_acked(15 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->state, ROCE_CNP_FAILED);
	ck_assert_uint_ge(class_of(1, ROCE)->ecn_failed_ps, 2 * KMAX * BYTE_PS);
	ck_assert_uint_le(class_of(1, ROCE)->cnp_failed_ps,
			  class_of(1, ROCE)->ecn_failed_ps + 5 * NODE_US + 2 * FULL_PS);
	ck_assert_uint_eq(class_of(1, ROCE)->signals_pause, 0);
	ck_assert_int_eq(set("path-pause.high", "60000"), 0);
	incast(15 * NODE_US, 16 * NODE_US);
	ck_assert_uint_eq(class_of(1, ROCE)->signals_pause, 2);
}

/* A shorter period is due without another packet, at every port: the queue of p0 does not move, as
 * host 0 pauses its class. */
TEST(set__shorter_period_is_due_without_a_packet)
{
	s.config.roce.path_pause = false;
	s.config.roce.increase_period_ps = NODE_MS;
	one_switch_open(&s);
	pfc_send(0, 3 * NODE_US, ROCE, PAUSE_QUANTA_MAX);
	ack_send(0, NODE_US, 1, 0, 0);
	for (uint32_t i = 0; i < 60; i++) {
		roce_send(1, i * FULL_PS, 0, 0, ROCE, FULL_BYTES);
		roce_send_from(2, 2, i * FULL_PS, 0, 0, ROCE, FULL_BYTES);
	}
	run(30 * NODE_US);
	ck_assert_uint_eq(heard[1].cnps, 0);
	ck_assert_int_eq(set("supplement.period", "10000000"), 0);
	run(60 * NODE_US);
	ck_assert_uint_ge(heard[1].cnps, 2);
}
