/*  switchd/ethernet_path: a whole Ethernet switch whose neighbours are played by hand; as the congested one it supplements and signals,
 *  as the first one it pauses its devices, in between it lets pass (RC-7 ... RC-10).
 *
 *          host 0 --- p0 +----------+ p3 --- switch 2 (host 3 at its p0)
 *          host 1 --- p1 | switch 1 |
 *          host 2 --- p2 +----------+ p4 --- switch 3 (host 4 at its p0)
 *
 *  100 Gb/s (80 ps a byte), no cable, no latency. Class 0: lossy; 1: lossless and watched; 2: CNPs. Whatever comes for host 1 fills the
 *  queue of p1, since more than one sends to it.                                                                      */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"
#include "nodes/wire/pause_frame.h"
#include "nodes/wire/roce_frame.h"
#include "switchd/ethernet.h"

#define PORTS 5u
#define RATE (100ull * 1000 * 1000 * 1000)
#define BYTE_PS 80u
#define GAP_BYTES 20u
#define FRAME_BYTES 1024u
#define WIRE_PS ((FRAME_BYTES + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS)
#define RING_BYTES (1u << 20)
#define WATCHED 1u
#define CNP_CLASS 2u
#define KMAX 20000u
#define REFERENCE 30000u
#define HIGH 60000u
#define LOW 20000u
#define PERIOD (20 * NODE_US)
#define RENEW (PAUSE_QUANTA_MAX * (node_time_t)5120 / 2) /* half of what a PFC frame holds at RATE */

/* the other end of a port's link, and what it has got */
struct neighbour {
	struct ring_page *to_switch, *from_switch;
	struct ring_tx tx;
	struct ring_rx rx;
	uint32_t sequence;
	node_time_t busy_until_ps;
	uint32_t data, cnps, pause_signals, resume_signals, xoffs, xons;
	struct roce_header cnp, signal;
	uint8_t signal_bytes[ROCE_REPLY_BYTES_MAX];
	struct pause_frame pause;
	uint64_t bytes;
};

static struct node_config config;
static struct port_config ports[PORTS];
static struct route_config routes[2];
static struct host_config hosts[PORTS];
static struct stats_page *stats;
static struct link links[PORTS];
static struct neighbour neighbours[PORTS];
static struct ethernet *eth;

static void *zeroed(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

	ck_assert_ptr_nonnull(memory);
	return memset(memory, 0, (bytes + 63) / 64 * 64);
}

static void configure_roce(struct roce_config *roce)
{
	*roce = (struct roce_config){ .pfc = true,
				      .cnp_class = CNP_CLASS,
				      .buffer_bytes = 4u << 20,
				      .supplement = true,
				      .increase_period_ps = PERIOD,
				      .reference_permille = 1500,
				      .path_pause = true,
				      .path_target = ROCE_CNP_FAILED,
				      .path_high_bytes = HIGH,
				      .path_low_bytes = LOW,
				      .flows_max = 1024,
				      .watchdog_ps = 10 * NODE_MS };
	roce->classes[WATCHED] = (struct roce_class_config){ .lossless = true,
							     .ecn = true,
							     .kmin_bytes = 5000,
							     .kmax_bytes = KMAX,
							     .pmax_ppm = 10000,
							     .xoff_bytes = 1u << 20,
							     .xon_offset_bytes = 2048,
							     .watched = true };
}

