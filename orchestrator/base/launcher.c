#include "orchestrator/base/launcher.h"

#include <stdlib.h>

/* a number in the environment.  Return: false: there is none */
static bool number_get(const char *name, uint32_t *number)
{
	const char *text = getenv(name);
	char *end;
	long value;

	if (!text || !text[0])
		return false;
	value = strtol(text, &end, 10);
	if (*end || value < 0 || value > INT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* of each launcher: rank, number of ranks, ranks on this machine. A batch script of Slurm has
 * SLURM_NTASKS too, but only what srun has started is in a step with tasks. */
static const struct {
	const char *name, *rank, *count, *here;
} launchers[] = {
	{ "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE" },
	{ "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE" },
	{ "mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS" },
};

bool launcher_look(struct launcher *launcher)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		*launcher = (struct launcher){ .name = launchers[i].name,
					       .joins = getenv("PMIX_RANK") || getenv("PMI_RANK") };
		if (!number_get(launchers[i].rank, &launcher->rank) ||
		    !number_get(launchers[i].count, &launcher->rank_count) ||
		    launcher->rank >= launcher->rank_count)
			continue;
		if (!number_get(launchers[i].here, &launcher->here) || !launcher->here)
			launcher->here = 1;
		return launcher->rank_count > 1;
	}
	return false;
}
