/*  testing - tests that register themselves: all tests of a file are run, in its order, and the
 *  files of one program one after the other.
 *
 *  TEST(f__case) { ... } defines a test of Check, TEST_RANGE(f__case, 0, 4) { ... } one that is run
 *  for _i = 0 to 3. Tests after a TEST_GROUP() belong to that group, which has fixtures and a time
 *  limit of its own. main() is in testing.c; CK_RUN_CASE=group, CK_FORK=no and the other
 *  variables of Check work; CK_RUN_CASE=test_ring.c selects a file. A run without a test fails. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <assert.h>
#include <check.h>
#include <stdbool.h>

/* A test that takes longer hangs, on whatever machine. CK_DEFAULT_TIMEOUT replaces it,
 * CK_TIMEOUT_MULTIPLIER applies. */
#define TESTING_TIMEOUT_S 600

/* what the tests of a group have in common; zero means none, or the default */
struct test_group {
	void (*setup)(void); /* before each test and after it, in the process of the test */
	void (*teardown)(void);
	/* before the first test and after the last one, in the process of main() */
	void (*setup_once)(void);
	void (*teardown_once)(void);
	int timeout_s; /* each test may take as long, and at least TESTING_TIMEOUT_S */
};

/** testing_add() - registers a test, which is run for _i = @from to @to - 1, and must end by
 *  @signal unless that is 0. @test is borrowed for ever. Called by the macros below, before
 *  main(). */
void testing_add(const TTest *test, int from, int to, int signal);

/** testing_add_group() - begins a group at @line of @file. All are borrowed for ever. */
void testing_add_group(const char *name, const struct test_group *group, const char *file,
		       int line);

/** testing_leaves() - the test leaves descriptors, processes or shared memory, which the end of its
 *  process closes, as with a node, which ends with its process. Else what is left is a failure. */
void testing_leaves(void);

/** testing_input() - gives the test a standard input, which is empty. Tests begin without one: the
 *  first descriptor that they open is 0, so that they fail if the code takes 0 for an error. */
void testing_input(void);

/** testing_leaks_begin() - for a test that is another program: from its begin on. This process has
 *  leaks only if it has more memory at exit() than now, and only then is it searched for them. */
void testing_leaks_begin(void);

/** testing_passed() - records that the check at @file:@line has passed. If a test ends early, Check
 *  prints the last recorded place. Its own _mark_point() costs a write() each time; here a check
 *  that is repeated in a loop costs one. @file is borrowed for ever. */
void testing_passed(const char *file, int line);
#define _mark_point testing_passed

#define TEST_RANGE(name, from, to) TEST_DEFINE(name, from, to, 0)
#define TEST(name) TEST_DEFINE(name, 0, 1, 0)
#define TEST_SIGNAL(name, signal) TEST_DEFINE(name, 0, 1, signal)

#define TEST_DEFINE(name, from, to, signal)                                   \
	static void name(int _i);                                             \
	static const TTest name##_test = { #name, name, __FILE__, __LINE__ }; \
	__attribute__((constructor)) static void name##_add(void)             \
	{                                                                     \
		testing_add(&name##_test, from, to, signal);                  \
	}                                                                     \
	static void name(int _i __attribute__((unused)))

#define TEST_GROUP(name, ...)                                                                   \
	static struct test_group                                                                \
		name##_group; /* filled at start: a time limit may come from the environment */ \
	__attribute__((constructor)) static void name##_group_add(void)                         \
	{                                                                                       \
		name##_group = (struct test_group){ __VA_ARGS__ };                              \
		testing_add_group(#name, &name##_group, __FILE__, __LINE__);                    \
	}                                                                                       \
	static_assert(true, "")

#endif
