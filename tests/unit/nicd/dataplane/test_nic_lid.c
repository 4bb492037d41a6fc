/*  nicd/dataplane in a fabric of kind port-group, two NICs at the two ends of one link: headers,
 *  credit, FECN and BECN, rates (PG-1, PG-9, PG-10, TB-23). The test acts as the switch: it changes
 *  packets on the link. */
#include "nicd/dataplane/nic_lid.h"
#include "nodes/base/units.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/address.h"
#include "nodes/wire/becn_frame.h"
#include "nodes/wire/word_frame.h"
#include "tests/testing.h"
#include "tests/unit/nicd/dataplane/two_nics.h"

#define MESSAGE_BYTES 93000u /* packets of equal length */
#define PACKET_BYTES 1000u
#define PACKET_UNITS 4u
#define WIRE_BYTES (PACKET_BYTES + LID_HEADER_BYTES + FRAME_FCS_BYTES + TWO_GAP_BYTES)
#define TIMER_PS (100 * NODE_US)

/* host 0 sends plain Ethernet frames of one class to host 1, one after the other */
static void setup(void)
{
	two_setup();
	for (uint32_t i = 0; i < 2; i++) {
		struct two_end *end = &two[i];

		end->port.peer_index = !i;
		end->port.buffer_units = 64;
		end->config.fabric = FABRIC_PORT_GROUP;
		end->config.lanes = 2;
		end->config.port_group =
			(struct port_group_config){ .lid_bits = 16,
						    .fecn = true,
						    .becn = true,
						    .becn_interval_ps = 20 * NODE_US,
						    .ccti_increase = 4,
						    .ccti_max = 100,
						    .ccti_step_permille = 250,
						    .ccti_timer_ps = TIMER_PS };
		for (uint32_t w = 0; w < TWO_WORKLOADS; w++) {
			end->workloads[w].transport = TRANSPORT_NONE;
			end->workloads[w].frame = FRAME_IPV4;
			end->workloads[w].packet_bytes = PACKET_BYTES;
			end->workloads[w].message_bytes = MESSAGE_BYTES;
		}
	}
}

/* applies @change to each packet that host 0 has sent and host 1 has not received */
static void on_link(void (*change)(struct record *record, struct lid_header *header,
				   uint8_t *bytes))
{
	/* a copy of the receiver's end, which does not move */
	struct ring_rx ring = two[1].link.rx.ring;
	struct record copy;
	const uint8_t *there;

	for (ring_refresh(&ring); (there = ring_peek(&ring, &copy)); ring_pop(&ring, &copy)) {
		uint8_t *bytes = (uint8_t *)there;
		struct lid_header header;

		if (copy.kind != RECORD_PACKET)
			continue;
		ck_assert_int_eq(
			lid_header_read(bytes, copy.captured_bytes,
					copy.wire_bytes - LID_HEADER_BYTES - FRAME_FCS_BYTES,
					&header),
			0);
		change((struct record *)bytes - 1, &header, bytes);
	}
}

static void header_put(uint8_t *bytes, const struct lid_header *header)
{
	lid_header_write(header, bytes + FABRIC_ENVELOPE_BYTES);
}

static struct port_stats *port_of(uint32_t end)
{
	return stats_port(two[end].stats, 0);
}

/* both hosts send nothing more; everything in flight arrives */
static void run_out(void)
{
	two_run(two_now + 10 * NODE_MS);
}

/* ---- headers ---- */

static uint32_t seen;

static void check_header(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	uint8_t envelope[FABRIC_ENVELOPE_BYTES];

	word_frame_envelope_write(0, 0, 1, 0, envelope);
	ck_assert_mem_eq(bytes, envelope, sizeof(envelope));
	ck_assert_uint_eq(header->dlid, 2);
	ck_assert_uint_eq(header->slid, 1);
	ck_assert_uint_eq(header->service_level, 1);
	ck_assert_uint_eq(header->level, 0);
	ck_assert_uint_eq(record->traffic_class, 2); /* class 1, two lanes each */
	ck_assert(!header->fecn && !header->becn);
	seen++;
}