static void configure(void)
{
	config = (struct node_config){ .kind = NODE_SWITCH,
				       .name = "s1",
				       .fabric = FABRIC_ROCE,
				       .node_count = 8,
				       .measure_to_ps = NODE_S,
				       .class_count = 3,
				       .port_count = PORTS,
				       .ports = ports };
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		config.classes[c] = (struct class_config){ .name = "c", .max_permille = 1000 };
	for (uint32_t p = 0; p < PORTS; p++) {
		ports[p] = (struct port_config){ .kind = p < 3 ? PORT_EDGE : PORT_FABRIC,
						 .peer_name = "peer",
						 .peer_index = 1 + p,
						 .rate_bps = RATE,
						 .mtu_bytes = 4096,
						 .gap_bytes = GAP_BYTES,
						 .channels = 1,
						 .ring_bytes = RING_BYTES,
						 .headroom_bytes = 20000 };
		hosts[p] = (struct host_config){ .host_index = p,
						 .fabric_address = p < 3 ? 1 : p - 1,
						 .egress_port = p < 3 ? p : 0 };
	}
	routes[0] = (struct route_config){ .fabric_address = 2, .ports = 1 << 3 };
	routes[1] = (struct route_config){ .fabric_address = 3, .ports = 1 << 4 };
	config.switch_ = (struct switch_config){
		.fabric_address = 1, .route_count = 2, .routes = routes, .host_count = PORTS, .hosts = hosts
	};
	configure_roce(&config.roce);
}

static void open_switch(void)
{
	size_t bytes = ring_bytes(RING_BYTES);

	stats = zeroed(stats_bytes(&config));
	stats_init(stats, &config);
	for (uint32_t p = 0; p < PORTS; p++) {
		struct neighbour *n = &neighbours[p];

		*n = (struct neighbour){ .to_switch = zeroed(bytes), .from_switch = zeroed(bytes) };
		ring_init(n->to_switch, RING_BYTES);
		ring_init(n->from_switch, RING_BYTES);
		ck_assert_int_eq(ring_tx_attach(&n->tx, n->to_switch, bytes), 0);
		ck_assert_int_eq(ring_rx_attach(&n->rx, n->from_switch, bytes), 0);
		ck_assert_int_eq(link_init(&links[p], &config, p, n->from_switch, bytes, n->to_switch, bytes, stats),
				 0);
	}
	eth = ethernet_ops.create(&config, links, stats);
	ck_assert_ptr_nonnull(eth);
}

static void close_switch(void)
{
	ethernet_ops.destroy(eth);
	for (uint32_t p = 0; p < PORTS; p++) {
		link_fini(&links[p]);
		free(neighbours[p].to_switch);
		free(neighbours[p].from_switch);
	}
	free(stats);
}

static void setup(void)
{
	configure();
	open_switch();
}

static void reopen(void)
{
	close_switch();
	open_switch();
}

/* ---- neighbours ---- */

static void hear_packet(struct neighbour *n, const struct record *header, const uint8_t *bytes)
{
	struct roce_header roce;

	n->bytes += header->wire_bytes - FRAME_FCS_BYTES;
	ck_assert_int_eq(roce_frame_read(bytes, header->captured_bytes, header->wire_bytes - FRAME_FCS_BYTES, &roce),
			 0);
	if (roce.opcode != ROCE_OPCODE_CNP) {
		n->data += roce.opcode != ROCE_OPCODE_ACKNOWLEDGE;
	} else if (!roce.signal) {
		n->cnps++;
		n->cnp = roce;
	} else {
		n->pause_signals += roce.signal == ROCE_SIGNAL_PAUSE;
		n->resume_signals += roce.signal == ROCE_SIGNAL_RESUME;
		n->signal = roce;
		memcpy(n->signal_bytes, bytes, header->captured_bytes);
	}
}

static void hear(struct neighbour *n)
{
	struct record header;
	const uint8_t *bytes;

	ring_refresh(&n->rx);
	while ((bytes = ring_peek(&n->rx, &header))) {
		if (header.kind == RECORD_PACKET) {
			hear_packet(n, &header, bytes);
		} else if (header.kind == RECORD_PAUSE) {
			ck_assert_int_eq(pause_frame_read(bytes, header.captured_bytes, &n->pause), 0);
			n->xoffs += n->pause.quanta[WATCHED] != 0;
			n->xons += n->pause.quanta[WATCHED] == 0;
		}
		ring_pop(&n->rx, &header);
	}
	ring_release(&n->rx);
}

/* up to @end; then everybody has heard what was sent */
static void run(node_time_t end)
{
	for (uint32_t p = 0; p < PORTS; p++) {
		ring_publish(&neighbours[p].tx);
		link_refresh(&links[p], 0);
	}
	ethernet_ops.run(eth, end);
	for (uint32_t p = 0; p < PORTS; p++) {
		link_flush(&links[p], &(bool){ 0 });
		ring_release(&links[p].rx);
		hear(&neighbours[p]);
	}
}

