/*  switchd/flow_channel/fgfc_path: an edge port pauses a flow of its host, limits its queue and
 *  resumes it, by frames on the host's link (EC-15, EC-16; one_switch.h). The path to switch 2 is
 *  slow, 1 Gb/s, so packets for host 2 form a queue at p0. */
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/address.h"
#include "nodes/wire/fgfc_frame.h"
#include "tests/testing.h"
#include "tests/unit/switchd/flow_channel/one_switch.h"

#define FAR (NODE_S / 2)
#define PACKET_BYTES 4096u
#define PACKET_UNITS (PACKET_BYTES / UNIT_BYTES)
#define TARGET 64u
#define DROP 32u
#define CREDIT 20u
#define PAUSE (100 * NODE_US)
#define PACKET_PS ((FABRIC_HEADER_BYTES + PACKET_BYTES + FRAME_FCS_BYTES + GAP_BYTES) * 8 * NODE_NS)

static struct one_switch s;
static struct received got;
static struct fgfc_frame frame;

static void setup(void)
{
	struct congestion_config *congestion = &s.config.switch_.congestion;

	one_switch_configure(&s);
	s.ports[2].rate_bps = 1000000000;
	s.config.switch_.output_queue_units_max = PACKET_UNITS;
	congestion->fgfc = true;
	congestion->fgfc_pause_ps = PAUSE;
	congestion->fgfc_credit_units = CREDIT;
	for (uint32_t i = 0; i < CONGESTION_SETTINGS; i++)
		congestion->settings[i] = (struct congestion_setting){ .eca_min = i,
								       .rate_bps = 200000000000,
								       .flow_extent_units = 10000,
								       .queue_extent_units = 10000,
								       .high_units = 2 * TARGET,
								       .target_units = TARGET,
								       .drop_units = DROP };
}

static void teardown(void)
{
	one_switch_close(&s);
}

static const struct port_stats *host_port(void)
{
	return stats_port(s.stats, 0);
}

/* host 0 sends @count packets of flow @flow to @destination */
static void send_packets(uint32_t count, uint32_t destination, uint32_t flow, node_time_t at)
{
	for (uint32_t i = 0; i < count; i++)
		host_send(&s, 0, at, destination, flow, 0, PACKET_BYTES);
}

/* receives the next FGFC frame to host 0 */
static bool frame_next(void)
{
	if (!neighbour_receive(&s, 0, RECORD_FGFC, &got))
		return false;
	ck_assert_uint_eq(got.header.wire_bytes, FGFC_FRAME_BYTES + FRAME_FCS_BYTES);
	ck_assert_int_eq(fgfc_frame_read(got.bytes, got.header.captured_bytes, &frame), 0);
	return true;
}

/* the complete name of host 0's flow, read from one of its frames */
static struct flow_name name_of(enum frame_kind kind, uint32_t destination, uint32_t flow)
{
	struct frame_spec spec = {
		.kind = kind, .destination = destination, .flow = flow, .frame_bytes = PACKET_BYTES
	};
	struct frame_payload payload = { .message_bytes = 1000, .message_first = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);
	struct frame_fields fields;

	ck_assert_int_eq(frame_parse(bytes, captured, PACKET_BYTES, &fields), 0);
	return flow_name_of(&fields, 0);
}

TEST_GROUP(fgfc_path, .setup = setup, .teardown = teardown);

/* S3 figure 9A: the NIC is notified at the target level, paused above it, and resumed below the
 * drop level */
