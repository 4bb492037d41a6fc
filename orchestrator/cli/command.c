#include "orchestrator/cli/command.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/options.h"

void (*command_group_hook)(const struct command *commands, size_t count);

static void commands_list(const char *name, const struct command *commands, size_t count, FILE *out)
{
	fprintf(out, "usage: heddle %s COMMAND [arguments]\n\n", name);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'heddle %s COMMAND --help' explains one.\n", name);
}

int command_group_run(const char *name, const struct command *commands, size_t count, int argc,
		      char **argv)
{
	char hint[128];

	if (argc < 2) {
		commands_list(name, commands, count, stderr);
		return OPTIONS_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		if (command_group_hook)
			command_group_hook(commands, count);
		else
			commands_list(name, commands, count, stdout);
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	suggest_sentence(argv[1], &commands[0].name, count, sizeof(commands[0]), hint,
			 sizeof(hint));
	return options_wrong(name, "there is no command '%s'%s", argv[1], hint);
}
