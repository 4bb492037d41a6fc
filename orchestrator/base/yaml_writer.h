/*  yaml_writer - trees of yaml_reader.h as text that it reads back. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_YAML_WRITER_H
#define HEDDLE_ORCHESTRATOR_BASE_YAML_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "orchestrator/base/yaml_node.h"

/** yaml_text_write() - @text as a value or key on one line, in quotes where it needs them. */
void yaml_text_write(const char *text, FILE *out);

/** yaml_flow_write() - @node on one line: {key: value, list: [a, b]}. Its own key is not
 *  written. */
void yaml_flow_write(const struct yaml_node *node, FILE *out);

/** yaml_section_write() - @node with its key, which begins a line: its children on a line each, if
 *  it has some. */
void yaml_section_write(const struct yaml_node *node, FILE *out);

#endif
