/*  orchestrator/view/view_fork: the process of a fork, its command line and script, how its end is
 *  told, which forks wait (SE-6).
 *
 *  The program that a fork runs is this test itself: as `heddle run` it does what the name of its
 *  scenario says. */
#include "orchestrator/view/view_fork.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/testing.h"

/* ---- the program ---- */

static void arguments_record(int count, char **words)
{
	char script[1024];
	ssize_t length = read(0, script, sizeof(script));
	sigset_t blocked;
	int death = 0;

	for (int i = 2; i < count; i++)
		dprintf(3, "%s\n", words[i]);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	prctl(PR_GET_PDEATHSIG, &death);
	dprintf(3, "priority %d, group %d, others %d, blocked %d, signal %d\n",
		getpriority(PRIO_PROCESS, 0), getpgrp() == getpid(), fcntl(4, F_GETFD) >= 0,
		sigismember(&blocked, SIGTERM), death);
	dprintf(3, "script:\n%.*s", (int)(length > 0 ? length : 0), script);
}

/* "status-N": ends with this status; "says-N": ... and says why; "talks-N": ... with more than is
 * kept; "waits": until it is ended; "deaf": does not obey */
static void __attribute__((noreturn)) act_as_fork(int count, char **words)
{
	const char *what = words[2];
	int status = 0;

	arguments_record(count, words);
	if (sscanf(what, "says-%d", &status) == 1)
		dprintf(2, "a\tsentence\nand another\n\n");
	if (sscanf(what, "talks-%d", &status) == 1)
		dprintf(2, "~%0*d", (int)VIEW_TEXT_MAX, 1);
	sscanf(what, "status-%d", &status);
	if (!strcmp(what, "deaf"))
		signal(SIGTERM, SIG_IGN);
	if (!strcmp(what, "waits") || !strcmp(what, "deaf")) {
		dprintf(3, "ready\n");
		for (;;)
			pause();
	}
	_exit(status);
}

__attribute__((constructor)) static void main_of_fork(int count, char **words)
{
	if (count > 2 && !strcmp(words[0], "heddle"))
		act_as_fork(count, words);
}

/* ---- the server ---- */

static struct view_shelf shelf;
static struct view_forks forks;
static struct why why;

static void opened(const char *scenario, const char *variant)
{
	ck_assert_int_eq(view_forks_init(&forks, &shelf, scenario, "shown.yaml", variant), 0);
	ck_assert_uint_eq(view_shelf_add(&shelf, memfd_create("first", MFD_CLOEXEC), "first.heddle",
					 NULL, json_pack("[s]", "run.seed=2")),
			  1);
	view_shelf_state(&shelf, 1, VIEW_COMPLETE, NULL);
}

/* runs begin with signals blocked, as in the server */
static void setup(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	view_shelf_init(&shelf);
}

static void teardown(void)
{
	view_forks_fini(&forks);
	view_shelf_fini(&shelf);
}

static int add(const char *request, unsigned *id)
{
	json_t *json = json_loads(request, 0, NULL);
	int status;

	ck_assert_ptr_nonnull(json);
	why.text[0] = 0;
	status = view_forks_add(&forks, json, id, &why);
	json_decref(json);
	return status;
}

static unsigned added(const char *request)
{
	unsigned id = 0;

	ck_assert_int_eq(add(request, &id), 201);
	return id;
}

static struct view_recording *of(unsigned id)
{
	struct view_recording *recording = view_shelf_find(&shelf, id);

	ck_assert_ptr_nonnull(recording);
	return recording;
}

static void step(void)
{
	struct pollfd polled[VIEW_FORKS_POLLED];

	view_forks_poll(&forks, polled);
	ck_assert_int_gt(poll(polled, VIEW_FORKS_POLLED, -1), 0);
	view_forks_step(&forks);
	ck_assert_int_eq(poll(polled, 1, 0), 0); /* what was added is looked at once */
}

static void end_of(unsigned id)
{
	while (of(id)->state == VIEW_GROWING)
		step();
}

/* what the fork has written so far, once it has @text in it */
static const char *recorded(unsigned id, const char *text)
{
	static char bytes[4096];

	do {
		ssize_t length = pread(of(id)->fd, bytes, sizeof(bytes) - 1, 0);

		ck_assert_int_ge(length, 0);
		bytes[length] = 0;
	} while (!strstr(bytes, text));
	return bytes;
}

static uint32_t running(void)
{
	return (forks.runs[0].pid != 0) + (forks.runs[1].pid != 0);
}

TEST_GROUP(view_fork, .setup = setup, .teardown = teardown);

/* ---- the command ---- */

