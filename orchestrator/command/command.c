#include "orchestrator/command/command.h"

#include <stdio.h>
#include <string.h>

#include "orchestrator/base/suggest.h"
#include "orchestrator/command/options.h"

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
		return EXIT_USAGE;
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

/* ---- all commands ---- */

static const struct command *group; /* of the command that was asked last; NULL: it is none */
static size_t group_count;

static void group_take(const struct command *commands, size_t count)
{
	group = commands;
	group_count = count;
}

/* asks each of @commands for --help, which calls the hooks */
static void each(const struct command *commands, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char word[64], help[] = "--help";
		char *arguments[] = { word, help, NULL };

		snprintf(word, sizeof(word), "%s", commands[i].name);
		group = NULL;
		commands[i].run(2, arguments);
		if (group)
			each(group, group_count);
	}
}

void commands_words_each(const struct command *commands, size_t count,
			 void (*take)(const struct command_words *words))
{
	options_help_hook = take;
	command_group_hook = group_take;
	each(commands, count);
	options_help_hook = NULL;
	command_group_hook = NULL;
}
