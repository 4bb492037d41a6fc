/*  yaml_reader - a YAML document as a tree in which every value knows its place. The one home of
 *  libfyaml.
 *
 *  Only what a scenario needs is accepted: one document of mappings, sequences and scalars. Refused
 *  are anchors, aliases and tags (so no alias bomb exists), duplicate keys, keys that are not plain
 *  words, more than YAML_DEPTH_MAX levels or YAML_NODES_MAX nodes, and bytes that are not printable
 *  UTF-8. libfyaml delivers events, not a document, so every limit is checked before memory is
 *  allocated. The tree may be changed (settings.h): children are linked lists. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_YAML_READER_H
#define HEDDLE_ORCHESTRATOR_BASE_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orchestrator/base/diagnostics.h"

#define YAML_DEPTH_MAX 12u
#define YAML_NODES_MAX 200000u

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

/** yaml_read() - parses @length bytes at @text.
 *  @file     the name in errors.   @setting  recorded in every place (0: the file itself).
 *  @root     filled; yaml_free() later.
 *  Return: 0; -EINVAL with one error added; -ENOMEM. An empty document gives an empty scalar. */
int yaml_read(const char *file, const char *text, size_t length, uint32_t setting,
	      struct yaml_node **root, struct scenario_errors *errors);

/** yaml_find() - the value of @key in @mapping, or NULL. O(children). */
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
