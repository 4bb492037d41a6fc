/*  yaml_reader - a YAML document as a tree in which every value knows its place. The one home of
 *  libfyaml.
 *
 *  Only what a scenario needs is accepted: one document of mappings, sequences and scalars. Refused
 *  are anchors, aliases and tags (so no alias bomb exists), duplicate keys, keys that are not plain
 *  words, more than YAML_DEPTH_MAX levels or YAML_NODES_MAX nodes, and bytes that are not printable
 *  UTF-8. A byte order mark at the start is left out. libfyaml delivers events, not a document, so
 *  every limit is checked before memory is allocated. But it reads what is in brackets to its end
 *  before the first event, 600 bytes for each part: so signs are counted in advance, wherever they
 *  stand. Files of other programs may have anchors (yaml_read_anchored): each alias is then a copy,
 *  whose nodes and texts count. The tree may be changed (settings.h): children are linked lists. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_YAML_READER_H
#define HEDDLE_ORCHESTRATOR_BASE_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orchestrator/base/diagnostics.h"
#include "orchestrator/base/yaml_node.h"

#define YAML_DEPTH_MAX 12u
#define YAML_NODES_MAX 200000u
#define YAML_ANCHORS_MAX 256u
#define YAML_COPIED_BYTES_MAX (16u << 20)   /* of texts that aliases and merges copy */
#define YAML_BRACKETS_MAX 1000u             /* open at once, also within texts */
#define YAML_SIGNS_MAX (3 * YAML_NODES_MAX) /* of parts of values; also within texts */

/** yaml_read() - parses @length bytes at @text.
 *  @file     the name in errors.   @setting  recorded in every place (0: the file itself).
 *  @root     filled; yaml_free() later.
 *  Return: 0; -EINVAL with one error added; -ENOMEM. An empty document gives an empty scalar. */
int yaml_read(const char *file, const char *text, size_t length, uint32_t setting,
	      struct yaml_node **root, struct scenario_errors *errors);

/** yaml_read_anchored() - the same, for a file with anchors (&), aliases (*) and merges (<<): an
 *  alias becomes a copy of what its anchor names, with the place of that. */
int yaml_read_anchored(const char *file, const char *text, size_t length, struct yaml_node **root,
		       struct scenario_errors *errors);

/** yaml_text_mend() - replaces by '?' what may not be in a document as it is: bytes that are no
 *  UTF-8, and characters that are not printable. An escape in quotes can bring them into a value.
 *  Return: was there any? */
bool yaml_text_mend(char *text);

#endif