TEST_GROUP(nic_lid, .setup = setup);

/* PG-1: DLID and SLID follow from the hosts' numbers, the lane from the class. The receiver removes
 * the header. */
TEST(nic_lid__header_is_written_and_removed)
{
	two[0].workloads[0].traffic_class = 1;
	two[0].workloads[0].messages_max = 3;
	two_build();
	seen = 0;
	two_run(2 * NODE_US);
	on_link(check_header);
	ck_assert_uint_gt(seen, 0);
	run_out();
	ck_assert_uint_eq(stats_flow_rx(two[1].stats, 0)->messages, 3);
	ck_assert_uint_eq(stats_flow_rx(two[1].stats, 0)->traffic_class, 1);
	two_check_books();
	two_free();
}

static void to_another(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	(void)record;
	header->dlid = (uint32_t[]){ 1, 0, 0xbfff, 0x12345 }[seen++ % 4];
	header_put(bytes, header);
}

static void from_nobody(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	(void)record;
	header->slid = seen++ % 2 ? 0 : 0xc000;
	header_put(bytes, header);
}

static void in_another_lane(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	(void)record;
	header->level = 1;
	header_put(bytes, header);
	seen++;
}

/* PG-1, TB-23: a DLID of another host, reserved or too long; no source; a header without its
 * lane */
TEST_RANGE(nic_lid__bad_headers_are_dropped, 0, 3)
{
	static void (*const changes[])(struct record *, struct lid_header *,
				       uint8_t *) = { to_another, from_nobody, in_another_lane };
	static const enum drop_reason reasons[] = { DROP_BAD_LID, DROP_BAD_LID, DROP_MALFORMED };

	two[0].workloads[0].messages_max = 1;
	two_build();
	two_run(2 * NODE_US);
	seen = 0;
	on_link(changes[_i]);
	ck_assert_uint_gt(seen, 3);
	run_out();
	ck_assert_uint_eq(two[1].stats->drops[reasons[_i]], seen);
	ck_assert_uint_eq(two[1].stats->delivered_packets + seen, two[0].stats->injected_packets);
	ck_assert_uint_eq(two[1].link.rx.held_units[0], 0);
	two_free();
}

/* PG-1: multicast groups, and the LID of all hosts */
static void to_all(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	(void)record;
	header->dlid = seen++ % 2 ? lid_group_first(16) : lid_permissive(16);
	header_put(bytes, header);
}

TEST(nic_lid__groups_are_accepted)
{
	two[0].workloads[0].messages_max = 1;
	two_build();
	two_run(2 * NODE_US);
	seen = 0;
	on_link(to_all);
	ck_assert_uint_gt(seen, 3);
	run_out();
	ck_assert_uint_eq(two[1].stats->drops[DROP_BAD_LID], 0);
	two_check_books();
	two_free();
}

TEST(nic_lid_of_mac__hosts_and_all_others)
{
	static const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };
	uint8_t mac[6];

	two_build();
	address_mac(4711, mac);
	ck_assert_uint_eq(nic_lid_of_mac(two[0].nic, mac), 4712);
	ck_assert_uint_eq(nic_lid_of_mac(two[0].nic, broadcast), 0xc000);
	address_mac(0xc000, mac); /* its number is that of a group */
	ck_assert_uint_eq(nic_lid_of_mac(two[0].nic, mac), 0xc000);
	two_free();
	two[0].config.port_group.lid_bits = 24;
	two_build();
	ck_assert_uint_eq(nic_lid_of_mac(two[0].nic, mac), 0xc001);
	ck_assert_uint_eq(nic_lid_of_mac(two[0].nic, broadcast), 0xc00000);
	two_free();
}

/* ---- credits ---- */

/* PG-9, EC-4: a receiver that pauses gets what it has granted; nothing is lost, and the sender
 * resumes */
