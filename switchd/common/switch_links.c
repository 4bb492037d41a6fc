#include "switchd/common/switch_links.h"

#include "nodes/stats/trace.h"

void switch_link_down(void *dataplane, uint32_t port, node_time_t now)
{
	struct switch_shell *sw = dataplane;
	bool was_up = *sw->ports_up >> port & 1;

	stats_time(sw->stats, now);
	trace_port(sw->stats, TRACE_LINK_DOWN, port, now);
	/* first: what the kind does now must not select this port */
	*sw->ports_up &= ~(1ull << port);
	sw->ports_coming &= ~(1ull << port);
	link_down(&sw->links[port], now);
	if (was_up) {
		switch_pause_note(sw, port, false, now);
		sw->ops->link_down(sw, port, now);
	}
	event_tree_set(&sw->events, port, NODE_TIME_NEVER);
	switch_touch(sw, port);
	switch_settle(sw, now);
}

static void link_start(struct switch_shell *sw, uint32_t port, node_time_t now)
{
	struct link *link = &sw->links[port];

	link->held = false;
	link->rx.head_due_ps =
		node_time_max(link->rx.head_due_ps, now); /* what waited is due now */
	sw->ports_coming &= ~(1ull << port);
	sw->ops->link_start(sw, port, now);
	*sw->ports_up |= 1ull << port;
	switch_look_at_arrivals(sw, 1ull << port);
	switch_touch(sw, port);
}

void switch_links_start(struct switch_shell *sw, node_time_t now)
{
	for (uint64_t coming = sw->ports_coming; coming; coming &= coming - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(coming);

		if (sw->ops->link_may_start(sw, port))
			link_start(sw, port, now);
	}
}

void switch_link_up(void *dataplane, uint32_t port, node_time_t now)
{
	struct switch_shell *sw = dataplane;

	stats_time(sw->stats, now);
	trace_port(sw->stats, TRACE_LINK_UP, port, now);
	sw->ports_coming |= 1ull << port;
	sw->links[port].held = true;
	if (!sw->ops->link_coming || sw->ops->link_coming(sw, port))
		link_start(sw, port, now);
	switch_links_start(sw, now);
	switch_settle(sw, now);
}

void switch_link_set(void *dataplane, uint32_t port)
{
	struct switch_shell *sw = dataplane;

	sw->ops->link_set(sw, port);
	switch_touch(sw, port);
}
