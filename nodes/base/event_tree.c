#include "nodes/base/event_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/ensure.h"

#define EVENT_MARGIN (EVENT_SPAN_MAX / 16)

int event_tree_init(struct event_tree *tree, uint32_t source_count)
{
	uint32_t leaves = 2;

	*tree = (struct event_tree){ 0 };
	if (source_count > EVENT_SOURCES_MAX)
		return -EINVAL;
	while (leaves < source_count)
		leaves *= 2;
	tree->leaf_count = leaves;
	tree->keys = malloc(2 * leaves * sizeof(*tree->keys));
	if (!tree->keys)
		return -ENOMEM;
	memset(tree->keys, 0xff, 2 * leaves * sizeof(*tree->keys));
	return 0;
}

/* a little before @earliest: something may be due before it yet */
static void base_move(struct event_tree *tree, node_time_t earliest)
{
	node_time_t base_ps = earliest > EVENT_MARGIN ? earliest - EVENT_MARGIN : 0;
	uint64_t shift = (base_ps - tree->base_ps) << EVENT_SOURCE_BITS;

	if (base_ps <= tree->base_ps)
		return;
	for (uint32_t i = 1; i < 2 * tree->leaf_count; i++)
		if (tree->keys[i] != NODE_TIME_NEVER)
			tree->keys[i] -= shift;
	ENSURE(base_ps, <=, earliest);
	tree->base_ps = base_ps;
}

uint64_t event_tree_key(struct event_tree *tree, uint32_t source, node_time_t due)
{
	if (due == NODE_TIME_NEVER)
		return NODE_TIME_NEVER;
	if (due < tree->base_ps)
		return source; /* long overdue */
	base_move(tree, node_time_min(event_tree_next_at(tree), due));
	return due - tree->base_ps < EVENT_SPAN_MAX
		       ? (due - tree->base_ps) << EVENT_SOURCE_BITS | source
		       : NODE_TIME_NEVER;
}

void event_tree_fini(struct event_tree *tree)
{
	free(tree->keys);
	*tree = (struct event_tree){ 0 };
}
