/*  complete - candidates for the word that a shell completes (DU-11): commands, options, their
 *  values, scenarios, and the hosts, nodes, links and names of running fabrics.
 *
 *  completion/ has the functions of bash, zsh and fish. */
#ifndef HEDDLE_ORCHESTRATOR_COMMAND_COMPLETE_H
#define HEDDLE_ORCHESTRATOR_COMMAND_COMPLETE_H

#include <stddef.h>

#include "orchestrator/command/command.h"

/* heddle COMPLETE_COMMAND WORD... is for shells, and in no list of commands */
#define COMPLETE_COMMAND "complete-word"

/** complete() - prints a line for each candidate of the last of @words, the words after "heddle":
 *  those that begin with it. The line ":files" asks the shell for names of files as well.
 *  Return: 0. */
int complete(const struct command *commands, size_t command_count, int word_count, char **words);

#endif
