/*  switchd/common/prefix_table: the longest prefix that covers an address, against a search of all
 *  of them (FC-3). */
#include "switchd/common/prefix_table.h"

#include <string.h>

#include "tests/testing.h"

/* in order, a prefix before those within it */
static const struct prefix_config prefixes[] = {
	{ .version = 4, .bits = 8, .host_index = 0, .address = { 10 } },
	{ .version = 4, .bits = 16, .host_index = 1, .address = { 10, 1 } },
	{ .version = 4, .bits = 24, .host_index = 2, .address = { 10, 1, 1 } },
	{ .version = 4, .bits = 32, .host_index = 3, .address = { 10, 1, 1, 7 } },
	{ .version = 4, .bits = 24, .host_index = 4, .address = { 10, 1, 9 } },
	{ .version = 4, .bits = 16, .host_index = 5, .address = { 10, 200 } },
	{ .version = 4, .bits = 16, .host_index = 6, .address = { 192, 168 } },
	{ .version = 6, .bits = 16, .host_index = 7, .address = { 0xfd, 0x48 } },
	{ .version = 6, .bits = 128, .host_index = 8, .address = { 0xfd, 0x48, [15] = 1 } },
};

#define COUNT (sizeof(prefixes) / sizeof(prefixes[0]))

static struct prefix_table table;

static uint32_t find4(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	const uint8_t address[16] = { a, b, c, d };

	return prefix_table_find(&table, 4, address);
}

TEST(prefix_table_find__longest_match)
{
	ck_assert_int_eq(prefix_table_init(&table, prefixes, COUNT), 0);
	ck_assert_uint_eq(find4(10, 0, 0, 0), 0);
	ck_assert_uint_eq(find4(10, 1, 0, 0), 1);
	ck_assert_uint_eq(find4(10, 1, 1, 6), 2);
	ck_assert_uint_eq(find4(10, 1, 1, 7), 3);
	ck_assert_uint_eq(find4(10, 1, 1, 8), 2);
	ck_assert_uint_eq(find4(10, 1, 8, 255), 1);
	ck_assert_uint_eq(find4(10, 1, 9, 1), 4);
	ck_assert_uint_eq(find4(10, 1, 10, 1), 1);
	ck_assert_uint_eq(find4(10, 199, 1, 1), 0);
	ck_assert_uint_eq(find4(10, 200, 1, 1), 5);
	ck_assert_uint_eq(find4(10, 255, 255, 255), 0);
	ck_assert_uint_eq(find4(192, 168, 0, 1), 6);
	prefix_table_fini(&table);
}

TEST(prefix_table_find__none)
{
	const uint8_t six[16] = { 0xfd, 0x48, [15] = 1 }, other[16] = { 0xfd, 0x49 };

	ck_assert_int_eq(prefix_table_init(&table, prefixes, COUNT), 0);
	ck_assert_uint_eq(find4(9, 255, 255, 255), PREFIX_NO_HOST);
	ck_assert_uint_eq(find4(11, 0, 0, 0), PREFIX_NO_HOST);
	ck_assert_uint_eq(find4(255, 255, 255, 255), PREFIX_NO_HOST);
	ck_assert_uint_eq(prefix_table_find(&table, 6, six), 8);
	ck_assert_uint_eq(prefix_table_find(&table, 6, (const uint8_t[16]){ 0xfd, 0x48 }), 7);
	ck_assert_uint_eq(prefix_table_find(&table, 6, other), PREFIX_NO_HOST);
	ck_assert_uint_eq(prefix_table_find(&table, 5, six), PREFIX_NO_HOST);
	prefix_table_fini(&table);
	ck_assert_int_eq(prefix_table_init(&table, NULL, 0), 0);
	ck_assert_uint_eq(find4(10, 0, 0, 0), PREFIX_NO_HOST);
	prefix_table_fini(&table);
}
