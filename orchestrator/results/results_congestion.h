/*  results_congestion - the part of the summary about congestion control. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CONGESTION_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CONGESTION_H

#include "orchestrator/results/results.h"

/** results_congestion_write() - writes it; nothing if congestion control did nothing. */
void results_congestion_write(const struct plan *plan, const struct results *results, bool colour,
			      FILE *out);

#endif
