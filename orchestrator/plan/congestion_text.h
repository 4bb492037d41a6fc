/*  congestion_text - prints the numbers of congestion control for `heddle check --congestion`. */
#ifndef HEDDLE_ORCHESTRATOR_PLAN_CONGESTION_TEXT_H
#define HEDDLE_ORCHESTRATOR_PLAN_CONGESTION_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/plan/plan_congestion.h"

/** congestion_print() - prints, for people, @config and the @basis that it is derived from, except
 *  for the scenario's values. */
void congestion_print(const struct congestion_basis *basis, const struct congestion_config *config,
		      FILE *out);

/** congestion_json() - the same for programs, in the units of nodes/config/config.h.
 *  Return: a new reference; NULL if memory is short. */
json_t *congestion_json(const struct congestion_basis *basis,
			const struct congestion_config *config);

#endif
