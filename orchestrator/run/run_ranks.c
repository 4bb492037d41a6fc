#include "orchestrator/run/run_ranks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/beside.h"
#include "orchestrator/base/launcher.h"
#include "orchestrator/fabric/fabric_ranks.h"

/* an option that several machines do not have, and why; NULL: there is none */
static const char *refused(const struct run_options *options)
{
	if (options->real)
		return "--clock real: several machines are for the virtual clock";
	if (options->compare || options->sweep || options->seeds)
		return "--compare, --sweep and --seeds: start a run for each value";
	if (options->view)
		return "--view: make a recording (--record FILE), then `heddle view FILE`";
	return NULL;
}

int run_ranks_join(struct run_options *options)
{
	struct launcher launcher;
	char program[PATH_MAX];
	char name[] = "rankd", *arguments[] = { name, NULL };
	const char *why;

	if (!launcher_look(&launcher))
		return -1;
	if (!launcher.rank && !launcher.joins)
		return options_wrong("run",
				     "%s has started %u processes that cannot join each other: "
				     "start them with srun --mpi=pmix",
				     launcher.name, launcher.rank_count);
	why = refused(options);
	if (why)
		return launcher.rank ? EXIT_USAGE
				     : options_wrong("run", "not on several machines: %s", why);
	if (beside_find(name, X_OK, program, sizeof(program)))
		return launcher.rank
			       ? EXIT_USAGE
			       : options_wrong("run",
					       "%s has started %u ranks, but the program rankd "
					       "is not there: install the package heddle-mpi, "
					       "or build where libopenmpi-dev is installed",
					       launcher.name, launcher.rank_count);
	options->fabric.ranks = launcher.rank_count;
	options->ranks_here = launcher.here;
	if (!launcher.rank)
		return -1;
	execv(program, arguments);
	fprintf(stderr, "heddle run: cannot start %s: %s\n", program, strerror(errno));
	return EXIT_USAGE;
}

int run_ranks_pack(const struct run_options *options, const struct plan *plan, uint32_t core_count,
		   uint32_t *workers)
{
	uint32_t ranks = options->fabric.ranks, cores = core_count / options->ranks_here;
	const char *why = fabric_ranks_refuses(plan, ranks);

	*workers = options->pack > 0 ? (uint32_t)options->pack : cores ? cores : 1;
	if (!why && *workers > PLACES_WORKERS_MAX / ranks) {
		*workers = PLACES_WORKERS_MAX / ranks;
		if (options->pack > 0)
			why = "they have more than 256 workers in all";
	}
	return why ? options_wrong("run", "not on %u ranks: %s", ranks, why) : 0;
}