static void send_frame(uint32_t port, node_time_t at, const uint8_t *bytes, uint32_t captured, uint32_t frame_bytes)
{
	struct neighbour *n = &neighbours[port];
	struct record *record = ring_reserve(&n->tx, captured);

	ck_assert_ptr_nonnull(record);
	*record = (struct record){ .at_ps = node_time_max(at, n->busy_until_ps),
				   .wire_bytes = frame_bytes + FRAME_FCS_BYTES,
				   .captured_bytes = captured,
				   .sequence = n->sequence++,
				   .kind = RECORD_PACKET };
	memcpy(record_captured(record), bytes, captured);
	n->busy_until_ps = record->at_ps + (frame_bytes + FRAME_FCS_BYTES + GAP_BYTES) * BYTE_PS;
	ring_commit(&n->tx, captured);
}

/* data of flow @flow of @source for @destination */
static uint32_t data_make(uint32_t source, uint32_t destination, uint32_t flow, uint8_t bytes[FRAME_HEADERS_MAX])
{
	struct frame_spec spec = { .kind = FRAME_ROCE,
				   .source = source,
				   .destination = destination,
				   .traffic_class = WATCHED,
				   .flow = flow,
				   .frame_bytes = FRAME_BYTES };
	struct frame_payload payload = { .source = source, .flow_slot = flow, .message_bytes = 1000 };

	return frame_write(&spec, &payload, bytes);
}

static void send_data(uint32_t port, node_time_t at, uint32_t source, uint32_t destination, uint32_t flow)
{
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = data_make(source, destination, flow, bytes);

	send_frame(port, at, bytes, captured, FRAME_BYTES);
}

/* what the receiver of that flow says */
static struct roce_reply reply_to(uint32_t source, uint32_t destination, uint32_t flow)
{
	struct roce_reply reply = { .queue_pair = ROCE_REQUESTER | flow, .traffic_class = CNP_CLASS };
	uint8_t bytes[FRAME_HEADERS_MAX];
	struct roce_header header;
	uint32_t captured = data_make(source, destination, flow, bytes);

	ck_assert_int_eq(roce_frame_read(bytes, captured, FRAME_BYTES, &header), 0);
	reply.ends = roce_ends_reversed(&header.ends);
	return reply;
}

static void check_comes_from_receiver(const struct roce_header *header, uint32_t source, uint32_t destination,
				      uint32_t flow)
{
	struct roce_ends ends = reply_to(source, destination, flow).ends;

	ck_assert_mem_eq(header->ends.source_mac, ends.source_mac, 6);
	ck_assert_mem_eq(header->ends.destination_mac, ends.destination_mac, 6);
	ck_assert_mem_eq(header->ends.source_ip, ends.source_ip, 16);
	ck_assert_mem_eq(header->ends.destination_ip, ends.destination_ip, 16);
	ck_assert_uint_eq(header->ends.source_port, ends.source_port);
}

static void send_ack(uint32_t port, node_time_t at, uint32_t source, uint32_t destination, uint32_t flow)
{
	struct roce_reply reply = reply_to(source, destination, flow);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	uint32_t length;

	reply.syndrome = ROCE_SYNDROME_ACK;
	length = roce_ack_write(&reply, bytes);
	send_frame(port, at, bytes, length, length);
}

static void send_cnp(uint32_t port, node_time_t at, uint32_t source, uint32_t destination, uint32_t flow,
		     uint8_t signal)
{
	struct roce_reply reply = reply_to(source, destination, flow);
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	uint32_t length;

	reply.signal = signal;
	length = roce_cnp_write(&reply, bytes);
	send_frame(port, at, bytes, length, length);
}

