/*  switchd/flow_channel/efct: which packets form a flow, and a line for each flow at once (FC-2,
 *  FC-4, FC-9). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "switchd/flow_channel/efct.h"
#include "tests/testing.h"

#define CHANNELS 8u

static struct efct efct;

static void setup(void)
{
	struct flow_match match = flow_match_whole(MATCH_ALL);

	ck_assert_int_eq(efct_init(&efct, CHANNELS, &match, NULL), 0);
}

static void match_set(uint32_t fields)
{
	struct flow_match match = flow_match_whole(fields);

	efct_match_set(&efct, &match);
}

static void match_set_text(const char *text)
{
	struct flow_match match;
	struct why why;

	ck_assert_msg(!flow_match_parse(text, &match, &why), "%s", why.text);
	efct_match_set(&efct, &match);
}

static void teardown(void)
{
	efct_fini(&efct);
}

static struct frame_fields ipv6_frame(void)
{
	return (struct frame_fields){ .destination_mac = { 2, 1, 1, 1, 1, 1 },
				      .source_mac = { 2, 2, 2, 2, 2, 2 },
				      .vlan = 100,
				      .tagged = true,
				      .ip_version = 6,
				      .ip_protocol = 17,
				      .source_ip = { 0xfd, 1 },
				      .destination_ip = { 0xfd, 2 },
				      .source_port = 1000,
				      .destination_port = 4791,
				      .flow_label = 77,
				      .roce = true,
				      .queue_pair = 42 };
}

static struct frame_fields hpc_frame(void)
{
	return (struct frame_fields){ .source_mac = { 2, 2, 2, 2, 2, 2 },
				      .hpc = true,
				      .hpc_source = 5,
				      .hpc_destination = 6,
				      .hpc_process = 7 };
}

/* the line of a frame to switch 3, port 4, class 1 */
static int classify(const struct frame_fields *fields)
{
	struct efct_pattern pattern;
	uint64_t hash = efct_pattern_of(&efct, fields, 3, 4, 1, &pattern);

	return efct_classify(&efct, &pattern, hash);
}

/* flow number @number, distinguished by its source port */
static int classify_flow(uint16_t number)
{
	struct frame_fields fields = ipv6_frame();

	fields.source_port = number;
	return classify(&fields);
}

/* the first unit of a flow arrives */
static int open_flow(uint16_t number)
{
	int line = classify_flow(number);

	if (line >= 0)
		efct_inject(&efct, (uint32_t)line, 1);
	return line;
}

/* ---- which packets form a flow ---- */

struct change {
	enum match_field field;
	bool hpc;      /* of the HPC frame, else of the IPv6 one */
	size_t offset; /* of the byte that differs in another flow */
};

#define AT(member) offsetof(struct frame_fields, member)

static const struct change changes[] = {
	{ MATCH_SOURCE_MAC, false, AT(source_mac) + 5 },
	{ MATCH_DESTINATION_MAC, false, AT(destination_mac) },
	{ MATCH_VLAN, false, AT(vlan) },
	{ MATCH_IP_PAIR, false, AT(source_ip) },
	{ MATCH_IP_PAIR, false, AT(source_ip) + 15 },
	{ MATCH_IP_PAIR, false, AT(destination_ip) + 3 },
	{ MATCH_PORTS, false, AT(source_port) },
	{ MATCH_PORTS, false, AT(destination_port) + 1 },
	{ MATCH_PORTS, false, AT(ip_protocol) },
	{ MATCH_FLOW_LABEL, false, AT(flow_label) + 2 },
	{ MATCH_HPC, false, AT(queue_pair) },
	{ MATCH_HPC, true, AT(hpc_process) },
	{ MATCH_HPC, true, AT(hpc_source) },
	{ MATCH_HPC, true, AT(hpc_destination) },
};

#define CHANGES (sizeof(changes) / sizeof(changes[0]))

