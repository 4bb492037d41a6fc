/*  switchd/port_group/lid_tables: tables that a fabric manager reads and writes in blocks (PG-8,
 *  PG-11, FC-26). */
#include "nodes/node/managed.h"
#include "tests/testing.h"
#include "tests/unit/switchd/port_group/one_lid.h"

/* @block takes effect at once, as no sweep has begun */
static int block_write(const struct table_block *block)
{
	struct managed managed;
	struct why why;

	managed_init(&managed, &s.config, NULL, s.ops, s.dataplane);
	return managed_write(&managed, block, &why);
}

/* the first block of the LFT; beyond the table there is no port */
static void lft_read(struct table_block *block)
{
	*block = (struct table_block){ .table = TABLE_LFT };
	memset(block->bytes, LFT_NO_PORT, sizeof(block->bytes));
	s.ops->table_read(s.dataplane, block);
}

TEST_GROUP(tables, .setup = lid_setup, .teardown = teardown);

TEST(tables__blocks)
{
	struct table_block block;
	uint64_t mask[PORT_GROUP_WORDS];

	lid_open(0);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_LFT), 1);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_FLOOD), 1);
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_ROUTES), 0);
	lft_read(&block);
	ck_assert_mem_eq(block.bytes, lid_lft, LID_COUNT);
	ck_assert_uint_eq(block.bytes[LID_COUNT], LFT_NO_PORT);
	block.bytes[3] = 3;
	block.number = 1; /* DLIDs that the table does not have yet */
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->tables.lids[table_entries(TABLE_LFT) + 3].home, 3);
	ck_assert_uint_eq(lid_of()->tables.lids[3].home, 2);
	block = (struct table_block){ .table = TABLE_PGT };
	ck_assert_uint_eq(s.ops->table_blocks(s.dataplane, TABLE_PGT) * table_entries(TABLE_PGT),
			  PORT_GROUPS_MAX);
	s.ops->table_read(s.dataplane, &block);
	table_get_mask(block.bytes, 1, mask);
	ck_assert_uint_eq(mask[0], 0xc);
	table_put_mask(block.bytes, 2, (uint64_t[PORT_GROUP_WORDS]){ UINT64_MAX, 1, 1, 1 });
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->tables.mask[2], 0xf);
	block = (struct table_block){ .table = TABLE_PGFT };
	s.ops->table_read(s.dataplane, &block);
	ck_assert_mem_eq(block.bytes, lid_pgft, LID_COUNT);
	block = (struct table_block){ .table = TABLE_FLOOD, .bytes = { 3 } };
	ck_assert_int_eq(block_write(&block), 0);
	ck_assert_uint_eq(lid_of()->sw.flood_ports, 3);
	lid_of()->sw.stats->tables_taken = 0;
	ck_assert_int_eq(s.ops->tables(s.dataplane, &s.config.switch_), 0);
	ck_assert_uint_eq(lid_of()->sw.stats->tables_taken, 1);
	ck_assert_uint_eq(lid_of()->sw.flood_ports, 0xf);
	ck_assert_uint_eq(lid_of()->tables.lids[table_entries(TABLE_LFT) + 3].home, LFT_NO_PORT);
	ck_assert_uint_eq(lid_of()->tables.lids[3].home, 2);
	ck_assert_uint_eq(lid_of()->tables.mask[2], 0);
}

/* PG-8, FC-26: equal tables keep replaced entries; an entry that the new tables do not allow is
 * void. _i: as blocks, or as a whole. */
TEST_RANGE(tables__replaced_entries, 0, 2)
{
	struct table_block lft, pgt = { .table = TABLE_PGT };
	uint64_t masks[2][PORT_GROUP_WORDS] = { { 0 }, { 1 << 2 } };
	struct switch_config changed;

	lid_open(1 << 2);
	changed = s.config.switch_;
	changed.lids.pgt = masks;
	lid_send(0, 2 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, 3 * NODE_US);
	ck_assert_uint_eq(packets_receive(3), 1);
	lft_read(&lft);
	s.ops->table_read(s.dataplane, &pgt);
	ck_assert_int_eq(_i ? s.ops->tables(s.dataplane, &s.config.switch_) : block_write(&lft), 0);
	ck_assert_uint_eq(lid_of()->tables.lids[3].now, 3);
	table_put_mask(pgt.bytes, 1, masks[1]);
	ck_assert_int_eq(_i ? s.ops->tables(s.dataplane, &changed) : block_write(&pgt), 0);
	grant(2, 3 * NODE_US, UNORDERED * LEVELS, PLENTY);
	lid_send(0, 4 * NODE_US, 3, UNORDERED, FULL_BYTES);
	one_switch_run(&s, FAR);
	ck_assert_uint_eq(packets_receive(2), 1);
	ck_assert_uint_eq(packets_receive(3), 0);
}

/* FC-26, PG-11: new tables move the packets of a DLID that wait, and no later one overtakes them; a
 * DLID without a port now keeps waiting */
TEST(tables__packets_that_wait_follow)
{
	struct table_block lft;

	lid_open(1 << 2);
	for (uint32_t i = 0; i < 3; i++)
		lid_send(0, 2 * NODE_US, 3, ORDERED, FULL_BYTES - 100 * i);
	lid_send(0, 2 * NODE_US, 4, ORDERED, FULL_BYTES);
	one_switch_run(&s, 4 * NODE_US);
	no_packet_expect(3);
	lft_read(&lft);
	lft.bytes[3] = 3;
	lft.bytes[4] = LFT_NO_PORT;
	ck_assert_int_eq(block_write(&lft), 0);
	lid_send(0, 5 * NODE_US, 3, ORDERED, FULL_BYTES - 300);
	one_switch_run(&s, FAR);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(lid_expect(3, FULL_BYTES - 100 * i).dlid, 3);
	no_packet_expect(2);
	books_expect(1);
	ck_assert_uint_eq(drops_all(), 0);
}
