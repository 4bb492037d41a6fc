/*  rate_agent - rate limits of a source towards its destinations, in a fabric of kind port-group
 *  (PG-10).
 *
 *  As in InfiniBand, a destination that receives FECN answers with BECN. Each BECN raises the index
 *  of the agent for that destination by ccti_increase, up to ccti_max. Every ccti_timer_ps lowers
 *  it by one. At index i the rate is that of the link / (1 + i * ccti_step_permille / 1000), kept
 *  by a delay after each frame. At index 0 there is no limit, and the agent is freed.
 *
 *  rate_agents_next_at() is the time at which an index goes down, or at which a delay is over that
 *  something waits for.
 *
 *  Memory: RATE_AGENTS_MAX agents and a table by LID, allocated in _init, never later. A BECN of a
 *  destination beyond that is ignored and counted. Pure state: nic_gate.c has flows and frames. */
#ifndef HEDDLE_NICD_GATES_RATE_AGENT_H
#define HEDDLE_NICD_GATES_RATE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/deadline_heap.h"
#include "nodes/base/ensure.h"
#include "nodes/base/time.h"
#include "nodes/config/port_group_config.h"
#include "nodes/wire/address.h"

#define RATE_AGENTS_MAX 1024u /* destinations that are limited at a time (ours) */
#define RATE_LIDS (ADDRESS_HOSTS_MAX + 1u)
#define RATE_NONE UINT32_MAX

struct rate_agent {
	uint32_t lid; /* 0: free */
	uint32_t index;
	node_time_t timer_at_ps; /* the index goes down; NODE_TIME_NEVER at 0 */
	node_time_t next_ps;     /* the next frame is not sent before, unless the index is 0 */
	bool waits;              /* something waits for next_ps */
	uint64_t becns;
};

struct rate_agents {
	const struct port_group_config *config;
	struct rate_agent *agents;
	uint32_t *places; /* by LID: agent + 1, 0: none */
	uint32_t *free;   /* stack of agents */
	uint32_t used;
	uint64_t refused; /* BECNs for which there was no agent */
	struct deadline_heap due;
};

/** rate_agent_bps() - the rate at @index on a link of @line_bps. Pure. */
uint64_t rate_agent_bps(const struct port_group_config *config, uint64_t line_bps, uint32_t index);

/** rate_agent_delay() - time from the beginning of a frame that takes the link for @length_ps to
 *  that of the next one, at @index. Pure. */
node_time_t rate_agent_delay(const struct port_group_config *config, node_time_t length_ps,
			     uint32_t index);

/** rate_agents_init() - no agent is in use. @config borrowed. Return: 0 or -ENOMEM;
 *  rate_agents_fini() is due in any case. */
int rate_agents_init(struct rate_agents *agents, const struct port_group_config *config);
void rate_agents_fini(struct rate_agents *agents);

/** rate_agents_find() - the agent for @lid, or RATE_NONE: no limit, as for groups. O(1). */
static inline uint32_t rate_agents_find(const struct rate_agents *agents, uint32_t lid)
{
	return agents->used && lid < RATE_LIDS ? agents->places[lid] - 1 : RATE_NONE;
}

/** rate_agents_may_send() - may agent @a send now? */
static inline bool rate_agents_may_send(const struct rate_agents *agents, uint32_t a,
					node_time_t now)
{
	return !agents->agents[a].index || agents->agents[a].next_ps <= now;
}

/** rate_agents_on_becn() - the host @lid (below RATE_LIDS) has sent BECN. Return: its agent, or
 *  RATE_NONE. O(log agents). */
uint32_t rate_agents_on_becn(struct rate_agents *agents, uint32_t lid, node_time_t now);

/** rate_agents_sent() - a frame to the destination of agent @a takes the link for @length_ps from
 *  @now on. */
void rate_agents_sent(struct rate_agents *agents, uint32_t a, node_time_t length_ps,
		      node_time_t now);

/** rate_agents_wait() - something waits until agent @a may send. */
void rate_agents_wait(struct rate_agents *agents, uint32_t a);

/** rate_agents_next_at() - when to call rate_agents_step(); NODE_TIME_NEVER: nothing is due. */
static inline node_time_t rate_agents_next_at(const struct rate_agents *agents)
{
	return agents->used ? deadline_heap_next_at(&agents->due) : NODE_TIME_NEVER;
}

/** rate_agents_step() - what is due first at @now. Return: the agent whose index has changed, or
 *  which may send. O(log agents). */
uint32_t rate_agents_step(struct rate_agents *agents, node_time_t now);

/** rate_agents_free() - frees agent @a, whose index is 0. */
void rate_agents_free(struct rate_agents *agents, uint32_t a);

#endif
