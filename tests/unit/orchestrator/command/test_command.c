/*  orchestrator/command/command: which of its commands a command of commands calls, what it says of
 *  them, and the words of all (TB-10). */
#include "orchestrator/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/command/options.h"
#include "tests/said.h"
#include "tests/testing.h"

static const struct command_words first_words = { "first", "usage: heddle first\n", "",
						  OPERANDS("word", 0, 2) };
static const struct command_words inner_words = { "set inner", "usage: heddle set inner\n", "",
						  OPERANDS("word", 0, 2) };
static char called[128]; /* the command and its words */

static int call(const struct command_words *words, int argc, char **argv)
{
	int operands, status;

	ck_assert_ptr_null(argv[argc]);
	status = options_read(words, argc, argv, NULL, &operands);
	snprintf(called, sizeof(called), "%s", words->name);
	for (int i = 0; status < 0 && i < argc; i++)
		snprintf(called + strlen(called), sizeof(called) - strlen(called), " %s", argv[i]);
	return status < 0 ? 7 : status;
}

static int first(int argc, char **argv)
{
	return call(&first_words, argc, argv);
}

static int inner(int argc, char **argv)
{
	return call(&inner_words, argc, argv);
}

static const struct command inners[] = { { "inner", inner, "is inside" },
					 { "longer-name", first, "is outside" } };

static int set(int argc, char **argv)
{
	return command_group_run("set", inners, 2, argc, argv);
}

static const struct command commands[] = { { "first", first, "is first" },
					   { "set", set, "has two" },
					   { "last", first, "is last" } };

#define LIST                                                 \
	"usage: heddle set COMMAND [arguments]\n\n"          \
	"  inner    is inside\n  longer-name is outside\n\n" \
	"'heddle set COMMAND --help' explains one.\n"

static char printed[1024];

/* heddle set @word @second, both perhaps NULL.  Return: its status; printed: standard output */
static int run(const char *word, const char *second)
{
	char name[] = "set", one[64], two[64],
	     *argv[] = { name, word ? one : NULL, second ? two : NULL, NULL };
	FILE *file = tmpfile();
	int before = dup(STDOUT_FILENO), status;

	snprintf(one, sizeof(one), "%s", word ? word : "");
	snprintf(two, sizeof(two), "%s", second ? second : "");
	called[0] = 0;
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	said_begin();
	status = set(1 + (word != NULL) + (second != NULL), argv);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	rewind(file);
	printed[fread(printed, 1, sizeof(printed) - 1, file)] = 0;
	fclose(file);
	return status;
}

TEST_GROUP(command, .setup = testing_input);

TEST(command_group_run__one_of_its_commands)
{
	ck_assert_int_eq(run("inner", NULL), 7);
	ck_assert_str_eq(called, "set inner inner");
	ck_assert_str_eq(said_end(), "");
	ck_assert_int_eq(run("inner", "x"), 7);
	ck_assert_str_eq(called, "set inner inner x");
	said_end();
	ck_assert_int_eq(run("longer-name", "x"), 7);
	ck_assert_str_eq(called, "first longer-name x");
	said_end();
	ck_assert_str_eq(printed, "");
}

/* without a word that is an error; --help is none */
TEST(command_group_run__lists_them)
{
	ck_assert_int_eq(run(NULL, NULL), EXIT_USAGE);
	ck_assert_str_eq(said_end(), LIST);
	ck_assert_str_eq(printed, "");
	ck_assert_int_eq(run("--help", NULL), 0);
	ck_assert_str_eq(said_end(), "");
	ck_assert_str_eq(printed, LIST);
	ck_assert_int_eq(run("-h", "inner"), 0);
	said_end();
	ck_assert_str_eq(printed, LIST);
	ck_assert_str_eq(called, "");
}

TEST(command_group_run__no_such_command)
{
	ck_assert_int_eq(run("innr", NULL), EXIT_USAGE);
	ck_assert_str_eq(said_end(), "heddle set: there is no command 'innr' - did you mean "
				     "'inner'?\n");
	ck_assert_int_eq(run("xyzzy", "inner"), EXIT_USAGE);
	ck_assert_str_eq(said_end(), "heddle set: there is no command 'xyzzy'\n");
	ck_assert_str_eq(called, "");
}

static char names[128];

static void name_take(const struct command_words *words)
{
	snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s,", words->name);
}

/* in their order, those of commands of commands too, and nothing is run */
TEST(commands_words_each__all)
{
	names[0] = 0;
	commands_words_each(commands, 3, name_take);
	ck_assert_str_eq(names, "first,set inner,first,first,");
	ck_assert_ptr_null(options_help_hook);
	ck_assert_ptr_null(command_group_hook);
	names[0] = 0;
	commands_words_each(commands, 1, name_take);
	ck_assert_str_eq(names, "first,");
}