/* Hosts 0 and 2 send to host 1 at full speed from @begin to @end, flow 0 each; host 1 has acknowledged something before. */
static void incast(node_time_t begin, node_time_t end)
{
	for (uint32_t host = 0; host < 3; host += 2) {
		send_data(host, begin, host, 1, 0);
		send_ack(1, begin + 2 * WIRE_PS, host, 1, 0);
	}
	for (node_time_t at = begin + WIRE_PS; at < end; at += WIRE_PS) {
		send_data(0, at, 0, 1, 0);
		send_data(2, at, 2, 1, 0);
	}
}

static const struct class_stats *watched(uint32_t port)
{
	return stats_class(stats, port, WATCHED);
}

/* ---- the congested switch ---- */

/* what has come in, or was made here, has gone out, was taken out, or is here */
static void check_books(void)
{
	uint64_t in = 0, out = 0;

	for (uint32_t p = 0; p < PORTS; p++) {
		in += stats_port(stats, p)->rx_bytes - FRAME_FCS_BYTES * stats_port(stats, p)->rx_packets;
		out += neighbours[p].bytes;
	}
	ck_assert_uint_eq(in + stats->injected_bytes, out + stats->delivered_bytes + stats->inside_bytes);
}

START_TEST(states__as_the_queue_grows)
{
	incast(0, 100 * NODE_US);
	run(2 * NODE_US); /* about 12 bytes a nanosecond too many: 24 kB */
	ck_assert_uint_eq(watched(1)->state, ROCE_ECN_NORMAL);
	run(5 * NODE_US);
	ck_assert_uint_eq(watched(1)->state, ROCE_ECN_FAILED); /* RC-7 */
	run(40 * NODE_US);
	ck_assert_uint_eq(watched(1)->state, ROCE_CNP_FAILED);
	ck_assert_uint_ge(watched(1)->ecn_failed_ps, REFERENCE * BYTE_PS);
	ck_assert_uint_ge(watched(1)->cnp_failed_ps, watched(1)->ecn_failed_ps + PERIOD);
	ck_assert_uint_le(watched(1)->cnp_failed_ps, watched(1)->ecn_failed_ps + PERIOD + 2 * WIRE_PS);
	ck_assert_uint_eq(watched(0)->state_max, ROCE_ECN_NORMAL);
	check_books();
	run(NODE_MS);
	ck_assert_uint_eq(watched(1)->state, ROCE_ECN_NORMAL);
	ck_assert_uint_eq(watched(1)->state_max, ROCE_CNP_FAILED);
	check_books();
}
END_TEST

START_TEST(supplement__reaches_the_sender)
{
	config.roce.path_pause = false;
	reopen();
	incast(0, 100 * NODE_US);
	run(100 * NODE_US);
	/* none before 20 us, then one each a period: at about 20, 40, 60 and 80 */
	ck_assert_uint_eq(neighbours[0].cnps, 4); /* RC-8 */
	ck_assert_uint_eq(neighbours[2].cnps, 4);
	ck_assert_uint_eq(watched(1)->cnps_supplemented, 8);
	ck_assert_uint_eq(watched(1)->cnps_seen, 0); /* its own do not count */
	ck_assert_uint_eq(neighbours[0].cnp.queue_pair, ROCE_REQUESTER);
	ck_assert_uint_eq(neighbours[0].cnp.traffic_class, CNP_CLASS);
	check_comes_from_receiver(&neighbours[0].cnp, 0, 1, 0);
	check_books();
}
END_TEST

START_TEST(supplement__not_if_the_receiver_says_it)
{
	config.roce.path_pause = false;
	reopen();
	incast(0, 100 * NODE_US);
	for (node_time_t at = 10 * NODE_US; at < 100 * NODE_US; at += 15 * NODE_US)
		send_cnp(1, at, 0, 1, 0, ROCE_SIGNAL_NONE);
	run(100 * NODE_US);
	ck_assert_uint_eq(watched(1)->cnps_seen, 6);         /* RC-8: the time is noted, ... */
	ck_assert_uint_eq(watched(1)->cnps_supplemented, 4); /* ... and only those of host 2 are made */
	ck_assert_uint_eq(neighbours[0].cnps, 6);
	ck_assert_uint_eq(neighbours[2].cnps, 4);
	check_books();
}
END_TEST