TEST(fgfc_path__start_to_end)
{
	struct flow_name name = name_of(FRAME_IPV4, 2, 5);
	uint32_t frames = 0, credit_units = 0;
	node_time_t before = 0;

	one_switch_open(&s);
	send_packets(12, 2, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
	ck_assert(frame_next());
	ck_assert(flow_name_equal(&frame.name, &name));
	ck_assert_uint_eq(frame.pause_ps, PAUSE);
	ck_assert_uint_eq(frame.credit_units, CREDIT);
	/* before the packet that reaches the target are: the one on the link, the next one, and
	 * this many units */
	ck_assert_uint_lt(got.header.at_ps,
			  (TARGET / PACKET_UNITS + 3) * (PACKET_BYTES + 24) * BYTE_PS + LEAD);
	before = got.header.at_ps;
	one_switch_run(&s, FAR);
	while (frame_next() && frame.pause_ps) {
		ck_assert(flow_name_equal(&frame.name, &name));
		ck_assert_uint_ge(got.header.at_ps - before, (MTU + 24) * BYTE_PS);
		ck_assert_uint_le(got.header.at_ps - before, PAUSE);
		before = got.header.at_ps;
		credit_units += frame.credit_units;
		frames++;
	}
	ck_assert_uint_eq(frame.pause_ps, 0);
	ck_assert(flow_name_equal(&frame.name, &name));
	ck_assert(!frame_next());
	ck_assert_uint_eq(host_port()->fgfc_frames, frames + 2);
	ck_assert_uint_eq(host_port()->fgfc_held, 0);
	/* of 10 queued packets the first left 144 units: no credit; four 128 and less: 14; three 64
	 * and less: 18; then the pause ended */
	ck_assert_uint_le(credit_units, 4 * 14 + 3 * 18);
	ck_assert_uint_gt(credit_units, 4 * 14 + 3 * 18 - CREDIT);
	ck_assert_uint_le(frames, 12);
}

/* not configured: no frame */
TEST(fgfc_path__never_if_off)
{
	s.config.switch_.congestion.fgfc = false;
	one_switch_open(&s);
	send_packets(12, 2, 5, 0);
	one_switch_run(&s, FAR);
	ck_assert(!frame_next());
	ck_assert_uint_eq(host_port()->fgfc_frames, 0);
}

/* another flow of the same host is not paused or delayed */
TEST(fgfc_path__pauses_one_flow_only)
{
	uint32_t packets = 0;

	one_switch_open(&s);
	send_packets(10, 2, 5, 0);
	send_packets(10, 4, 6, 0);
	one_switch_run(&s, 10 * NODE_US);
	while (neighbour_receive(&s, 3, RECORD_PACKET, &got))
		packets++;
	ck_assert_uint_eq(packets, 10);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
	while (frame_next())
		ck_assert_uint_eq(frame.name.source_port, 0xc005);
}

/* two paused flows: the frames keep their interval, both flows are named */
TEST(fgfc_path__two_flows_keep_the_interval)
{
	one_switch_open(&s);
	send_packets(7, 2, 5, 0);
	send_packets(7, 2, 6, 0);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 2);
	ck_assert(frame_next());
	ck_assert_uint_eq(frame.name.source_port, 0xc005);
	ck_assert(frame_next());
	ck_assert_uint_eq(frame.name.source_port, 0xc006);
}

