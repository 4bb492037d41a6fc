/*  nodes/config/table_block: blocks of each table that the fabric manager writes - which fabric has
 *  it, how many entries and blocks there are, and which entries are refused (FC-26, TB-23). */
#include "nodes/config/table_block.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/testing.h"

#define PORTS 5u

/* entries of a block, blocks of the table, and the fabrics that have it */
static const struct table_row {
	uint32_t entries, blocks;
	bool of[FABRIC_KINDS];
	uint64_t most, more; /* the largest entry; one that is refused, 0: none is */
} rows[TABLE_KINDS] = {
	[TABLE_ROUTES] = { 64,
			   128,
			   { [FABRIC_FLOW_CHANNEL] = true, [FABRIC_ROCE] = true },
			   (1u << PORTS) - 1,
			   1u << PORTS },
	[TABLE_VIAS] = { 256,
			 32,
			 { [FABRIC_FLOW_CHANNEL] = true },
			 NODE_SWITCHES_MAX,
			 NODE_SWITCHES_MAX + 1 },
	[TABLE_HOSTS] = { 128,
			  256,
			  { [FABRIC_FLOW_CHANNEL] = true, [FABRIC_ROCE] = true },
			  (NODE_PORTS_MAX - 1) << 16 | NODE_SWITCHES_MAX,
			  NODE_PORTS_MAX << 16 | 1 },
	[TABLE_FLOOD] = { 64,
			  1,
			  { [FABRIC_ROCE] = true, [FABRIC_PORT_GROUP] = true },
			  (1u << PORTS) - 1,
			  1u << PORTS },
	[TABLE_LFT] = { 512, 65, { [FABRIC_PORT_GROUP] = true }, PORTS - 1, PORTS },
	[TABLE_PGFT] = { 512, 65, { [FABRIC_PORT_GROUP] = true }, 255, 0 },
	[TABLE_PGT] = { 16, 16, { [FABRIC_PORT_GROUP] = true }, 0, 0 },
};

static struct node_config config;
static struct table_block block;
static struct why why;

static void setup(void)
{
	config = (struct node_config){ .kind = NODE_SWITCH, .name = "s1", .port_count = PORTS };
	memset(&block, 0, sizeof(block));
}

static int check(void)
{
	return table_block_check(&config, &block, &why);
}

TEST_GROUP(table_block, .setup = setup);

/* only a switch of the right kind of fabric has the table */
TEST_RANGE(table_block_check__fabric, 0, TABLE_KINDS)
{
	block.table = (enum table_kind)_i;
	for (unsigned fabric = 0; fabric < FABRIC_KINDS; fabric++) {
		bool has = rows[_i].of[fabric];
		char expected[64];

		config.fabric = (enum fabric_kind)fabric;
		config.kind = NODE_SWITCH;
		ck_assert_uint_eq(table_of_fabric(config.fabric, block.table), has);
		ck_assert_int_eq(check(), has ? 0 : -ENOENT);
		config.kind = NODE_NIC;
		ck_assert_int_eq(check(), -ENOENT);
		snprintf(expected, sizeof(expected), "s1 has no table %d", _i);
		ck_assert_str_eq(why.text, expected);
	}
}

TEST(table_block_check__no_table)
{
	block.table = TABLE_KINDS;
	ck_assert_int_eq(check(), -ENOENT);
}

/* the block after the last one is refused */
TEST_RANGE(table_block_check__number, 0, TABLE_KINDS)
{
	char expected[64];

	block.table = (enum table_kind)_i;
	while (!rows[_i].of[config.fabric])
		config.fabric++;
	ck_assert_uint_eq(table_entries(block.table), rows[_i].entries);
	ck_assert_uint_eq(table_blocks_max(block.table), rows[_i].blocks);
	block.number = rows[_i].blocks - 1;
	ck_assert_int_eq(check(), 0);
	block.number++;
	ck_assert_int_eq(check(), -EINVAL);
	snprintf(expected, sizeof(expected), "table %s has no block %u", table_kind_name[_i],
		 block.number);
	ck_assert_str_eq(why.text, expected);
}

