/*  nodes/clock/home_core (TB-8): a late node may leave its home core for a while. The cores that it
 *  may use are read from the kernel. */
#include <stdlib.h>

#include "nodes/clock/home_core.h"
#include "tests/testing.h"

static struct home_core home;
static cpu_set_t all;
static int core = -1;

static int cores_now(void)
{
	cpu_set_t now;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	return CPU_COUNT(&now);
}

/* the last core that this process may use */
static void set_up(void)
{
	if (sched_getaffinity(0, sizeof(all), &all))
		abort();
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			core = i;
}

TEST_GROUP(home_core, .setup_once = set_up);

TEST(home_core_init__stays_where_it_is)
{
	home_core_init(&home, -1);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	home_core_init(&home, CPU_SETSIZE);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	home_core_note(&home, NODE_S, NODE_S);
	home_core_look(&home, 100 * NODE_S);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
}

TEST(home_core_note__a_late_node_leaves_at_once)
{
	if (CPU_COUNT(&all) == 1)
		return; /* with one core there is no choice */
	home_core_init(&home, core);
	ck_assert_int_eq(cores_now(), 1);
	home_core_note(&home, HOME_CORE_LATE_PS, NODE_S);
	ck_assert_int_eq(cores_now(), 1);
	home_core_note(&home, HOME_CORE_LATE_PS + 1, 2 * NODE_S);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	home_core_look(&home, 2 * NODE_S + HOME_CORE_AWAY_MIN_PS);
	ck_assert_int_eq(cores_now(), CPU_COUNT(&all));
	home_core_look(&home, 2 * NODE_S + HOME_CORE_AWAY_MIN_PS + 1);
	ck_assert_int_eq(cores_now(), 1);
}

/* A node that is still late away from home stays away. Each time that it returned too early, it
 * stays away longer, up to a limit. */
TEST(home_core_look__each_early_return_makes_the_absence_longer)
{
	node_time_t now = 2 * NODE_S, away_ps = 0;

	if (CPU_COUNT(&all) == 1)
		return; /* with one core there is no choice */
	home_core_init(&home, core);
	for (int round = 0; round < 20; round++) {
		node_time_t left_ps;

		home_core_note(&home, NODE_MS, now);
		now += HOME_CORE_AWAY_MIN_PS / 2;
		home_core_note(&home, NODE_MS, now); /* late again, away from home */
		left_ps = now;
		while (!home.is_home)
			home_core_look(&home, now += NODE_MS);
		ck_assert_uint_ge(now - left_ps, away_ps);
		ck_assert_uint_le(now - left_ps, HOME_CORE_AWAY_MAX_PS + NODE_MS);
		away_ps = now - left_ps;
		now += NODE_MS;
	}
	ck_assert_uint_ge(away_ps, HOME_CORE_AWAY_MAX_PS);
	/* it was at home long enough: the next absence is short again */
	home_core_note(&home, NODE_MS, now += 2 * HOME_CORE_SETTLED_PS);
	home_core_look(&home, now + HOME_CORE_AWAY_MIN_PS + 1);
	ck_assert_int_eq(cores_now(), 1);
}

/* with one core there is no home: the node is never moved */
TEST(home_core_init__one_core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	home_core_init(&home, core);
	ck_assert(!home.used && !home.is_home);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}
