/*  cmd_check - `heddle check`. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_CHECK_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_CHECK_H

/** cmd_check() - `heddle check`.  Return: the exit status (exit_status.h). */
int cmd_check(int argc, char **argv);

#endif