START_TEST(supplement__not_before_the_queue_pair_is_known)
{
	config.roce.path_pause = false;
	reopen();
	for (node_time_t at = 0; at < 100 * NODE_US; at += WIRE_PS) {
		send_data(0, at, 0, 1, 0);
		send_data(2, at, 2, 1, 0);
	}
	run(50 * NODE_US);
	ck_assert_uint_eq(neighbours[0].cnps, 0);
	send_ack(1, 50 * NODE_US, 0, 1, 0);
	run(100 * NODE_US);
	ck_assert_uint_gt(neighbours[0].cnps, 0);
	ck_assert_uint_eq(neighbours[2].cnps, 0);
}
END_TEST

/* one switch is both the congested and the first one */
START_TEST(path__pauses_and_resumes_its_own_devices)
{
	incast(0, 60 * NODE_US);
	run(60 * NODE_US);
	ck_assert_uint_eq(neighbours[0].xoffs, 1); /* RC-9, RC-10 */
	ck_assert_uint_eq(neighbours[2].xoffs, 1);
	ck_assert_uint_eq(neighbours[1].xoffs, 0); /* does not feed the queue */
	ck_assert_uint_eq(neighbours[0].pause.enabled, 1 << WATCHED);
	ck_assert_uint_eq(neighbours[0].pause.quanta[WATCHED], PAUSE_QUANTA_MAX);
	ck_assert_uint_eq(neighbours[0].pause_signals, 0); /* taken out */
	ck_assert_uint_eq(stats_port(stats, 0)->path_pauses, 1);
	ck_assert_uint_eq(watched(1)->signals_pause, 2);
	check_books();
	run(NODE_MS); /* the queue empties */
	ck_assert_uint_eq(neighbours[0].xons, 1);
	ck_assert_uint_eq(neighbours[2].xons, 1);
	ck_assert_uint_eq(stats_port(stats, 0)->path_resumes, 1);
	ck_assert_uint_eq(watched(1)->signals_resume, 2);
	ck_assert_uint_eq(stats_port(stats, 0)->signals_forwarded, 0);
	check_books();
}
END_TEST

START_TEST(path__target_ecn_failed)
{
	config.roce.supplement = false;
	config.roce.path_target = ROCE_ECN_FAILED;
	reopen();
	incast(0, 20 * NODE_US);
	run(20 * NODE_US);
	ck_assert_uint_eq(neighbours[0].xoffs, 1); /* RC-9 */
	ck_assert_uint_eq(watched(1)->state_max, ROCE_ECN_FAILED);
}
END_TEST

START_TEST(path__signals_go_to_the_first_switch)
{
	incast(0, 60 * NODE_US);
	for (node_time_t at = 0; at < 60 * NODE_US; at += WIRE_PS)
		send_data(3, at, 3, 1, 0); /* from host 3, at switch 2 */
	run(60 * NODE_US);
	ck_assert_uint_eq(neighbours[3].pause_signals, 1); /* RC-9 */
	ck_assert_uint_eq(neighbours[3].xoffs, 0);         /* the neighbour there is not the device */
	ck_assert_uint_eq(neighbours[3].signal.signal, 1);
	check_comes_from_receiver(&neighbours[3].signal, 3, 1, 0);
	ck_assert_uint_eq(neighbours[4].pause_signals, 0); /* RC-15: nobody else hears of it */
	run(NODE_MS);
	ck_assert_uint_eq(neighbours[3].resume_signals, 1);
	ck_assert_uint_eq(neighbours[3].signal.signal, 2);
	check_books();
}
END_TEST

/* a queue that stays too long: host 1 holds its class, so nothing leaves */
START_TEST(path__says_it_again)
{
	struct pause_frame hold = { .enabled = 1 << WATCHED };

	hold.quanta[WATCHED] = PAUSE_QUANTA_MAX;
	incast(0, 60 * NODE_US);
	run(50 * NODE_US);
	pfc_gate_take(&eth->ports[1].gate, &hold, RATE / 100, 50 * NODE_US);
	run(3 * RENEW);
	ck_assert_uint_ge(watched(1)->signals_pause, 4);
	ck_assert_uint_eq(neighbours[0].xons, 0);
	ck_assert_uint_ge(neighbours[0].xoffs, 2); /* the first ends at 2 RENEW */
	check_books();
}
END_TEST

