/*  orchestrator/command/options: which options are accepted, where their values are stored, and the
 *  errors (TB-10). */
#include "orchestrator/command/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes/base/array.h"
#include "tests/testing.h"

#define WORDS_MAX 16

struct target {
	bool loud;
	const char *file, *json;
	unsigned colour;
	uint32_t snap;
	struct option_settings settings;
};

static bool is_file(const char *next, int operand_count)
{
	return operand_count && next[0] != '-';
}

static const struct option_word colours[] = { { "red", 3 }, { "blue", 5 }, { 0 } };

static const struct option_row rows[] = {
	{ .name = "--loud",
	  .letter = 'l',
	  .help = "a flag",
	  .field = offsetof(struct target, loud) },
	{ .name = "-o",
	  .argument = "FILE",
	  .help = "of two\nlines",
	  .field = offsetof(struct target, file) },
	{ .name = "--json",
	  .argument = "[FILE]",
	  .help = "may stand alone",
	  .field = offsetof(struct target, json),
	  .otherwise = "-",
	  .takes_next = is_file },
	{ .name = "--colour",
	  .argument = "NAME",
	  .help = "one of a list",
	  .field = offsetof(struct target, colour),
	  .take = option_value,
	  .words = colours },
	{ .name = "--seed",
	  .argument = "N",
	  .help = "a number",
	  .field = offsetof(struct target, settings),
	  .take = option_seed },
	OPTION_TAKE("--snap", "N", offsetof(struct target, snap), option_snap, NULL, "bytes"),
	OPTION_SET(offsetof(struct target, settings), "a=b"),
	OPTION_DILATE(offsetof(struct target, settings)),
	OPTION_CONTROL(offsetof(struct target, settings)),
};

static struct command_words command = { .name = "try",
					.usage = "usage: heddle try\n",
					.more = "the end\n",
					.options = rows,
					.option_count = COUNT_OF(rows),
					.operand = "scenario" };
static struct target target;
static char *argv[WORDS_MAX + 2];
static char text[2 * OPTION_CONTROL_MAX], said[1024];
static int count;

static void setup(void)
{
	target = (struct target){ 0 };
	command.operands_min = command.operands_max = 0;
	command.program = false;
}

TEST_GROUP(options, .setup = setup);

/* Reads @line, words separated by blanks. What is written to @fd is stored in @said. */
static int options_of(const char *line, int fd)
{
	FILE *file = tmpfile();
	int argc = 1, before = dup(fd), status;

	snprintf(text, sizeof(text), "try %s", line);
	argv[0] = strtok(text, " ");
	while ((argv[argc] = strtok(NULL, " ")))
		ck_assert_int_le(++argc, WORDS_MAX);
	dup2(fileno(file), fd);
	status = options_read(&command, argc, argv, &target, &count);
	fflush(NULL);
	dup2(before, fd);
	close(before);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = 0;
	fclose(file);
	return status;
}

/* what was printed before comes before */
TEST(options_wrong__after_what_was_printed)
{
	FILE *file = tmpfile();
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);

	fflush(NULL);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	printf("first\n");
	ck_assert_int_eq(options_wrong("try", "second %d", 2), EXIT_USAGE);
	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = 0;
	fclose(file);
	ck_assert_str_eq(said, "first\nheddle try: second 2\n");
}

TEST(options_read__anywhere_among_operands)
{
	ck_assert_int_eq(
		options_of("one --colour=blue -l two -o f --set a=1 -- --loud", STDERR_FILENO), -1);
	ck_assert_str_eq(said, "");
	ck_assert(target.loud);
	ck_assert_str_eq(target.file, "f");
	ck_assert_uint_eq(target.colour, 5);
	ck_assert_int_eq(count, 3);
	ck_assert_str_eq(argv[1], "one");
	ck_assert_str_eq(argv[2], "two");
	ck_assert_str_eq(argv[3], "--loud");
	ck_assert_ptr_null(argv[4]);
	ck_assert_uint_eq(target.settings.count, 1);
	ck_assert_str_eq(target.settings.texts[0], "a=1");
}