/* Are the frame and the changed frame one flow under @match_fields? */
static bool one_flow(const struct change *change, uint32_t match_fields)
{
	struct efct_pattern a, b;
	struct frame_fields fields = change->hpc ? hpc_frame() : ipv6_frame();
	uint64_t hash_a, hash_b;

	match_set(match_fields);
	hash_a = efct_pattern_of(&efct, &fields, 3, 4, 1, &a);
	((uint8_t *)&fields)[change->offset] ^= 1;
	hash_b = efct_pattern_of(&efct, &fields, 3, 4, 1, &b);
	ck_assert_int_eq(hash_a == hash_b, !memcmp(&a, &b, sizeof(a)));
	return hash_a == hash_b;
}

/* FC-2: a selected field distinguishes flows; a field that is not selected is ignored, whatever
 * else is selected */
/* as in the dataplane: the last ACK frees the line */
static bool acked(struct efct *table, uint32_t flow_id, uint32_t units)
{
	efct_on_ack(table, flow_id, units);
	if (efct_flow_extent(TABLE_AT(table->lines, flow_id)))
		return false;
	efct_release(table, flow_id);
	return true;
}

TEST_GROUP(efct, .setup = setup, .teardown = teardown);

TEST_RANGE(efct_pattern_of__selected_fields_distinguish, 0, CHANGES)
{
	const struct change *change = &changes[_i];

	for (uint32_t match = 0; match <= MATCH_ALL; match++)
		ck_assert_int_eq(one_flow(change, match), !(match & change->field));
}

/* FC-2: destination address, egress port and traffic class always count */
TEST(efct_pattern_of__destination_and_class_always_count)
{
	struct frame_fields fields = ipv6_frame();
	struct efct_pattern pattern, same;
	uint64_t hash;

	match_set(0);
	hash = efct_pattern_of(&efct, &fields, 3, 4, 1, &pattern);
	ck_assert_uint_eq(efct_pattern_of(&efct, &fields, 3, 4, 1, &same), hash);
	ck_assert_mem_eq(&pattern, &same, sizeof(pattern));
	ck_assert_uint_ne(efct_pattern_of(&efct, &fields, 2, 4, 1, &pattern), hash);
	ck_assert_uint_ne(efct_pattern_of(&efct, &fields, 3, 5, 1, &pattern), hash);
	ck_assert_uint_ne(efct_pattern_of(&efct, &fields, 3, 4, 0, &pattern), hash);
}

/* ---- masks (FC-2) ---- */

static const struct masked {
	const char *match;
	enum { V4, V6, HPC, L2 } kind;
	size_t offset;   /* of the byte of frame_fields in which frames differ */
	uint8_t ignored; /* bits of it that do not count */
} masked[] = {
	{ "destination-ip/24", V4, AT(destination_ip) + 3, 0xff },
	{ "destination-ip/24", V4, AT(destination_ip) + 2, 0 },
	{ "destination-ip/24", V4, AT(source_ip), 0xff },
	{ "destination-ip/28", V4, AT(destination_ip) + 3, 0x0f },
	{ "destination-ip/24", V6, AT(destination_ip) + 3, 0xff },
	{ "destination-ip/24", V6, AT(destination_ip) + 2, 0 },
	{ "source-ipv6/68", V6, AT(source_ip) + 8, 0x0f },
	{ "source-ipv6/68", V6, AT(source_ip) + 7, 0 },
	{ "source-ipv6/68", V4, AT(source_ip), 0xff },
	{ "source-ipv4&255.0.255.0", V4, AT(source_ip) + 1, 0xff },
	{ "source-ipv4&255.0.255.0", V4, AT(source_ip) + 2, 0 },
	{ "source-mac/24", L2, AT(source_mac) + 3, 0xff },
	{ "source-mac/24", L2, AT(source_mac) + 2, 0 },
	{ "destination-mac&00:00:00:00:00:ff", L2, AT(destination_mac) + 5, 0 },
	{ "destination-mac&00:00:00:00:00:ff", L2, AT(destination_mac), 0xff },
	{ "source-port&0xff00", V4, AT(source_port),
	  0xff }, /* the low byte of a number of this machine */
	{ "source-port&0xff00", V4, AT(source_port) + 1, 0 },
	{ "source-port&0xff00", V4, AT(destination_port), 0xff },
	{ "destination-port/12", V6, AT(destination_port), 0x0f },
	{ "ip-protocol&0x0f", V4, AT(ip_protocol), 0xf0 },
	{ "vlan/8", L2, AT(vlan), 0x0f },
	{ "flow-label/16", V6, AT(flow_label), 0x0f },
	{ "queue-pair&0xf0", V6, AT(queue_pair), 0x0f },
	{ "queue-pair", HPC, AT(hpc_process), 0xff },
	{ "hpc-process/28", HPC, AT(hpc_process), 0x0f },
	{ "hpc-process/28", V6, AT(queue_pair), 0xff },
	{ "hpc-source/24", HPC, AT(hpc_source), 0xff },
	{ "hpc-source/24", HPC, AT(hpc_source) + 1, 0 },
	{ "hpc-destination/24", HPC, AT(hpc_destination), 0xff },
};

