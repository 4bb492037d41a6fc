/*  sim_json - prints the JSON result of a scenario run in one process, to be compared with that of `heddle run`.
 *  usage: sim_json SCENARIO [path=value ...]                                                                        */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

int main(int argc, char **argv)
{
	struct sim sim;
	char *json;

	if (argc < 2) {
		fprintf(stderr, "usage: sim_json SCENARIO [path=value ...]\n");
		return 2;
	}
	sim_open_file(&sim, argv[1], (const char *const *)argv + 2);
	sim_run(&sim);
	json = sim_json(&sim);
	fputs(json, stdout);
	free(json);
	sim_close(&sim);
	return 0;
}
