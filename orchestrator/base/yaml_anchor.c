#include "orchestrator/base/yaml_anchor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int yaml_anchor_add(struct yaml_anchors *anchors, const char *name, const struct yaml_node *node)
{
	if (anchors->count == YAML_ANCHORS_MAX)
		return -ENOSPC;
	snprintf(anchors->entries[anchors->count].name, YAML_ANCHOR_NAME_MAX, "%s", name);
	anchors->entries[anchors->count++].node = node;
	return 0;
}

/* the last one of a name counts */
const struct yaml_node *yaml_anchor_find(const struct yaml_anchors *anchors, const char *name)
{
	for (unsigned i = anchors->count; i-- > 0;)
		if (!strcmp(anchors->entries[i].name, name))
			return anchors->entries[i].node;
	return NULL;
}

void yaml_anchors_free(struct yaml_anchors *anchors)
{
	yaml_clear(&anchors->merged, YAML_SEQUENCE);
}

static int text_count(const char *text, struct yaml_size *size)
{
	size->copied_bytes += strlen(text) + 1;
	return size->copied_bytes > YAML_COPIED_BYTES_MAX ? -EFBIG : 0;
}

/* appends a copy of @child, a value at level @depth, to @to */
static int child_copy(const struct yaml_node *child, struct yaml_node *to, unsigned depth,
		      struct yaml_size *size)
{
	struct yaml_node *copy;

	if (++size->nodes > YAML_NODES_MAX)
		return -E2BIG;
	if (child->key && text_count(child->key, size))
		return -EFBIG;
	copy = yaml_node_new(child->kind, child->key);
	if (!copy)
		return -ENOMEM;
	copy->place = child->place;
	copy->key_place = child->key_place;
	yaml_append(to, copy);
	return yaml_copy(child, copy, depth, size);
}

int yaml_copy(const struct yaml_node *from, struct yaml_node *to, unsigned depth,
	      struct yaml_size *size)
{
	int error = 0;

	if (from->text && text_count(from->text, size))
		return -EFBIG;
	if (from->text && !(to->text = strdup(from->text)))
		return -ENOMEM;
	if (from->kind != YAML_SCALAR && depth >= YAML_DEPTH_MAX)
		return -ELOOP;
	for (const struct yaml_node *child = from->first; child && !error; child = child->next)
		error = child_copy(child, to, depth + 1, size);
	return error;
}

/* removes @pair from @mapping without freeing it */
static void pair_remove(struct yaml_node *mapping, const struct yaml_node *pair)
{
	struct yaml_node **at = &mapping->first, *before = NULL;

	while (*at != pair) {
		before = *at;
		at = &before->next;
	}
	*at = pair->next;
	if (mapping->last == pair)
		mapping->last = before;
	mapping->count--;
}

static int pairs_merge(struct yaml_node *mapping, const struct yaml_node *from, unsigned depth,
		       struct yaml_size *size)
{
	int error = from->kind == YAML_MAPPING ? 0 : -EINVAL;

	for (const struct yaml_node *child = from->first; child && !error; child = child->next)
		if (!yaml_find(mapping, child->key))
			error = child_copy(child, mapping, depth + 1, size);
	return error;
}

int yaml_merge(struct yaml_anchors *anchors, struct yaml_node *mapping, unsigned depth,
	       struct yaml_size *size)
{
	struct yaml_node *from = yaml_find(mapping, "<<");
	int error = 0;

	if (!from)
		return 0;
	pair_remove(mapping, from);
	from->next = NULL;
	yaml_append(&anchors->merged, from);
	if (from->kind != YAML_SEQUENCE)
		return pairs_merge(mapping, from, depth, size);
	for (const struct yaml_node *item = from->first; item && !error; item = item->next)
		error = pairs_merge(mapping, item, depth, size);
	return error;
}
