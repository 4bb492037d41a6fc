/*  orchestrator/manager/manager_tables: the tables of a switch as blocks, for each kind of fabric
 *  (FC-26, PG-2, PG-5, PG-6, PG-11). */
#include "orchestrator/manager/manager_tables.h"

#include <string.h>

#include "tests/testing.h"

/* two hosts and a place without one; three switches, of which the image is that of the second */
static struct host_config hosts[3] = { { .host_index = 0, .fabric_address = 3, .egress_port = 7 },
				       { 0 },
				       { .host_index = 2, .fabric_address = 1, .egress_port = 0 } };
static struct topology topology = { .switch_count = 3, .host_count = 3, .hosts = hosts };
static struct route_config routes[3] = { { .fabric_address = 1, .ports = 6 },
					 { .fabric_address = 3, .ports = 1ull << 63 },
					 { .fabric_address = ROUTE_UPWARD, .ports = 9 } };
static uint16_t vias[2] = { 300, 8191 };
static uint8_t lft[600], pgft[600];
static uint64_t pgt[3][PORT_GROUP_WORDS] = { { 1 }, { 2 }, { 4, 0, 0, 1ull << 63 } };
static struct switch_tables tables[2];
static struct routing routing = { .switches = tables };
static struct switch_image image;

static void setup(void)
{
	memset(lft, LFT_NO_PORT, sizeof(lft));
	lft[599] = 5;
	pgft[1] = 2;
	tables[1] = (struct switch_tables){
		.routes = routes,
		.via_count = 2,
		.vias = vias,
		.lids = { .lid_count = 600, .group_count = 3, .lft = lft, .pgft = pgft, .pgt = pgt }
	};
}

static void teardown(void)
{
	switch_image_free(&image);
	for (int table = 0; table < TABLE_KINDS; table++)
		ck_assert_ptr_null(image.tables[table].bytes);
}

static void made(enum fabric_kind fabric)
{
	ck_assert_int_eq(manager_tables_make(fabric, &topology, &routing, 1, 0x15, &image), 0);
	for (int table = 0; table < TABLE_KINDS; table++)
		if (!table_of_fabric(fabric, (enum table_kind)table))
			ck_assert_uint_eq(image.tables[table].blocks, 0);
}

static uint64_t entry(enum table_kind table, uint32_t at)
{
	ck_assert_uint_lt(at / table_entries(table), image.tables[table].blocks);
	return table_get(table, image.tables[table].bytes, at);
}

TEST_GROUP(manager_tables, .setup = setup, .teardown = teardown);

TEST(manager_tables_make__flow_channels)
{
	made(FABRIC_FLOW_CHANNEL);
	ck_assert_uint_eq(entry(TABLE_ROUTES, ROUTE_UPWARD), 9);
	ck_assert_uint_eq(entry(TABLE_ROUTES, 1), 6);
	ck_assert_uint_eq(entry(TABLE_ROUTES, 2), 0); /* its own address */
	ck_assert_uint_eq(entry(TABLE_ROUTES, 3), 1ull << 63);
	ck_assert_uint_eq(entry(TABLE_VIAS, 0), 300);
	ck_assert_uint_eq(entry(TABLE_VIAS, 1), 8191);
	ck_assert_uint_eq(entry(TABLE_VIAS, 2), 0);
	ck_assert_uint_eq(entry(TABLE_HOSTS, 0), 3 | 7 << 16);
	ck_assert_uint_eq(entry(TABLE_HOSTS, 1), 0);
	ck_assert_uint_eq(entry(TABLE_HOSTS, 2), 1);
}

TEST(manager_tables_make__roce)
{
	tables[1].via_count = 0;
	made(FABRIC_ROCE);
	ck_assert_uint_eq(entry(TABLE_ROUTES, 1), 6);
	ck_assert_uint_eq(entry(TABLE_HOSTS, 0), 3 | 7 << 16);
	ck_assert_uint_eq(image.tables[TABLE_FLOOD].blocks, 1);
	ck_assert_uint_eq(entry(TABLE_FLOOD, 0), 0x15);
}

TEST(manager_tables_make__port_groups)
{
	uint64_t mask[PORT_GROUP_WORDS];

	made(FABRIC_PORT_GROUP);
	ck_assert_uint_eq(image.tables[TABLE_LFT].blocks, 2); /* 512 entries each */
	ck_assert_uint_eq(image.tables[TABLE_PGFT].blocks, 2);
	ck_assert_uint_eq(entry(TABLE_LFT, 0), LFT_NO_PORT);
	ck_assert_uint_eq(entry(TABLE_LFT, 599), 5);
	ck_assert_uint_eq(entry(TABLE_LFT, 1023), LFT_NO_PORT); /* blank */
	ck_assert_uint_eq(entry(TABLE_PGFT, 1), 2);
	ck_assert_uint_eq(entry(TABLE_PGFT, 599), 0);
	for (uint32_t g = 0; g < 3; g++) {
		table_get_mask(image.tables[TABLE_PGT].bytes, g, mask);
		ck_assert_mem_eq(mask, pgt[g], sizeof(mask));
	}
	ck_assert_uint_eq(entry(TABLE_FLOOD, 0), 0x15);
}
