/*  parameter_text - the tables of parameters (nodes/config/parameter.h) for people: keys of a
 *  scenario with meaning, range and default. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "nodes/config/parameter.h"

/** parameter_help() - prints key @path ("roce.dcqcn.g") and the keys below it, one after the other;
 *  "": all keys.  Return: false if there is none. */
bool parameter_help(const char *path, FILE *out);

/** parameter_hint() - as suggest_sentence(), for the key that @path probably misspells.
 *  Return: @out. */
const char *parameter_hint(const char *path, char *out, size_t out_max);

/** parameter_value() - @value, which is in the range of @row, as a scenario has it, with its unit.
 *  No row of a unit that is a mapping.
 *  @text  QUANTITY_TEXT_MAX bytes, may be used.   Return: the text; parsing gives @value back. */
const char *parameter_value(const struct parameter *row, uint64_t value, char *text);

/** parameter_section_of() - the first section of a scenario, no list, with the key @word; NULL:
 *  none. */
const char *parameter_section_of(const char *word);

#endif
