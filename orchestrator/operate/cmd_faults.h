/*  cmd_faults - `heddle faults`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_FAULTS_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_FAULTS_H

/** cmd_faults() - `heddle faults`.  Return: the exit status (exit_status.h). */
int cmd_faults(int argc, char **argv);

#endif
