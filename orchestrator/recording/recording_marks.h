/*  recording_marks - levels at which a node acts, as lines in the picture of a series: kmin, kmax,
 *  XOFF ... (docs/recording.md). */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_MARKS_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_MARKS_H

#include <jansson.h>

#include "orchestrator/plan/plan.h"

/** recording_marks_json() - the marks of the nodes of @plan, an array. Only levels that do not
 *  change with what else is in a buffer. Return: NULL if memory is short. */
json_t *recording_marks_json(const struct plan *plan);

#endif
