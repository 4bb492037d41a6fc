/*  yaml_node - a value of a YAML document: a tree in which every value knows its place. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_YAML_NODE_H
#define HEDDLE_ORCHESTRATOR_BASE_YAML_NODE_H

#include <stdint.h>

#include "orchestrator/base/diagnostics.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
	enum yaml_kind kind;
	struct scenario_place place;     /* where the value is */
	struct scenario_place key_place; /* in a mapping: where its key is */
	char *key;                       /* in a mapping, else NULL */
	char *text;                      /* a scalar's value, without quotes; else NULL */
	uint32_t count;                  /* children */
	struct yaml_node *first, *last;  /* children in the order of the file */
	struct yaml_node *next;          /* next sibling */
};

/** yaml_find() - the value of @key in @mapping; NULL if there is none, or if @mapping is NULL or no
 *  mapping. O(children). */
struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key);

/** yaml_node_new() - an empty node.  @key  copied, or NULL.  Return: NULL if memory is short. */
struct yaml_node *yaml_node_new(enum yaml_kind kind, const char *key);

/** yaml_append() - adds @child, which @parent then owns, as its last child. */
void yaml_append(struct yaml_node *parent, struct yaml_node *child);

/** yaml_clear() - frees all that is in @node, which becomes an empty node of @kind with its key and
 *  place. */
void yaml_clear(struct yaml_node *node, enum yaml_kind kind);

/** yaml_free() - frees @node and all below it; NULL is fine. */
void yaml_free(struct yaml_node *node);

#endif
