/*  generate_text - a complete, commented scenario around a generated topology: what `heddle gen`
 *  prints. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_TEXT_H

#include "orchestrator/scenario/generate.h"

/* rates, delays and times of a scenario, as it accepts them */
struct generate_pace {
	char rate[32], bottleneck[32]; /* of all links; of the one in the middle of a dumbbell */
	char delay[32];
	const char *duration, *warmup, *drain_max;
	/* of an input port and class, of a switch of kind roce; empty: the usual one */
	char buffer[32];
};

/** generate_text() - writes the scenario to @out; scenario_read_memory() and plan_make() accept it.
 *  @size      generate_check() accepts it.
 *  @explicit_topology  writes every switch, host and link instead of 'generate'.
 *  @pace      NULL: that of a data centre, for the virtual clock.   Return: 0 or -ENOMEM. */
int generate_text(enum generate_kind kind, const struct generate_size *size,
		  enum fabric_kind fabric, bool explicit_topology, const struct generate_pace *pace,
		  FILE *out);

#endif
