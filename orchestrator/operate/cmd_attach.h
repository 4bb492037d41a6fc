/*  cmd_attach - `heddle attach`: a container joins a running fabric as a host (TB-15, TB-17,
 *  TB-22). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_ATTACH_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_ATTACH_H

/** cmd_attach() - `heddle attach`.  Return: the exit status (exit_status.h). */
int cmd_attach(int argc, char **argv);

#endif
