/*  orchestrator/prompt/command_input: lines of a script, a pipe and a terminal (TB-9, SE-8). */
#include "orchestrator/prompt/command_input.h"

#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "tests/unit/orchestrator/prompt/typing.h"

static char *prompts;
static size_t prompts_bytes;

static struct command_input opened(const char *text, const char *name)
{
	struct command_input input;

	command_input_open(&input, fmemopen((void *)text, strlen(text), "r"), name,
			   open_memstream(&prompts, &prompts_bytes), NULL, NULL);
	return input;
}

static void closed(struct command_input *input, const char *printed)
{
	FILE *in = input->in, *out = input->out;

	command_input_close(input);
	ck_assert_ptr_null(input->in);
	fclose(in);
	fclose(out);
	ck_assert_str_eq(prompts, printed);
	free(prompts);
}

TEST(command_input_read__script)
{
	struct command_input input = opened("show s1 # a comment\r\n\nstep\n# only\nend", "s.txt");
	static const char *const lines[] = { "show s1 ", "", "step", "", "end" };
	char *line;

	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_LINE);
		ck_assert_str_eq(line, lines[i]);
		ck_assert_uint_eq(input.number, i + 1);
	}
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_END);
	closed(&input, "");
}

/* the end of an input, before which its prompt is to be seen */
static ssize_t end_after_prompt(void *unused, char *bytes, size_t size)
{
	(void)unused, (void)bytes, (void)size;
	ck_assert_pstr_eq(prompts, "heddle> ");
	return 0;
}

TEST(command_input_read__prompt_before_the_line)
{
	struct command_input input;
	char *line;

	prompts = NULL;
	command_input_open(
		&input, fopencookie(NULL, "r", (cookie_io_functions_t){ .read = end_after_prompt }),
		NULL, open_memstream(&prompts, &prompts_bytes), NULL, NULL);
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_END);
	closed(&input, "heddle> \n");
}

TEST(command_input_read__pipe_with_prompts)
{
	struct command_input input = opened("one\n", NULL);
	char *line;

	ck_assert_ptr_null(input.editor);
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_LINE);
	ck_assert_str_eq(line, "one");
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_END);
	closed(&input, "heddle> heddle> \n");
}

/* each line of a terminal takes the place of the one before, which is freed */
TEST(command_input_read__terminal)
{
	struct command_input input;
	char *line;

	setenv("XDG_STATE_HOME", "/dev/null", 1); /* no history */
	terminal_open();
	command_input_open(&input, terminal, NULL, terminal, NULL, NULL);
	ck_assert_ptr_nonnull(input.editor);
	type("one # a comment\r");
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_LINE);
	ck_assert_str_eq(line, "one ");
	type("two\r");
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_LINE);
	ck_assert_str_eq(line, "two");
	ck_assert_uint_eq(input.number, 2);
	type("\004");
	ck_assert_int_eq(command_input_read(&input, &line), COMMAND_INPUT_END);
	command_input_close(&input);
	terminal_close();
}
