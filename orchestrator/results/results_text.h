/*  results_text - the summary of the results for people. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_TEXT_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_TEXT_H

#include "orchestrator/results/results.h"

/** results_text_write() - writes the summary.  @loops  the event loops of the nodes, a few words;
 *  NULL: not given.
 *  @colour  with ANSI colours. */
void results_text_write(const struct plan *plan, const struct results *results,
			const struct result_host *host, const char *loops, bool colour, FILE *out);

#endif
