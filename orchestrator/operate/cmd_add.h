/*  cmd_add - `heddle add`: a host, a switch or a link joins a running fabric (TB-10, TB-22). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H

/** cmd_add() - `heddle add`.  Return: the exit status (exit_status.h). */
int cmd_add(int argc, char **argv);

#endif
