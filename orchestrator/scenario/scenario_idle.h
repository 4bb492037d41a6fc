/*  scenario_idle - keys that are set but have no effect in this kind of fabric (TB-11).
 *
 *  One file can be run as several kinds of fabric (`--set fabric=...`, variants of `compare`), so a
 *  key of another kind is no error. But a note says that it has no effect. One table tells which
 *  keys belong to which kinds. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_IDLE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_IDLE_H

#include <stdio.h>

#include "orchestrator/base/yaml_reader.h"
#include "orchestrator/scenario/scenario.h"

/** scenario_idle_find() - fills scenario->kinds, and scenario->idle: keys of the tree @root that
 *  have no effect, neither in the fabric of @scenario nor in any of its variants, each with its
 *  place, such as "routing.redirect (line 7)". A library of roce.own-control beside another control
 *  is one, and so are the parameters of a control that is not selected.   Return: 0 or -ENOMEM. */
int scenario_idle_find(const struct yaml_node *root, struct scenario *scenario);

/** scenario_idle_print() - prints one line that names them, after @label; nothing if there are
 *  none. */
void scenario_idle_print(const struct scenario *scenario, const char *label, FILE *out);

/** scenario_idle_note() - prints the same on stderr, as a note of `heddle COMMAND`; for another
 *  command than `up` also the keys of hosts, which are of use to real programs only. */
void scenario_idle_note(const struct scenario *scenario, const char *command);

#endif
