/*  cmd_remove - `heddle remove`: a node or a link leaves a running fabric (TB-22). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_REMOVE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_REMOVE_H

/** cmd_remove() - `heddle remove`.  Return: the exit status (exit_status.h). */
int cmd_remove(int argc, char **argv);

#endif