/* the setting in force decides: with more congestion the levels are lower */
TEST(fgfc_path__setting_in_force_decides)
{
	s.config.switch_.congestion.settings[0].target_units = 1000;
	s.config.switch_.congestion.settings[0].high_units = 2000;
	one_switch_open(&s);
	send_packets(6, 2, 5, 0);
	one_switch_run(&s, 2 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 0);
	for (uint32_t id = 0; id < s.dp->ifcts[0].channels; id++)
		TABLE_AT(s.dp->ifcts[0].entries, id)->setting = 7;
	host_send(&s, 0, 3 * NODE_US, 2, 5, 0, PACKET_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
}

static const char *const matches[] = {
	"127",
	"source-mac, ip-pair, ports, hpc",
	"destination-mac, vlan",
	"ip-pair, hpc",
	"flow-label, ports",
	"none",
	/* masks: a part of the destination may be left out, or it may be one of several fields */
	"destination-ip/24",
	"source-mac/24, destination-mac, source-port&0xff00",
	"ip-pair, source-port/8, hpc-process/16, queue-pair/8",
	"destination-ipv6/64, flow-label/4, vlan/4",
	"source-ipv4&255.0.0.255, destination-mac/46, hpc-destination/30",
};

#define MATCHES (sizeof(matches) / sizeof(matches[0]))

/* Every kind of frame under any match set: the NIC finds the flow by its own frames. */
TEST_RANGE(fgfc_path_name__matches_the_frames_of_the_nic, 0, (int)MATCHES *FRAME_KINDS)
{
	const char *match = matches[_i / FRAME_KINDS];
	enum frame_kind kind = (enum frame_kind)(_i % FRAME_KINDS);
	struct frame_spec spec = {
		.kind = kind, .destination = 2, .flow = 5, .frame_bytes = PACKET_BYTES
	};
	struct frame_payload payload = { .message_bytes = 1000, .message_first = true };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);
	struct flow_name whole = name_of(kind, 2, 5), under;
	struct why why;

	ck_assert_int_eq(flow_match_parse(match, &s.ports[0].match, &why), 0);
	one_switch_open(&s);
	for (uint32_t i = 0; i < 10; i++)
		neighbour_send_frame(&s, 0, 0, RECORD_PACKET, PACKET_BYTES + FRAME_FCS_BYTES, 0,
				     bytes, captured);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert(neighbour_receive(&s, 0, RECORD_FGFC, &got));
	ck_assert_int_eq(fgfc_frame_read(got.bytes, got.header.captured_bytes, &frame), 0);
	under = flow_name_masked(&whole, frame.name.fields, &frame.mask);
	ck_assert_msg(flow_name_equal(&frame.name, &under), "%s", match);
	if (!flow_match_masked(&s.ports[0].match)) {
		ck_assert(!flow_name_is_masked(&frame.mask));
		ck_assert_uint_eq(frame.name.fields & s.ports[0].match.fields,
				  s.ports[0].match.fields);
	}
	/* it never covers other destinations */
	whole = name_of(kind, 3, 5);
	under = flow_name_masked(&whole, frame.name.fields, &frame.mask);
	ck_assert_msg(!flow_name_equal(&frame.name, &under), "%s", match);
}

/* FC-2: under a match set without destination the name has the MAC of the host at the egress port,
 * whatever that host's number is. Numbers in between have no host. */
