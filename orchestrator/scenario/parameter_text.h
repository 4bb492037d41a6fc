/*  parameter_text - the tables of parameters (nodes/config/parameter.h) for people: keys of a
 *  scenario with meaning, range and default. */
#ifndef HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H
#define HEDDLE_ORCHESTRATOR_SCENARIO_PARAMETER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/** parameter_markdown() - prints the table of @section for docs/scenario.md, which has it between
 *  "<!-- keys of SECTION -->" and "<!-- end -->".   Return: false if there is no such section. */
bool parameter_markdown(const char *section, FILE *out);

/** parameter_help() - prints key @path ("roce.dcqcn.g") and the keys below it, one after the other.
 *  Return: false if there is none. */
bool parameter_help(const char *path, FILE *out);

#endif
