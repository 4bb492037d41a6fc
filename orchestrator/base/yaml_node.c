#include "orchestrator/base/yaml_node.h"

#include <stdlib.h>
#include <string.h>

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key)
{
	for (struct yaml_node *child = mapping ? mapping->first : NULL; child; child = child->next)
		if (child->key && !strcmp(child->key, key))
			return child;
	return NULL;
}

struct yaml_node *yaml_node_new(enum yaml_kind kind, const char *key)
{
	struct yaml_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	if (key && !(node->key = strdup(key))) {
		free(node);
		return NULL;
	}
	return node;
}

void yaml_append(struct yaml_node *parent, struct yaml_node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->count++;
}

void yaml_clear(struct yaml_node *node, enum yaml_kind kind)
{
	for (struct yaml_node *child = node->first, *next; child; child = next) {
		next = child->next;
		yaml_free(child);
	}
	free(node->text);
	node->text = NULL;
	node->first = node->last = NULL;
	node->count = 0;
	node->kind = kind;
}

void yaml_free(struct yaml_node *node)
{
	if (!node)
		return;
	yaml_clear(node, YAML_SCALAR);
	free(node->key);
	free(node);
}
