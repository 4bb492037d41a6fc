/*  event_tree - when each of a fixed set of sources is due, and which is the earliest.
 *
 *  A node has one source per port and purpose (arrival, transmission, timer), not one event per
 *  packet, so the whole agenda of a 64-port switch is a tree of minima in 4 KiB: a change costs one
 *  comparison per level, and mostly fewer. A key is the time followed by the source's number. So of
 *  two sources due at the same time the one with the lower number is first. As each port's records
 *  are in order, events have the order (time, port, sequence), which makes runs repeatable (TB-7).
 *  A key spans five hours. Times are relative to a base that moves up when necessary: a fabric
 *  under the real clock may be up for months. */
#ifndef HEDDLE_NODES_BASE_EVENT_TREE_H
#define HEDDLE_NODES_BASE_EVENT_TREE_H

#include <stdint.h>

#include "nodes/base/time.h"

#define EVENT_SOURCE_BITS 10
#define EVENT_SOURCES_MAX (1u << EVENT_SOURCE_BITS)
/* ps, five hours; what is due four hours after all others is never due */
#define EVENT_SPAN_MAX (NODE_TIME_NEVER >> EVENT_SOURCE_BITS)

struct event_tree {
	node_time_t base_ps; /* keys count from here */
	uint32_t leaf_count; /* a power of two */
	/* keys[1] is the earliest; node i has children 2i and 2i+1; leaf s is leaf_count + s */
	uint64_t *keys;
};

/** event_tree_init() - @source_count sources (0..EVENT_SOURCES_MAX), none of them due. Return: 0,
 *  -EINVAL or -ENOMEM. */
int event_tree_init(struct event_tree *tree, uint32_t source_count);
void event_tree_fini(struct event_tree *tree);

/** event_tree_key() - the key of a source that is due out of the present span: NODE_TIME_NEVER, or
 *  the base moves up. */
uint64_t event_tree_key(struct event_tree *tree, uint32_t source, node_time_t due);

/** event_tree_set() - source @source is next due at @due (NODE_TIME_NEVER: not at all). O(log
 *  sources). */
static inline void event_tree_set(struct event_tree *tree, uint32_t source, node_time_t due)
{
	uint64_t *keys = tree->keys;
	node_time_t span_ps = due - tree->base_ps; /* wraps for what is due before it */
	uint64_t key = span_ps < EVENT_SPAN_MAX ? span_ps << EVENT_SOURCE_BITS | source
						: event_tree_key(tree, source, due);

	for (uint32_t i = tree->leaf_count + source; keys[i] != key; i /= 2) {
		keys[i] = key;
		if (i == 1)
			return;
		if (keys[i ^ 1] < key)
			key = keys[i ^ 1];
	}
}

static inline node_time_t event_tree_time(const struct event_tree *tree, uint64_t key)
{
	return key == NODE_TIME_NEVER ? NODE_TIME_NEVER
				      : tree->base_ps + (key >> EVENT_SOURCE_BITS);
}

/** event_tree_due() - when source @source is due. */
static inline node_time_t event_tree_due(const struct event_tree *tree, uint32_t source)
{
	return event_tree_time(tree, tree->keys[tree->leaf_count + source]);
}

/** event_tree_next_at() - when the first source is due; NODE_TIME_NEVER: none is. O(1). */
static inline node_time_t event_tree_next_at(const struct event_tree *tree)
{
	return event_tree_time(tree, tree->keys[1]);
}

/** event_tree_first() - the source that is due first; only if one is due at all. O(1). */
static inline uint32_t event_tree_first(const struct event_tree *tree)
{
	return (uint32_t)tree->keys[1] & (EVENT_SOURCES_MAX - 1);
}

#endif
