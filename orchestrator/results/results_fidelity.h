/*  results_fidelity - the cost of lateness, under the real clock (TB-8). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FIDELITY_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FIDELITY_H

#include "orchestrator/results/results.h"

/** results_valid() - true if the results are valid. Always under the virtual clock; under the
 *  real one unless the machine was too slow: fidelity.h. */
bool results_valid(const struct results *results);

/** results_fidelity_gather() - fills results->fidelity; part of results_gather().  Return: 0 or
 *  -ENOMEM. */
int results_fidelity_gather(const struct plan *plan, struct stats_page *const *pages,
			    struct results *results);

/** results_fidelity_words() - the verdict of the run: fidelity_words().   Return: @text. */
const char *results_fidelity_words(const struct plan *plan, const struct results *results,
				   char text[FIDELITY_WORDS_MAX]);

/** results_fidelity_describe() - writes to @text, @text_max bytes, in one or a few sentences: which
 *  node was latest, whose rings were full, what was not carried in time, and what to try if that
 *  was too much. */
void results_fidelity_describe(const struct plan *plan, const struct results *results, char *text,
			       size_t text_max);

/** results_round_down(), results_round_up() - to 1, 2 or 5 times a power of ten: a value to try. 0
 *  stays 0. */
uint64_t results_round_down(uint64_t value);
uint64_t results_round_up(uint64_t value);

#endif
