/*  routing_text - prints how switches select paths, for `heddle check`: given and derived
 *  values. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_ROUTING_TEXT_H
#define HEDDLE_ORCHESTRATOR_PLAN_ROUTING_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/plan/plan.h"

/** routing_print() - for people: a line, and one for each mechanism that is on. With kind
 *  port-group those of port groups. */
void routing_print(const struct plan *plan, FILE *out);

/** routing_ungrouped_print() - destinations without a group, as a switch has at most 255 (PG-5):
 *  prints @label, then the switches by name and how many destinations of each have several ports
 *  but no group. Prints nothing if there are none. */
void routing_ungrouped_print(const struct plan *plan, const char *label, FILE *out);

/** routing_json(), port_group_json() - the same for programs, all numbers, in the units of
 *  nodes/config/routing_config.h and nodes/config/port_group_config.h.
 *  Return: a new reference; NULL if memory is short. */
json_t *routing_json(const struct plan *plan);
json_t *port_group_json(const struct plan *plan);

#endif