TEST(view_fork__command_and_script)
{
	unsigned id;

	opened("status-0", "with pfc");
	id = added("{\"of\": 1, \"at_ps\": 5000, \"settings\": [\"run.duration=1ms\"], \"set\": "
		   "[{\"node\": \"s1\", \"key\": \"a\", \"value\": \"1\"}]}");
	ck_assert(of(id)->waits);
	ck_assert_str_eq(of(id)->name, "first.heddle");
	end_of(id);
	ck_assert(!of(id)->waits);
	ck_assert_int_eq(of(id)->state, VIEW_COMPLETE);
	ck_assert_str_eq(of(id)->error, "");
	ck_assert_str_eq(
		recorded(id, ""),
		"status-0\n--variant\nwith pfc\n--set\nrun.seed=2\n--no-new-files\n--set\n"
		"run.duration=1ms\n--quiet\n--record\n/proc/self/fd/3\n--break-at\n5000ps\n"
		"priority 0, group 1, others 0, blocked 0, signal 15\nscript:\nset s1 a 1\n");
	ck_assert_ptr_nonnull(strstr(json_string_value(of(id)->command), "shown.yaml"));
}

/* without changes the clock does not stop; beside a run that goes on a fork has the lower priority
 */
TEST(view_fork__beside_the_first_run)
{
	unsigned id;

	opened("status-0", NULL);
	view_shelf_state(&shelf, 1, VIEW_GROWING, NULL);
	id = added("{\"of\": 1}");
	ck_assert_int_eq(json_integer_value(json_object_get(of(id)->fork, "of")), 1);
	ck_assert(json_is_null(json_object_get(of(id)->fork, "at_ps")));
	ck_assert_uint_eq(json_array_size(json_object_get(of(id)->fork, "set")), 0);
	end_of(id);
	ck_assert_str_eq(recorded(id, ""),
			 "status-0\n--set\nrun.seed=2\n--quiet\n--record\n/proc/self/fd/3\n"
			 "priority 10, group 1, others 0, blocked 0, signal 15\nscript:\n");
}

/* ---- its end ---- */

TEST_RANGE(view_fork__state_at_the_end, 0, 7)
{
	static const struct {
		const char *scenario;
		enum view_state state;
		const char *error;
	} ends[] = {
		{ "status-0", VIEW_COMPLETE, "" },
		{ "status-1", VIEW_COMPLETE, "" }, /* an expectation does not hold */
		{ "status-2", VIEW_FAILED, "The run ended with status 512." },
		{ "status-3", VIEW_COMPLETE, "" },
		{ "status-5", VIEW_COMPLETE, "" },
		{ "status-130", VIEW_INTERRUPTED, "" },
		{ "says-4", VIEW_FAILED, "a sentence and another" },
	};
	unsigned id;

	opened(ends[_i].scenario, NULL);
	id = added("{\"of\": 1}");
	end_of(id);
	ck_assert_int_eq(of(id)->state, ends[_i].state);
	ck_assert_str_eq(of(id)->error, ends[_i].error);
	ck_assert_uint_eq(running(), 0);
	ck_assert_int_eq(forks.runs[0].pid_fd, -1);
	ck_assert_int_eq(forks.runs[0].errors_fd, -1);
}

/* 511 bytes of what it has said are kept, in one line */
TEST(view_fork__says_much)
{
	char wanted[VIEW_TEXT_MAX + 2];
	unsigned id;

	opened("talks-4", NULL);
	id = added("{\"of\": 1}");
	end_of(id);
	snprintf(wanted, sizeof(wanted), "~%0*d", (int)VIEW_TEXT_MAX, 1);
	wanted[VIEW_TEXT_MAX - 1] = 0;
	ck_assert_str_eq(of(id)->error, wanted);
}

TEST(view_fork__many_settings)
{
	char request[1024] = "{\"of\": 1, \"settings\": [\"a=0\"", wanted[1024] = "";
	unsigned id;

	for (unsigned i = 1; i < 20; i++)
		sprintf(request + strlen(request), ", \"a=%u\"", i);
	strcat(request, "]}");
	opened("status-0", NULL);
	id = added(request);
	end_of(id);
	for (unsigned i = 0; i < 20; i++)
		sprintf(wanted + strlen(wanted), "--set\na=%u\n", i);
	ck_assert_ptr_nonnull(strstr(recorded(id, ""), wanted));
}

/* @status of waitpid() of a run that a signal has ended */
TEST(view_fork__killed)
{
	unsigned id;

	opened("waits", NULL);
	id = added("{\"of\": 1}");
	step();
	recorded(id, "ready");
	kill(forks.runs[0].pid, SIGKILL);
	end_of(id);
	ck_assert_int_eq(of(id)->state, VIEW_FAILED);
	ck_assert_str_eq(of(id)->error, "The run ended with status 9.");
}

