/*  switch_run - the run loop of every kind of switch (switch.h): one source, compiled once for each
 *  kind.
 *
 *  It is inline, and each kind calls it in one place with its constant ops. So the compiler knows
 *  the functions, and an event costs no indirect call. Calls through a table cost 1.6 % more
 *  instructions (simulation of 16 hosts). */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_RUN_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_RUN_H

#include "nodes/link/link_send.h"
#include "nodes/node/node.h"
#include "switchd/common/switch_links.h"
#include "switchd/common/switch_tables.h"

/* ---- event sources, in their order within an instant; @ops are those of @sw ---- */

enum { COMMON_TIMERS = 2 }; /* sample, measured */

static inline uint32_t switch_source_transmit(const struct switch_shell *sw, uint32_t port)
{
	return sw->port_count + port;
}

static inline uint32_t switch_source_sample(const struct switch_shell *sw,
					    const struct switch_ops *ops)
{
	return (ops->port_timer ? 3 : 2) * sw->port_count;
}

static inline uint32_t switch_source_measured(const struct switch_shell *sw,
					      const struct switch_ops *ops)
{
	return switch_source_sample(sw, ops) + 1;
}

static inline uint32_t switch_source_timer(const struct switch_shell *sw,
					   const struct switch_ops *ops)
{
	return switch_source_sample(sw, ops) + COMMON_TIMERS;
}

static inline void switch_on_arrival(struct switch_shell *sw, const struct switch_ops *ops,
				     uint32_t port, node_time_t now)
{
	struct link *link = &sw->links[port];
	struct record header;
	const uint8_t *bytes = link_receive(link, &header, now);

	if (ops->arrive(sw, port, &header, bytes, now))
		switch_touch(sw, port);
	link_done(link, &header);
	event_tree_set(&sw->events, port, link_next_at(link));
}

/* inlined into the run loop of each kind: a call would cost 1 % of a switch's instructions */
static inline __attribute__((always_inline)) void switch_handle(struct switch_shell *sw,
								const struct switch_ops *ops,
								uint32_t source, node_time_t now)
{
	uint32_t ports = sw->port_count;

	if (source < ports) {
		switch_on_arrival(sw, ops, source, now);
	} else if (source < 2 * ports) {
		ops->transmit(sw, source - ports, now);
		switch_touch(sw, source - ports);
	} else if (source < switch_source_sample(sw, ops)) {
		event_tree_set(&sw->events, source, ops->port_timer(sw, source - 2 * ports, now));
	} else if (source == switch_source_sample(sw, ops)) {
		switch_on_sample(sw, now);
	} else if (source == switch_source_measured(sw, ops)) {
		switch_on_measured(sw, now);
	} else {
		ops->timer(sw, now);
	}
}

/* A busy port whose event is set for the end of the transmission is not computed again: nothing is
 * sent before that. */
static inline void switch_update_touched(struct switch_shell *sw, const struct switch_ops *ops,
					 node_time_t now)
{
	for (; sw->touched; sw->touched &= sw->touched - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(sw->touched);
		uint32_t source = switch_source_transmit(sw, port);
		node_time_t free_at = sw->links[port].tx.busy_until_ps;

		if (free_at <= now || event_tree_due(&sw->events, source) != free_at)
			event_tree_set(&sw->events, source, ops->transmit_next_at(sw, port, now));
	}
}

/** switch_settle_with() - switch_settle() with the ops of @sw, @ops. */
static inline void switch_settle_with(struct switch_shell *sw, const struct switch_ops *ops,
				      node_time_t now)
{
	if (ops->settle)
		ops->settle(sw, now);
	switch_update_touched(sw, ops, now);
}

/* real clock: ports whose ring was full and has free lines again may send */
static inline void switch_unstarve(struct switch_shell *sw, const struct switch_ops *ops,
				   node_time_t end)
{
	for (uint64_t ports = *sw->ports_up; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		if (link_unstarve(&sw->links[port]))
			switch_touch(sw, port);
	}
	switch_settle_with(sw, ops, end - 1);
}

/** switch_run() - node_ops.run of every kind. @ops those of @sw, a constant. O(log ports) for an
 *  event, and what ops do. */
static inline node_time_t switch_run(struct switch_shell *sw, const struct switch_ops *ops,
				     node_time_t end)
{
	node_time_t now;

	if (sw->config->clock == CLOCK_REAL && end)
		switch_unstarve(sw, ops, end);
	switch_look_at_arrivals(sw, *sw->ports_up);
	while ((now = event_tree_next_at(&sw->events)) < end) {
		sw->stats->now_ps = now;
		sw->stats->events++;
		if (sw->tables_changed) {
			sw->tables_changed = false;
			ops->follow(sw, now);
		}
		switch_handle(sw, ops, event_tree_first(&sw->events), now);
		if (sw->ports_coming) /* the event may have been the last of a former link */
			switch_links_start(sw, now);
		switch_settle_with(sw, ops, now);
	}
	return now;
}

/* SWITCH_KIND() - defines @name, the node_ops of the kind whose constant switch_ops are @ops; what
 * differs from the other kinds follows as members. */
#define SWITCH_KIND(name, ops, ...)                                                      \
	static void *name##_create(const struct node_config *config, struct link *links, \
				   struct stats_page *stats)                             \
	{                                                                                \
		return switch_create(&(ops), config, links, stats);                      \
	}                                                                                \
	static node_time_t name##_run(void *dataplane, node_time_t end)                  \
	{                                                                                \
		return switch_run(dataplane, &(ops), end);                               \
	}                                                                                \
	const struct node_ops name = { .create = name##_create,                          \
				       .run = name##_run,                                \
				       .show = switch_show,                              \
				       .set = switch_set,                                \
				       .destroy = switch_destroy,                        \
				       .link_down = switch_link_down,                    \
				       .link_up = switch_link_up,                        \
				       .link_set = switch_link_set,                      \
				       __VA_ARGS__ }

#endif
