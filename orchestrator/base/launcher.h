/*  launcher - was this process started once for each of several machines, by mpirun or srun
 *  (SC-4)? What the launcher has put into the environment says so. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_LAUNCHER_H
#define HEDDLE_ORCHESTRATOR_BASE_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

struct launcher {
	const char *name;          /* "mpirun", "srun" */
	uint32_t rank, rank_count; /* rank < rank_count */
	uint32_t here;             /* ranks on this machine; 1 if it is not known */
	bool joins;                /* the processes can join each other: MPI was told how */
};

/** launcher_look() - true if there are several ranks; @launcher filled. */
bool launcher_look(struct launcher *launcher);

#endif
