/*  run_scenario - the scenario of `heddle run`: read, planned and checked before anything starts.
 */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_SCENARIO_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_SCENARIO_H

#include "orchestrator/run/run_options.h"

/** run_scenario_read() - scenario_read_variant() of @options->scenario; with --no-new-files
 *  scenario_read_closed(). */
int run_scenario_read(const struct run_options *options, uint32_t variant,
		      struct scenario *scenario, struct scenario_errors *errors);

/** run_scenario_load() - reads, plans and checks @options->scenario with variant @variant
 *  (scenario_read_variant).
 *  Return: 0 or an exit status, reported. */
int run_scenario_load(const struct run_options *options, uint32_t variant, struct plan *plan);

#endif