TEST_RANGE(fgfc_path_name__has_the_host_at_the_egress_port, 0, 2)
{
	static const struct host_config hosts[] = {
		{ .host_index = 0, .fabric_address = 2, .egress_port = 0 },
		{ .host_index = 1, .fabric_address = 1, .egress_port = 1 },
		{ .host_index = 5, .fabric_address = 2, .egress_port = 1 },
	};
	uint32_t number = _i ? 5 : 0;
	struct why why;
	uint8_t mac[6];

	ck_assert_int_eq(flow_match_parse("ports", &s.ports[0].match, &why), 0);
	memcpy(s.hosts, hosts, sizeof(hosts));
	s.config.switch_.host_count = 3;
	one_switch_open(&s);
	send_packets(10, number, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert(frame_next());
	address_mac(number, mac);
	ck_assert_mem_eq(frame.name.destination_mac, mac, sizeof(mac));
}

/* FC-2: flows that a mask makes one are paused together, by a frame with the bits that count; other
 * flows are not */
TEST(fgfc_path_name__under_a_mask)
{
	struct flow_name whole;
	struct why why;

	ck_assert_int_eq(flow_match_parse("ip-pair, source-port&0xfffc", &s.ports[0].match, &why),
			 0);
	one_switch_open(&s);
	for (uint32_t i = 0; i < 12; i++)
		host_send(&s, 0, 0, 2, 4 + i % 4, 0, PACKET_BYTES);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
	ck_assert(neighbour_receive(&s, 0, RECORD_FGFC, &got));
	ck_assert_uint_eq(got.header.wire_bytes, FGFC_MASKED_BYTES + FRAME_FCS_BYTES);
	ck_assert_int_eq(fgfc_frame_read(got.bytes, got.header.captured_bytes, &frame), 0);
	ck_assert_uint_eq(frame.mask.source_port, 0xfffc);
	for (uint32_t flow = 0; flow < 12; flow++) {
		struct flow_name under;

		whole = name_of(FRAME_IPV4, 2, flow);
		under = flow_name_masked(&whole, frame.name.fields, &frame.mask);
		ck_assert_int_eq(flow_name_equal(&frame.name, &under), flow / 4 == 1);
	}
}

/* EC-16: a lost frame neither blocks a flow nor disturbs the guard's counts */
TEST(fgfc_path__lost_frame_blocks_nothing)
{
	uint32_t frames = 0;

	s.ports[0].guarded = true;
	one_switch_open(&s);
	send_packets(10, 2, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert(frame_next());
	neighbour_send_word(&s, 0, 4 * NODE_US, LINK_WORD_MISSING, 0, got.header.sequence);
	neighbour_send_word(&s, 0, 4 * NODE_US, LINK_WORD_SEEN, 0, got.header.sequence + 1);
	one_switch_run(&s, FAR);
	for (int i = 0; i < DROP_REASONS; i++)
		ck_assert_uint_eq(s.stats->drops[i], 0);
	ck_assert_uint_eq(host_port()->loss_reports, 0);
	ck_assert_uint_eq(s.links[0].guard.log_first, got.header.sequence + 1);
	while (frame_next() && frame.pause_ps)
		frames++;
	ck_assert_uint_ge(frames, 2);
	ck_assert_uint_eq(frame.pause_ps, 0);
}

/* hosts do not send FGFC to switches */
TEST(fgfc_path__ignored_from_a_host)
{
	static const uint8_t mac[6] = { 2 };
	struct fgfc_frame out = { .name = name_of(FRAME_IPV4, 2, 5), .pause_ps = PAUSE };
	uint8_t bytes[FGFC_FRAME_BYTES];

	one_switch_open(&s);
	fgfc_frame_write(&out, mac, bytes);
	neighbour_send_frame(&s, 0, 0, RECORD_FGFC, FGFC_FRAME_BYTES + FRAME_FCS_BYTES, 0, bytes,
			     sizeof(bytes));
	neighbour_send_frame(&s, 2, 0, RECORD_FGFC, FGFC_FRAME_BYTES + FRAME_FCS_BYTES, 0, bytes,
			     sizeof(bytes));
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(s.stats->drops[DROP_MALFORMED], 2);
	ck_assert_uint_eq(s.stats->inside_packets, 0);
}

TEST(fgfc_path__link_down_forgets)
{
	one_switch_open(&s);
	send_packets(10, 2, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
	flow_channel_ops.link_down(s.dp, 0, 3 * NODE_US);
	ck_assert_uint_eq(host_port()->fgfc_held, 0);
	ck_assert_uint_eq(s.dp->ports[0].edge.fgfc.on, 0);
	while (frame_next())
		;
	one_switch_run(&s, FAR); /* what it sent is forwarded */
	ck_assert(!frame_next());
	ck_assert_uint_eq(s.stats->inside_packets, 0);
}

TEST(fgfc_path__table_is_shown)
{
	char *text;
	size_t length;
	FILE *out;

	one_switch_open(&s);
	send_packets(10, 2, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	out = open_memstream(&text, &length);
	ck_assert_int_eq(flow_channel_ops.show(s.dp, "fgfc", -1, 0, out), 0);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "held"));
	ck_assert_ptr_nonnull(
		strstr(text, "10.0.0.1 > 10.0.0.3 protocol 17 ports 49157 > 18432\n"));
	free(text);
}

/* the link to switch 2 fails: what is queued is lost, and the pause ends with the flow */
TEST(fgfc_path__ends_when_the_flow_is_lost)
{
	struct flow_name name = name_of(FRAME_IPV4, 2, 5);
	static const struct channel_set none_left;

	one_switch_open(&s);
	send_packets(10, 2, 5, 0);
	one_switch_run(&s, 3 * NODE_US);
	while (frame_next())
		ck_assert_uint_eq(frame.pause_ps, PAUSE);
	ck_assert_uint_eq(host_port()->fgfc_held, 1);
	flow_channel_ops.link_down(s.dp, 2, 3 * NODE_US);
	flow_channel_ops.link_settle(s.dp, 2, &none_left, 3 * NODE_US);
	ck_assert_uint_eq(s.stats->inside_packets, 0);
	ck_assert_uint_eq(host_port()->fgfc_held, 0);
	one_switch_run(&s, 4 * NODE_US);
	ck_assert(frame_next());
	ck_assert(flow_name_equal(&frame.name, &name));
	ck_assert_uint_eq(frame.pause_ps, 0);
	ck_assert(!frame_next());
}
