/*  cmd_load - `heddle load`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_LOAD_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_LOAD_H

/** cmd_load() - `heddle load`.  Return: the exit status (exit_status.h). */
int cmd_load(int argc, char **argv);

#endif
