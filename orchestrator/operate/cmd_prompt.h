/*  cmd_prompt - `heddle prompt`: commands and programs in hosts, line by line (DU-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_PROMPT_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_PROMPT_H

/** cmd_prompt() - `heddle prompt`.  Return: the exit status (exit_status.h). */
int cmd_prompt(int argc, char **argv);

#endif
