/*  whole_heddle - the whole program in a unit test: heddle with its switches, NICs and workers is
 *  linked into the test, which starts itself under their names. So commands run as users run them,
 *  with the sanitizers, and what they start is found beside them.
 *
 *  Tests of a group with whole_begin() and whole_end() have a folder of their own each, in which
 *  heddle() runs: nothing of the machine is read, nothing is left. */
#ifndef HEDDLE_TESTS_UNIT_ORCHESTRATOR_WHOLE_HEDDLE_H
#define HEDDLE_TESTS_UNIT_ORCHESTRATOR_WHOLE_HEDDLE_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

static int heddle_main(int argc, char **argv), switchd_main(int argc, char **argv),
	nicd_main(int argc, char **argv), workerd_main(int argc, char **argv);

#define main heddle_main
#include "orchestrator/main.c"
#undef main
#define main switchd_main
#include "switchd/main.c"
#undef main
#define main nicd_main
#include "nicd/main.c"
#undef main
#define main workerd_main
#include "workerd/main.c"
#undef main

#define WHOLE_FILE_MAX (1u << 20)

static char whole_programs[PATH_MAX]; /* the folder of the programs, beside the test */
static char whole_root[64];           /* has the folders of the tests */
static char whole_folder[128];        /* of one test */
static char *printed, *said;          /* by the last heddle(): standard output, standard error */

/* this program under one of the names of whole_begin(), or as such a one starts itself again */
__attribute__((constructor)) static void whole_become(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} nodes[] = { { "switchd", switchd_main },
		      { "nicd", nicd_main },
		      { "workerd", workerd_main } };
	int (*run)(int argc, char **argv) = NULL;
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = 0;
	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		if (strrchr(self, '/') && !strcmp(strrchr(self, '/') + 1, nodes[i].name))
			run = nodes[i].run;
	if (getenv("WHOLE_HEDDLE") && !strcmp(getenv("WHOLE_HEDDLE"), self))
		run = heddle_main;
	if (!run)
		return;
	testing_leaks_begin();
	exit(run(argc, argv));
}

static void whole_path(char *path, const char *name)
{
	ck_assert_int_lt(snprintf(path, PATH_MAX, "%s/%s", whole_programs, name), PATH_MAX);
}

static void __attribute__((unused)) whole_begin(void)
{
	static const char *const names[] = { "heddle", "switchd", "nicd", "workerd" };
	char self[PATH_MAX], path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = 0;
	ck_assert_int_lt(snprintf(whole_programs, PATH_MAX, "%.4000s.XXXXXX", self), PATH_MAX);
	ck_assert_ptr_nonnull(mkdtemp(whole_programs));
	snprintf(whole_root, sizeof(whole_root), "/tmp/heddle-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(whole_root));
	chmod(whole_root, 0755);
	chmod(whole_programs, 0755);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		/* heddle has the name of the test, under which reach.py looks for notes */
		whole_path(path, i ? names[i] : strrchr(self, '/') + 1);
		ck_assert_int_eq(link(self, path), 0);
		if (!i)
			setenv("WHOLE_HEDDLE", path, 1);
	}
}

/* removes a folder with all that is in it */
static void whole_remove(const char *folder)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execlp("rm", "rm", "-rf", "--", folder, NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* a test that failed has left a fabric: its processes are known by their program */
static void whole_kill(void)
{
	DIR *folder = opendir("/proc");
	char path[300], program[PATH_MAX];
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		length = readlink(path, program, sizeof(program) - 1);
		program[length > 0 ? length : 0] = 0;
		if (!strncmp(program, whole_programs, strlen(whole_programs)))
			kill((pid_t)atoi(entry->d_name), SIGKILL);
	}
	closedir(folder);
}

static void __attribute__((unused)) whole_end(void)
{
	whole_kill();
	whole_remove(whole_programs);
	whole_remove(whole_root);
}

static void __attribute__((unused)) whole_setup(void)
{
	char run[PATH_MAX];

	testing_input();
	snprintf(whole_folder, sizeof(whole_folder), "%s/XXXXXX", whole_root);
	ck_assert_ptr_nonnull(mkdtemp(whole_folder));
	ck_assert_int_eq(chdir(whole_folder), 0);
	snprintf(run, sizeof(run), "%s/run", whole_folder);
	setenv("HEDDLE_RUNTIME_DIR", run, 1);
	setenv("HOME", whole_folder, 1);
	setenv("XDG_STATE_HOME", whole_folder, 1);
	setenv("XDG_CACHE_HOME", whole_folder, 1);
	setenv("XDG_CONFIG_HOME", whole_folder, 1);
	unsetenv("HEDDLE_FABRIC");
	unsetenv("NO_COLOR");
}

static void __attribute__((unused)) whole_teardown(void)
{
	free(printed);
	free(said);
	printed = said = NULL;
	ck_assert_int_eq(chdir("/"), 0);
	whole_remove(whole_folder);
}

