/*  sim_json - prints the JSON result of a scenario run in one process, to be compared with that of
 *  `heddle run`. With @VARIANT it is that variant of the scenario's `compare`, on top of the
 *  settings.
 *  usage: sim_json SCENARIO [@VARIANT] [path=value ...] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/sim/sim.h"

int main(int argc, char **argv)
{
	struct sim sim;
	char *json;

	if (argc < 2) {
		fprintf(stderr, "usage: sim_json SCENARIO [@VARIANT] [path=value ...]\n");
		return 2;
	}
	if (argc > 2 && argv[2][0] == '@')
		sim_open_variant(&sim, argv[1], argv[2] + 1, (const char *const *)argv + 3);
	else
		sim_open_file(&sim, argv[1], (const char *const *)argv + 2);
	sim_run(&sim);
	json = sim_json(&sim);
	fputs(json, stdout);
	free(json);
	sim_close(&sim);
	return 0;
}
