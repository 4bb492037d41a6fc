/*  cmd_add - `heddle add`, `heddle attach`, `heddle remove`. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_ADD_H

/** cmd_add() - `heddle add`.  Return: the exit status (exit_status.h). */
int cmd_add(int argc, char **argv);

/** cmd_attach() - `heddle attach`.  Return: the exit status (exit_status.h). */
int cmd_attach(int argc, char **argv);

/** cmd_remove() - `heddle remove`.  Return: the exit status (exit_status.h). */
int cmd_remove(int argc, char **argv);

#endif
