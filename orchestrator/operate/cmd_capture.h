/*  cmd_capture - `heddle capture LINK FILE|-`: the frames of a link of a running fabric. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_CAPTURE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_CAPTURE_H

/** cmd_capture() - argv[0] is "capture". Return: the exit status. */
int cmd_capture(int argc, char **argv);

#endif
