/*  scenario_elsewhere - words that are keys elsewhere in a scenario. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H

#include "orchestrator/scenario/scenario_keys.h"

/* A word that is a key elsewhere, or the field's word for one: @in, the mapping where it was said, has @meant, which may be a path. */
struct key_elsewhere {
	const char *in, *word, *meant;
};

extern const struct key_elsewhere key_elsewhere[];
extern const size_t key_elsewhere_count;

#endif
