/*  nodes/config/switch_image: tables of a switch that grow, block by block (FC-26). */
#include "nodes/config/switch_image.h"
#include "tests/testing.h"

static struct switch_image image;

static void teardown(void)
{
	switch_image_free(&image);
	for (int table = 0; table < TABLE_KINDS; table++)
		ck_assert_ptr_null(image.tables[table].bytes);
}

TEST_GROUP(switch_image, .teardown = teardown);

TEST(switch_image_widen__keeps_what_is_there)
{
	ck_assert_int_eq(switch_image_widen(&image, TABLE_LFT, 1), 0);
	switch_image_block(&image, TABLE_LFT, 0)[511] = 3;
	ck_assert_int_eq(switch_image_widen(&image, TABLE_LFT, 3), 0);
	ck_assert_uint_eq(image.tables[TABLE_LFT].blocks, 3);
	ck_assert_uint_eq(switch_image_entries(&image, TABLE_LFT), 3 * 512);
	ck_assert_uint_eq(switch_image_get(&image, TABLE_LFT, 511), 3);
	ck_assert_uint_eq(switch_image_get(&image, TABLE_LFT, 512), LFT_NO_PORT);
	ck_assert_uint_eq(switch_image_get(&image, TABLE_LFT, 3 * 512 - 1), LFT_NO_PORT);
	ck_assert_int_eq(switch_image_widen(&image, TABLE_LFT, 2), 0); /* never narrower */
	ck_assert_uint_eq(image.tables[TABLE_LFT].blocks, 3);
}

TEST(switch_image_same__block_by_block)
{
	struct switch_image other = { 0 };

	ck_assert_int_eq(switch_image_widen(&image, TABLE_ROUTES, 2), 0);
	ck_assert_int_eq(switch_image_widen(&other, TABLE_ROUTES, 2), 0);
	ck_assert(switch_image_same(&image, &other, TABLE_ROUTES, 1));
	switch_image_block(&other, TABLE_ROUTES, 1)[TABLE_BLOCK_BYTES - 1] = 1;
	ck_assert(switch_image_same(&image, &other, TABLE_ROUTES, 0));
	ck_assert(!switch_image_same(&image, &other, TABLE_ROUTES, 1));
	switch_image_free(&other);
}
