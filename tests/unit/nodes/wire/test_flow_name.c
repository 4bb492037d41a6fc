/*  nodes/wire/flow_name: the fields that name a flow to its source are those by which the edge port
 *  distinguishes flows (FC-2, EC-16). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/flow_name.h"
#include "tests/testing.h"

/* host 2's frame to host 3 in class 1 */
static struct flow_name name_of(enum frame_kind kind, uint32_t flow)
{
	struct frame_spec spec = { .kind = kind,
				   .source = 2,
				   .destination = 3,
				   .traffic_class = 1,
				   .flow = flow,
				   .frame_bytes = 1000 };
	struct frame_payload payload = { .source = 2, .message_bytes = 10, .payload_bytes = 10 };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);
	struct frame_fields fields;

	ck_assert_int_eq(frame_parse(bytes, captured, 1000, &fields), 0);
	return flow_name_of(&fields, 1);
}

static bool same(const struct flow_name *a, const struct flow_name *b, uint32_t match)
{
	struct flow_name under_a = flow_name_under(a, match), under_b = flow_name_under(b, match);

	return flow_name_equal(&under_a, &under_b);
}

TEST_RANGE(flow_name_of__every_kind, 0, FRAME_KINDS)
{
	static const uint8_t kinds[FRAME_KINDS] = { FLOW_LAYER_2, FLOW_IPV4, FLOW_IPV6, FLOW_IPV4,
						    FLOW_HPC,     FLOW_IPV6, FLOW_IPV4 };
	struct flow_name name = name_of((enum frame_kind)_i, 7);

	ck_assert_uint_eq(name.kind, kinds[_i]);
	ck_assert_uint_eq(name.fields, MATCH_ALL);
	ck_assert_uint_eq(name.traffic_class, 1);
	ck_assert_uint_eq(name.source_mac[5], 3);
	ck_assert_uint_eq(name.destination_mac[5], 4);
	ck_assert(flow_name_valid(&name));
}

TEST(flow_name_of__has_the_fields_of_the_frame)
{
	static const uint8_t source_ip[16] = { 10, 0, 0, 3 }, endpoint[16] = { 0, 0, 0, 3 };
	struct flow_name name = name_of(FRAME_ROCE, 7);

	ck_assert_mem_eq(name.source_ip, source_ip, 16);
	ck_assert_uint_eq(name.queue_pair, 0x800007);
	ck_assert_uint_eq(name.ip_protocol, 17);
	ck_assert_uint_eq(name.destination_port, ROCE_UDP_PORT);
	name = name_of(FRAME_HPC, 7);
	ck_assert_mem_eq(name.source_ip, endpoint, 16);
	ck_assert_uint_eq(name.queue_pair, 7);
	name = name_of(FRAME_IPV6, 7);
	ck_assert_uint_eq(name.flow_label, 7);
}

/* Two flows of a host pair are one flow for an edge port that matches addresses, and two for one
 * that matches a field in which they differ. */
TEST_RANGE(flow_name_under__match_fields, 0, FRAME_KINDS)
{
	static const struct {
		enum frame_kind kind;
		uint32_t differs; /* each of these fields distinguishes flows 7 and 8 */
	} cases[] = { { FRAME_ETHERNET, 0 },
		      { FRAME_IPV4, MATCH_PORTS },
		      { FRAME_IPV6, MATCH_PORTS | MATCH_FLOW_LABEL },
		      { FRAME_ROCE, MATCH_PORTS | MATCH_HPC },
		      { FRAME_HPC, MATCH_HPC },
		      { FRAME_ROCE_IPV6, MATCH_PORTS | MATCH_FLOW_LABEL | MATCH_HPC },
		      { FRAME_TCP, MATCH_PORTS } };
	struct flow_name a = name_of(cases[_i].kind, 7), b = name_of(cases[_i].kind, 8);

	for (uint32_t match = 0; match <= MATCH_ALL; match++) {
		struct flow_name under = flow_name_under(&a, match);

		ck_assert(same(&a, &b, match) == !(match & cases[_i].differs));
		ck_assert(flow_name_valid(&under));
		ck_assert_uint_eq(under.fields, match);
		ck_assert(same(&under, &a, match)); /* a second time removes nothing more */
	}
}

static struct flow_match match_of(const char *text)
{
	struct flow_match match;
	struct why why;

	ck_assert_msg(!flow_match_parse(text, &match, &why), "%s", why.text);
	return match;
}

