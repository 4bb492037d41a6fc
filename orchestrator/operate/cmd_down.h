/*  cmd_down - `heddle down`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_DOWN_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_DOWN_H

/** cmd_down() - `heddle down`.  Return: the exit status (exit_status.h). */
int cmd_down(int argc, char **argv);

#endif
