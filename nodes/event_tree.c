#include "nodes/event_tree.h"

#include <errno.h>
#include <stdlib.h>

int event_tree_init(struct event_tree *tree, uint32_t source_count)
{
	uint32_t leaves = 2;

	while (leaves < source_count)
		leaves *= 2;
	tree->leaf_count = leaves;
	tree->due = malloc(leaves * sizeof(*tree->due));
	tree->winner = malloc(leaves * sizeof(*tree->winner));
	if (!tree->due || !tree->winner) {
		event_tree_fini(tree);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < leaves; i++)
		tree->due[i] = NODE_TIME_NEVER;
	for (uint32_t i = leaves - 1; i >= 1; i--)
		tree->winner[i] = (uint16_t)(2 * i >= leaves ? 2 * i - leaves : tree->winner[2 * i]);
	return 0;
}

void event_tree_fini(struct event_tree *tree)
{
	free(tree->due);
	free(tree->winner);
	*tree = (struct event_tree){ 0 };
}

void event_tree_set(struct event_tree *tree, uint32_t source, node_time_t due)
{
	node_time_t *at = tree->due;
	uint16_t *winner = tree->winner;
	uint32_t node = (source + tree->leaf_count) / 2;
	uint32_t even = source & ~1u;
	uint32_t best;

	if (at[source] == due)
		return;
	at[source] = due;
	best = at[even + 1] < at[even] ? even + 1 : even;
	for (;;) {
		if (winner[node] == best && best != source)
			return; /* an unchanged winner beats what it beat before */
		winner[node] = (uint16_t)best;
		if (node == 1)
			return;
		uint32_t left = winner[node & ~1u], right = winner[node | 1u];
		best = at[right] < at[left] ? right : left;
		node /= 2;
	}
}