#define MASKED (sizeof(masked) / sizeof(masked[0]))

static struct frame_fields frame_of(int kind)
{
	struct frame_fields fields = kind == HPC ? hpc_frame() : ipv6_frame();

	if (kind == V4) {
		fields.ip_version = 4;
		fields.roce = false;
		fields.queue_pair = fields.flow_label = 0;
	} else if (kind == L2) {
		fields = (struct frame_fields){ .vlan = 100,
						.source_mac = { 2, 2 },
						.destination_mac = { 2, 1 } };
	}
	return fields;
}

/* Bit by bit: a bit that counts makes another flow; a masked bit does not, whatever else counts. */
TEST_RANGE(efct_pattern_of__masked_bits_do_not_count, 0, (int)MASKED)
{
	const struct masked *m = &masked[_i];
	struct efct_pattern a, b;

	for (uint32_t bit = 0; bit < 8; bit++) {
		struct frame_fields fields = frame_of(m->kind);
		uint64_t hash_a, hash_b;

		match_set_text(m->match);
		hash_a = efct_pattern_of(&efct, &fields, 3, 4, 1, &a);
		((uint8_t *)&fields)[m->offset] ^= (uint8_t)(1u << bit);
		hash_b = efct_pattern_of(&efct, &fields, 3, 4, 1, &b);
		ck_assert_msg((hash_a == hash_b) == !!(m->ignored >> bit & 1), "%s, bit %u",
			      m->match, bit);
		ck_assert_int_eq(hash_a == hash_b, !memcmp(&a, &b, sizeof(a)));
		/* the destination counts */
		ck_assert_uint_ne(hash_a, efct_pattern_of(&efct, &fields, 3, 5, 1, &b));
		ck_assert_uint_ne(hash_a, efct_pattern_of(&efct, &fields, 3, 4, 0, &b));
	}
}

/* packets that differ only in masked bits are in one flow channel, others in another */
TEST(efct_classify__masked_bits_do_not_count)
{
	match_set_text("source-port&0xfff8");
	for (uint16_t number = 0; number < 16; number++)
		ck_assert_int_eq(open_flow(number), number / 8);
	ck_assert_uint_eq(efct.used, 2);
}

/* Another mask of the same fields is another match set. It takes effect when no flow is left. */
TEST(efct_match_set__another_mask_is_another_set)
{
	int a;

	match_set_text("ports");
	a = open_flow(1);
	match_set_text("ip-protocol, source-port&0xff00, destination-port");
	ck_assert_int_eq(classify_flow(2), -ENOSPC);
	efct_on_ack(&efct, (uint32_t)a, 1);
	efct_release(&efct, (uint32_t)a);
	ck_assert_int_eq(open_flow(1), open_flow(2));
	ck_assert(efct.masked);
	match_set_text("ports");
	efct_on_ack(&efct, 0, 2);
	efct_release(&efct, 0);
	ck_assert(!efct.masked);
	ck_assert_int_ne(open_flow(1), open_flow(2));
}

