/*  nodes/config/port_group_config: tables of as many LIDs, groups and ports as there may be (PG-1).
 *  tests/unit/nodes/control/config_mistakes.def has what is refused. */
#include "nodes/config/port_group_config.h"

#include <errno.h>
#include <string.h>

#include "tests/testing.h"

#define PORTS 3u

static uint8_t lft[LID_COUNT_MAX + 1], pgft[LID_COUNT_MAX + 1];
static uint64_t pgt[PORT_GROUPS_MAX + 1][PORT_GROUP_WORDS];
static struct lid_tables tables;
static struct why why;

static void setup(void)
{
	memset(lft, LFT_NO_PORT, sizeof(lft));
	memset(pgft, 0, sizeof(pgft));
	tables = (struct lid_tables){ LID_COUNT_MAX, lft, pgft, PORT_GROUPS_MAX, pgt, 0 };
	why.text[0] = 0;
}

TEST_GROUP(port_group_config, .setup = setup);

TEST(lid_tables_check__as_many_as_there_may_be)
{
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), 0);
	lft[LID_COUNT_MAX - 1] = PORTS - 1;
	pgft[LID_COUNT_MAX - 1] = PORT_GROUPS_MAX - 1;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), 0);
	ck_assert_str_eq(why.text, "");
	tables.lid_count++;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.lid_count is beyond the unicast LIDs of 16 bits");
}

TEST(lid_tables_check__one_too_many)
{
	tables.group_count = PORT_GROUPS_MAX + 1;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.group_count is more than 256");
	tables.group_count = PORT_GROUPS_MAX - 1;
	pgft[LID_COUNT_MAX - 1] = PORT_GROUPS_MAX - 1;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.pgft[49151] is 255, but there are 255 groups");
	lft[LID_COUNT_MAX - 1] = PORTS;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.lft[49151] is 3, but the node has 3 ports");
}

/* without LIDs there are no tables */
TEST(lid_tables_check__tables_that_are_missing)
{
	tables.lft = NULL;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.lid_count is not 0, but a table is missing");
	tables.lft = lft;
	tables.pgft = NULL;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	tables = (struct lid_tables){ .group_count = 1 };
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), -EINVAL);
	ck_assert_str_eq(why.text, "switch.lids.group_count is not 0, but the port group table is "
				   "missing");
	tables.group_count = 0;
	ck_assert_int_eq(lid_tables_check(&tables, PORTS, &why), 0);
}
