/*  generate_text - a complete, commented scenario around a generated topology: what `heddle gen`
 *  prints. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_GENERATE_TEXT_H

#include "orchestrator/scenario/generate.h"

/** generate_text() - writes the scenario to @out; scenario_read_memory() and plan_make() accept it.
 *  @size      generate_check() accepts it.
 *  @explicit_topology  writes every switch, host and link instead of 'generate'.   Return: 0 or
 *  -ENOMEM. */
int generate_text(enum generate_kind kind, const struct generate_size *size,
		  enum fabric_kind fabric, bool explicit_topology, FILE *out);

#endif