TEST(options_read__value_that_may_be_missing)
{
	ck_assert_int_eq(options_of("--json one", STDERR_FILENO), -1);
	ck_assert_str_eq(target.json, "-");
	ck_assert_int_eq(count, 1);
	ck_assert_int_eq(options_of("one --json two --loud", STDERR_FILENO), -1);
	ck_assert_str_eq(target.json, "two");
	ck_assert_int_eq(count, 1);
	ck_assert_int_eq(options_of("one --json", STDERR_FILENO), -1);
	ck_assert_str_eq(target.json, "-");
	ck_assert_int_eq(options_of("--json=three", STDERR_FILENO), -1);
	ck_assert_str_eq(target.json, "three");
}

/* options after the program belong to the program */
TEST(options_read__options_of_the_program_are_kept)
{
	command.program = true;
	ck_assert_int_eq(options_of("-l host -- ls -l --json", STDERR_FILENO), -1);
	ck_assert(target.loud && !target.json);
	ck_assert_int_eq(count, 5);
	ck_assert_str_eq(argv[2], "--");
	ck_assert_str_eq(argv[4], "-l");
	ck_assert_int_eq(options_of("-l -- ls", STDERR_FILENO), -1);
	ck_assert_int_eq(count, 2);
	ck_assert_str_eq(argv[1], "--");
}

TEST(option_snap__with_a_unit)
{
	ck_assert_int_eq(options_of("--snap 1kB", STDERR_FILENO), -1);
	ck_assert_uint_eq(target.snap, 1000);
	ck_assert_int_eq(options_of("--snap 65535", STDERR_FILENO), -1);
	ck_assert_uint_eq(target.snap, 65535);
}

static const struct {
	const char *line, *said;
} wrong[] = {
	{ "--lout", "heddle try: there is no option --lout - did you mean '--loud'?; 'heddle try "
		    "--help' lists them\n" },
	{ "--lou", "heddle try: there is no option --lou - did you mean '--loud'?; 'heddle try "
		   "--help' lists them\n" },
	{ "a --set x", "heddle try: --set takes PATH=VALUE, not 'x'\n" },
	{ "--dilate 0", "heddle try: --dilate takes a whole number from 1 to 1000, not '0'\n" },
	{ "--dilate -1", "heddle try: --dilate takes a whole number from 1 to 1000, not '-1'\n" },
	{ "--dilate 1001",
	  "heddle try: --dilate takes a whole number from 1 to 1000, not '1001'\n" },
	{ "--dilate 1.5", "heddle try: --dilate takes a whole number from 1 to 1000, not '1.5'\n" },
	{ "--dilate fast",
	  "heddle try: --dilate takes a whole number from 1 to 1000, not 'fast'\n" },
	{ "--snap 0", "heddle try: --snap takes 1 to 65535 bytes, not '0'\n" },
	{ "--snap 64KiB", "heddle try: --snap takes 1 to 65535 bytes, not '64KiB'\n" },
	{ "-x", "heddle try: there is no option -x; 'heddle try --help' lists them\n" },
	{ "--loud=yes", "heddle try: --loud takes no value\n" },
	{ "a --colour", "heddle try: --colour needs a value: NAME\n" },
	{ "-o", "heddle try: -o needs a value: FILE\n" },
	{ "--colour bluw",
	  "heddle try: --colour takes red or blue, not 'bluw' - did you mean 'blue'?\n" },
	{ "a b", "heddle try: two scenarios, 'a' and 'b'; give one\n" },
	{ "-l", "heddle try: missing scenario; 'heddle try --help' explains\n" },
};

TEST_RANGE(options_read__wrong_options_are_errors, 0, COUNT_OF(wrong))
{
	command.operands_min = command.operands_max = 1;
	ck_assert_int_eq(options_of(wrong[_i].line, STDERR_FILENO), EXIT_USAGE);
	ck_assert_str_eq(said, wrong[_i].said);
}

TEST(options_read__too_many_operands_are_an_error)
{
	command.operands_max = 2;
	ck_assert_int_eq(options_of("a b c", STDERR_FILENO), EXIT_USAGE);
	ck_assert_str_eq(said, "heddle try: 'c' is one word too many\n");
}