TEST(nic_lid__credit_runs_out_and_comes_back)
{
	two[1].pauses[0] = (struct pause_config){ .start_ps = 5 * NODE_US,
						  .stop_ps = 45 * NODE_US,
						  .every_ps = 40 * NODE_US,
						  .for_ps = 40 * NODE_US,
						  .classes = 1 };
	two[1].config.nic.pause_count = 1;
	two_build();
	two_run(6 * NODE_US);
	seen = (uint32_t)two[1].stats->delivered_packets;
	two_run(44 * NODE_US);
	ck_assert_uint_gt(port_of(0)->credit_waits, 0);
	ck_assert_uint_le(two[1].stats->delivered_packets - seen, 64 / PACKET_UNITS);
	seen = (uint32_t)two[1].stats->delivered_packets;
	two_run(60 * NODE_US);
	ck_assert_uint_gt(two[1].stats->delivered_packets - seen, 100);
	ck_assert_uint_gt(port_of(0)->paused_ps, 30 * NODE_US);
	/* TB-13: how long, of a NIC too */
	ck_assert_uint_gt(port_of(0)->credit_wait_ps, 30 * NODE_US);
	ck_assert_uint_le(port_of(0)->credit_wait_ps, 45 * NODE_US);
	ck_assert_uint_eq(two[1].stats->drops[DROP_BUFFER_OVERFLOW], 0);
	two_free();
}

static uint32_t traced(enum trace_kind kind, uint32_t traffic_class)
{
	uint32_t count = 0;

	for (uint64_t i = 0; i < two[1].stats->trace.count; i++)
		count += stats_trace(two[1].stats, i)->kind == kind &&
			 stats_trace(two[1].stats, i)->traffic_class == traffic_class;
	return count;
}

/* lanes of class 1 that host 1 stops, in its last sample */
static uint64_t sampled(void)
{
	return two[1].nic->series.ports[SERIES_XOFF - SERIES_PORT_FIRST];
}

/* EC-4, SE-1, SE-2: both ends of the pause are events, once each, of the class and not of its
 * lanes; samples have the lanes */
TEST(nic_lid__a_pause_is_seen)
{
	two[1].pauses[0] = (struct pause_config){ .start_ps = 5 * NODE_US,
						  .stop_ps = 45 * NODE_US,
						  .every_ps = 40 * NODE_US,
						  .for_ps = 40 * NODE_US,
						  .classes = 2 };
	two[1].config.nic.pause_count = 1;
	two[1].config.series = true;
	two[1].config.sample_ps = NODE_US;
	two[1].config.measure_to_ps = NODE_MS;
	two_build();
	two_run(20 * NODE_US);
	ck_assert_uint_eq(traced(TRACE_XOFF, 1), 1);
	ck_assert_uint_eq(traced(TRACE_XON, 1), 0);
	ck_assert_uint_eq(sampled(), 1 << 2 | 1 << 3);
	two_run(60 * NODE_US);
	ck_assert_uint_eq(traced(TRACE_XOFF, 1), 1);
	ck_assert_uint_eq(traced(TRACE_XON, 1), 1);
	ck_assert_uint_eq(sampled(), 0);
	two_free();
}

/* ---- FECN and BECN ---- */

static bool passing; /* such collisions are resolved by the switch's next choices */

static void mark(struct record *record, struct lid_header *header, uint8_t *bytes)
{
	(void)record;
	header->fecn = true;
	header->lasting = !passing;
	header_put(bytes, header);
	seen++;
}

/* packets on the link have met congestion; the BECN returns within a few microseconds */
static void congest(void)
{
	seen = 0;
	on_link(mark);
	ck_assert_uint_gt(seen, 1);
}

static uint64_t packets_in(node_time_t interval)
{
	uint64_t before = two[0].stats->injected_packets;

	two_run(two_now + interval);
	return two[0].stats->injected_packets - before;
}

/* PG-10: FECN is answered once. The source slows down to the rate of the formula, and recovers by
 * its timer. */
