/*  nodes/node/managed: blocks that a switch collects, reads back and commits together, and blocks
 *  that take effect alone (PG-8, PG-11, TB-14). A toy dataplane counts how often its tables are
 *  replaced, and uses only these tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/node/managed.h"
#include "tests/testing.h"

#define ADDRESSES 200 /* of switches: several blocks */
#define LIDS 600      /* the same */

static struct {
	uint64_t routes[ADDRESSES], flood_ports;
	uint8_t lft[LIDS], pgft[LIDS];
	uint64_t pgt[PORT_GROUPS_MAX][PORT_GROUP_WORDS];
	uint16_t vias[4];
	uint32_t via_count, changes;
	int error;
} toy;

static uint32_t toy_blocks(void *dataplane, enum table_kind table)
{
	ck_assert_ptr_eq(dataplane, &toy);
	return table == TABLE_ROUTES                       ? table_blocks(table, ADDRESSES)
	       : table == TABLE_LFT || table == TABLE_PGFT ? table_blocks(table, LIDS)
	       : table == TABLE_PGT                        ? table_blocks(table, PORT_GROUPS_MAX)
							   : table == TABLE_FLOOD;
}

static void toy_read(void *dataplane, struct table_block *block)
{
	uint32_t entries = table_entries(block->table), first = block->number * entries;

	ck_assert_ptr_eq(dataplane, &toy);
	for (uint32_t i = 0; i < entries; i++) {
		if (block->table == TABLE_ROUTES && first + i < ADDRESSES)
			table_put(block->table, block->bytes, i, toy.routes[first + i]);
		if (block->table == TABLE_LFT && first + i < LIDS)
			table_put(block->table, block->bytes, i, toy.lft[first + i]);
		if (block->table == TABLE_PGFT && first + i < LIDS)
			table_put(block->table, block->bytes, i, toy.pgft[first + i]);
		if (block->table == TABLE_PGT && first + i < PORT_GROUPS_MAX)
			table_put_mask(block->bytes, i, toy.pgt[first + i]);
	}
	if (block->table == TABLE_FLOOD)
		table_put(TABLE_FLOOD, block->bytes, 0, toy.flood_ports);
}

static int toy_tables(void *dataplane, const struct switch_config *tables)
{
	ck_assert_ptr_eq(dataplane, &toy);
	if (toy.error)
		return toy.error;
	toy.changes++;
	memset(toy.routes, 0, sizeof(toy.routes));
	for (uint32_t i = 0; i < tables->route_count; i++)
		toy.routes[tables->routes[i].fabric_address] = tables->routes[i].ports;
	for (uint32_t i = 0; i < tables->lids.lid_count && i < LIDS; i++) {
		toy.lft[i] = tables->lids.lft[i];
		toy.pgft[i] = tables->lids.pgft[i];
	}
	memcpy(toy.pgt, tables->lids.pgt, tables->lids.group_count * sizeof(toy.pgt[0]));
	toy.flood_ports = tables->flood_ports;
	toy.via_count = tables->via_count;
	for (uint32_t i = 0; i < toy.via_count; i++)
		toy.vias[i] = tables->vias[i];
	return 0;
}

static const struct node_ops toy_ops = { .table_blocks = toy_blocks,
					 .table_read = toy_read,
					 .tables = toy_tables };
static struct port_config ports[8];
static struct node_config config;
static struct managed managed;
static struct why why;

static void opened(enum fabric_kind fabric)
{
	memset(&toy, 0, sizeof(toy));
	memset(toy.lft, LFT_NO_PORT, sizeof(toy.lft));
	config = (struct node_config){
		.kind = NODE_SWITCH, .fabric = fabric, .name = "s", .port_count = 8, .ports = ports
	};
	managed_init(&managed, &config, NULL, &toy_ops, &toy);
}

static void closed(void)
{
	managed_fini(&managed);
}

