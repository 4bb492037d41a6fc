/*  flow_trail_text - what flow_trail found, as text and as JSON: a block for each flow, in it a row
 *  for each hop. docs/looking-inside.md explains the columns. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_FLOW_TRAIL_TEXT_H
#define HEDDLE_ORCHESTRATOR_FABRIC_FLOW_TRAIL_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/fabric/flow_trail.h"

/** flow_trail_text_print() - for people.  Return: 0 or -ENOMEM. */
int flow_trail_text_print(const struct flow_trail *trail, FILE *out);

/** flow_trail_text_json() - for programs.  Return: NULL if memory is short. */
json_t *flow_trail_text_json(const struct flow_trail *trail);

#endif
