/*  results_fault - faults in the results: a table for people, a list for programs. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FAULT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FAULT_H

#include <jansson.h>

#include "orchestrator/results/results.h"

/** results_fault_json() - the faults, their times and consequences. Return: a new array, NULL if
 *  memory is short. */
json_t *results_fault_json(const struct plan *plan, const struct results *results);

/** results_fault_write() - writes the same as a table; nothing if there were no faults. */
void results_fault_write(const struct plan *plan, const struct results *results, bool colour,
			 FILE *out);

#endif