static struct table_block route_block(uint32_t number, uint32_t entry, uint64_t value)
{
	struct table_block block = { .table = TABLE_ROUTES, .number = number };

	table_put(TABLE_ROUTES, block.bytes, entry, value);
	return block;
}

static void write_to(int wanted, struct table_block block)
{
	ck_assert_int_eq(managed_write(&managed, &block, &why), wanted);
}

TEST_GROUP(all, .teardown = closed);

TEST(managed_write__takes_effect_alone)
{
	opened(FABRIC_FLOW_CHANNEL);
	write_to(0, route_block(1, 2, 5));
	ck_assert_uint_eq(toy.changes, 1);
	ck_assert_uint_eq(toy.routes[table_entries(TABLE_ROUTES) + 2], 5);
	write_to(-EINVAL, route_block(0, 2, 1 << 8)); /* port 8 does not exist */
	ck_assert_uint_eq(toy.changes, 1);
	ck_assert_int_eq(managed_commit(&managed), -EINVAL); /* nothing was begun */
}

TEST(managed_commit__all_at_once)
{
	struct table_block back = { .table = TABLE_ROUTES, .number = 1 };

	opened(FABRIC_FLOW_CHANNEL);
	toy.routes[7] = 3;
	ck_assert_int_eq(managed_read_back(&managed, &back, &why), -EINVAL);
	ck_assert_str_eq(why.text, "nothing is collected: TABLE_BEGIN comes first");
	ck_assert_int_eq(managed_begin(&managed), 0);
	write_to(0, route_block(1, 2, 5));
	write_to(0, route_block(2, 0, 6));
	ck_assert_uint_eq(toy.changes, 0);
	ck_assert_int_eq(managed_read_back(&managed, &back, &why), 0);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, back.bytes, 2), 5);
	ck_assert_int_eq(managed_read(&managed, &back, &why), 0);
	ck_assert_uint_eq(table_get(TABLE_ROUTES, back.bytes, 2), 0);
	ck_assert_int_eq(managed_commit(&managed), 0);
	ck_assert_uint_eq(toy.changes, 1);
	ck_assert_uint_eq(toy.routes[7], 3);
	ck_assert_uint_eq(toy.routes[table_entries(TABLE_ROUTES) + 2], 5);
	ck_assert_uint_eq(toy.routes[2 * table_entries(TABLE_ROUTES)], 6);
}

/* intermediate switches end at the first entry that is none */
TEST(managed_write__vias)
{
	struct table_block block = { .table = TABLE_VIAS };

	opened(FABRIC_FLOW_CHANNEL);
	table_put(TABLE_VIAS, block.bytes, 0, 9);
	table_put(TABLE_VIAS, block.bytes, 1, 3);
	table_put(TABLE_VIAS, block.bytes, 3, 5);
	write_to(0, block);
	ck_assert_uint_eq(toy.via_count, 2);
	ck_assert_uint_eq(toy.vias[0], 9);
	ck_assert_uint_eq(toy.vias[1], 3);
}

/* A manager ended before its commit: the next one begins again with nothing collected. */
TEST(managed_begin__discards_an_unfinished_update)
{
	opened(FABRIC_FLOW_CHANNEL);
	ck_assert_int_eq(managed_begin(&managed), 0);
	write_to(0, route_block(1, 2, 5));
	ck_assert_int_eq(managed_begin(&managed), 0);
	write_to(0, route_block(2, 0, 6));
	ck_assert_int_eq(managed_commit(&managed), 0);
	ck_assert_uint_eq(toy.routes[table_entries(TABLE_ROUTES) + 2], 0);
	ck_assert_uint_eq(toy.routes[2 * table_entries(TABLE_ROUTES)], 6);
}

