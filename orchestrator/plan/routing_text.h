/*  routing_text - how paths are chosen, as `heddle check` shows it: what was said and what was
 *  derived. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_ROUTING_TEXT_H
#define HEDDLE_ORCHESTRATOR_PLAN_ROUTING_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/plan/plan.h"

/** routing_print() - for people: a line, and one more for each mechanism that is on; of kind
 *  port-group those of port groups. */
void routing_print(const struct plan *plan, FILE *out);

/** routing_ungrouped_print() - what 255 groups a switch leave out (PG-5): one line after @label
 *  with the switches, by name, and how many destinations of each have several ports and no group.
 *  Nothing if there is none. */
void routing_ungrouped_print(const struct plan *plan, const char *label, FILE *out);

/** routing_json(), port_group_json() - the same for programs, all numbers, in the units of
 *  nodes/config/routing_config.h and
 *  nodes/config/port_group_config.h.   Return: a new reference; NULL if memory is short. */
json_t *routing_json(const struct plan *plan);
json_t *port_group_json(const struct plan *plan);

#endif
