/*  scenario_idle - keys that are said, and mean nothing in a fabric of this kind (TB-11).
 *
 *  One file can be run as several kinds of fabric (`--set fabric=...`, variants of `compare`), so a key of another kind is no mistake. But
 *  who believes that it works is told that it does not. Which keys belong to which kinds is one table. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_IDLE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_IDLE_H

#include <stdio.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/scenario.h"

/** scenario_idle_find() - fills scenario->idle: keys of the tree @root that have no effect, neither with the fabric that @scenario has nor in
 *  any of its variants, each with its place, such as "routing.redirect (line 7)".   Return: 0 or -ENOMEM. */
int scenario_idle_find(const struct yaml_node *root, struct scenario *scenario);

/** scenario_idle_print() - one line that names them, behind @label; nothing if there are none. */
void scenario_idle_print(const struct scenario *scenario, const char *label, FILE *out);

/** scenario_idle_note() - the same on stderr, as a note of `heddle COMMAND`. */
void scenario_idle_note(const struct scenario *scenario, const char *command);

#endif
