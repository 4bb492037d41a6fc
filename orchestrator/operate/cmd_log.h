/*  cmd_log - `heddle log HOST`: what the start commands of a host have printed (DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_LOG_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_LOG_H

/** cmd_log() - `heddle log`.  Return: the exit status (exit_status.h). */
int cmd_log(int argc, char **argv);

#endif
