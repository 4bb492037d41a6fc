#include "orchestrator/settling.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_PS (2 * NODE_US) /* ours: a message to a service processor and back */
#define LOOK_PART 8u          /* and this part of the time for which nothing has changed: long waits cost few looks */
#define NOTHING_TOLD UINT32_MAX

int settling_init(struct settling *settling, const struct plan *plan, const struct settling_fabric *fabric)
{
	*settling = (struct settling){ .plan = plan, .fabric = *fabric };
	settling->ends = calloc(2 * (size_t)plan->link_count, sizeof(*settling->ends));
	return settling->ends ? 0 : -ENOMEM;
}

void settling_fini(struct settling *settling)
{
	free(settling->ends);
	*settling = (struct settling){ 0 };
}

/* Somebody may wait at @end from now on, or still waits there. Then nothing has come over the link since: the peer is who it was. */
static void end_begin(struct settling *settling, struct settling_end *end, const struct settling_end *is)
{
	if (!end->told) {
		*end = *is;
		settling->count++;
	}
	end->told = NOTHING_TOLD;
	end->unknown |= is->unknown;
}

void settling_begin(struct settling *settling, uint32_t link, bool a_dead, bool b_dead, node_time_t now)
{
	const struct plan_link *ends = &settling->plan->links[link];
	const struct settling_end a = { ends->node_a, ends->port_a, ends->node_b, ends->port_b, 0, b_dead, now };
	const struct settling_end b = { ends->node_b, ends->port_b, ends->node_a, ends->port_a, 0, a_dead, now };

	if (plan_fabric(settling->plan) != FABRIC_FLOW_CHANNEL || ends->vacant ||
	    ends->node_a >= settling->plan->switch_count || ends->node_b >= settling->plan->switch_count)
		return;
	end_begin(settling, &settling->ends[2 * link], &a);
	end_begin(settling, &settling->ends[2 * link + 1], &b);
	settling->changed_at = now;
}

node_time_t settling_next_at(const struct settling *settling, node_time_t now)
{
	if (!settling->count)
		return NODE_TIME_NEVER;
	return now + node_time_max(LOOK_PS, (now - settling->changed_at) / LOOK_PART);
}

/* what has come in at @port of @node, over a link that is gone, and is not */
static struct channel_set left_at(const struct settling *settling, uint32_t node, uint32_t port)
{
	const struct stats_page *page = settling->fabric.page(settling->fabric.owner, node);

	return page ? stats_port((struct stats_page *)page, port)->left : (struct channel_set){ 0 };
}

/* is something left anywhere of what came from a switch that died? */
static bool dead_left(const struct settling *settling)
{
	for (uint32_t i = 0; i < 2 * settling->plan->link_count; i++) {
		const struct settling_end *end = &settling->ends[i];
		struct channel_set left;

		if (!end->told || !end->unknown)
			continue;
		left = left_at(settling, end->node, end->port);
		if (channel_set_count(&left))
			return true;
	}
	return false;
}

/* what of that which went out at @end is left.  Return: false if nobody can say yet */
static bool left_of(const struct settling *settling, const struct settling_end *end, node_time_t now,
		    struct channel_set *left)
{
	*left = (struct channel_set){ 0 };
	if (end->unknown)
		return now >= end->since + SETTLING_PATIENCE_PS || !dead_left(settling);
	*left = left_at(settling, end->peer, end->peer_port);
	return true;
}

static int end_look(struct settling *settling, struct settling_end *end, node_time_t now)
{
	struct channel_set left;
	uint32_t count;

	if (!left_of(settling, end, now, &left))
		return 0;
	count = channel_set_count(&left);
	if (end->told == count + 1)
		return 0;
	end->told = count ? count + 1 : 0;
	settling->count -= !count;
	settling->changed_at = now;
	return settling->fabric.settle(settling->fabric.owner, end->node, end->port, &left);
}

int settling_look(struct settling *settling, node_time_t now)
{
	int error = 0;

	for (uint32_t i = 0; i < 2 * settling->plan->link_count && settling->count && !error; i++)
		if (settling->ends[i].told)
			error = end_look(settling, &settling->ends[i], now);
	return error;
}
