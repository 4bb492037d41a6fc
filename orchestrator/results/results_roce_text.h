/*  results_roce_text - the part of the summary about fabrics of kind roce. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_TEXT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_ROCE_TEXT_H

#include "orchestrator/results/results.h"

/** results_roce_write() - writes it; nothing in another kind of fabric. */
void results_roce_write(const struct plan *plan, const struct results *results, bool colour,
			FILE *out);

#endif