TEST(managed_commit__bad_tables_change_nothing)
{
	opened(FABRIC_FLOW_CHANNEL);
	ck_assert_int_eq(managed_begin(&managed), 0);
	write_to(0, route_block(1, 2, 5));
	toy.error = -ENOMEM;
	ck_assert_int_eq(managed_commit(&managed), -ENOMEM);
	toy.error = 0;
	ck_assert_int_eq(managed_commit(&managed), -EINVAL); /* nothing is collected any more */
	ck_assert_uint_eq(toy.changes, 0);
}

/* PG-2, PG-5, PG-6: LFT, PGFT and PGT take effect together. Otherwise a new entry of one table
 * would refer to an old entry of another. */
TEST(managed_commit__port_group_tables_change_together)
{
	struct table_block block = { .table = TABLE_LFT, .number = 1 };
	uint64_t mask[PORT_GROUP_WORDS] = { 0xf0 };

	opened(FABRIC_PORT_GROUP);
	memset(block.bytes, LFT_NO_PORT, sizeof(block.bytes));
	block.bytes[3] = 4;
	ck_assert_int_eq(managed_begin(&managed), 0);
	write_to(0, block);
	block = (struct table_block){ .table = TABLE_PGFT, .number = 1, .bytes = { [3] = 9 } };
	write_to(0, block);
	block = (struct table_block){ .table = TABLE_PGT };
	table_put_mask(block.bytes, 9, mask);
	write_to(0, block);
	ck_assert_uint_eq(toy.changes, 0);
	ck_assert_int_eq(managed_commit(&managed), 0);
	ck_assert_uint_eq(toy.changes, 1);
	ck_assert_uint_eq(toy.lft[table_entries(TABLE_LFT) + 3], 4);
	ck_assert_uint_eq(toy.lft[3], LFT_NO_PORT);
	ck_assert_uint_eq(toy.pgft[table_entries(TABLE_PGFT) + 3], 9);
	ck_assert_uint_eq(toy.pgt[9][0], 0xf0);
}

TEST(managed_begin__is_rejected_by_a_nic)
{
	opened(FABRIC_FLOW_CHANNEL);
	config.kind = NODE_NIC;
	ck_assert_int_eq(managed_begin(&managed), -ENOENT);
}

/* ---- identity ---- */

/* a node as its configuration has it: a vacant port leads nowhere */
TEST_RANGE(managed_identify_planned__ports, 0, 2)
{
	struct node_identity identity;

	opened(FABRIC_ROCE);
	config.kind = _i ? NODE_NIC : NODE_SWITCH;
	config.index = 6;
	config.switch_.fabric_address = 11;
	config.nic.host_index = 12;
	memset(ports, 0, sizeof(ports));
	ports[2].vacant = true;
	ports[3] = (struct port_config){ .kind = PORT_FABRIC,
					 .tier = TIER_GLOBAL,
					 .peer_index = 4,
					 .peer_port = 5,
					 .rate_bps = 1000 };
	managed_identify_planned(&config, &identity);
	ck_assert_int_eq(identity.kind, config.kind);
	ck_assert_int_eq(identity.fabric, FABRIC_ROCE);
	ck_assert_str_eq(identity.name, "s");
	ck_assert_uint_eq(identity.index, 6);
	ck_assert_uint_eq(identity.port_count, 8);
	ck_assert_uint_eq(identity.fabric_address, _i ? 0 : 11);
	ck_assert_uint_eq(identity.host_index, _i ? 12 : 0);
	for (uint32_t p = 0; p < 8; p++) {
		ck_assert_int_eq(identity.ports[p].plugged, p != 2);
		ck_assert_int_eq(identity.ports[p].up, p != 2);
	}
	ck_assert_int_eq(identity.ports[3].kind, PORT_FABRIC);
	ck_assert_int_eq(identity.ports[3].tier, TIER_GLOBAL);
	ck_assert_uint_eq(identity.ports[3].peer_index, 4);
	ck_assert_uint_eq(identity.ports[3].peer_port, 5);
	ck_assert_uint_eq(identity.ports[3].rate_bps, 1000);
}
