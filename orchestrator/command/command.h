/*  command - a command of heddle, or one of the commands of a command (`heddle lab score`). */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_COMMAND_H
#define HEDDLE_ORCHESTRATOR_COMMAND_COMMAND_H

#include <stddef.h>

struct command_words;

struct command {
	const char *name;
	/* argv[0] is the name.  Return: the exit status */
	int (*run)(int argc, char **argv);
	const char *help; /* one line */
};

/** command_group_run() - runs the one of @commands of `heddle @name` that argv[1] names.
 *  Return: its exit status; of wrong usage, reported. */
int command_group_run(const char *name, const struct command *commands, size_t count, int argc,
		      char **argv);

/** command_group_hook - what --help of such a group does instead of printing its list; NULL: it
 *  prints. The commands have no end of life. */
extern void (*command_group_hook)(const struct command *commands, size_t count);

/* what a command says of itself: its words, or the commands of a group */
struct command_answer {
	const struct command_words *words; /* NULL: it is a group */
	const struct command *commands;    /* of a group, `count` of them */
	size_t count;
};

/** command_ask() - runs @command with --help, and takes what it would print. */
struct command_answer command_ask(const struct command *command);

/** commands_words_each() - calls @take with the words of every one of @commands that has some, and
 *  of those of a group. */
void commands_words_each(const struct command *commands, size_t count,
			 void (*take)(const struct command_words *words));

#endif