/* FC-2: a mask has the fields that names of the kind have and that the port matches */
TEST(flow_name_mask__by_kind)
{
	struct flow_match match =
		match_of("source-mac, destination-ip/24, source-port&0xff00, hpc-process/8");
	struct flow_name mask;

	ck_assert_uint_eq(flow_name_mask(&match, FLOW_IPV4, &mask),
			  MATCH_SOURCE_MAC | MATCH_IP_PAIR | MATCH_PORTS);
	ck_assert_uint_eq(mask.destination_ip[2], 0xff);
	ck_assert_uint_eq(mask.destination_ip[3] | mask.source_ip[0], 0);
	ck_assert_uint_eq(mask.source_port, 0xff00);
	ck_assert_uint_eq(mask.destination_port | mask.queue_pair, 0);
	ck_assert_uint_eq(flow_name_mask(&match, FLOW_HPC, &mask), MATCH_SOURCE_MAC | MATCH_HPC);
	ck_assert_uint_eq(mask.queue_pair, 0xff000000);
	ck_assert_uint_eq(mask.source_port, 0);
	/* such a frame loses none of them: no mask */
	ck_assert_uint_eq(flow_name_mask(&match, FLOW_LAYER_2, &mask), MATCH_SOURCE_MAC);
	ck_assert(!flow_name_is_masked(&mask));
}

/* For every kind of frame, the mask gives a valid name under a mask, and stays the same when
 * applied again. */
TEST_RANGE(flow_name_masked__is_valid, 0, FRAME_KINDS)
{
	static const char *const matches[] = {
		"source-mac/24, destination-mac/47, vlan/3",
		"source-ip/20, ports",
		"ip-pair, source-port/8, flow-label/7",
		"destination-ipv6/65, ip-protocol/4",
		"hpc-source/31, hpc-destination, hpc-process/1, queue-pair/9",
		"source-mac, destination-mac, vlan, source-ip, destination-ip/31, ports, hpc"
	};
	struct flow_name whole = name_of((enum frame_kind)_i, 7);

	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		struct flow_match match = match_of(matches[i]);
		struct flow_name mask, under, again;
		uint32_t fields = flow_name_mask(&match, (enum flow_kind)whole.kind, &mask);

		under = flow_name_masked(&whole, fields, &mask);
		again = flow_name_masked(&under, fields, &mask);
		ck_assert(flow_name_equal(&under, &again));
		ck_assert_uint_eq(under.fields, fields);
		ck_assert(flow_name_valid(&under));
		ck_assert(!flow_name_is_masked(&mask) || flow_name_masked_valid(&under, &mask));
	}
}

#define BAD_MASK(change)                                          \
	do {                                                      \
		struct flow_name name = good, mask = good_mask;   \
		change;                                           \
		ck_assert(!flow_name_masked_valid(&name, &mask)); \
	} while (0)

TEST(flow_name_masked_valid__rejects)
{
	struct flow_match match = match_of("destination-ip/24, source-port/8");
	struct flow_name whole = name_of(FRAME_IPV4, 7), good, good_mask;

	good = flow_name_masked(&whole, flow_name_mask(&match, FLOW_IPV4, &good_mask), &good_mask);
	ck_assert(flow_name_masked_valid(&good, &good_mask));
	BAD_MASK(memset(&mask, 0, sizeof(mask))); /* without a mask */
	BAD_MASK(mask.fields = 1);
	BAD_MASK(mask.kind = 1);
	BAD_MASK(mask.traffic_class = 1);
	BAD_MASK(mask.spare = 1);
	BAD_MASK(mask.vlan = 1);              /* of a field that is not in the name */
	BAD_MASK(mask.destination_ip[4] = 1); /* IPv4 */
	BAD_MASK(mask.source_port = 0);       /* no bit of a field */
	BAD_MASK(name.source_port |= 1);      /* a value where no bit counts */
	BAD_MASK(name.destination_ip[3] = 1);
	BAD_MASK((name.fields |= MATCH_VLAN, mask.vlan = 0x1000));
	BAD_MASK((name.fields |= MATCH_FLOW_LABEL, mask.flow_label = 1)); /* IPv4 has none */
	BAD_MASK(name.kind = FLOW_KINDS);
	/* all bits of its fields: no mask */
	BAD_MASK((memset(mask.source_ip, 0xff, 4), memset(mask.destination_ip, 0xff, 4),
		  mask.ip_protocol = 0xff, mask.source_port = mask.destination_port = 0xffff,
		  mask.queue_pair = 0));
}

TEST(flow_name_under__kind_and_class_always_belong)
{
	struct flow_name a = name_of(FRAME_IPV4, 7), b = a;

	b.traffic_class = 2;
	ck_assert(!same(&a, &b, 0));
	b = name_of(FRAME_IPV6, 7);
	ck_assert(!same(&a, &b, 0));
	b = name_of(FRAME_ROCE, 7);
	ck_assert(same(&a, &b, MATCH_IP_PAIR)); /* it is IPv4 */
}

#define BAD(change)                                 \
	do {                                        \
		struct flow_name name = good;       \
		change;                             \
		ck_assert(!flow_name_valid(&name)); \
	} while (0)

