#include "orchestrator/prompt/command_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/interrupt.h"

#define PROMPT "heddle> "

void command_input_open(struct command_input *input, FILE *in, const char *name, FILE *out,
			line_words_fn *words, void *owner)
{
	*input = (struct command_input){ .in = in, .out = out, .name = name };
	if (!name && isatty(fileno(in)) && isatty(fileno(out)))
		input->editor = line_editor_open(in, out, PROMPT, words, owner);
}

void command_input_close(struct command_input *input)
{
	line_editor_close(input->editor);
	free(input->line);
	*input = (struct command_input){ 0 };
}

/* the next line in input->line. False: there is none */
static bool line_take(struct command_input *input)
{
	const char *typed;

	if (!input->editor) {
		if (!input->name)
			fprintf(input->out, PROMPT);
		fflush(input->out);
		return getline(&input->line, &input->size, input->in) >= 0;
	}
	fflush(input->out);
	typed = line_editor_read(input->editor);
	free(input->line);
	input->line = typed ? strdup(typed) : NULL;
	return input->line != NULL;
}

enum command_input_state command_input_read(struct command_input *input, char **line)
{
	while (!line_take(input)) {
		if (!input->name)
			fputc('\n', input->out);
		if (!interrupt_seen())
			return COMMAND_INPUT_END;
		if (input->name || !interrupt_forgive())
			return COMMAND_INPUT_INTERRUPTED;
		clearerr(input->in);
	}
	input->number++;
	input->line[strcspn(input->line, "#\r\n")] = 0;
	*line = input->line;
	return COMMAND_INPUT_LINE;
}
