/*  switchd/port_group/port_group: tables by DLID, groups that overlap, masks with more ports than
 *  the switch has, and the three policies (PG-2, PG-3, PG-5 ... PG-8). */
#include <stdlib.h>

#include "switchd/port_group/port_group.h"
#include "tests/testing.h"

#define PORT_COUNT 8u
#define LIDS 10u
#define DRAWS 12000u

static uint8_t lft[LIDS] = { LFT_NO_PORT, 0, 1, 2, 3, 4, 5, 6, 7, LFT_NO_PORT };
static uint8_t pgft[LIDS] = { 0, 0, 0, 1, 1, 2, 2, 3, 255, 0 };
static uint64_t pgt[PORT_GROUPS_MAX][PORT_GROUP_WORDS];
static struct port_group tables;
static struct random random_state;

static void setup(void)
{
	struct lid_tables lids = { .lid_count = LIDS,
				   .lft = lft,
				   .pgft = pgft,
				   .group_count = PORT_GROUPS_MAX,
				   .pgt = pgt };

	pgt[0][0] = 0xff; /* "no group" has no ports, whatever is written */
	pgt[1][0] = 0x3c;
	pgt[2][0] = 0x78; /* overlaps group 1 */
	pgt[3][0] = 0xf0f0;
	pgt[3][3] = 1;
	pgt[255][0] = 0xc0;
	ck_assert_int_eq(port_group_init(&tables, &lids, PORT_COUNT), 0);
	random_init(&random_state, 5, 0);
}

static void teardown(void)
{
	port_group_fini(&tables);
}

TEST_GROUP(port_group, .setup = setup, .teardown = teardown);

/* PG-2, PG-5, PG-6: each DLID has a port and exactly one group; group 0 means none; groups share
 * ports; 255 can be used */
TEST(port_group_init__reads_back_as_written)
{
	for (uint32_t dlid = 0; dlid < LIDS; dlid++) {
		ck_assert_uint_eq(tables.lids[dlid].home, lft[dlid]);
		ck_assert_uint_eq(tables.lids[dlid].now, lft[dlid]);
	}
	ck_assert_uint_eq(port_group_members(&tables, 1), 0);
	ck_assert_uint_eq(port_group_members(&tables, 3), 0x3c);
	ck_assert_uint_eq(port_group_members(&tables, 4), 0x3c);
	ck_assert_uint_eq(port_group_members(&tables, 5), 0x78);
	ck_assert_uint_eq(port_group_members(&tables, 8), 0xc0);
	ck_assert_uint_eq(port_group_members(&tables, LIDS), 0);
	ck_assert_uint_eq(port_group_members(&tables, UINT32_MAX), 0);
}

/* PG-6: bits beyond the switch's ports are ignored, and read back as 0 */
TEST(port_group_set_mask__beyond_the_ports)
{
	ck_assert_uint_eq(port_group_members(&tables, 7), 0xf0);
	port_group_set_mask(&tables, 3, UINT64_MAX);
	ck_assert_uint_eq(tables.mask[3], 0xff);
	port_group_set_mask(&tables, 0, UINT64_MAX);
	ck_assert_uint_eq(tables.mask[0], 0);
}

/* PG-8: a choice replaces the entry, and a written entry replaces the choice */
TEST(port_group_replace__until_written)
{
	port_group_replace(&tables, 3, 5, 1000);
	ck_assert_uint_eq(tables.lids[3].now, 5);
	ck_assert_uint_eq(tables.lids[3].home, 2);
	ck_assert(!port_group_may_replace(&tables, 3, 1999, 1000));
	ck_assert(port_group_may_replace(&tables, 3, 2000, 1000));
	ck_assert(port_group_may_replace(&tables, 3, 1000, 0));
	ck_assert(port_group_may_replace(&tables, 4, 1000, 1000));
	port_group_set_port(&tables, 3, 2); /* no change */
	ck_assert_uint_eq(tables.lids[3].now, 5);
	port_group_set_port(&tables, 3, 4);
	ck_assert_uint_eq(tables.lids[3].now, 4);
	ck_assert_uint_eq(tables.lids[3].home, 4);
	ck_assert(port_group_may_replace(&tables, 3, 1001, 1000));
}

TEST(port_group_grow__new_lids_have_no_port)
{
	ck_assert_int_eq(port_group_grow(&tables, 5), 0);
	ck_assert_uint_eq(tables.lid_count, LIDS);
	ck_assert_int_eq(port_group_grow(&tables, 4096), 0);
	ck_assert_uint_eq(tables.lid_count, 4096);
	ck_assert_uint_eq(tables.lids[8].home, 7);
	ck_assert_uint_eq(tables.lids[4095].home, LFT_NO_PORT);
	ck_assert_uint_eq(tables.lids[LIDS].now, LFT_NO_PORT);
	ck_assert_uint_eq(port_group_members(&tables, 4095), 0);
}

/* How often each of @candidates is selected: equal @shares are expected of these ports. */
static void shares_expect(enum port_group_policy policy, uint64_t candidates, const uint64_t *loads,
			  uint64_t expected)
{
	uint32_t count[NODE_PORTS_MAX] = { 0 },
		 share = DRAWS / (uint32_t)__builtin_popcountll(expected);

	for (uint32_t i = 0; i < DRAWS; i++)
		count[port_group_choose(policy, candidates, loads, 2, &random_state)]++;
	for (uint32_t p = 0; p < NODE_PORTS_MAX; p++) {
		ck_assert_msg(count[p] * 10 >= (expected >> p & 1) * share * 9, "p%u: %u", p,
			      count[p]);
		ck_assert_msg((expected >> p & 1) || !count[p], "p%u: %u", p, count[p]);
	}
}

/* PG-7 */
TEST(port_group_choose__policies)
{
	uint64_t loads[NODE_PORTS_MAX] = { [2] = 500, [3] = 100, [5] = 100, [7] = 100, [63] = 300 };
	uint64_t candidates = 1ull << 63 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 7;

	shares_expect(POLICY_RANDOM, candidates, loads, candidates);
	shares_expect(POLICY_GREEDY, candidates, loads, 1 << 3);
	shares_expect(POLICY_GREEDY_RANDOM, candidates, loads, 1 << 3 | 1 << 5 | 1 << 7);
	shares_expect(POLICY_GREEDY_RANDOM, 1 << 2 | 1ull << 63, loads, 1ull << 63);
	for (int policy = 0; policy < PORT_GROUP_POLICIES; policy++)
		shares_expect((enum port_group_policy)policy, 1ull << 63, loads, 1ull << 63);
}

/* PG-7: greedy: among equals the next port after the entry's, in cyclic order; without an entry the
 * first one */
TEST(port_group_choose__greedy_of_equals)
{
	uint64_t loads[NODE_PORTS_MAX] = { 0 }, candidates = 1ull << 63 | 1 << 2 | 1 << 5;
	static const uint32_t from[] = { 0, 1, 3, 4, 6, 62, 63, LFT_NO_PORT },
			      taken[] = { 2, 2, 5, 5, 63, 63, 2, 2 };

	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(
			port_group_choose(POLICY_GREEDY, candidates, loads, from[i], &random_state),
			taken[i]);
}
