/*  cmd_link - `heddle link`: lists and changes the links of a running fabric (TB-4, DU-6). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_LINK_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_LINK_H

/** cmd_link() - `heddle link`.  Return: the exit status (exit_status.h). */
int cmd_link(int argc, char **argv);

#endif
