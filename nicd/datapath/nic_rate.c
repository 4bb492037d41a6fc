/*  nic_rate - what becomes of flows whose destination has sent BECN (PG-10): they send at their
 *  agent's rate (rate_agent.h).
 *
 *  A generated flow whose turn comes too early is parked, and a frame of an attached host is set
 *  aside, as flows are that FGFC holds (nic_hold.c; a fabric has one or the other): so neither
 *  holds up those to other destinations. When the delay is over one flow of each class returns, and
 *  one frame of the host's may go; whoever is first closes the agent for the others. */
#include "nicd/datapath/nic_rate.h"

#include <errno.h>
#include <stdlib.h>

#include "nicd/datapath/nic_hold.h"
#include "nicd/datapath/nic_lid.h"

int nic_rate_init(struct nic *nic, uint32_t flows_max)
{
	struct nic_rate *rate = &nic->rate;

	if (!nic->by_lid)
		return 0;
	rate->flow_first = calloc(RATE_LIDS, sizeof(*rate->flow_first));
	rate->flow_next = calloc(flows_max + 1, sizeof(*rate->flow_next));
	return rate->flow_first && rate->flow_next
		       ? rate_agents_init(&rate->agents, &nic->config->port_group)
		       : -ENOMEM;
}

void nic_rate_fini(struct nic *nic)
{
	struct nic_rate *rate = &nic->rate;

	if (rate->agents.config)
		rate_agents_fini(&rate->agents);
	free(rate->flow_first);
	free(rate->flow_next);
}

/* ---- what flows are told ---- */

/* flows to the destination of agent @a, with the rate that it has now */
static void tell_flows(struct nic *nic, uint32_t a, bool becn)
{
	const struct rate_agent *agent = &nic->rate.agents.agents[a];
	uint64_t bps = rate_agent_bps(&nic->config->port_group, nic->link->rate_bps, agent->index);

	for (uint32_t next = nic->rate.flow_first[agent->lid]; next;
	     next = nic->rate.flow_next[next - 1]) {
		struct flow_tx_stats *flow = stats_flow_tx(nic->stats, next - 1);

		flow->cnps += becn;
		flow->rate_bps = bps;
		if (!flow->rate_min_bps || bps < flow->rate_min_bps)
			flow->rate_min_bps = bps;
	}
}

void nic_rate_open(struct nic *nic, uint32_t slot)
{
	uint32_t lid = lid_of_host(nic->queue.specs[slot].destination);
	uint32_t a = rate_agents_find(&nic->rate.agents, lid);

	nic->rate.flow_next[slot] = nic->rate.flow_first[lid];
	nic->rate.flow_first[lid] = slot + 1;
	if (a != RATE_NONE)
		tell_flows(nic, a, false);
}

/* ---- too early ---- */

/* where what is of @traffic_class waits for agent @a: generated flows and frames of a host */
static uint32_t place_of(const struct nic *nic, uint32_t a, uint32_t traffic_class)
{
	return a * nic->config->class_count + traffic_class;
}

static void park_heads(struct nic *nic, uint32_t traffic_class)
{
	while (nic->queue.drr.ready & 1u << traffic_class) {
		uint32_t slot = send_queue_head(&nic->queue, traffic_class);
		uint32_t a = rate_agents_find(&nic->rate.agents,
					      lid_of_host(nic->queue.specs[slot].destination));

		if (a == RATE_NONE || rate_agents_open(&nic->rate.agents, a, nic->now_ps))
			return;
		send_queue_park(&nic->queue, traffic_class,
				&nic->parked[place_of(nic, a, traffic_class)]);
		rate_agents_wait(&nic->rate.agents, a);
	}
}

/* has the head of @queue to wait for an agent?  @a  which one; @place  and where */
static bool head_waits(struct nic *nic, uint32_t queue, uint32_t *a, uint32_t *place)
{
	const struct host_head *head = &nic->host_send.heads[queue];

	if (!(nic->host_send.ready & 1u << queue) || head->at_ps > nic->now_ps)
		return false;
	*a = nic_rate_find(nic, nic_lid_of_mac(nic, head->name.destination_mac));
	if (*a == RATE_NONE)
		return false;
	*place = place_of(nic, *a, head->traffic_class);
	return !rate_agents_open(&nic->rate.agents, *a, nic->now_ps) ||
	       !host_hold_empty(&nic->host_hold, *place);
}

void nic_rate_heads(struct nic *nic)
{
	if (!nic->rate.agents.used)
		return;
	for (uint32_t left = nic->queue.drr.ready; left; left &= left - 1)
		park_heads(nic, (uint32_t)__builtin_ctz(left));
	for (uint32_t left = nic->host_send.ready; left; left &= left - 1) {
		uint32_t queue = (uint32_t)__builtin_ctz(left), a, place;

		while (head_waits(nic, queue, &a, &place)) {
			nic_hold_set_aside(nic, queue, place);
			rate_agents_wait(&nic->rate.agents, a);
		}
	}
}

uint32_t nic_rate_find(const struct nic *nic, uint32_t dlid)
{
	/* else it is a group */
	return dlid < RATE_LIDS ? rate_agents_find(&nic->rate.agents, dlid) : RATE_NONE;
}

/* ---- what changes ---- */

/* is nothing left that waits for agent @a? */
static bool nobody_waits(const struct nic *nic, uint32_t a)
{
	for (uint32_t c = 0; c < nic->config->class_count; c++) {
		uint32_t place = place_of(nic, a, c);

		if (nic->parked[place].first != SEND_NONE ||
		    !host_hold_empty(&nic->host_hold, place))
			return false;
	}
	return true;
}

/* agent @a, whose state has changed: who may go on? */
static void settle(struct nic *nic, uint32_t a)
{
	struct rate_agents *agents = &nic->rate.agents;
	bool open = rate_agents_open(agents, a, nic->now_ps), free = !agents->agents[a].index;

	for (uint32_t c = 0; c < nic->config->class_count; c++) {
		uint32_t place = place_of(nic, a, c);

		while (open && send_queue_unpark(&nic->queue, &nic->parked[place]) && free)
			;
		host_hold_open(&nic->host_hold, place, open);
	}
	if (nobody_waits(nic, a)) {
		if (free)
			rate_agents_free(agents, a);
	} else if (!open) {
		rate_agents_wait(agents, a);
	}
}

void nic_rate_becn(struct nic *nic, uint32_t lid)
{
	uint32_t a = rate_agents_on_becn(&nic->rate.agents, lid, nic->now_ps);

	if (a != RATE_NONE)
		tell_flows(nic, a, true);
}

void nic_rate_sent(struct nic *nic, uint32_t dlid, uint32_t wire_bytes)
{
	uint32_t a = nic_rate_find(nic, dlid);

	if (a == RATE_NONE)
		return;
	rate_agents_sent(&nic->rate.agents, a,
			 link_frame_time_of(nic->link, wire_bytes + nic->link->gap_bytes),
			 nic->now_ps);
	settle(nic, a);
}

uint32_t nic_rate_lid_of(const struct nic *nic, uint32_t place)
{
	return nic->rate.agents.agents[place / nic->config->class_count].lid;
}

void nic_rate_step(struct nic *nic)
{
	uint32_t a = rate_agents_step(&nic->rate.agents, nic->now_ps);

	tell_flows(nic, a, false);
	settle(nic, a);
}
