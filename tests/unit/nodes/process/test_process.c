/*  nodes/process/process: the arguments of a node's process. All of them are understood in any
 *  order; one that is wrong, or a parent that is another, ends the process (TB-23). SIGTERM. */
#include "nodes/process/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes/process/process_look.h"
#include "tests/testing.h"

#define ARGUMENTS_MAX 8

static struct process_arguments arguments;

/* process_begin() with the arguments in @text, which are separated by spaces */
static int begin(const char *text)
{
	static char copy[256];
	char *argv[ARGUMENTS_MAX + 1] = { "node" }, *rest = copy;
	int argc = 1;

	snprintf(copy, sizeof(copy), text, (int)getppid());
	for (char *word; argc < ARGUMENTS_MAX && (word = strsep(&rest, " "));)
		argv[argc++] = word;
	return process_begin(argc, argv, &arguments);
}

TEST(process_begin__the_parent_alone)
{
	int death;

	ck_assert_int_eq(begin("--parent=%d"), PROCESS_FINE);
	ck_assert_int_eq(arguments.parent, getppid());
	ck_assert_int_eq(arguments.core, -1);
	ck_assert_uint_eq(arguments.poll_ns, 0);
	ck_assert_int_eq(arguments.loop_kind, EVENT_LOOP_AUTO);
	ck_assert(!arguments.keep_user);
	ck_assert_int_eq(prctl(PR_GET_PDEATHSIG, &death), 0);
	ck_assert_int_eq(death, 9); /* SIGKILL: it does not survive its parent */
}

TEST_RANGE(process_begin__all_arguments, 0, 3)
{
	static const char *const orders[] = {
		"--parent=%d --core=3 --poll=5000000000 --loop=fallback --keep-user",
		"--keep-user --loop=fallback --poll=5000000000 --core=3 --parent=%d",
		"--loop=fallback --keep-user --core=3 --parent=%d --poll=5000000000",
	};

	ck_assert_int_eq(begin(orders[_i]), PROCESS_FINE);
	ck_assert_int_eq(arguments.parent, getppid());
	ck_assert_int_eq(arguments.core, 3);
	ck_assert_uint_eq(arguments.poll_ns, 5000000000u);
	ck_assert_int_eq(arguments.loop_kind, EVENT_LOOP_FALLBACK);
	ck_assert(arguments.keep_user);
}

TEST_RANGE(process_begin__each_event_loop, 0, EVENT_LOOP_KINDS)
{
	char text[64];

	snprintf(text, sizeof(text), "--parent=%%d --loop=%s", event_loop_name[_i]);
	ck_assert_int_eq(begin(text), PROCESS_FINE);
	ck_assert_int_eq(arguments.loop_kind, _i);
}

static const char *const wrong[] = {
	"--core=1",
	"--parent=%d nosuch",
	"--parent=%d --nosuch",
	"--parent=%d --loop=nosuch",
	"--parent=%d --loop=",
	"--parent=%d --core=",
	"--parent=%d --core=1x",
	"--parent=%d --poll=1x",
	"--parent=%d --poll=",
	"--parent=%dx",
	"--parent=",
	"--parent=0",
	"--parent=-%d",
	"--parent=%d --keep-user-",
	"--keep-user",
};

TEST_RANGE(process_begin__wrong_arguments, 0, (sizeof(wrong) / sizeof(wrong[0])))
{
	ck_assert_int_eq(begin(wrong[_i]), PROCESS_WRONG);
}

/* the parent died before the kernel was told to watch it */
TEST(process_begin__another_parent)
{
	char text[32];

	snprintf(text, sizeof(text), "--parent=%d", (int)getpid());
	ck_assert_int_eq(begin(text), PROCESS_LOST);
}

/* A confined process is sent SIGTERM. Under the virtual clock it goes on until its orchestrator
 * ends it; under the real clock it ends, as a daemon does. */
TEST_RANGE(process_confine__ends_at_sigterm, CLOCK_VIRTUAL, CLOCK_REAL + 1)
{
	int ready[2], go[2], status;
	char byte = 0;
	pid_t child;

	arguments = (struct process_arguments){ .parent = getpid(), .keep_user = true };
	ck_assert(!pipe(ready) && !pipe(go));
	child = fork();
	if (!child) {
		bool unfiltered;

		signal(SIGTERM, SIG_DFL); /* Check handles it */
		status = process_confine(&arguments, (enum clock_kind)_i, false, &unfiltered);
		(void)!write(ready[1], &byte, 1);
		(void)!read(go[0], &byte, 1);
		_exit(status ? 1 : 7);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(kill(child, SIGTERM), 0);
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	for (int end = 0; end < 2; end++) {
		close(ready[end]);
		close(go[end]);
	}
	if (_i == CLOCK_VIRTUAL)
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	else
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* a process that sleeps for ever, with a name that looks like the state of one that runs */
static pid_t sleeper(void)
{
	int started[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(started), 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "a) R");
		close(started[0]);
		close(started[1]);
		for (;;)
			pause();
	}
	close(started[1]);
	ck_assert_int_eq(read(started[0], &byte, 1), 0); /* it has closed its end */
	close(started[0]);
	return child;
}

/* until it sleeps, after what is left to do before */
static void sleep_await(pid_t child)
{
	while (process_wants_core(child))
		usleep(1000);
}

TEST(process_look__of_one_that_sleeps_and_has_ended)
{
	pid_t child = sleeper();
	int status;

	sleep_await(child);
	ck_assert_uint_gt(process_cpu_ns(child), 0);
	ck_assert(process_wants_core(getpid()));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_uint_eq(process_cpu_ns(child), 0);
	ck_assert(!process_wants_core(child));
	ck_assert_uint_eq(process_cpu_ns(0), 0);
}

/* seconds count as well: the CPU time of a process is that which its own clock says */
TEST(process_cpu_ns__same_as_the_clock)
{
	uint64_t before = process_cpu_ns(getpid());
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	ck_assert_uint_le(before, (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec);
	ck_assert_uint_ge(process_cpu_ns(getpid()),
			  (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec);
}
