/*  cmd_mpirun - `heddle mpirun` (DU-4). */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CMD_MPIRUN_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CMD_MPIRUN_H

/** cmd_mpirun() - argv[0] is "mpirun". Return: the exit status. */
int cmd_mpirun(int argc, char **argv);

#endif
