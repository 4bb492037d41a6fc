/*  results_json - the results as JSON (TB-13). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_JSON_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_JSON_H

#include "orchestrator/results/results.h"

/** results_json_write() - writes the JSON result. Nothing in it depends on the machine, unless
 *  @host (may be NULL) is given.
 *  Return: 0 or -errno. */
int results_json_write(const struct plan *plan, const struct results *results,
		       const struct result_host *host, FILE *out);

#endif
