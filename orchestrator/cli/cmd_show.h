/*  cmd_show - `heddle show`. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_SHOW_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_SHOW_H

/** cmd_show() - `heddle show`.  Return: the exit status (exit_status.h). */
int cmd_show(int argc, char **argv);

#endif