/* no descriptor is free: said at the recording, and nothing is left of it */
TEST(view_fork__cannot_be_started)
{
	struct rlimit limit, none;
	unsigned id;

	opened("status-0", NULL);
	id = added("{\"of\": 1}");
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = (rlim_t)of(id)->fd + 1, .rlim_max = limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	view_forks_step(&forks);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(of(id)->state, VIEW_FAILED);
	ck_assert_str_eq(of(id)->error, "The run cannot be started: Too many open files.");
	ck_assert_uint_eq(running(), 0);
	ck_assert_int_eq(forks.runs[0].errors_fd, -1);
	view_forks_step(&forks);
	ck_assert_uint_eq(running(), 0);
}

/* no descriptor is free for its recording */
TEST(view_forks_add__no_descriptor)
{
	struct rlimit limit, none;
	unsigned id = 0;

	opened("status-0", NULL);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(add("{\"of\": 1, \"settings\": [\"a=b\"]}", &id), 503);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_str_eq(why.text, "No file can be made for the recording: Too many open files.");
	ck_assert_uint_eq(id, 0);
	ck_assert_uint_eq(added("{\"of\": 1}"), 2); /* no number was used */
	end_of(2);
}

/* ---- several ---- */

TEST(view_fork__two_run_others_wait)
{
	unsigned ids[3];

	opened("waits", NULL);
	for (unsigned i = 0; i < 3; i++)
		ids[i] = added("{\"of\": 1}");
	step();
	ck_assert_uint_eq(running(), VIEW_FORKS_RUNNING);
	ck_assert(!of(ids[0])->waits && !of(ids[1])->waits && of(ids[2])->waits);
	ck_assert_uint_eq(forks.runs[0].id, ids[0]);
	recorded(ids[0], "ready");
	ck_assert_int_eq(view_forks_forget(&forks, ids[0], &why), 204);
	while (forks.runs[0].id != ids[2])
		step();
	ck_assert(!of(ids[2])->waits);
	ck_assert_uint_eq(running(), 2);
	ck_assert_ptr_null(view_shelf_find(&shelf, ids[0]));
	recorded(ids[1], "ready");
	recorded(ids[2], "ready");
}

/* in the order of their numbers, wherever they are on the shelf */
TEST(view_fork__the_oldest_is_next)
{
	unsigned ids[4];

	opened("waits", NULL);
	for (unsigned i = 0; i < 3; i++)
		ids[i] = added("{\"of\": 1}");
	ck_assert_int_eq(view_forks_forget(&forks, ids[0], &why), 204);
	ids[3] = added("{\"of\": 1}");
	ck_assert_ptr_eq(of(ids[3]), &shelf.list[1]);
	step();
	ck_assert_uint_eq(forks.runs[0].id, ids[1]);
	ck_assert_uint_eq(forks.runs[1].id, ids[2]);
	ck_assert(of(ids[3])->waits);
	recorded(ids[1], "ready");
	recorded(ids[2], "ready");
}

TEST(view_forks_fini__a_run_that_does_not_obey)
{
	unsigned id;

	opened("deaf", NULL);
	id = added("{\"of\": 1}");
	step();
	recorded(id, "ready");
}

/* ---- requests ---- */

TEST(view_forks_add__refused)
{
	unsigned id;

	opened("waits", NULL);
	ck_assert_int_eq(add("{\"of\": 0}", &id), 404);
	ck_assert_str_eq(why.text, "There is no recording 0.");
	ck_assert_int_eq(add("{\"of\": 4294967297}", &id), 404);
	ck_assert_str_eq(why.text, "There is no recording 4294967297.");
	ck_assert_int_eq(add("{}", &id), 400);
	for (unsigned i = 0; i < VIEW_FORKS_MAX; i++)
		ck_assert_uint_eq(added("{\"of\": 1}"), i + 2);
	ck_assert_int_eq(add("{\"of\": 1}", &id), 409);
	ck_assert_str_eq(why.text, "There are 8 forks already: delete one.");
	ck_assert_int_eq(view_forks_forget(&forks, 5, &why), 204);
	ck_assert_int_eq(
		add("{\"of\": 1, \"at_ps\": 9, \"set\": [{\"node\": \"s\", \"key\": \"k\", "
		    "\"value\": \"v\"}]}",
		    &id),
		201);
	ck_assert_uint_eq(id, 10);
	ck_assert_int_eq(view_forks_forget(&forks, 6, &why), 204);
	ck_assert_int_eq(add("{\"of\": 10, \"at_ps\": 8}", &id), 400);
	ck_assert_str_eq(why.text, "'at_ps' is before the changes of recording 10.");
}

TEST(view_forks_forget__refused)
{
	opened("waits", NULL);
	ck_assert_int_eq(view_forks_forget(&forks, 7, &why), 404);
	ck_assert_str_eq(why.text, "There is no recording 7.");
	ck_assert_int_eq(view_forks_forget(&forks, 1, &why), 409);
	ck_assert_str_eq(why.text, "Recording 1 is no fork: it stays.");
}
