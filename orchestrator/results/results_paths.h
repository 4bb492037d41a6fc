/*  results_paths - the part of the summary about the choice of paths. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_PATHS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_PATHS_H

#include "orchestrator/results/results.h"

/** results_paths_write() - writes the choices of paths and, with port groups, credits and marks;
 *  nothing if there is no choice (results_has_paths()). */
void results_paths_write(const struct plan *plan, const struct results *results, bool colour,
			 FILE *out);

#endif
