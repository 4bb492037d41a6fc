/*  cmd_start - `heddle start`: a dead node runs again (TB-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_START_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_START_H

/** cmd_start() - `heddle start`.  Return: the exit status (exit_status.h). */
int cmd_start(int argc, char **argv);

#endif