TEST(options_read__help_prints_the_usage)
{
	command.operands_min = 1;
	ck_assert_int_eq(options_of("--loud --help", STDOUT_FILENO), 0);
	ck_assert_str_eq(
		said,
		"usage: heddle try\n\n"
		"  -l, --loud        a flag\n"
		"  -o FILE           of two\n"
		"                    lines\n"
		"  --json [FILE]     may stand alone\n"
		"  --colour NAME     one of a list\n"
		"  --seed N          a number\n"
		"  --snap N          bytes\n"
		"  --set PATH=VALUE  change a key of the scenario, e.g. a=b; may be repeated\n"
		"  --dilate N        fabric time runs N times slower than the machine's, 1 to "
		"1000, so that\n"
		"                    the machine carries links that are N times as fast\n"
		"  --cc CONTROL      congestion control of a roce fabric: dcqcn, swift, none, tcp, "
		"or\n"
		"                    a shared library such as ./my.so "
		"(docs/own-congestion-control.md)\n"
		"\nthe end\n");
}

TEST(option_control__settings_that_select_it)
{
	ck_assert_int_eq(options_of("--cc swift", STDERR_FILENO), -1);
	ck_assert_uint_eq(target.settings.count, 1);
	ck_assert_str_eq(target.settings.texts[0], "roce.congestion-control=swift");
	setup();
	ck_assert_int_eq(options_of("--cc tcp", STDERR_FILENO), -1);
	ck_assert_str_eq(target.settings.texts[0], "roce.transport=tcp");
	setup();
	ck_assert_int_eq(options_of("--cc it's.so", STDERR_FILENO), -1);
	ck_assert_uint_eq(target.settings.count, 2);
	ck_assert_str_eq(target.settings.texts[0], "roce.own-control='it''s.so'");
	ck_assert_str_eq(target.settings.texts[1], "roce.congestion-control=own");
	setup();
	ck_assert_int_eq(options_of("--cc ./swift", STDERR_FILENO), -1);
	ck_assert_str_eq(target.settings.texts[0], "roce.own-control='./swift'");
}

TEST(option_control__refused)
{
	ck_assert_int_eq(options_of("--cc swfit", STDERR_FILENO), 2);
	ck_assert_ptr_nonnull(strstr(said, "did you mean 'swift'?"));
	setup();
	ck_assert_int_eq(options_of("--cc tcp --cc dcqcn", STDERR_FILENO), 2);
	ck_assert_ptr_nonnull(strstr(said, "--cc is given twice"));
}

/* the most settings of a command, and one more */
TEST(option_setting__many)
{
	target.settings.count = SCENARIO_SETTINGS_MAX - 1;
	ck_assert_int_eq(options_of("--set a=b", STDERR_FILENO), -1);
	ck_assert_uint_eq(target.settings.count, SCENARIO_SETTINGS_MAX);
	ck_assert_str_eq(target.settings.texts[SCENARIO_SETTINGS_MAX - 1], "a=b");
	ck_assert_int_eq(options_of("--set c=d", STDERR_FILENO), 2);
	ck_assert_str_eq(said, "heddle try: more than 256 settings\n");
	ck_assert_int_eq(options_of("--cc swift", STDERR_FILENO), 2);
	ck_assert_str_eq(said, "heddle try: more than 256 settings\n");
}

/* the longest name of a library, and one more */
TEST_RANGE(option_control__long_name, 0, 2)
{
	char words[OPTION_CONTROL_MAX + 16] = "--cc ";
	const size_t length = OPTION_CONTROL_MAX - 65 + (size_t)_i;

	memset(words + strlen(words), '/', length);
	ck_assert_int_eq(options_of(words, STDERR_FILENO), _i ? 2 : -1);
	ck_assert_str_eq(said, _i ? "heddle try: --cc: the name of the library is too long\n" : "");
	if (!_i)
		ck_assert_uint_eq(strlen(target.settings.texts[0]),
				  strlen("roce.own-control=''") + length);
}
