/*  results_paths - the part of the summary that says how paths were chosen. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_PATHS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_PATHS_H

#include "orchestrator/results/results.h"

/** results_paths_write() - the part that says how paths were chosen, and with port groups what credits and marks did; nothing where
 *  there is no choice (results_has_paths()). */
void results_paths_write(const struct plan *plan, const struct results *results, bool colour, FILE *out);

#endif
