/*  cmd_run - `heddle run SCENARIO`. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_RUN_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_RUN_H

/** cmd_run() - `heddle run`.  Return: the exit status: main.c. */
int cmd_run(int argc, char **argv);

#endif