START_TEST(path__bounded_work)
{
	for (uint32_t flow = 0; flow < 100; flow++)
		send_data(0, 0, 0, 1, flow);
	for (uint32_t flow = 0; flow < 100; flow++)
		send_data(2, 0, 2, 1, flow);
	incast(9 * NODE_US, 60 * NODE_US);
	for (node_time_t at = 30 * NODE_US; at < 60 * NODE_US; at += 50 * WIRE_PS)
		for (uint32_t flow = 0; flow < 50; flow++)
			send_data(3, at, 3, 1, flow);
	run(NODE_MS);
	ck_assert_uint_ge(neighbours[3].pause_signals, 50);
	ck_assert_uint_eq(watched(1)->signals_resume, watched(1)->signals_pause);
	ck_assert_uint_eq(eth->ports[1].queues[WATCHED].signals.paused, 0);
	check_books();
}
END_TEST

/* ---- the first switch, and those between ---- */

START_TEST(signal__pauses_the_device_it_is_for)
{
	send_data(0, 0, 0, 4, 7); /* flow 7 of host 0 goes to host 4, which is behind p4 */
	send_cnp(4, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(neighbours[0].xoffs, 1); /* RC-10 */
	ck_assert_uint_eq(neighbours[0].pause_signals, 0);
	ck_assert_uint_eq(neighbours[0].cnps, 0);
	ck_assert_uint_eq(stats_port(stats, 4)->signals_forwarded, 0);
	send_cnp(4, 30 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(40 * NODE_US);
	ck_assert_uint_eq(neighbours[0].xons, 1);
	ck_assert_uint_eq(neighbours[0].resume_signals, 0);
	check_books();
}
END_TEST

START_TEST(signal__forms)
{
	static const struct pause_frame expected[PATH_PAUSE_FORMS] = {
		[PATH_PAUSE_TARGET] = { .enabled = 1 << WATCHED },
		[PATH_PAUSE_ALL] = { .enabled = 0xff },
		[PATH_PAUSE_NONE] = { .enabled = 0 },
		[PATH_PAUSE_PORT] = { .port = true },
	};

	config.roce.path_form = (enum path_pause_form)_i;
	reopen();
	send_data(0, 0, 0, 4, 7);
	send_cnp(4, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(stats_port(stats, 0)->path_pauses, 1); /* RC-10 */
	ck_assert_int_eq(neighbours[0].pause.port, expected[_i].port);
	ck_assert_uint_eq(neighbours[0].pause.enabled, expected[_i].enabled);
	for (uint32_t c = 0; c < 8; c++)
		ck_assert_uint_eq(neighbours[0].pause.quanta[c],
				  expected[_i].enabled >> c & 1 || !(expected[_i].enabled || c) ? 65535 : 0);
}
END_TEST

START_TEST(signal__passes_a_switch_in_between)
{
	struct roce_reply reply = reply_to(3, 4, 7); /* from host 4 behind p4 to host 3 behind p3 */
	uint8_t bytes[ROCE_REPLY_BYTES_MAX];
	uint32_t length;

	reply.signal = ROCE_SIGNAL_PAUSE;
	length = roce_cnp_write(&reply, bytes);
	send_data(3, 0, 3, 4, 7);
	send_cnp(4, 10 * NODE_US, 3, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(neighbours[3].pause_signals, 1); /* RC-10: forwarded untouched */
	ck_assert_mem_eq(neighbours[3].signal_bytes, bytes, length);
	ck_assert_uint_eq(neighbours[3].xoffs, 0);
	ck_assert_uint_eq(stats_port(stats, 4)->signals_forwarded, 1);
	ck_assert_uint_eq(eth->flows.used, 1);
	check_books();
}
END_TEST

START_TEST(signal__is_nobodys_if_path_pause_is_off)
{
	config.roce.path_pause = false;
	reopen();
	send_cnp(4, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(20 * NODE_US);
	ck_assert_uint_eq(neighbours[0].pause_signals, 1);
	ck_assert_uint_eq(neighbours[0].xoffs, 0);
	check_books();
}
END_TEST

START_TEST(signal__of_a_flow_that_never_passed)
{
	send_cnp(4, 10 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	send_cnp(4, 20 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(30 * NODE_US);
	ck_assert_uint_eq(neighbours[0].xoffs, 1);
	ck_assert_uint_eq(neighbours[0].xons, 1);
}
END_TEST

/* the shared buffer has stopped host 0, too: its resume signal must not let it go */
START_TEST(both__must_let_go)
{
	config.roce.classes[WATCHED].xoff_bytes = 20000;
	config.roce.path_high_bytes = 1u << 30; /* this switch does not signal itself */
	reopen();
	incast(0, 40 * NODE_US);
	send_data(0, 40 * NODE_US, 0, 4, 7);
	run(20 * NODE_US);
	ck_assert_uint_eq(eth->ports[0].teller.told, 1 << WATCHED);
	send_cnp(4, 20 * NODE_US, 0, 4, 7, ROCE_SIGNAL_PAUSE);
	run(21 * NODE_US);
	send_cnp(4, 21 * NODE_US, 0, 4, 7, ROCE_SIGNAL_RESUME);
	run(22 * NODE_US);
	ck_assert_uint_eq(eth->ports[0].teller.told, 1 << WATCHED);
	ck_assert_uint_eq(neighbours[0].xons, 0);
	run(NODE_MS);
	ck_assert_uint_eq(neighbours[0].xons, 1);
	ck_assert_uint_eq(eth->ports[0].teller.told, 0);
}
END_TEST

/* ---- tables ---- */

static char *shown(const char *table, int port)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	ck_assert_int_eq(ethernet_ops.show(eth, table, port, out), 0);
	fclose(out);
	return text;
}

START_TEST(show__states_and_flows)
{
	char *states, *flows, *elsewhere;

	incast(0, 60 * NODE_US);
	run(50 * NODE_US);
	states = shown("states", 1);
	flows = shown("flows", -1);
	elsewhere = shown("flows", 3);
	ck_assert_ptr_nonnull(strstr(states, "cnp-failed"));
	ck_assert_ptr_nonnull(strstr(flows, "flows 2 of 1024"));
	ck_assert_ptr_nonnull(strstr(flows, "10.0.0.1"));
	ck_assert_ptr_nonnull(strstr(flows, "0x400000"));
	ck_assert_ptr_nonnull(strstr(flows, "paused"));
	ck_assert_ptr_null(strstr(elsewhere, "10.0.0.1"));
	free(states);
	free(flows);
	free(elsewhere);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ethernet_path");
	TCase *tests = tcase_create("ethernet_path");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, close_switch);
	tcase_add_test(tests, states__as_the_queue_grows);
	tcase_add_test(tests, supplement__reaches_the_sender);
	tcase_add_test(tests, supplement__not_if_the_receiver_says_it);
	tcase_add_test(tests, supplement__not_before_the_queue_pair_is_known);
	tcase_add_test(tests, path__pauses_and_resumes_its_own_devices);
	tcase_add_test(tests, path__target_ecn_failed);
	tcase_add_test(tests, path__signals_go_to_the_first_switch);
	tcase_add_test(tests, path__says_it_again);
	tcase_add_test(tests, path__bounded_work);
	tcase_add_test(tests, signal__pauses_the_device_it_is_for);
	tcase_add_loop_test(tests, signal__forms, 0, PATH_PAUSE_FORMS);
	tcase_add_test(tests, signal__passes_a_switch_in_between);
	tcase_add_test(tests, signal__is_nobodys_if_path_pause_is_off);
	tcase_add_test(tests, signal__of_a_flow_that_never_passed);
	tcase_add_test(tests, both__must_let_go);
	tcase_add_test(tests, show__states_and_flows);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
