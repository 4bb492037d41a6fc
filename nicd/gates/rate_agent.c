#include "nicd/gates/rate_agent.h"

#include <errno.h>
#include <stdlib.h>

uint64_t rate_agent_bps(const struct port_group_config *config, uint64_t line_bps, uint32_t index)
{
	unsigned __int128 parts = (unsigned __int128)line_bps * 1000;

	return (uint64_t)(parts / (1000 + (uint64_t)index * config->ccti_step_permille));
}

node_time_t rate_agent_delay(const struct port_group_config *config, node_time_t length_ps,
			     uint32_t index)
{
	unsigned __int128 parts =
		(unsigned __int128)length_ps * ((uint64_t)index * config->ccti_step_permille);

	return length_ps + (node_time_t)(parts / 1000);
}

int rate_agents_init(struct rate_agents *agents, const struct port_group_config *config)
{
	*agents = (struct rate_agents){
		.config = config,
		.agents = calloc(RATE_AGENTS_MAX, sizeof(*agents->agents)),
		.places = calloc(RATE_LIDS, sizeof(*agents->places)),
		.free = malloc(RATE_AGENTS_MAX * sizeof(*agents->free)),
	};
	if (!agents->agents || !agents->places || !agents->free ||
	    deadline_heap_init(&agents->due, RATE_AGENTS_MAX))
		return -ENOMEM;
	for (uint32_t a = 0; a < RATE_AGENTS_MAX; a++)
		agents->free[a] = RATE_AGENTS_MAX - 1 - a;
	return 0;
}

void rate_agents_fini(struct rate_agents *agents)
{
	deadline_heap_fini(&agents->due);
	free(agents->agents);
	free(agents->places);
	free(agents->free);
	*agents = (struct rate_agents){ 0 };
}

static void plan(struct rate_agents *agents, uint32_t a)
{
	const struct rate_agent *agent = &agents->agents[a];

	deadline_heap_set(&agents->due, a,
			  agent->waits ? node_time_min(agent->timer_at_ps, agent->next_ps)
				       : agent->timer_at_ps);
}

/* a fresh agent for @lid, or RATE_NONE */
static uint32_t take(struct rate_agents *agents, uint32_t lid)
{
	uint32_t a;

	if (agents->used == RATE_AGENTS_MAX)
		return RATE_NONE;
	a = agents->free[RATE_AGENTS_MAX - 1 - agents->used++];
	agents->agents[a] = (struct rate_agent){ .lid = lid, .timer_at_ps = NODE_TIME_NEVER };
	agents->places[lid] = a + 1;
	return a;
}

uint32_t rate_agents_on_becn(struct rate_agents *agents, uint32_t lid, node_time_t now)
{
	const struct port_group_config *config = agents->config;
	uint32_t a = rate_agents_find(agents, lid);
	struct rate_agent *agent;

	if (a == RATE_NONE)
		a = take(agents, lid);
	if (a == RATE_NONE) {
		agents->refused++;
		return RATE_NONE;
	}
	agent = &agents->agents[a];
	agent->becns++;
	if (!agent->index)
		agent->timer_at_ps = now + config->ccti_timer_ps;
	agent->index += config->ccti_increase;
	if (agent->index > config->ccti_max)
		agent->index = config->ccti_max;
	plan(agents, a);
	return a;
}

void rate_agents_sent(struct rate_agents *agents, uint32_t a, node_time_t length_ps,
		      node_time_t now)
{
	struct rate_agent *agent = &agents->agents[a];

	agent->next_ps = now + rate_agent_delay(agents->config, length_ps, agent->index);
}

void rate_agents_wait(struct rate_agents *agents, uint32_t a)
{
	agents->agents[a].waits = true;
	plan(agents, a);
}

uint32_t rate_agents_step(struct rate_agents *agents, node_time_t now)
{
	uint32_t a = deadline_heap_first(&agents->due);
	struct rate_agent *agent = &agents->agents[a];

	ENSURE(agent->lid, !=, 0u);
	if (agent->timer_at_ps <= now) {
		ENSURE(agent->index, !=, 0u);
		agent->index--;
		agent->timer_at_ps = agent->index
					     ? agent->timer_at_ps + agents->config->ccti_timer_ps
					     : NODE_TIME_NEVER;
	}
	if (rate_agents_may_send(agents, a, now))
		agent->waits = false;
	plan(agents, a);
	return a;
}

void rate_agents_free(struct rate_agents *agents, uint32_t a)
{
	ENSURE(agents->used, !=, 0u);
	ENSURE(agents->agents[a].index, ==, 0u);
	ENSURE(agents->places[agents->agents[a].lid], ==, a + 1);
	deadline_heap_set(&agents->due, a, NODE_TIME_NEVER);
	agents->places[agents->agents[a].lid] = 0;
	agents->agents[a].lid = 0;
	agents->free[RATE_AGENTS_MAX - agents->used--] = a;
}
