/*  cmd_compare - `heddle run --compare`: all variants of a scenario, and one table. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_COMPARE_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_COMPARE_H

#include "orchestrator/cli/run_options.h"

/** run_compare() - runs the variants and writes their table.  Return: the exit status. */
int run_compare(struct run_options *options);

#endif
