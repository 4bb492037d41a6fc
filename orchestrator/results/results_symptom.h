/*  results_symptom - signs that a result is not that of the scenario, with the names of the nodes
 *  (TB-13, TB-14).
 *
 *  - A switch without tables: no fabric manager has ever sent it any, so it forwards nothing or
 *  floods everything. No scenario asks for that, so the run has failed, whatever its figures.
 *  - A host that delivers nothing: packets of its connections were retransmitted, and none of them
 *  arrived. A scenario may intend that (its link has failed), so it is reported, and the
 *  expectations judge. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_SYMPTOM_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_SYMPTOM_H

#include <jansson.h>

#include "orchestrator/results/results.h"

/** results_symptom_gather() - fills results->symptoms from the pages and the flows; part of
 *  results_gather().
 *  Return: 0 or -ENOMEM.  O(nodes + flows). */
int results_symptom_gather(const struct plan *plan, struct stats_page *const *pages,
			   struct results *results);

/** results_symptom_wrong() - true if one of them means that the run has failed.  @text  names the
 *  nodes, @text_max bytes. */
bool results_symptom_wrong(const struct plan *plan, const struct results *results, char *text,
			   size_t text_max);

/** results_symptom_json() - Return: a new array, NULL if memory is short. */
json_t *results_symptom_json(const struct plan *plan, const struct results *results);

/** results_symptom_write() - writes one line for each, at most a dozen; nothing if there are
 *  none. */
void results_symptom_write(const struct plan *plan, const struct results *results, bool colour,
			   FILE *out);

#endif
