#include "orchestrator/cli/cmd_lab.h"

#include <stdio.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/lab_check.h"
#include "orchestrator/cli/lab_list.h"
#include "orchestrator/cli/lab_predict.h"
#include "orchestrator/cli/lab_score.h"
#include "orchestrator/cli/lab_start.h"
#include "orchestrator/cli/options.h"

static const struct lab_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", lab_list, "the labs, a line each" },
	{ "start", lab_start, "a lab: its question, your values, its runs" },
	{ "predict", lab_predict, "keep predictions" },
	{ "check", lab_check, "are the answers of a student right?" },
	{ "score", lab_score, "points of congestion controls in six scenarios" },
};

static void commands_list(FILE *out)
{
	fprintf(out, "usage: heddle lab COMMAND [arguments]\n\n");
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'heddle lab COMMAND --help' explains one.\n");
}

int cmd_lab(int argc, char **argv)
{
	char hint[128];

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		commands_list(argc < 2 ? stderr : stdout);
		return argc < 2 ? OPTIONS_EXIT_USAGE : 0;
	}
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	suggest_sentence(argv[1], &commands[0].name, COUNT_OF(commands), sizeof(commands[0]), hint,
			 sizeof(hint));
	return options_wrong("lab", "there is no command '%s'%s", argv[1], hint);
}
