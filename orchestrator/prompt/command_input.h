/*  command_input - where the commands of a breakpoint come from: a terminal, a pipe or a script. */
#ifndef HEDDLE_ORCHESTRATOR_PROMPT_COMMAND_INPUT_H
#define HEDDLE_ORCHESTRATOR_PROMPT_COMMAND_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "orchestrator/prompt/line_editor.h"

struct command_input {
	FILE *in;
	FILE *out;                  /* of the prompt */
	const char *name;           /* for messages; NULL: a terminal, with a prompt */
	struct line_editor *editor; /* both are terminals; else NULL */
	char *line;
	size_t size;
	unsigned number; /* of the last line */
};

enum command_input_state {
	COMMAND_INPUT_LINE,
	COMMAND_INPUT_END, /* of the script; Ctrl-D */
	COMMAND_INPUT_INTERRUPTED,
};

/** command_input_open() - reads @in, which @name names in messages; NULL: a terminal, or what is to
 *  be treated as one. @out is for prompts. All are borrowed.  @words with @owner: line_editor.h. */
void command_input_open(struct command_input *input, FILE *in, const char *name, FILE *out,
			line_words_fn *words, void *owner);
void command_input_close(struct command_input *input);

/** command_input_read() - the next line in @line, without comment and newline; borrowed until the
 *  next call. At a terminal Ctrl-C begins a new line. */
enum command_input_state command_input_read(struct command_input *input, char **line);

#endif