/* FC-21: an HPC endpoint and an IP address of the same bytes are different */
TEST(efct_pattern_of__kinds_do_not_mix)
{
	struct frame_fields hpc = hpc_frame(), ip = { .ip_version = 4 };
	struct efct_pattern a, b;

	hpc.hpc_process = 0;
	memset(hpc.source_mac, 0, sizeof(hpc.source_mac));
	memcpy(ip.source_ip, &hpc.hpc_source, sizeof(hpc.hpc_source));
	memcpy(ip.destination_ip, &hpc.hpc_destination, sizeof(hpc.hpc_destination));
	ck_assert_uint_ne(efct_pattern_of(&efct, &hpc, 3, 4, 1, &a),
			  efct_pattern_of(&efct, &ip, 3, 4, 1, &b));
}

/* ---- lines ---- */

/* FC-4: a miss takes a free line at once, a hit finds it */
TEST(efct_classify__miss_then_hit)
{
	int a = open_flow(1), b = open_flow(2);

	ck_assert(a >= 0 && a < (int)CHANNELS && b >= 0 && b < (int)CHANNELS && a != b);
	ck_assert_int_eq(classify_flow(1), a);
	ck_assert_int_eq(classify_flow(2), b);
	ck_assert_uint_eq(efct.used, 2);
}

/* a line belongs to a pattern, not to a hash: two patterns with the same hash are two flows */
TEST(efct_classify__same_hash_is_not_same_flow)
{
	struct efct_pattern a = { .source_port = 1 }, b = { .source_port = 2 };
	int line_a = efct_classify(&efct, &a, 99), line_b = efct_classify(&efct, &b, 99);

	ck_assert(line_a >= 0 && line_b >= 0 && line_a != line_b);
	ck_assert_int_eq(efct_classify(&efct, &a, 99), line_a);
	ck_assert_int_eq(efct_classify(&efct, &b, 99), line_b);
	efct_inject(&efct, (uint32_t)line_a, 1);
	ck_assert(acked(&efct, (uint32_t)line_a, 1));
	ck_assert_int_eq(efct_classify(&efct, &b, 99), line_b);
}

/* FC-9: new flows find no line, existing ones continue; a freed line is used by the next */
TEST(efct_classify__full_table_keeps_existing_flows)
{
	for (uint16_t i = 0; i < CHANNELS; i++)
		ck_assert_int_ge(open_flow(i), 0);
	ck_assert_int_eq(classify_flow(CHANNELS), -ENOSPC);
	ck_assert_uint_eq(efct.used, CHANNELS);
	ck_assert_int_ge(classify_flow(3), 0);
	ck_assert(acked(&efct, (uint32_t)classify_flow(3), 1));
	ck_assert_int_ge(open_flow(CHANNELS), 0);
	ck_assert_int_eq(classify_flow(3), -ENOSPC);
	ck_assert_uint_eq(efct.used_max, CHANNELS);
}

/* lines are used and freed in any order; no id is used twice */
/* every flow is found with the near chains, as its table leaves them, and after that; few flows do
 * not touch the others */
TEST(efct_classify__beyond_the_near_chains)
{
	struct flow_match match = flow_match_whole(MATCH_ALL);
	struct frame_fields fields = ipv6_frame();

	efct_fini(&efct);
	ck_assert_int_eq(efct_init(&efct, 4 * EFCT_NEAR_LINES, &match, NULL), 0);
	for (int i = 0; i < (int)(4 * EFCT_NEAR_LINES); i++) {
		bool touched = false;

		for (int known = 0; known <= i; known++) {
			fields.source_port = (uint16_t)known;
			ck_assert_int_eq(classify(&fields), known);
		}
		for (uint32_t c = 0; c < efct.chain_count; c++)
			touched |= efct.chains[c];
		ck_assert_int_eq(touched, i >= (int)EFCT_NEAR_LINES);
	}
	for (uint32_t i = 0; i < 4 * EFCT_NEAR_LINES; i++)
		efct_release(&efct, i);
	ck_assert_uint_eq(efct.used, 0);
	for (uint32_t c = 0; c < efct.chain_count; c++)
		ck_assert_uint_eq(efct.chains[c], 0);
}