/* ---- files of the test's folder ---- */

static void __attribute__((unused)) file_write(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* what is in the file, to be freed; NULL: there is no such file */
static char *file_read(const char *name)
{
	FILE *file = fopen(name, "re");
	char *text;

	if (!file)
		return NULL;
	text = calloc(1, WHOLE_FILE_MAX);
	ck_assert_uint_lt(fread(text, 1, WHOLE_FILE_MAX, file), WHOLE_FILE_MAX);
	fclose(file);
	return realloc(text, strlen(text) + 1);
}

static bool __attribute__((unused)) file_there(const char *name)
{
	return !access(name, F_OK);
}

/* does the file have this text? */
static bool __attribute__((unused)) file_has(const char *name, const char *part)
{
	char *text = file_read(name);
	bool found = text && strstr(text, part);

	free(text);
	return found;
}

#define ASSERT_HAS(text, part) \
	ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in:\n%.5000s", part, text)
#define ASSERT_LACKS(text, part) \
	ck_assert_msg(strstr(text, part) == NULL, "'%s' is in:\n%.5000s", part, text)

/* how often @part is in @text */
static unsigned __attribute__((unused)) times(const char *text, const char *part)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		count++;
	return count;
}

/* ---- heddle ---- */

/* becomes heddle with these words, which '|' separates */
static _Noreturn void whole_exec(const char *line, int in, int out, int err)
{
	char *copy = strdup(line), *argv[128] = { strdup("heddle") };

	for (int argc = 1; copy && argc < 127; argc++)
		argv[argc] = strsep(&copy, "|");
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	execv(getenv("WHOLE_HEDDLE"), argv);
	_exit(127);
}

/* starts it; what it prints goes to the files `.out` and `.err`. @in is its standard input. */
static pid_t heddle_start(const char *line, int in)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int out = open(".out", flags, 0600), err = open(".err", flags, 0600);
	pid_t pid = fork();

	if (!pid)
		whole_exec(line, in, out, err);
	close(out);
	close(err);
	return pid;
}

/* waits for it.   Return: its exit status, or 128 and the signal */
static int heddle_await(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	free(printed);
	free(said);
	printed = file_read(".out");
	said = file_read(".err");
	printed = printed ? printed : strdup("");
	said = said ? said : strdup("");
	unlink(".out");
	unlink(".err");
	ck_assert_msg(!strstr(said, "Sanitizer") && !strstr(said, "runtime error:"), "%s", said);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int heddle(const char *line)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t pid = heddle_start(line, in);

	close(in);
	return heddle_await(pid);
}

/* heddle() with @text as standard input */
static int __attribute__((unused)) heddle_given(const char *line, const char *text)
{
	int in = memfd_create("in", MFD_CLOEXEC), status;

	ck_assert_int_eq(write(in, text, strlen(text)), (ssize_t)strlen(text));
	lseek(in, 0, SEEK_SET);
	status = heddle_await(heddle_start(line, in));
	close(in);
	return status;
}

#define TYPED_WAIT_MS 100000 /* what hangs */

/* heddle() with a terminal. @dialog has in turn what must be shown, "" for nothing, and what is
 * typed then; NULL ends it. What was shown is in printed. */
static int __attribute__((unused)) heddle_typed(const char *line, const char *const *dialog)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	char *shown = calloc(1, WHOLE_FILE_MAX), *seen = shown, *at;
	ssize_t got = 1;
	pid_t pid;

	ck_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	pid = fork();
	if (!pid) {
		int own;

		setsid();
		own = open(ptsname(terminal), O_RDWR);
		setenv("TERM", "xterm", 1);
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* libedit leaks */
		whole_exec(line, own, own, own);
	}
	/* until the last one that has the terminal ends: EIO */
	for (size_t length = 0; got > 0; length += got > 0 ? (size_t)got : 0) {
		struct pollfd polled = { terminal, POLLIN, 0 };

		while (dialog[0] && (at = strstr(seen, dialog[0]))) {
			seen = at + strlen(dialog[0]);
			ck_assert_int_eq(write(terminal, dialog[1], strlen(dialog[1])),
					 (ssize_t)strlen(dialog[1]));
			dialog += 2;
		}
		if (poll(&polled, 1, TYPED_WAIT_MS) <= 0)
			kill(pid, SIGKILL);
		got = read(terminal, shown + length, WHOLE_FILE_MAX - 1 - length);
	}
	ck_assert_msg(!dialog[0], "'%s' is not shown in:\n%.5000s", dialog[0], shown);
	close(terminal);
	status = heddle_await(pid);
	free(printed);
	printed = shown;
	return status;
}

#define ASSERT_STATUS(line, status)                                                                \
	do {                                                                                       \
		int found_ = heddle(line);                                                         \
		ck_assert_msg(found_ == (status), "heddle %s ended with %d\n%.3000s%.3000s", line, \
			      found_, printed, said);                                              \
	} while (0)

#endif
