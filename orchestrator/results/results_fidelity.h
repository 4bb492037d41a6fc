/*  results_fidelity - what lateness has cost, under the real clock (TB-8). */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FIDELITY_H
#define HEDDLE_ORCHESTRATOR_RESULTS_RESULTS_FIDELITY_H

#include "orchestrator/results/results.h"

/** results_faithful() - may the result be believed? Always under the virtual clock; under the real one unless the machine was
 *  overloaded: fidelity.h.                                                                                        */
bool results_faithful(const struct results *results);

/** results_fidelity_gather() - fills results->fidelity; part of results_gather().  Return: 0 or -ENOMEM. */
int results_fidelity_gather(const struct plan *plan, struct stats_page *const *pages, struct results *results);

/** results_fidelity_describe() - who was how late, whose rings were full, and what to try if that was too much: one or a few
 *  sentences in @text, @text_max bytes.                                                                           */
void results_fidelity_describe(const struct plan *plan, const struct results *results, char *text, size_t text_max);

/** results_round_down(), results_round_up() - to 1, 2 or 5 times a power of ten: a value to try. 0 stays 0. */
uint64_t results_round_down(uint64_t value);
uint64_t results_round_up(uint64_t value);

#endif
