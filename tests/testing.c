/*  testing - see testing.h. */
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static size_t allocated_bytes; /* when the test began */

/* A search for leaks takes longer than most tests. A process that has no more memory than when its
 * test began has none, unless the test has freed as much that is older. */
static void leaks_skip(int status, void *nothing)
{
	(void)nothing;
	if (__sanitizer_get_current_allocated_bytes() > allocated_bytes)
		return;
	fflush(NULL);
	_exit(status);
}

/* first in the process of each test */
static void leaks_begin(void)
{
	if (!__sanitizer_get_current_allocated_bytes || getpid() == main_pid)
		return;
	on_exit(leaks_skip, NULL);
	allocated_bytes = __sanitizer_get_current_allocated_bytes();
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
	tcase_add_checked_fixture(tcase, leaks_begin, NULL);
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

int main(int argument_count, char **arguments)
{
	Suite *suite = suite_create(name_of(arguments[0]));
	SRunner *runner = srunner_create(suite);
	const char *file = "";
	TCase *tcase = NULL;
	int failed;

	(void)argument_count;
	main_pid = getpid();
	qsort(entries, entry_count, sizeof(entries[0]), by_place);
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
	srunner_free(runner);
	return failed || !entry_count ? EXIT_FAILURE : EXIT_SUCCESS;
}
