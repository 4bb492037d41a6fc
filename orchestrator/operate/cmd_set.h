/*  cmd_set - `heddle set`: a parameter of a running node (TB-10). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_SET_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_SET_H

/** cmd_set() - `heddle set`.  Return: the exit status (exit_status.h). */
int cmd_set(int argc, char **argv);

#endif
