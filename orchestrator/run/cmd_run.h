/*  cmd_run - `heddle run SCENARIO`. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_CMD_RUN_H
#define HEDDLE_ORCHESTRATOR_RUN_CMD_RUN_H

#include "orchestrator/run/run_options.h"

/** cmd_run() - `heddle run`.  Return: the exit status (exit_status.h). */
int cmd_run(int argc, char **argv);

/** run_single() - one run as @options say, with all its outputs. Changes @options.
 *  Return: the exit status. */
int run_single(struct run_options *options);

#endif
