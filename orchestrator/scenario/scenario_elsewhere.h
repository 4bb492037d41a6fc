/*  scenario_elsewhere - words that are keys in another section of a scenario, for suggestions. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_SCENARIO_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>

/** key_elsewhere() - the key that @word, which is no key of the mapping @in, probably means. It may
 *  be a path: "roce.pfc" for `pfc` in "a scenario".
 *  Return: false if none is known. */
bool key_elsewhere(const char *in, const char *word, char *meant, size_t meant_max);

#endif
