/*  orchestrator/base/output_names, utf8: files that a run must not write, and text that must not
 *  reach a terminal (TB-11, TB-13). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/base/utf8.h"
#include "tests/testing.h"

static char folder[] = "/tmp/test_output_names.XXXXXX", other_name[128];
static struct why why;
static struct origin *origin;

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(system("touch scenario.yaml sizes.csv script && ln scenario.yaml hard && "
				"ln -s sizes.csv soft && "
				"mkdir sub"),
			 0);
	snprintf(other_name, sizeof(other_name), "%s/sub/../sub/new", folder);
	origin = origin_new("", 0, NULL, 0);
	origin_input(origin, "scenario.yaml");
	origin_input(origin, "sizes.csv");
	origin_input(origin, "not there");
}

static void teardown(void)
{
	char command[160];

	origin_release(origin);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static int check_two(const char *a_option, const char *a, const char *b_option, const char *b)
{
	struct output_name names[] = { { a_option, a, !strcmp(a_option, "--csv") },
				       { b_option, b, b && !strcmp(b_option, "--csv") } };

	return output_names_check(names, b ? 2 : 1, origin, "script", &why);
}

TEST_GROUP(output_names, .setup = setup, .teardown = teardown);

TEST(output_names_check__rejects_an_input)
{
	static const char *const bad[] = { "scenario.yaml", "./sub/../scenario.yaml", "hard",
					   "soft", "script" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(check_two("--json", bad[i], NULL, NULL), -EINVAL);
		ck_assert_ptr_nonnull(
			strstr(why.text, "is read by this command: name another file for --json"));
	}
	ck_assert_int_eq(check_two("--json", "r.json", "--capture", "new"), 0);
}

TEST(output_names_check__rejects_two_outputs_of_one_file)
{
	ck_assert_int_eq(system("touch old && ln old again"), 0);
	ck_assert_int_eq(check_two("--json", "sub/new", "--capture", other_name), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "is to be written by --json and by --capture"));
	ck_assert_int_eq(check_two("--csv", "old", "--json", "again"), -EINVAL);
	/* a link to a file means that file; one to a folder is a name in its own folder */
	ck_assert_int_eq(system("ln -s ../old sub/to-old && ln -s /dev sub/to-dev"), 0);
	ck_assert_int_eq(check_two("--json", "sub/to-old", "--capture", "old"), -EINVAL);
	ck_assert_int_eq(check_two("--json", "sub/to-dev/null", "--capture", "/dev/null"), 0);
	ck_assert_int_eq(check_two("--json", "sub/new", "--capture", "new"), 0);
	ck_assert_int_eq(check_two("--json", "/dev/null", "--capture", "/dev/null"), 0);
}

/* A folder that is not there yet, and is made for one of the two, has links and dots too. */
TEST(output_names_check__in_a_folder_that_will_be_made)
{
	ck_assert_int_eq(system("ln -s sub link"), 0);
	ck_assert_int_eq(check_two("--json", "new/x", "--csv", "new/x"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "is to be written by --json and by --csv"));
	ck_assert_int_eq(check_two("--csv", "sub/new/./x", "--json", "link/more/../new//x"),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "is to be written by --csv and by --json"));
	ck_assert_int_eq(check_two("--csv", "new/x", "--json", "new/y"), 0);
	ck_assert_int_eq(check_two("--csv", "new/deep/x", "--json", "new/y"), 0);
}

