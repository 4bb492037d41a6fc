/*  scenario_elsewhere - words that are keys in another section of a scenario, for suggestions. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H

#include "orchestrator/scenario/scenario_keys.h"

/* A word that is no key of @in, the mapping where it was written. @meant is the key that was
 * probably meant, and may be a path. */
struct key_elsewhere {
	const char *in, *word, *meant;
};

extern const struct key_elsewhere key_elsewhere[];
extern const size_t key_elsewhere_count;

#endif
