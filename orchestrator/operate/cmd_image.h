/*  cmd_image - `heddle image`: the unpacked images of hosts. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_IMAGE_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_IMAGE_H

/** cmd_image() - `heddle image COMMAND`.  Return: the exit status (exit_status.h). */
int cmd_image(int argc, char **argv);

#endif
