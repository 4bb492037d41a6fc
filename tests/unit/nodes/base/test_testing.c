/*  tests/testing: a run that selects no test fails, since nothing was judged. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/testing.h"

/* Return: exit status of this program, with the tests of CK_RUN_CASE=@selected */
static int run(const char *selected)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		setenv("CK_RUN_CASE", selected, 1);
		execl("/proc/self/exe", "again", NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_GROUP(nothing_to_do, .timeout_s = 0);

TEST(nothing_to_do__is_done)
{
}

TEST_GROUP(selection, .timeout_s = 0);

TEST(selection__of_no_test_fails)
{
	ck_assert_int_eq(run("nothing_to_do"), EXIT_SUCCESS);
	ck_assert_int_eq(run("no_such_group"), EXIT_FAILURE);
	ck_assert_int_eq(run("test_no_such_file.c"), EXIT_FAILURE);
}
