/*  testing - see testing.h. */
#include "tests/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TESTS_MAX 4096
/* a check is forgotten when another one whose line is equal modulo this passes */
#define PLACES 1024

/* a test or the begin of a group, whichever is not NULL */
struct entry {
	const TTest *test;
	const struct test_group *group;
	const char *name, *file; /* of the group, of the source */
	int line, from, to, signal;
};

static struct entry entries[TESTS_MAX];
static size_t entry_count;

static void entry_add(struct entry entry)
{
	if (entry_count == TESTS_MAX)
		abort();
	entries[entry_count++] = entry;
}

void testing_add(const TTest *test, int from, int to, int signal)
{
	entry_add((struct entry){ .test = test,
				  .file = test->file,
				  .line = test->line,
				  .from = from,
				  .to = to,
				  .signal = signal });
}

void testing_add_group(const char *name, const struct test_group *group, const char *file, int line)
{
	entry_add((struct entry){ .group = group, .name = name, .file = file, .line = line });
}

#undef _mark_point

void testing_passed(const char *file, int line)
{
	static struct {
		const char *file;
		int line;
	} places[PLACES];
	size_t slot = (size_t)line % PLACES;

	if (places[slot].file == file && places[slot].line == line)
		return;
	places[slot].file = file;
	places[slot].line = line;
	_mark_point(file, line);
}

/* ---- leaks ---- */

/* Of the sanitizers; NULL without them. Bytes that are allocated now. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static pid_t main_pid;
static size_t allocated_bytes; /* when the test or main() began */

/* A search for leaks takes longer than most tests and programs. A process that has no more memory
 * than when its test or main() began has none, unless it has freed as much that is older. The
 * buffer of standard output is no leak. */
static void leaks_skip(int status, void *nothing)
{
	(void)nothing;
	fclose(stdout);
	if (__sanitizer_get_current_allocated_bytes() > allocated_bytes)
		return;
	fflush(NULL);
	_exit(status);
}

void testing_leaks_begin(void)
{
	if (!__sanitizer_get_current_allocated_bytes)
		return;
	on_exit(leaks_skip, NULL);
	allocated_bytes = __sanitizer_get_current_allocated_bytes();
}

#define DESCRIPTORS 1024

static bool open_before[DESCRIPTORS]; /* when the test began */
static unsigned mapped_before;
static bool leaves;

void testing_leaves(void)
{
	leaves = true;
}

/* calls @found for each open descriptor below DESCRIPTORS */
static void descriptors_each(void (*found)(int fd))
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd < DESCRIPTORS && fd != dirfd(folder))
			found(fd);
	}
	if (folder)
		closedir(folder);
}

static void descriptor_note(int fd)
{
	open_before[fd] = true;
}

static void descriptor_check(int fd)
{
	char path[32], what[128] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!open_before[fd] && readlink(path, what, sizeof(what) - 1) >= 0)
		ck_abort_msg("descriptor %d is left open: %s", fd, what);
}

void testing_input(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	if (fd != STDIN_FILENO)
		close(fd);
	open_before[STDIN_FILENO] = true;
}

/* how many parts of a memfd are mapped: read() returns whole lines */
static unsigned memory_mapped(void)
{
	static char text[65536];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	unsigned count = 0;
	ssize_t got;

	while (maps >= 0 && (got = read(maps, text, sizeof(text) - 1)) > 0) {
		text[got] = 0;
		for (const char *at = text; (at = strstr(at, "/memfd:")); at++)
			count++;
	}
	if (maps >= 0)
		close(maps);
	return count;
}

/* last in the process of each test */
static void leaks_end(void)
{
	if (getpid() == main_pid || leaves)
		return;
	descriptors_each(descriptor_check);
	ck_assert_msg(memory_mapped() <= mapped_before, "shared memory is left mapped");
	ck_assert_msg(waitpid(-1, NULL, WNOHANG) < 0, "a process is left");
}

/* first in it */
static void leaks_begin(void)
{
	if (getpid() == main_pid)
		return;
	close(STDIN_FILENO);
	descriptors_each(descriptor_note);
	mapped_before = memory_mapped();
	testing_leaks_begin();
}

/* ---- running ---- */

/* constructors are called in no defined order */
static int by_place(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int files = strcmp(a->file, b->file);

	return files ? files : a->line - b->line;
}

/* Check's default is 4 s; a time limit must not judge how busy the machine is */
static int timeout_s(const struct test_group *group)
{
	const char *given = getenv("CK_DEFAULT_TIMEOUT");
	int least = given ? atoi(given) : TESTING_TIMEOUT_S;

	return group && group->timeout_s > least ? group->timeout_s : least;
}

static TCase *group_create(Suite *suite, const char *name, const struct test_group *group)
{
	TCase *tcase = tcase_create(name);

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, timeout_s(group));
	tcase_add_checked_fixture(tcase, leaks_begin, leaks_end);
	if (!group)
		return tcase;
	tcase_add_checked_fixture(tcase, group->setup, group->teardown);
	tcase_add_unchecked_fixture(tcase, group->setup_once, group->teardown_once);
	return tcase;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* CK_RUN_CASE, which Check compares with groups, may name a file: keeps its tests alone */
static void file_select(void)
{
	const char *file = getenv("CK_RUN_CASE");
	size_t kept = 0;

	for (size_t i = 0; file && i < entry_count; i++)
		if (!strcmp(name_of(entries[i].file), file))
			entries[kept++] = entries[i];
	if (!kept)
		return;
	entry_count = kept;
	unsetenv("CK_RUN_CASE");
}

int main(int argument_count, char **arguments)
{
	Suite *suite = suite_create(name_of(arguments[0]));
	SRunner *runner = srunner_create(suite);
	const char *file = "";
	TCase *tcase = NULL;
	int failed, run;

	(void)argument_count;
	main_pid = getpid();
	/* what runs the tests may ignore some: a shell in a test could not trap them */
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	qsort(entries, entry_count, sizeof(entries[0]), by_place);
	file_select();
	for (const struct entry *entry = entries; entry < entries + entry_count; entry++) {
		if (entry->group)
			tcase = group_create(suite, entry->name, entry->group);
		else if (strcmp(file, entry->file) != 0)
			tcase = group_create(suite, name_of(entry->file), NULL);
		file = entry->file;
		if (entry->test)
			_tcase_add_test(tcase, entry->test, entry->signal, 0, entry->from,
					entry->to);
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	run = srunner_ntests_run(runner);
	srunner_free(runner);
	if (!run)
		fprintf(stderr, "no test is selected\n");
	return failed || !run ? EXIT_FAILURE : EXIT_SUCCESS;
}
