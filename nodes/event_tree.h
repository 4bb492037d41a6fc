/*  event_tree - when each of a fixed set of sources wants to be called, and which is the earliest.
 *
 *  A node has one source per port and purpose (arrival, transmission, timer), not one event per packet, so the whole
 *  agenda of a 64-port switch is a 256-leaf tournament in 2 KiB: changing a leaf costs one comparison per level.
 *  Of two sources due at the same time the one with the lower index comes first: with ports numbered and each port's
 *  records in order this is the (time, port, sequence) order that makes runs repeatable (TB-7).                      */
#ifndef HEDDLE_NODES_EVENT_TREE_H
#define HEDDLE_NODES_EVENT_TREE_H

#include <stdint.h>

#include "nodes/time.h"

struct event_tree {
	uint32_t leaf_count;  /* a power of two */
	node_time_t *due;     /* leaf_count entries */
	uint16_t *winner;     /* winner[1] is the earliest leaf; node i has children 2i and 2i+1 */
};

/** event_tree_init() - @source_count sources (1..32768), none of them due.  Return: 0 or -ENOMEM. */
int event_tree_init(struct event_tree *tree, uint32_t source_count);
void event_tree_fini(struct event_tree *tree);

/** event_tree_set() - source @source is next due at @due (NODE_TIME_NEVER: not at all). O(log sources). */
void event_tree_set(struct event_tree *tree, uint32_t source, node_time_t due);

/** event_tree_first() - the source that is due first; ask event_tree_next_at() whether it is due at all. O(1). */
static inline uint32_t event_tree_first(const struct event_tree *tree)
{
	return tree->winner[1];
}

static inline node_time_t event_tree_next_at(const struct event_tree *tree)
{
	return tree->due[tree->winner[1]];
}

#endif
