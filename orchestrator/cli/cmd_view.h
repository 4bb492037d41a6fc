/*  cmd_view - `heddle view`: a recording, or a running fabric, as a page in a browser (SE-4). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_VIEW_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_VIEW_H

/** cmd_view() - Return: the exit status (exit_status.h). */
int cmd_view(int argc, char **argv);

#endif
