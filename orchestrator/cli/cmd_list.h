/*  cmd_list - `heddle list`: the scenarios that come with Heddle, a line each (SE-12). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_LIST_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_LIST_H

/** cmd_list() - `heddle list`.  Return: the exit status (exit_status.h). */
int cmd_list(int argc, char **argv);

#endif
