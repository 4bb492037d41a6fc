/*  cmd_export - `heddle export`. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_EXPORT_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_EXPORT_H

/** cmd_export() - `heddle export`.  Return: the exit status (exit_status.h). */
int cmd_export(int argc, char **argv);

#endif