/* each entry of a block is looked at */
TEST_RANGE(table_block_check__each_entry, 0, TABLE_PGT)
{
	const struct table_row *row = &rows[_i];
	char expected[128];

	block.table = (enum table_kind)_i;
	while (!row->of[config.fabric])
		config.fabric++;
	for (uint32_t i = 0; i < row->entries; i++) {
		table_put(block.table, block.bytes, i, row->most);
		ck_assert_uint_eq(table_get(block.table, block.bytes, i), row->most);
		ck_assert_int_eq(check(), 0);
		if (!row->more)
			continue;
		table_put(block.table, block.bytes, i, row->more);
		ck_assert_int_eq(check(), -EINVAL);
		snprintf(expected, sizeof(expected),
			 "entry %u of block 0 of table %s names what is not there: %llu", i,
			 table_kind_name[_i], (unsigned long long)row->more);
		ck_assert_str_eq(why.text, expected);
		table_put(block.table, block.bytes, i, row->most);
	}
}

/* a host is at a port of a switch, or nowhere */
TEST(table_block_check__hosts)
{
	static const struct {
		uint64_t entry;
		int error;
	} entries[] = { { 0, 0 },
			{ 1, 0 },
			{ 1 << 16, -EINVAL },
			{ NODE_SWITCHES_MAX, 0 },
			{ NODE_SWITCHES_MAX + 1, -EINVAL } };

	config.fabric = FABRIC_ROCE;
	block.table = TABLE_HOSTS;
	for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		table_put(TABLE_HOSTS, block.bytes, 0, entries[i].entry);
		ck_assert_int_eq(check(), entries[i].error);
	}
}

/* a LID without a port */
TEST(table_block_check__lft)
{
	config.fabric = FABRIC_PORT_GROUP;
	block.table = TABLE_LFT;
	table_put(TABLE_LFT, block.bytes, 3, LFT_NO_PORT);
	ck_assert_int_eq(check(), 0);
	ck_assert_uint_eq(table_blank(TABLE_LFT), LFT_NO_PORT);
	ck_assert_uint_eq(table_blank(TABLE_ROUTES), 0);
}

/* a switch with all ports has any set of them */
TEST(table_block_check__sets_of_64_ports)
{
	config.fabric = FABRIC_ROCE;
	block.table = TABLE_FLOOD;
	table_put(TABLE_FLOOD, block.bytes, 0, UINT64_MAX);
	config.port_count = 64;
	ck_assert_int_eq(check(), 0);
	config.port_count = 63;
	ck_assert_int_eq(check(), -EINVAL);
	table_put(TABLE_FLOOD, block.bytes, 0, UINT64_MAX >> 1);
	ck_assert_int_eq(check(), 0);
}

/* a block is begun by its first entry */
TEST_RANGE(table_blocks__rounded_up, 0, TABLE_KINDS)
{
	enum table_kind table = (enum table_kind)_i;
	uint32_t entries = table_entries(table);

	ck_assert_uint_eq(table_blocks(table, 0), 0);
	ck_assert_uint_eq(table_blocks(table, 1), 1);
	ck_assert_uint_eq(table_blocks(table, entries), 1);
	ck_assert_uint_eq(table_blocks(table, entries + 1), 2);
}

/* numbers are little-endian, and an entry leaves its neighbours alone */
TEST(table_put__bytes)
{
	uint64_t mask[PORT_GROUP_WORDS], got[PORT_GROUP_WORDS];

	table_put(TABLE_HOSTS, block.bytes, 1, 0x01020304);
	ck_assert_mem_eq(block.bytes, ((uint8_t[]){ 0, 0, 0, 0, 4, 3, 2, 1, 0 }), 9);
	memset(&block, 0, sizeof(block));
	for (uint32_t i = 0; i < PORT_GROUP_WORDS; i++)
		mask[i] = 0x1122334455667788 + i;
	table_put_mask(block.bytes, 0, mask);
	ck_assert_uint_eq(block.bytes[0], 0x88);
	ck_assert_uint_eq(block.bytes[7], 0x11);
	table_get_mask(block.bytes, 0, got);
	ck_assert_mem_eq(got, mask, sizeof(mask));
}
