/*  orchestrator/command/man_page: a page for each command, and for each command of a command; what
 *  --help has is in it (DU-11). */
#include "orchestrator/command/man_page.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes/base/version.h"
#include "orchestrator/command/options.h"
#include "tests/testing.h"

struct fields {
	const char *file;
	bool quiet;
};

static const struct option_row rows[] = {
	{ .name = "--file",
	  .letter = 'f',
	  .argument = "FILE",
	  .field = offsetof(struct fields, file),
	  .help = "where to" },
	OPTION_FLAG("--quiet", offsetof(struct fields, quiet), "no words"),
};

static const struct command_words start_words = {
	"start",
	"usage: heddle start SCENARIO\nStarts it - once.\n",
	".dots at the start,\nand a \\.\n\nexit status: 0 fine\n",
	OPTIONS(rows),
	OPERANDS("scenario", 0, 1),
};

static const struct command_words inner_words = {
	"set inner",
	"usage: heddle set inner\nor:    heddle set inner X\nText.\n",
	"  kept\n  as it is\nText.\n  kept\n",
	OPTIONS(rows),
	OPERANDS("word", 0, 1),
};

static int start(int argc, char **argv)
{
	struct fields fields = { 0 };
	int operands;

	return options_read(&start_words, argc, argv, &fields, &operands);
}

static int inner(int argc, char **argv)
{
	struct fields fields = { 0 };
	int operands;

	return options_read(&inner_words, argc, argv, &fields, &operands);
}

static const struct command inners[] = { { "inner", inner, "of the set" } };

static int set(int argc, char **argv)
{
	return command_group_run("set", inners, 1, argc, argv);
}

static const struct command commands[] = { { "start", start, "starts" },
					   { "set", set, "has commands" },
					   { "last", start, "starts as well" } };

static char folder[64];

static void setup(void)
{
	snprintf(folder, sizeof(folder), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(man_pages_write(commands, 3, folder), 0);
}

static void teardown(void)
{
	DIR *all = opendir(folder);

	for (const struct dirent *entry; (entry = readdir(all));)
		unlinkat(dirfd(all), entry->d_name, 0);
	closedir(all);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* page @name; to be freed */
static char *page(const char *name)
{
	char path[256], *text = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "there is no %s", name);
	ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
	fclose(file);
	return text;
}

static void has(const char *name, const char *part)
{
	char *text = page(name);

	ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in\n%s", part, text);
	free(text);
}

TEST_GROUP(man_page, .setup = setup, .teardown = teardown);

TEST(man_pages_write__a_page_for_each)
{
	DIR *all = opendir(folder);
	int count = 0;

	for (const struct dirent *entry; (entry = readdir(all));)
		count += entry->d_name[0] != '.';
	closedir(all);
	ck_assert_int_eq(count, 6);
	has("heddle-start.1", ".TH HEDDLE-START 1 \"\" \"heddle " HEDDLE_VERSION "\"");
	has("heddle-set.1", "has commands");
	has("heddle-set-inner.1", ".SH NAME\nheddle\\-set\\-inner \\- of the set\n");
	has("heddle-last.1", "\\- starts as well\n");
	has("heddle.1", ".TP\n.BR heddle\\-start (1)\nstarts\n.TP\n.BR heddle\\-set (1)\n");
	has("heddle-scenario.5", ".SH KEYS\n");
}

TEST(man_pages_write__what_help_has)
{
	char *text = page("heddle-start.1"), *begin = strstr(text, ".SH SYNOPSIS");

	ck_assert_str_eq(begin, ".SH SYNOPSIS\n.nf\nheddle start SCENARIO\n.fi\n"
				".SH DESCRIPTION\nStarts it \\- once.\n"
				"\\&.dots at the start,\nand a \\e.\n"
				".SH OPTIONS\n"
				".TP\n\\fB\\-f\\fR, \\fB\\-\\-file\\fR \\fIFILE\\fR\nwhere to\n"
				".TP\n\\fB\\-\\-quiet\\fR\nno words\n"
				".SH EXIT STATUS\n0 fine\n"
				".SH SEE ALSO\n.BR heddle (1),\n.BR heddle\\-scenario (5)\n");
	free(text);
}

TEST(man_pages_write__each_form_of_a_command)
{
	has("heddle-set-inner.1", ".SH SYNOPSIS\n.nf\nheddle set inner\nheddle set inner X\n.fi\n");
	has("heddle-set.1",
	    ".SH SYNOPSIS\n.B heddle set\n\\fICOMMAND\\fR [arguments]\n.SH COMMANDS\n"
	    ".TP\n.BR heddle\\-set\\-inner (1)\nof the set\n");
}

/* lines that begin with a blank stay lines */
TEST(man_pages_write__lines_that_are_kept)
{
	has("heddle-set-inner.1", ".SH DESCRIPTION\nText.\n.nf\n  kept\n  as it is\n.fi\nText.\n"
				  ".nf\n  kept\n.fi\n.SH OPTIONS\n");
	has("heddle-scenario.5", "links.rate");
}

/* a disk that is full */
TEST(man_pages_write__full)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/heddle-start.1", folder);
	ck_assert(!unlink(path) && !symlink("/dev/full", path));
	ck_assert_int_eq(man_pages_write(commands, 3, folder), -EIO);
}

TEST(man_pages_write__no_such_folder)
{
	ck_assert_int_eq(man_pages_write(commands, 3, "/nowhere"), -ENOENT);
	ck_assert_ptr_null(options_help_hook);
	ck_assert_ptr_null(command_group_hook);
}

/* a page that cannot be written ends it */
TEST(man_pages_write__one_that_cannot_be_written)
{
	char path[256], below[320];

	snprintf(path, sizeof(path), "/tmp/heddle-man-%d", (int)getpid());
	snprintf(below, sizeof(below), "%s/heddle-start.1", path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(mkdir(below, 0700), 0);
	ck_assert_int_eq(man_pages_write(commands, 3, path), -EISDIR);
	ck_assert_ptr_null(options_help_hook);
	snprintf(below, sizeof(below), "rm -r %s", path);
	ck_assert_int_eq(system(below), 0);
}
