/*  sweep_values - the values of `--sweep KEY=A..B[..STEP]` and `--seeds A..B` (SE-12).
 *
 *  A range has numbers with the same unit, which may stand once: 1..16, 10..100Gb/s..10Gb/s,
 *  0.1%..0.5%..0.1%. Without STEP it is 1. STEP x2 multiplies: 1..64..x2. A list has anything:
 *  dcqcn,swift. Arithmetic is decimal, so 0.1 .. 0.3 in steps of 0.1 are three values. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_SWEEP_VALUES_H
#define HEDDLE_ORCHESTRATOR_RUN_SWEEP_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/why.h"

#define SWEEP_VALUES_MAX 1000u
#define SWEEP_VALUE_MAX 64u

struct sweep_values {
	uint32_t count;
	bool listed; /* a list, of which each value may be wrong */
	char texts[SWEEP_VALUES_MAX][SWEEP_VALUE_MAX];
};

/** sweep_values_parse() - @text is what stands after KEY=.
 *  Return: 0, or -EINVAL with a sentence in @why. */
int sweep_values_parse(const char *text, struct sweep_values *values, struct why *why);

#endif
