/*  switchd/port_group/fecn_mark: which packets of a queue get FECN (PG-10). */
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

/* PG-10: the queue falls if it lost an eighth of what the link carries in that time (25 units in a
 * window); less is not falling, nor is growth */
TEST(fecn_mark_on_packet__detects_a_falling_queue)
{
	packet(1, 1000, 10 * NODE_US);
	ck_assert(!mark.falling);
	packet(1, 500, 11 * NODE_US); /* less than a window */
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

TEST(fecn_mark_on_packet__old_level_does_not_count)
{
	packet(1, 1000, 10 * NODE_US);
	packet(1, 10, 10 * NODE_US + FECN_IDLE_WINDOWS * WINDOW);
	ck_assert(!mark.falling);
	ck_assert_uint_eq(mark.seen_units, 10);
}

/* one source shares with no other; nor do two if one sent its last packet more than a window ago */
TEST(fecn_mark_shared__needs_two_sources)
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
