/*  roce_text - prints the values of a fabric of kind roce for `heddle check`: thresholds, headroom,
 *  buffers. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_ROCE_TEXT_H
#define HEDDLE_ORCHESTRATOR_PLAN_ROCE_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/plan/plan.h"

/** roce_print() - prints them for people. @plan is of kind roce. */
void roce_print(const struct plan *plan, FILE *out);

/** roce_json() - the same for programs, with each port, in the units of nodes/config/roce_config.h.
 *  Return: a new reference; NULL if memory is short. */
json_t *roce_json(const struct plan *plan);

#endif
