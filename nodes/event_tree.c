#include "nodes/event_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void event_tree_fini(struct event_tree *tree)
{
	free(tree->keys);
	*tree = (struct event_tree){ 0 };
}
