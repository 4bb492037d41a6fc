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

/* ---- what a command says of itself ---- */

static struct command_answer answer;

static void words_take(const struct command_words *words)
{
	answer.words = words;
}

static void group_take(const struct command *commands, size_t count)
{
	answer.commands = commands;
	answer.count = count;
}

struct command_answer command_ask(const struct command *command)
{
	char word[64], help[] = "--help";
	char *arguments[] = { word, help, NULL };

	snprintf(word, sizeof(word), "%s", command->name);
	answer = (struct command_answer){ 0 };
	options_help_hook = words_take;
	command_group_hook = group_take;
	command->run(2, arguments);
	options_help_hook = NULL;
	command_group_hook = NULL;
	return answer;
}

void commands_words_each(const struct command *commands, size_t count,
			 void (*take)(const struct command_words *words))
{
	for (size_t i = 0; i < count; i++) {
		struct command_answer one = command_ask(&commands[i]);

		if (one.words)
			take(one.words);
		commands_words_each(one.commands, one.count, take);
	}
}
