/*  cmd_top - `heddle top`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_TOP_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_TOP_H

/** cmd_top() - `heddle top`.  Return: the exit status (exit_status.h). */
int cmd_top(int argc, char **argv);

#endif
