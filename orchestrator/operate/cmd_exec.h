/*  cmd_exec - `heddle exec` and `heddle shell`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_EXEC_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_EXEC_H

/** cmd_exec() - `heddle exec`.  Return: the exit status (exit_status.h). */
int cmd_exec(int argc, char **argv);

/** cmd_shell() - `heddle shell`.  Return: the exit status (exit_status.h). */
int cmd_shell(int argc, char **argv);

#endif
