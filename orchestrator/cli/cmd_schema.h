/*  cmd_schema - `heddle schema`: what --json of a command prints, as JSON Schema (DU-10). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_SCHEMA_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_SCHEMA_H

#include "orchestrator/command/command.h"

/** cmd_schema() - the command `heddle schema`. @commands  all of heddle.  Return: exit status. */
int cmd_schema(const struct command *commands, size_t count, int argc, char **argv);

#endif
