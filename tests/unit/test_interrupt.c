/* One signal, or the same one twice at once, is remembered; a later one ends the process (TB-22). In processes of their own. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orchestrator/interrupt.h"

/* what becomes of a process that gets SIGINT, SIGTERM at once, and after @wait_us another SIGTERM: its status, or -signal */
static int fate(unsigned wait_us)
{
	pid_t child = fork();
	int status;

	if (!child) {
		close(STDERR_FILENO);
		interrupt_catch();
		if (interrupt_seen())
			_exit(1);
		raise(SIGINT);
		raise(SIGTERM);
		if (!interrupt_seen())
			_exit(2);
		usleep(wait_us);
		if (wait_us)
			raise(SIGTERM);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

START_TEST(interrupt_catch__twice_at_once_is_once)
{
	ck_assert_int_eq(fate(0), 0);
}
END_TEST

START_TEST(interrupt_catch__a_later_one_ends_at_once)
{
	ck_assert_int_eq(fate(INTERRUPT_ONE_NS / 1000 + 10000), INTERRUPT_STATUS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interrupt");
	TCase *tcase = tcase_create("interrupt");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, interrupt_catch__twice_at_once_is_once);
	tcase_add_test(tcase, interrupt_catch__a_later_one_ends_at_once);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