TEST(efct_classify__lines_are_reused)
{
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t taken = 0;

		for (uint16_t i = 0; i < CHANNELS; i++)
			taken |= 1u << open_flow((uint16_t)(round * 3 + i));
		ck_assert_uint_eq(taken, (1u << CHANNELS) - 1);
		for (uint16_t i = 0; i < CHANNELS; i++) {
			int line =
				classify_flow((uint16_t)(round * 3 + (i * 3 + round) % CHANNELS));

			ck_assert(acked(&efct, (uint32_t)line, 1));
		}
		ck_assert_uint_eq(efct.used, 0);
	}
}

/* FC-4: the flow extent is all that is not acknowledged, modulo 2^32 */
TEST(efct_inject__extent_is_what_is_not_acknowledged)
{
	uint32_t line = (uint32_t)classify_flow(1);

	TABLE_AT(efct.lines, line)->data_flow = TABLE_AT(efct.lines, line)->ack_flow =
		UINT32_MAX - 2;
	efct_inject(&efct, line, 16);
	efct_inject(&efct, line, 1);
	ck_assert_uint_eq(efct_flow_extent(TABLE_AT(efct.lines, line)), 17);
	ck_assert(!acked(&efct, line, 10));
	ck_assert_uint_eq(efct_flow_extent(TABLE_AT(efct.lines, line)), 7);
	ck_assert(acked(&efct, line, 7));
	ck_assert_uint_eq(efct.used, 0);
}

/* ---- other match fields at run time (FC-2) ---- */

TEST(efct_match_set__empty_table_at_once)
{
	match_set(MATCH_IP_PAIR);
	ck_assert_int_eq(open_flow(1), open_flow(2));
	ck_assert_uint_eq(efct.used, 1);
}

/* A flow with two patterns could not be kept in order. So all packets wait until nothing is in
 * flight. */
TEST(efct_match_set__when_the_last_line_is_free)
{
	int a = open_flow(1), b = open_flow(2);

	match_set(MATCH_IP_PAIR);
	ck_assert_int_eq(classify_flow(1), -ENOSPC);
	ck_assert_int_eq(classify_flow(3), -ENOSPC);
	ck_assert(acked(&efct, (uint32_t)a, 1));
	ck_assert_int_eq(classify_flow(1), -ENOSPC);
	ck_assert(acked(&efct, (uint32_t)b, 1));
	ck_assert_uint_eq(efct.match_fields, MATCH_IP_PAIR);
	ck_assert_int_eq(open_flow(1), open_flow(2));
}

TEST(efct_match_set__same_fields_change_nothing)
{
	open_flow(1);
	match_set(MATCH_ALL);
	ck_assert_int_ge(open_flow(2), 0);
}

/* FC-15: The fields are set back while packets of new flows wait. A later packet of these flows
 * must not find a line before them. */
TEST(efct_match_set__set_back_while_flows_are_in_flight)
{
	int a = open_flow(1);

	match_set(MATCH_IP_PAIR);
	ck_assert_int_eq(classify_flow(2), -ENOSPC);
	match_set(MATCH_ALL);
	ck_assert_int_eq(classify_flow(2), -ENOSPC);
	ck_assert(acked(&efct, (uint32_t)a, 1));
	ck_assert_int_ge(open_flow(2), 0);
	ck_assert_uint_eq(efct.match_fields, MATCH_ALL);
}
