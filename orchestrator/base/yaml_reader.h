/*  yaml_reader - a YAML document as a tree that knows where everything stands. The one home of libfyaml.
 *
 *  Only what a scenario needs is let in: one document of mappings, sequences and scalars. Anchors, aliases and tags are
 *  refused (so no alias bomb can exist), as are duplicate keys, keys that are not plain words, anything deeper than
 *  YAML_DEPTH_MAX or with more than YAML_NODES_MAX nodes, and bytes that are not printable UTF-8. libfyaml is driven by
 *  events, not as a document, so that every limit holds before memory is taken.
 *  The tree may be changed (settings.h): children are linked lists.                                                  */
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
	struct scenario_place place;     /* of the value */
	struct scenario_place key_place; /* in a mapping: of its key */
	char *key;                       /* in a mapping, else NULL */
	char *text;                      /* a scalar's value, without quotes; else NULL */
	uint32_t count;                  /* children */
	struct yaml_node *first, *last;  /* children in the order of the file */
	struct yaml_node *next;          /* next sibling */
};

/** yaml_read() - the tree of @length bytes at @text.
 *  @file     stands for it in errors.   @setting  put into every place (0: it is the file itself).
 *  @root     filled; yaml_free() later.
 *  Return: 0; -EINVAL with one error added; -ENOMEM. An empty document gives an empty scalar.                    */
int yaml_read(const char *file, const char *text, size_t length, uint32_t setting, struct yaml_node **root,
	      struct scenario_errors *errors);

/** yaml_find() - the value of @key in @mapping, or NULL. O(children). */
struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key);

/** yaml_node_new() - an empty node.  @key  copied, or NULL.  Return: NULL if memory is short. */
struct yaml_node *yaml_node_new(enum yaml_kind kind, const char *key);

/** yaml_append() - @parent takes @child as its last. */
void yaml_append(struct yaml_node *parent, struct yaml_node *child);

/** yaml_clear() - releases all that is in @node; it becomes an empty node of @kind that keeps its key and place. */
void yaml_clear(struct yaml_node *node, enum yaml_kind kind);

/** yaml_free() - releases @node and all below; NULL is fine. */
void yaml_free(struct yaml_node *node);

#endif
