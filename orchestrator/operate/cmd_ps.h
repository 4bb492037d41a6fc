/*  cmd_ps - `heddle ps`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_PS_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_PS_H

/** cmd_ps() - `heddle ps`.  Return: the exit status (exit_status.h). */
int cmd_ps(int argc, char **argv);

#endif
