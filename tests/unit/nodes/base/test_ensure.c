/*  nodes/base/ensure: a failed invariant prints both values and ends the process with SIGABRT
 *  (TB-22).
 *
 *  Each case fails in a process of its own; the test reads its standard error. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/ensure.h"
#include "tests/testing.h"

static node_time_t now_ps = 12 * NODE_US + 345678;
static uint32_t evaluations;
static char said[1024];

static void report(const void *owner, const char *text)
{
	fprintf(stderr, "owner %s, text %s\n", (const char *)owner, strstr(text, "invariant"));
}

static const struct ensure_context with_report = {
	.node = "s7", .now_ps = &now_ps, .owner = "page", .report = report
};
static const struct ensure_context without_clock = { .node = "h3" };

static uint32_t counted(uint32_t value)
{
	evaluations++;
	return value;
}

/* Runs @fails in a process of its own.  Return: its wait status; its output is in said[]. */
static int run(void (*fails)(void), const struct ensure_context *context)
{
	int ends[2], status;
	ssize_t part;
	size_t length = 0;
	pid_t child;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		ensure_context_set(context);
		fails();
		_exit(0);
	}
	close(ends[1]);
	while ((part = read(ends[0], said + length, sizeof(said) - 1 - length)) > 0)
		length += (size_t)part;
	said[length] = 0;
	close(ends[0]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

static void too_much(void)
{
	uint32_t granted = 5;

	ENSURE(granted, >=, counted(7));
}

static void negative(void)
{
	int32_t left_units = -3;

	ENSURE(left_units, >=, 0);
}

static void other_place(void)
{
	int here;
	const int *pointer = &here;

	ENSURE(pointer, ==, NULL);
}

static bool aborted(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(ensure__what_holds_costs_one_evaluation_of_each_side)
{
	ENSURE(counted(7), <=, counted(7));
	ck_assert_uint_eq(evaluations, 2);
}

TEST(ensure__prints_text_values_node_and_time)
{
	ck_assert(aborted(run(too_much, &with_report)));
	ck_assert_ptr_eq(strstr(said, "s7 at 12.345678 us: invariant failed: granted >= "
				      "counted(7), with 5 and 7 ("),
			 said);
	ck_assert_ptr_nonnull(strstr(said, "test_ensure.c:"));
}

TEST(ensure__the_owner_is_asked_for_a_report)
{
	ck_assert(aborted(run(too_much, &with_report)));
	ck_assert_ptr_nonnull(strstr(said, "\nowner page, text invariant failed: granted"));
}

TEST(ensure__prints_negative_values)
{
	ck_assert(aborted(run(negative, &without_clock)));
	ck_assert_ptr_eq(strstr(said, "h3: invariant failed: left_units >= 0, with -3"), said);
}

TEST(ensure__prints_pointers)
{
	ck_assert(aborted(run(other_place, NULL)));
	ck_assert_ptr_eq(strstr(said, "no node: invariant failed: pointer == NULL, with "), said);
}