TEST(flow_name_valid__rejects)
{
	struct flow_name good = name_of(FRAME_IPV4, 7);

	ck_assert(flow_name_valid(&good));
	BAD(name.fields = MATCH_ALL + 1);
	BAD(name.fields = MATCH_ALL & ~MATCH_PORTS);
	BAD(name.spare = 1);
	BAD(name.kind = FLOW_KINDS);
	BAD(name.kind = FLOW_HPC);
	BAD(name.kind = FLOW_LAYER_2);
	BAD(name.traffic_class = NODE_CLASSES_MAX);
	BAD(name.vlan = 4096);
	BAD(name.flow_label = 1);
	BAD(name.source_ip[4] = 1);
	BAD(name.destination_ip[15] = 1);
	BAD(name.queue_pair = 1 << 24);
	good = name_of(FRAME_IPV6, 7);
	BAD(name.flow_label = 1 << 20);
	BAD(name.kind = FLOW_IPV4);
	good = name_of(FRAME_HPC, 7);
	BAD(name.source_ip[4] = 1);
	BAD(name.source_port = 1);
	good = name_of(FRAME_ETHERNET, 7);
	BAD(name.queue_pair = 1);
	BAD(name.destination_ip[0] = 1);
}

/* ---- as text ---- */

/* @name, and @mask if it is not NULL, as they are printed; to be freed */
static char *text_of(const struct flow_name *name, const struct flow_name *mask)
{
	static char *text; /* gcc 12 takes what is found in it for a pointer into a local */
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (mask)
		flow_name_mask_print(name, mask, out);
	else
		flow_name_print(name, out);
	fclose(out);
	return text;
}

static void prints(const struct flow_name *name, const struct flow_name *mask, const char *expected)
{
	char *text = text_of(name, mask);

	ck_assert_str_eq(text, expected);
	free(text);
}

#define MACS "from 02:48:00:00:00:03 to 02:48:00:00:00:04"

TEST(flow_name_print__each_kind)
{
	struct flow_name name = name_of(FRAME_ETHERNET, 7);

	prints(&name, NULL, "layer-2 class 1 " MACS);
	name = name_of(FRAME_ROCE, 7);
	prints(&name, NULL,
	       "ipv4 class 1 " MACS
	       " 10.0.0.3 > 10.0.0.4 protocol 17 ports 49159 > 4791 queue-pair 0x800007");
	name = name_of(FRAME_IPV6, 7);
	prints(&name, NULL,
	       "ipv6 class 1 " MACS
	       " fd48::3 > fd48::4 protocol 17 ports 49159 > 18432 label 0x00007");
	name = name_of(FRAME_HPC, 7);
	prints(&name, NULL, "hpc class 1 " MACS " 3 > 4 process 0x7");
}

/* fields that do not count are not printed */
TEST(flow_name_print__what_counts)
{
	struct flow_name whole = name_of(FRAME_IPV4, 7), name;

	whole.vlan = 12;
	name = flow_name_under(&whole, 0);
	prints(&name, NULL, "ipv4 class 1");
	name = flow_name_under(&whole, MATCH_VLAN);
	prints(&name, NULL, "ipv4 class 1 vlan 12");
	name = flow_name_under(&whole, MATCH_DESTINATION_MAC);
	prints(&name, NULL, "ipv4 class 1 to 02:48:00:00:00:04");
	name = flow_name_under(&whole, MATCH_SOURCE_MAC | MATCH_IP_PAIR);
	prints(&name, NULL, "ipv4 class 1 from 02:48:00:00:00:03 10.0.0.3 > 10.0.0.4");
}

/* the mask of a port that matches @match_text, after the name of a frame of @kind */
static void mask_prints(const char *match_text, enum frame_kind kind, const char *expected)
{
	struct flow_match match = match_of(match_text);
	struct flow_name name = name_of(kind, 7), mask, under;
	uint32_t fields = flow_name_mask(&match, (enum flow_kind)name.kind, &mask);

	under = flow_name_masked(&name, fields, &mask);
	prints(&under, &mask, expected);
}

TEST(flow_name_mask_print__bits_that_count)
{
	mask_prints("source-mac, destination-ip, source-port", FRAME_IPV4,
		    " mask from ff:ff:ff:ff:ff:ff 0.0.0.0 > 255.255.255.255 protocol 0x0 ports "
		    "0xffff > 0x0");
	mask_prints("source-mac, destination-ip/24, source-port&0xff00", FRAME_IPV4,
		    " mask from ff:ff:ff:ff:ff:ff 0.0.0.0 > 255.255.255.0 protocol 0x0 ports "
		    "0xff00 > 0x0");
	mask_prints("destination-mac, flow-label&0xff", FRAME_IPV6,
		    " mask to ff:ff:ff:ff:ff:ff label 0x000ff");
	mask_prints("vlan&0xff, hpc-source, hpc-process/8", FRAME_HPC,
		    " mask vlan 0xff 0xffffffff > 0x0 process 0xff000000");
	mask_prints("queue-pair&0xf0", FRAME_ROCE, " mask queue-pair 0xf0");
}
