/*  nicd/gates/rate_agent: index to rate, recovery by the timer, start and end of agents (PG-10). */
#include <signal.h>
#include <stdlib.h>

#include "nicd/gates/rate_agent.h"
#include "tests/testing.h"

#define LINE_BPS 100000000000ull
#define TIMER_PS (10 * NODE_US)
#define LID 7u

static const struct port_group_config config = {
	.ccti_increase = 4, .ccti_max = 100, .ccti_step_permille = 250, .ccti_timer_ps = TIMER_PS
};
static struct rate_agents agents;

static void setup(void)
{
	ck_assert(!rate_agents_init(&agents, &config));
}

static void teardown(void)
{
	rate_agents_fini(&agents);
}

TEST_GROUP(rate_agent, .setup = setup, .teardown = teardown);

/* PG-10: link / (1 + index * step) */
TEST_RANGE(rate_agent_bps__follows_the_formula, 0, 5)
{
	static const struct {
		uint32_t index;
		uint64_t bps;
	} cases[] = { { 0, LINE_BPS },
		      { 1, 80000000000 },
		      { 4, 50000000000 },
		      { 12, 25000000000 },
		      { 396, 1000000000 } };

	ck_assert_uint_eq(rate_agent_bps(&config, LINE_BPS, cases[_i].index), cases[_i].bps);
	/* a frame of 1000 ps at the link's rate takes so much longer */
	ck_assert_uint_eq(rate_agent_delay(&config, 1000, cases[_i].index),
			  1000 * LINE_BPS / cases[_i].bps);
}

/* the greatest settings, with the longest frame on the slowest link */
TEST(rate_agent_delay__beyond_64_bits)
{
	struct port_group_config most = { .ccti_step_permille = 1000000 };

	ck_assert_uint_eq(rate_agent_delay(&most, 80 * NODE_MS, PORT_GROUP_CCTI_MAX),
			  80 * NODE_MS + 80 * NODE_MS * PORT_GROUP_CCTI_MAX * 1000);
}

/* PG-10: each BECN raises the index, and the timer lowers it by one until there is no limit */
TEST(rate_agents__index_goes_up_and_down)
{
	uint32_t a;

	ck_assert_uint_eq(rate_agents_find(&agents, LID), RATE_NONE);
	ck_assert_uint_eq(rate_agents_next_at(&agents), NODE_TIME_NEVER);
	a = rate_agents_on_becn(&agents, LID, 1000);
	ck_assert_uint_eq(rate_agents_find(&agents, LID), a);
	ck_assert_uint_eq(agents.agents[a].index, 4);
	ck_assert_uint_eq(rate_agents_on_becn(&agents, LID, 2000), a); /* the timer continues */
	ck_assert_uint_eq(agents.agents[a].index, 8);
	for (uint32_t i = 1; i <= 8; i++) {
		node_time_t at = rate_agents_next_at(&agents);

		ck_assert_uint_eq(at, 1000 + i * TIMER_PS);
		ck_assert_uint_eq(rate_agents_step(&agents, at), a);
		ck_assert_uint_eq(agents.agents[a].index, 8 - i);
	}
	ck_assert_uint_eq(rate_agents_next_at(&agents), NODE_TIME_NEVER);
	ck_assert(rate_agents_may_send(&agents, a, 0));
	rate_agents_free(&agents, a);
	ck_assert_uint_eq(rate_agents_find(&agents, LID), RATE_NONE);
}

TEST(rate_agents_on_becn__index_has_a_maximum)
{
	for (uint32_t i = 0; i < 30; i++)
		rate_agents_on_becn(&agents, LID, 0);
	ck_assert_uint_eq(agents.agents[rate_agents_find(&agents, LID)].index, 100);
	ck_assert_uint_eq(agents.agents[rate_agents_find(&agents, LID)].becns, 30);
}

/* after a packet, the destination waits for its delay, and no longer */
TEST(rate_agents_sent__begins_a_delay)
{
	uint32_t a = rate_agents_on_becn(&agents, LID, 0);

	ck_assert(rate_agents_may_send(&agents, a, 0));
	rate_agents_sent(&agents, a, 1000, 500); /* index 4: half the rate */
	ck_assert(!rate_agents_may_send(&agents, a, 2499));
	ck_assert(rate_agents_may_send(&agents, a, 2500));
	ck_assert_uint_eq(rate_agents_next_at(&agents), TIMER_PS); /* no packet waits */
	rate_agents_wait(&agents, a);
	ck_assert_uint_eq(rate_agents_next_at(&agents), 2500);
	ck_assert_uint_eq(rate_agents_step(&agents, 2500), a);
	ck_assert_uint_eq(agents.agents[a].index, 4);
	ck_assert_uint_eq(rate_agents_next_at(&agents), TIMER_PS);
}

TEST(rate_agents_on_becn__full_table_is_counted)
{
	for (uint32_t lid = 1; lid <= RATE_AGENTS_MAX; lid++)
		ck_assert_uint_ne(rate_agents_on_becn(&agents, lid, 0), RATE_NONE);
	ck_assert_uint_eq(rate_agents_on_becn(&agents, RATE_LIDS - 1, 0), RATE_NONE);
	ck_assert_uint_eq(agents.refused, 1);
	while (agents.agents[rate_agents_find(&agents, LID)].index)
		rate_agents_step(&agents, rate_agents_next_at(&agents));
	rate_agents_free(&agents, rate_agents_find(&agents, LID));
	ck_assert_uint_ne(rate_agents_on_becn(&agents, RATE_LIDS - 1, 0), RATE_NONE);
	ck_assert_uint_eq(rate_agents_find(&agents, LID), RATE_NONE);
}

/* an agent that still limits its destination must not be released */
TEST_SIGNAL(rate_agents_free__of_a_limited_destination_aborts, SIGABRT)
{
	rate_agents_free(&agents, rate_agents_on_becn(&agents, LID, 0));
}
