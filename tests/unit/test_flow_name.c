/*  nodes/wire/flow_name: what names a flow to its source is what an edge port tells it by (FC-2, EC-16).  */
#include <stdlib.h>

#include "nodes/wire/flow_name.h"
#include "tests/testing.h"

/* host 2's frame to host 3 in class 1 */
static struct flow_name name_of(enum frame_kind kind, uint32_t flow)
{
	struct frame_spec spec = {
		.kind = kind, .source = 2, .destination = 3, .traffic_class = 1, .flow = flow, .frame_bytes = 1000
	};
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

TEST(flow_name_of__fields)
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

/* two flows of a host pair: one for an edge port that looks at addresses, two for one that looks at what differs */
TEST_RANGE(flow_name_under__match_fields, 0, FRAME_KINDS)
{
	static const struct {
		enum frame_kind kind;
		uint32_t differs; /* any of these fields tells flows 7 and 8 apart */
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
		ck_assert(same(&under, &a, match)); /* no more is lost by doing it twice */
	}
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

TEST(flow_name_valid__refuses)
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