TEST(nic_rate__slows_down_and_recovers)
{
	uint64_t line = 100 * NODE_US / (WIRE_BYTES * TWO_BYTE_PS), slow;
	const struct flow_tx_stats *flow;

	two_build();
	two_run(10 * NODE_US);
	flow = stats_flow_tx(two[0].stats, 0);
	ck_assert_uint_eq(flow->rate_bps, 0);
	congest();
	two_run(15 * NODE_US);
	ck_assert_uint_eq(port_of(1)->becns, 1);
	ck_assert_uint_eq(flow->cnps, 1);
	ck_assert_uint_eq(flow->rate_bps, TWO_RATE_BPS / 2); /* index 4: 1 + 4 * 0.25 */
	slow = packets_in(50 * NODE_US);
	ck_assert_uint_ge(slow, line / 4 - 1);
	ck_assert_uint_le(slow, line / 4 + 1);
	two_run(two_now + 4 * TIMER_PS);
	ck_assert_uint_eq(flow->rate_bps, TWO_RATE_BPS);
	ck_assert_uint_eq(flow->rate_min_bps, TWO_RATE_BPS / 2);
	ck_assert_uint_eq(two[0].nic->gate.rate.used, 0);
	ck_assert_uint_ge(packets_in(100 * NODE_US), line - 2);
	two_free();
}

/* PG-3, PG-10: the source is not notified of a collision that choices resolve */
TEST(nic_lid__passing_congestion_sends_no_becn)
{
	two_build();
	two_run(10 * NODE_US);
	passing = true;
	congest();
	passing = false;
	two_run(15 * NODE_US);
	ck_assert_uint_eq(port_of(1)->becns, 0);
	two_free();
}

/* PG-10: a source receives at most one BECN in becn_interval */
TEST(nic_lid__one_becn_per_interval)
{
	two_build();
	two_run(10 * NODE_US);
	for (node_time_t at = 10 * NODE_US; at < 70 * NODE_US; at += 2 * NODE_US) {
		on_link(mark);
		two_run(at);
	}
	ck_assert_uint_eq(port_of(1)->becns, 3);
	ck_assert_uint_eq(stats_flow_tx(two[0].stats, 0)->cnps, 3);
	/* index 12 */
	ck_assert_uint_eq(stats_flow_tx(two[0].stats, 0)->rate_min_bps, TWO_RATE_BPS / 4);
	two_free();
}

/* PG-10: only packets to the congested destination are slow. Host 0 also sends to host 2, which
 * does not exist, and uses the rest of the link. */
TEST(nic_rate__others_have_the_link)
{
	uint64_t line = 100 * NODE_US / (WIRE_BYTES * TWO_BYTE_PS), slow, fast;

	two[0].destinations[1] = 2;
	two[0].workloads[0].destination_count = 2;
	two[0].workloads[0].destination = DESTINATION_ROUND_ROBIN;
	two[0].workloads[0].window = 2;
	two[0].workloads[1] = two[0].workloads[0];
	two[0].workloads[1].destination_count = 1;
	two[0].workloads[1].destinations = &two[0].destinations[1];
	two[0].workloads[1].window = 1;
	two[0].workloads[0].destination_count = 1;
	two[0].config.nic.workload_count = 2;
	two_build();
	two_run(10 * NODE_US);
	for (int i = 0; i < 3; i++) {
		on_link(mark);
		two_run(two_now + 21 * NODE_US);
	}
	slow = stats_flow_tx(two[0].stats, 0)->packets;
	fast = stats_flow_tx(two[0].stats, 1)->packets;
	ck_assert_uint_eq(stats_flow_tx(two[0].stats, 0)->rate_bps, TWO_RATE_BPS / 4);
	ck_assert_uint_eq(stats_flow_tx(two[0].stats, 1)->rate_bps, 0);
	two_run(two_now + 20 * NODE_US);
	slow = stats_flow_tx(two[0].stats, 0)->packets - slow;
	fast = stats_flow_tx(two[0].stats, 1)->packets - fast;
	ck_assert_uint_le(slow, line / 5 / 4 + 1);
	ck_assert_uint_ge(slow + fast, line / 5 - 1);
	two_free();
}

/* PG-10: without `becn` the NIC sends no BECN */
TEST(nic_lid__no_becn_unless_configured)
{
	two[1].config.port_group.becn = false;
	two_build();
	two_run(10 * NODE_US);
	congest();
	two_run(40 * NODE_US);
	ck_assert_uint_eq(port_of(1)->becns, 0);
	two_free();
}
