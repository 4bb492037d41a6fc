/*  cmd_set - `heddle set`, `heddle start`, `heddle link`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_SET_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_SET_H

/** cmd_set() - `heddle set`.  Return: the exit status (exit_status.h). */
int cmd_set(int argc, char **argv);

/** cmd_start() - `heddle start`.  Return: the exit status (exit_status.h). */
int cmd_start(int argc, char **argv);

/** cmd_link() - `heddle link`.  Return: the exit status (exit_status.h). */
int cmd_link(int argc, char **argv);

#endif
