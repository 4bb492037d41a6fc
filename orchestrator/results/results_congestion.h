/*  results_congestion - the part of the summary that says what congestion control has done. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CONGESTION_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_CONGESTION_H

#include "orchestrator/results/results.h"

/** results_congestion_write() - the part of it that says what congestion control has done; nothing if it did nothing. */
void results_congestion_write(const struct plan *plan, const struct results *results, bool colour, FILE *out);

#endif
