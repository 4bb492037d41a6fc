/*  cmd_import - a topology of another program as a scenario: `heddle import` (DU-3). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_IMPORT_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_IMPORT_H

int cmd_import(int argc, char **argv);

#endif
