#include "orchestrator/fabric/link_drain.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_PS (2 * NODE_US) /* ours: a message to a service processor and back */
/* plus this part of the time without a change, so that long waits cost few looks */
#define LOOK_PART 8u
#define NOTHING_REPORTED UINT32_MAX

int link_drain_init(struct link_drain *link_drain, const struct plan *plan,
		    const struct link_drain_fabric *fabric)
{
	*link_drain = (struct link_drain){ .plan = plan, .fabric = *fabric };
	link_drain->ends = calloc(2 * (size_t)plan->link_count, sizeof(*link_drain->ends));
	return link_drain->ends ? 0 : -ENOMEM;
}

void link_drain_fini(struct link_drain *link_drain)
{
	free(link_drain->ends);
	*link_drain = (struct link_drain){ 0 };
}

/* Flows may wait at @end from now on. If they wait there already, the link has not been up since,
 * so the peer is the same. */
static void end_begin(struct link_drain *link_drain, struct link_drain_end *end,
		      const struct link_drain_end *is)
{
	if (!end->reported) {
		*end = *is;
		link_drain->count++;
	}
	end->reported = NOTHING_REPORTED;
	end->unknown |= is->unknown;
}

void link_drain_begin(struct link_drain *link_drain, uint32_t link, bool a_dead, bool b_dead,
		      node_time_t now)
{
	const struct plan_link *ends = &link_drain->plan->links[link];
	const struct link_drain_end a = { ends->node_a, ends->port_a, ends->node_b, ends->port_b, 0,
					  b_dead,       now };
	const struct link_drain_end b = { ends->node_b, ends->port_b, ends->node_a, ends->port_a, 0,
					  a_dead,       now };

	if (plan_fabric(link_drain->plan) != FABRIC_FLOW_CHANNEL || ends->vacant ||
	    ends->node_a >= link_drain->plan->switch_count ||
	    ends->node_b >= link_drain->plan->switch_count)
		return;
	end_begin(link_drain, &link_drain->ends[2 * link], &a);
	end_begin(link_drain, &link_drain->ends[2 * link + 1], &b);
	link_drain->changed_at = now;
}

node_time_t link_drain_next_at(const struct link_drain *link_drain, node_time_t now)
{
	if (!link_drain->count)
		return NODE_TIME_NEVER;
	return now + node_time_max(LOOK_PS, (now - link_drain->changed_at) / LOOK_PART);
}

/* the channels that came in at @port of @node over a failed link and still have packets */
static struct channel_set left_at(const struct link_drain *link_drain, uint32_t node, uint32_t port)
{
	const struct stats_page *page = link_drain->fabric.page(link_drain->fabric.owner, node);

	return page ? stats_port((struct stats_page *)page, port)->left : (struct channel_set){ 0 };
}

/* does any switch have packets that came from a dead switch? */
static bool dead_left(const struct link_drain *link_drain)
{
	for (uint32_t i = 0; i < 2 * link_drain->plan->link_count; i++) {
		const struct link_drain_end *end = &link_drain->ends[i];
		struct channel_set left;

		if (!end->reported || !end->unknown)
			continue;
		left = left_at(link_drain, end->node, end->port);
		if (channel_set_count(&left))
			return true;
	}
	return false;
}

/* the channels of @end with packets downstream. Return: false if that is not known yet */
static bool left_of(const struct link_drain *link_drain, const struct link_drain_end *end,
		    node_time_t now, struct channel_set *left)
{
	*left = (struct channel_set){ 0 };
	if (end->unknown)
		return now >= end->since + LINK_DRAIN_PATIENCE_PS || !dead_left(link_drain);
	*left = left_at(link_drain, end->peer, end->peer_port);
	return true;
}

static int end_look(struct link_drain *link_drain, struct link_drain_end *end, node_time_t now)
{
	struct channel_set left;
	uint32_t count;

	if (!left_of(link_drain, end, now, &left))
		return 0;
	count = channel_set_count(&left);
	if (end->reported == count + 1)
		return 0;
	end->reported = count ? count + 1 : 0;
	link_drain->count -= !count;
	link_drain->changed_at = now;
	return link_drain->fabric.report_left(link_drain->fabric.owner, end->node, end->port,
					      &left);
}

int link_drain_look(struct link_drain *link_drain, node_time_t now)
{
	int error = 0;

	for (uint32_t i = 0; i < 2 * link_drain->plan->link_count && link_drain->count && !error;
	     i++)
		if (link_drain->ends[i].reported)
			error = end_look(link_drain, &link_drain->ends[i], now);
	return error;
}
