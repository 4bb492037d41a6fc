/*  yaml_anchor - what anchors of a YAML document name, copies of it, and merges ('<<'). Part of
 *  yaml_reader, for files of other programs.
 *
 *  An alias becomes a copy, so the tree stays a tree. Copies count among the nodes of the document,
 *  and their texts are limited: a few lines of aliases of aliases, or aliases of a long text,
 *  cannot fill the memory. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_YAML_ANCHOR_H
#define HEDDLE_ORCHESTRATOR_BASE_YAML_ANCHOR_H

#include "orchestrator/base/yaml_reader.h"

#define YAML_ANCHOR_NAME_MAX 64u /* with the terminating 0; longer names are cut */

/* what a document takes; all of it has a limit */
struct yaml_size {
	uint32_t nodes;
	size_t copied_bytes; /* of texts and keys, by aliases and merges */
};

struct yaml_anchors {
	bool allowed;
	unsigned count;
	struct {
		char name[YAML_ANCHOR_NAME_MAX];
		const struct yaml_node *node;
	} entries[YAML_ANCHORS_MAX];
	struct yaml_node merged; /* values of '<<': anchors may name parts of them */
};

/** yaml_anchor_add() - @name means @node from now on.  Return: 0 or -ENOSPC. */
int yaml_anchor_add(struct yaml_anchors *anchors, const char *name, const struct yaml_node *node);

/** yaml_anchor_find() - what @name means, or NULL. */
const struct yaml_node *yaml_anchor_find(const struct yaml_anchors *anchors, const char *name);

/** yaml_anchors_free() - frees what merges have left. */
void yaml_anchors_free(struct yaml_anchors *anchors);

/** yaml_copy() - copies text and children of @from to the end of @to, at level @depth.
 *  @size of the document; grows.
 *  Return: 0; -E2BIG: more than YAML_NODES_MAX; -EFBIG: more than YAML_COPIED_BYTES_MAX; -ELOOP:
 *  deeper than YAML_DEPTH_MAX; -ENOMEM. */
int yaml_copy(const struct yaml_node *from, struct yaml_node *to, unsigned depth,
	      struct yaml_size *size);

/** yaml_merge() - replaces the pair '<<' of @mapping, at level @depth, by copies of the pairs in
 *  its value, a mapping or a list of mappings, except those whose key @mapping has.
 *  Return: 0, also without such a pair; as yaml_copy(); -EINVAL: another value. */
int yaml_merge(struct yaml_anchors *anchors, struct yaml_node *mapping, unsigned depth,
	       struct yaml_size *size);

#endif