TEST(output_names_check__rejects_what_cannot_be_written)
{
	char here[PATH_MAX], path[PATH_MAX + 8], sentence[PATH_MAX + 64];

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/none/x", here);
	snprintf(sentence, sizeof(sentence), "there is no folder %s/none", here);
	ck_assert_int_eq(check_two("--json", "none/x", "--events", "y"), -EINVAL);
	ck_assert_ptr_nonnull(
		strstr(why.text, "--json cannot write none/x: there is no folder ./none"));
	ck_assert_int_eq(check_two("--json", path, NULL, NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, sentence));
	ck_assert_int_eq(check_two("--csv", "new/x", "--json", "newer/y"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "newer/y"));
	ck_assert_int_eq(check_two("--json", "script/x", NULL, NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot write script/x: Not a directory"));
	ck_assert_int_eq(check_two("--json", "sub", NULL, NULL), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot write sub: Is a directory"));
}

/* What counts is the folder of the file that a link means, not that of the link. A user that is not
 * root asks: root may write everywhere. */
TEST(output_names_check__folder_that_cannot_be_written)
{
	static const struct {
		const char *path, *why; /* NULL: it can be written */
	} cases[] = {
		{ "open/out", NULL },
		{ "open/to-open", NULL },
		{ "open/new", NULL },
		{ "open/to-closed", "--json cannot write open/to-closed: Permission denied" },
		{ "closed/to-open", NULL },
		{ "closed/out", "--json cannot write closed/out: Permission denied" },
		{ "closed/new", "--json cannot write closed/new: Permission denied" },
		{ "closed/pipe", "--json cannot write closed/pipe: Permission denied" },
		{ "open/pipe", NULL },
	};
	char script[600];
	int status;
	pid_t pid;

	snprintf(script, sizeof(script),
		 "chmod 755 . && mkdir open closed && touch open/out closed/out && "
		 "mkfifo -m 666 open/pipe && mkfifo -m 600 closed/pipe && "
		 "ln -s out open/to-open && ln -s ../closed/out open/to-closed && "
		 "ln -s ../open/out closed/to-open && chmod 777 open && chmod 555 closed");
	ck_assert_int_eq(system(script), 0);
	pid = fork();
	for (size_t i = 0; !pid && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!i && !geteuid() && setuid(65534))
			_exit(100);
		if (check_two("--json", cases[i].path, NULL, NULL) !=
			    (cases[i].why ? -EINVAL : 0) ||
		    (cases[i].why && strcmp(why.text, cases[i].why) != 0))
			_exit((int)i + 1);
	}
	if (!pid)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(!status, "%s", cases[(WEXITSTATUS(status) - 1) % 9].path);
	ck_assert_int_eq(system("chmod 755 closed"), 0);
}

/* What was made is removed if it is empty, and nothing else is. */
TEST(atomic_file_folder__undone)
{
	size_t there = atomic_file_folder_there("sub/a/b");

	ck_assert_uint_eq(there, strlen("sub"));
	ck_assert_int_eq(atomic_file_folder("sub/a/b/"), 0);
	atomic_file_folder_undo("sub/a/b/", there);
	ck_assert_int_ne(access("sub/a", F_OK), 0);
	ck_assert_int_eq(access("sub", F_OK), 0);
	ck_assert_int_eq(atomic_file_folder("sub/a/b"), 0);
	ck_assert_int_eq(system("touch sub/a/file"), 0);
	atomic_file_folder_undo("sub/a/b", there);
	ck_assert_int_ne(access("sub/a/b", F_OK), 0);
	ck_assert_int_eq(access("sub/a/file", F_OK), 0);
	ck_assert_uint_eq(atomic_file_folder_there("none/x"), 0);
}

TEST(utf8_plain__nothing_commands_a_terminal)
{
	char text[] = "a\033]0;x\007b\nc\td\177e\302\233f\303\244\r";

	utf8_plain(text);
	ck_assert_str_eq(text, "a?]0;x?b?c\td?e??f\303\244?");
}

/* TB-9: A request is quoted up to a limit. It must stay UTF-8 there, or there could be no
 * answer. */
TEST(utf8_length__never_cuts_a_character)
{
	const char *text = "ab\303\244\342\202\254\360\237\230\200";

	static const int length[] = { 0, 1, 2, 2, 4, 4, 4, 7, 7, 7, 7, 11, 11 };

	for (unsigned max = 0; max < sizeof(length) / sizeof(length[0]); max++)
		ck_assert_int_eq(utf8_length(text, max), length[max]);
}

TEST(utf8_plain_lines__keeps_ends_of_lines)
{
	char text[] = "port  state\n\0330\tup\r\n";

	utf8_plain_lines(text);
	ck_assert_str_eq(text, "port  state\n?0\tup?\n");
}

TEST(output_is_stdout__one_name_only)
{
	ck_assert(output_is_stdout("-"));
	ck_assert(!output_is_stdout(NULL));
	ck_assert(!output_is_stdout(""));
	ck_assert(!output_is_stdout("--"));
	ck_assert(!output_is_stdout("./-"));
}

/* standard output stays open after its stream has ended */
TEST(atomic_file_stdout__commit)
{
	struct atomic_file file;
	char got[8] = "";
	int pipe_ends[2], before = dup(STDOUT_FILENO);

	ck_assert_int_eq(pipe(pipe_ends), 0);
	ck_assert_int_eq(dup2(pipe_ends[1], STDOUT_FILENO), STDOUT_FILENO);
	ck_assert_int_eq(atomic_file_stdout(&file), 0);
	ck_assert_str_eq(file.path, "standard output");
	ck_assert_int_ge(fputs("text", file.stream), 0);
	ck_assert_int_eq(atomic_file_commit(&file), 0);
	ck_assert_int_eq(read(pipe_ends[0], got, sizeof(got)), 4);
	ck_assert_str_eq(got, "text");
	ck_assert_int_eq(write(STDOUT_FILENO, "x", 1), 1);
	close(STDOUT_FILENO);
	ck_assert_int_eq(atomic_file_stdout(&file), -EBADF);
	ck_assert_int_eq(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
	close(before);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

TEST(output_names_check__long_paths)
{
	static char path[PATH_MAX + 1];
	char sentence[PATH_MAX + 64];
	struct output_name name = { "--json", path, false };
	struct why long_why;

	memset(path, '/', PATH_MAX);
	path[0] = '.';
	path[PATH_MAX - 1] = 'x';
	ck_assert_int_eq(output_names_check(&name, 1, origin, NULL, &long_why), -EINVAL);
	snprintf(sentence, sizeof(sentence), "--json cannot write %s: File name too long", path);
	ck_assert_str_eq(long_why.text, sentence);
	/* one byte less is no error */
	memset(path, 0, sizeof(path));
	memset(path, '/', PATH_MAX - 1);
	path[0] = '.';
	path[PATH_MAX - 2] = 'x';
	ck_assert_int_eq(output_names_check(&name, 1, origin, NULL, &long_why), 0);
}
