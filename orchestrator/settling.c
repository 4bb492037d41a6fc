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

void settling_begin(struct settling *settling, uint32_t link, node_time_t now)
{
	const struct plan_link *ends = &settling->plan->links[link];

	if (plan_fabric(settling->plan) != FABRIC_FLOW_CHANNEL || ends->node_a >= settling->plan->switch_count ||
	    ends->node_b >= settling->plan->switch_count)
		return;
	for (uint32_t end = 2 * link; end < 2 * link + 2; end++) {
		settling->count += !settling->ends[end];
		settling->ends[end] = NOTHING_TOLD;
	}
	settling->changed_at = now;
}

node_time_t settling_next_at(const struct settling *settling, node_time_t now)
{
	if (!settling->count)
		return NODE_TIME_NEVER;
	return now + node_time_max(LOOK_PS, (now - settling->changed_at) / LOOK_PART);
}

/* what has come in over @link at its end b, or a, and is not gone */
static const struct channel_set *left_at(const struct settling *settling, const struct plan_link *link, bool b)
{
	const struct stats_page *page = settling->fabric.page(settling->fabric.owner, b ? link->node_b : link->node_a);

	return &stats_port((struct stats_page *)page, b ? link->port_b : link->port_a)->left;
}

static int end_look(struct settling *settling, uint32_t end, node_time_t now)
{
	const struct plan_link *link = &settling->plan->links[end / 2];
	const struct channel_set left = *left_at(settling, link, !(end % 2));
	uint32_t count = channel_set_count(&left);

	if (settling->ends[end] == count + 1)
		return 0;
	settling->ends[end] = count ? count + 1 : 0;
	settling->count -= !count;
	settling->changed_at = now;
	return settling->fabric.settle(settling->fabric.owner, end % 2 ? link->node_b : link->node_a,
				       end % 2 ? link->port_b : link->port_a, &left);
}

int settling_look(struct settling *settling, node_time_t now)
{
	int error = 0;

	for (uint32_t end = 0; end < 2 * settling->plan->link_count && settling->count && !error; end++)
		if (settling->ends[end])
			error = end_look(settling, end, now);
	return error;
}
