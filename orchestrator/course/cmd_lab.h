/*  cmd_lab - `heddle lab`: commands for courses. */
#ifndef HEDDLE_ORCHESTRATOR_COURSE_CMD_LAB_H
#define HEDDLE_ORCHESTRATOR_COURSE_CMD_LAB_H

/** cmd_lab() - `heddle lab COMMAND`.  Return: the exit status (exit_status.h). */
int cmd_lab(int argc, char **argv);

#endif
