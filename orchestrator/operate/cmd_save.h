/*  cmd_save - `heddle save`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_SAVE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_SAVE_H

/** cmd_save() - `heddle save`.  Return: the exit status (exit_status.h). */
int cmd_save(int argc, char **argv);

#endif
