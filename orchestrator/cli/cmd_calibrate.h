/*  cmd_calibrate - `heddle calibrate`: measures once what this machine carries under the real clock
 *  (DU-5). */
#ifndef HEDDLE_ORCHESTRATOR_CLI_CMD_CALIBRATE_H
#define HEDDLE_ORCHESTRATOR_CLI_CMD_CALIBRATE_H

/** cmd_calibrate() - `heddle calibrate`.  Return: the exit status (exit_status.h). */
int cmd_calibrate(int argc, char **argv);

#endif
