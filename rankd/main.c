/*  rankd - several machines under the virtual clock: one process on each, joined by MPI (SC-4).
 *
 *  `heddle run`, started by mpirun or srun once for each machine, starts it. On rank 0 it is a
 *  child of the orchestrator, with its descriptor 3 and the arguments of a worker. On the other
 *  ranks it takes the place of `heddle run`, and has no argument. */
#include "nodes/process/process.h"
#include "rankd/link/transport.h"
#include "rankd/run/member.h"
#include "rankd/run/root.h"

int main(int argc, char **argv)
{
	struct process_arguments arguments;
	uint32_t rank, rank_count;
	int status;

	process_keep_on();
	if (argc > 1) {
		status = process_begin(argc, argv, &arguments);
		return status ? status : root_run();
	}
	transport_begin(&rank, &rank_count);
	return member_run(rank, rank_count);
}
