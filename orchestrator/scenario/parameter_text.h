/*  parameter_text - the tables of parameters (nodes/config/parameter.h) for people: keys of a
 *  scenario with meaning, range and default. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/** parameter_help() - prints key @path ("roce.dcqcn.g") and the keys below it, one after the other;
 *  "": all keys.  Return: false if there is none. */
bool parameter_help(const char *path, FILE *out);

/** parameter_section_of() - the first section of a scenario, no list, with the key @word; NULL:
 *  none. */
const char *parameter_section_of(const char *word);

#endif
