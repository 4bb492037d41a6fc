/*  cmd_add - what joins a running fabric: `heddle add`, `heddle attach` (TB-10, TB-15, TB-22). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H

/** cmd_add() - `heddle add`.  Return: the exit status (exit_status.h). */
int cmd_add(int argc, char **argv);

/** cmd_attach() - `heddle attach`.  Return: the exit status (exit_status.h). */
int cmd_attach(int argc, char **argv);

#endif
