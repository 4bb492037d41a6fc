#include "switchd/port_group/fecn_mark.h"
#include "tests/testing.h"

#include <stdlib.h>

#define RATE_BPS 204800000000ull /* 100 units a microsecond */
#define WINDOW (2 * NODE_US)

static struct fecn_mark mark;

static void setup(void)
{
	mark = (struct fecn_mark){ 0 };
}

static void packet(uint32_t slid, uint32_t units, node_time_t now)
{
	fecn_mark_on_packet(&mark, slid, units, RATE_BPS, WINDOW, now);
}

TEST_GROUP(fecn_mark, .setup = setup);

/* PG-10: an eighth of what the link carries in the time since, 25 units in a window, is falling;
 * less is not; nor is growing */
TEST(fecn_mark_on_packet__falling)
{
	packet(1, 1000, 10 * NODE_US);
	ck_assert(!mark.falling);
	packet(1, 500, 11 * NODE_US); /* not yet a window */
	ck_assert(!mark.falling);
	packet(1, 975, 12 * NODE_US);
	ck_assert(mark.falling);
	packet(1, 951, 14 * NODE_US);
	ck_assert(!mark.falling);
	packet(1, 913, 17 * NODE_US); /* a window and a half: 37 units */
	ck_assert(mark.falling);
	packet(1, 2000, 19 * NODE_US);
	ck_assert(!mark.falling);
}

TEST(fecn_mark_on_packet__long_ago)
{
	packet(1, 1000, 10 * NODE_US);
	packet(1, 10, 10 * NODE_US + FECN_IDLE_WINDOWS * WINDOW);
	ck_assert(!mark.falling);
	ck_assert_uint_eq(mark.seen_units, 10);
}

/* one source alone shares with nobody, nor do two of which one has gone a window ago */
TEST(fecn_mark_shared__sources)
{
	packet(1, 10, 10 * NODE_US);
	packet(1, 10, 11 * NODE_US);
	ck_assert(!fecn_mark_shared(&mark, WINDOW, 11 * NODE_US));
	packet(2, 10, 12 * NODE_US);
	ck_assert(fecn_mark_shared(&mark, WINDOW, 12 * NODE_US));
	packet(2, 10, 14 * NODE_US);
	ck_assert(fecn_mark_shared(&mark, WINDOW, 14 * NODE_US));
	ck_assert(!fecn_mark_shared(&mark, WINDOW, 14 * NODE_US + 1));
}
