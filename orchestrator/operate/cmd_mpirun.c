/*  cmd_mpirun - `heddle mpirun`: an Open MPI job over the hosts of a running fabric (DU-4).
 *
 *  mpirun itself runs in the first host. It starts its daemons in the others by
 *  `heddle exec --rsh`, in the place of ssh. */
#include "orchestrator/operate/cmd_mpirun.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/quantity.h"
#include "orchestrator/command/client.h"
#include "orchestrator/operate/host_run.h"

#define RANKS_MAX 65536u
#define WORDS_BEFORE 17 /* of mpirun, before the program */

struct mpi_request {
	const char *fabric, *glob;
	uint64_t ranks;
};

#define AT(member) offsetof(struct mpi_request, member)

static int ranks_take(const char *command, const struct option_row *row, void *field,
		      const char *value)
{
	struct why why;
	uint64_t *ranks = field;

	if (quantity_parse(QUANTITY_COUNT, value, ranks, &why))
		return options_wrong(command, "%s: %s", row->name, why.text);
	return *ranks && *ranks <= RANKS_MAX
		       ? 0
		       : options_wrong(command, "%s takes 1 to %u processes, not %s", row->name,
				       RANKS_MAX, value);
}

static const struct option_row rows[] = {
	CLIENT_FABRIC(AT(fabric)),
	OPTION_TAKE("-n", "N", AT(ranks), ranks_take, NULL,
		    "processes, over the hosts in turn by blocks; one for each host"),
	OPTION_TEXT("--hosts", "GLOB", AT(glob), "only hosts whose names match, e.g. 'h[1-8]'"),
};

static const struct command_words words = {
	"mpirun",
	"usage: heddle mpirun [-f FABRIC] [-n N] [--hosts GLOB] [--] PROGRAM [ARGUMENT]...\n"
	"Runs an Open MPI job over the hosts of a running fabric, by TCP over their eth0. Options "
	"of\nmpirun may stand before PROGRAM, after --, e.g. heddle mpirun -n 8 -- --map-by node "
	"./a.out\n",
	"exit status: mpirun's; 126 it could not be started, 2 wrong usage or no such fabric\n",
	OPTIONS(rows),
	.program = true,
};

/* "h1:2,h2:2", malloc'd; NULL: no memory */
static char *hosts_text(const struct host_names *hosts, uint64_t slots)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return NULL;
	for (size_t i = 0; i < hosts->count; i++)
		fprintf(file, "%s%s:%llu", i ? "," : "", hosts->names[i],
			(unsigned long long)slots);
	return fclose(file) ? NULL : text;
}

/* mpirun refuses to run as root unless both are set. A program in a host is root of it: without
 * root the user that started the fabric, else root of the machine. */
static void root_allow(void)
{
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

static int job_run(const struct mpi_request *request, const struct host_names *hosts, int count,
		   char **program)
{
	uint64_t ranks = request->ranks ? request->ranks : hosts->count;
	char self[PATH_MAX], agent[PATH_MAX + NODE_NAME_MAX + 32], number[32];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *list = hosts_text(hosts, (ranks + hosts->count - 1) / hosts->count);
	const char **argv = calloc((size_t)count + WORDS_BEFORE + 1, sizeof(*argv));
	int status;

	if (length < 0 || !list || !argv) {
		status = options_wrong("mpirun", "not enough memory, or /proc is missing");
	} else {
		const char *const before[WORDS_BEFORE] = { "mpirun",
							   "--host",
							   list,
							   "-np",
							   number,
							   "--mca",
							   "plm_rsh_agent",
							   agent,
							   "--mca",
							   "btl",
							   "tcp,self",
							   "--mca",
							   "btl_tcp_if_include",
							   "eth0",
							   "--mca",
							   "oob_tcp_if_include",
							   "eth0" };

		self[length] = 0;
		snprintf(agent, sizeof(agent), "%s exec -f %s --rsh", self, hosts->fabric);
		snprintf(number, sizeof(number), "%llu", (unsigned long long)ranks);
		memcpy(argv, before, sizeof(before));
		memcpy(argv + WORDS_BEFORE, program, (size_t)count * sizeof(*argv));
		root_allow();
		status = host_run("mpirun", hosts->fabric, hosts->names[0], NULL,
				  (char *const *)argv, 0);
	}
	free(argv);
	free(list);
	return status;
}

int cmd_mpirun(int argc, char **argv)
{
	struct mpi_request request = { 0 };
	struct host_names hosts;
	int count, at = 1, status = options_read(&words, argc, argv, &request, &count);

	if (status >= 0)
		return status;
	if (count && !strcmp(argv[1], "--"))
		at++;
	if (at > count)
		return options_wrong("mpirun", "missing PROGRAM; 'heddle mpirun --help' explains");
	status = host_names_ask("mpirun", request.fabric, request.glob, &hosts);
	if (status)
		return status;
	status = job_run(&request, &hosts, count - at + 1, argv + at);
	host_names_free(&hosts);
	return status;
}
