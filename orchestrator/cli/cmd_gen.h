/*  cmd_gen - `heddle gen`. */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_GEN_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_GEN_H

/** cmd_gen() - `heddle gen`.  Return: the exit status (exit_status.h). */
int cmd_gen(int argc, char **argv);

#endif
