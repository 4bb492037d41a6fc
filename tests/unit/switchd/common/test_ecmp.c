/*  switchd/common/ecmp: flows are spread over the paths; each keeps its path, and returns to it
 *  after a failure (RC-15, FC-26). */
#include <stdlib.h>
#include <string.h>

#include "nodes/wire/frame.h"
#include "switchd/common/ecmp.h"
#include "tests/testing.h"

#define FLOWS 4000u
#define WAYS 4u
#define SEED 99u

static struct route_config routes[] = { { .fabric_address = 2, .ports = 0xf0 },
					{ .fabric_address = 3, .ports = 1 } };
static struct route_table table;

static void setup(void)
{
	struct switch_config config = { .fabric_address = 1, .route_count = 2, .routes = routes };

	ck_assert_int_eq(route_table_init(&table, &config), 0);
}

static void teardown(void)
{
	route_table_fini(&table);
}

static struct frame_fields fields_of(enum frame_kind kind, uint32_t source, uint32_t flow)
{
	struct frame_spec spec = {
		.kind = kind, .source = source, .destination = 1, .flow = flow, .frame_bytes = 1000
	};
	struct frame_payload payload = { .source = source, .message_bytes = 1 };
	uint8_t bytes[FRAME_HEADERS_MAX];
	uint32_t captured = frame_write(&spec, &payload, bytes);
	struct frame_fields fields;

	ck_assert_int_eq(frame_parse(bytes, captured, 1000, &fields), 0);
	return fields;
}

static int way_of(enum frame_kind kind, uint32_t source, uint32_t flow, uint64_t seed)
{
	struct frame_fields fields = fields_of(kind, source, flow);

	return ecmp_choose(&table, 2, 0, ecmp_hash(&fields, seed));
}

/* Checks that each port has its share of @flows, within five standard deviations. */
static void even_expect(const uint32_t *count, uint32_t first, uint32_t ways, uint32_t flows)
{
	double mean = (double)flows / ways, tolerance = 5 * __builtin_sqrt(mean * (1 - 1.0 / ways));

	for (uint32_t i = first; i < first + ways; i++)
		ck_assert_double_eq_tol(count[i], mean, tolerance);
}

TEST_GROUP(ecmp, .setup = setup, .teardown = teardown);

/* queue pairs of one pair of hosts, by their UDP source port; and pairs of hosts */
TEST_RANGE(ecmp_choose__spreads_flows, 0, 5)
{
	static const enum frame_kind kinds[] = { FRAME_ROCE, FRAME_ROCE_IPV6, FRAME_TCP, FRAME_IPV4,
						 FRAME_IPV6 };
	enum frame_kind kind = kinds[_i];
	uint32_t flows[8] = { 0 }, hosts[8] = { 0 };

	for (uint32_t i = 0; i < FLOWS; i++) {
		flows[way_of(kind, 0, i, SEED)]++;
		hosts[way_of(kind, 2 + i, 0, SEED)]++;
	}
	even_expect(flows, 4, WAYS, FLOWS);
	even_expect(hosts, 4, WAYS, FLOWS);
}

/* plain and HPC frames have no ports */
TEST(ecmp_choose__spreads_frames_without_ports)
{
	uint32_t plain[8] = { 0 }, hpc[8] = { 0 };

	for (uint32_t i = 0; i < FLOWS; i++) {
		plain[way_of(FRAME_ETHERNET, 2 + i, 0, SEED)]++;
		hpc[way_of(FRAME_HPC, 0, i, SEED)]++;
	}
	even_expect(plain, 4, WAYS, FLOWS);
	even_expect(hpc, 4, WAYS, FLOWS);
}

/* fields that change from packet to packet do not count */
TEST(ecmp_hash__is_the_same_for_all_packets_of_a_flow)
{
	struct frame_fields fields = fields_of(FRAME_ROCE, 0, 7);
	uint64_t hash = ecmp_hash(&fields, SEED);

	fields.priority = 3;
	fields.queue_pair++;
	fields.tagged = true;
	ck_assert_uint_eq(ecmp_hash(&fields, SEED), hash);
	fields.source_port++;
	ck_assert_uint_ne(ecmp_hash(&fields, SEED), hash);
}

/* the flows that one switch sends to the same port are spread by the next switch */
TEST(ecmp_choose__seeds_are_independent)
{
	uint32_t second[8] = { 0 }, flows = 0;

	for (uint32_t i = 0; i < 4 * FLOWS; i++) {
		if (way_of(FRAME_ROCE, 0, i, SEED) != 4)
			continue;
		flows++;
		second[way_of(FRAME_ROCE, 0, i, SEED + 1)]++;
	}
	even_expect(second, 4, WAYS, flows);
}

/* a port is down: its flows, and no others, are spread over the ports that are up; later they
 * return */
TEST(ecmp_choose__moves_only_flows_of_the_failed_port)
{
	uint32_t moved[8] = { 0 }, flows = 0;

	for (uint32_t i = 0; i < FLOWS; i++) {
		int before = way_of(FRAME_ROCE, 0, i, SEED), during;

		table.ports_up = ~(1ull << 4 | 1ull << 5);
		during = way_of(FRAME_ROCE, 0, i, SEED);
		table.ports_up = UINT64_MAX;
		ck_assert_int_eq(way_of(FRAME_ROCE, 0, i, SEED), before);
		if (before > 5)
			ck_assert_int_eq(during, before);
		else
			moved[during]++, flows++;
	}
	ck_assert_uint_eq(moved[6] + moved[7], flows);
	even_expect(moved, 6, 2, flows);
}

TEST(ecmp_choose__no_port_is_up)
{
	ck_assert_int_eq(ecmp_choose(&table, 1, 3, 0), 3); /* this switch */
	ck_assert_int_eq(ecmp_choose(&table, 3, 3, 12345), 0);
	ck_assert_int_eq(ecmp_choose(&table, 4, 0, 0), -1);
	ck_assert_int_eq(ecmp_choose(&table, 65535, 0, 0), -1);
	ck_assert_int_eq(ecmp_choose(&table, 1, 200, 0), -1);
	table.ports_up = ~0xf8ull;
	ck_assert_int_eq(ecmp_choose(&table, 1, 3, 0), -1);
	ck_assert_int_eq(ecmp_choose(&table, 2, 0, 0), -1);
}

/* Of a flow whose port is down, the upper 32 bits select among those that are up. */
TEST(ecmp_choose__upper_half_beside_a_failure)
{
	table.ports_up = ~(1ull << 5);
	for (uint64_t upper = 0; upper < 12; upper++) {
		static const int left[] = { 4, 6, 7 };

		ck_assert_int_eq(ecmp_choose(&table, 2, 0, upper << 32 | 1), left[upper % 3]);
		ck_assert_int_eq(ecmp_choose(&table, 2, 0, upper << 32 | 2), 6);
	}
	/* the highest bit counts: 2^32 - 1 is a multiple of 3 */
	ck_assert_int_eq(ecmp_choose(&table, 2, 0, UINT64_MAX - UINT32_MAX + 1), 4);
}
