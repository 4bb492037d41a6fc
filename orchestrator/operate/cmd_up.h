/*  cmd_up - `heddle up`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_UP_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_UP_H

/** cmd_up() - `heddle up`.  Return: the exit status (exit_status.h). */
int cmd_up(int argc, char **argv);

#endif
