/*  cmd_outside - hosts that reach the machine's network: `heddle outside` (DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_OUTSIDE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_OUTSIDE_H

/** cmd_outside() - `heddle outside`.  Return: the exit status (exit_status.h). */
int cmd_outside(int argc, char **argv);

#endif
