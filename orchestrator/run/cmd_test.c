/*  cmd_test - `heddle test FILE...`: runs scenarios beside each other; their expectations are the
 *  tests (DU-9).
 *
 *  Each scenario is a `heddle run` of its own, which writes its result and its messages to files
 *  without names. Results are printed in the order of the operands, each as soon as those before it
 *  are known. */
#include "orchestrator/run/cmd_test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes/base/monotonic.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/input_file.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/nameless_file.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/base/progress.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/base/ready_folder.h"
#include "orchestrator/command/options.h"
#include "orchestrator/run/run_options.h"
#include "orchestrator/run/suite_report.h"
#include "orchestrator/run/suite_result.h"

#define JOBS_MAX 256u
#define WAIT_NS 100000000ull
/* ours: from SIGTERM to SIGKILL of a run that took too long; its nodes end with it */
#define LATE_NS 10000000000ull
#define MESSAGES_MAX 65536u /* of a run's standard error, in a result */

struct test_options {
	unsigned jobs; /* 0: as many as there are cores */
	const char *junit;
	bool json, quiet;
	uint64_t timeout_ps; /* 0: none */
	struct option_settings settings;
};

/* one scenario */
struct job {
	char *file;
	pid_t child; /* 0: it does not run */
	FILE *out, *messages;
	uint64_t start_ns;
	bool late;      /* it is being ended, because it took too long */
	json_t *result; /* NULL: not yet */
};

struct suite {
	const struct test_options *options;
	struct job *jobs;
	size_t count, started, running, printed;
	json_t *results; /* those that are printed */
	size_t tests;
	int status;  /* 0, or an exit status, reported */
	bool ending; /* after an interruption */
	struct progress progress;
};

/* ---- options ---- */

#define AT(member) offsetof(struct test_options, member)

static int jobs_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	struct why why;
	uint64_t jobs;

	if (quantity_parse(QUANTITY_COUNT, value, &jobs, &why))
		return options_wrong(command, "%s: %s", row->name, why.text);
	if (!jobs || jobs > JOBS_MAX)
		return options_wrong(command, "%s takes 1 to %u, not %s", row->name, JOBS_MAX,
				     value);
	*(unsigned *)field = (unsigned)jobs;
	return 0;
}

static const struct option_row rows[] = {
	OPTION_TAKE("-j", "N", AT(jobs), jobs_take, NULL,
		    "runs N scenarios at once; as many as there are cores if not given"),
	OPTION_TEXT("--junit", "FILE", AT(junit),
		    "the results also as JUnit XML; -: to standard output instead of TAP"),
	OPTION_FLAG("--json", AT(json), "the results as JSON, instead of TAP"),
	OPTION_FLAG("--quiet", AT(quiet), "no progress"),
	OPTION_TAKE("--timeout", "TIME", AT(timeout_ps), option_time, NULL,
		    "ends each scenario that has run for so long, as 60s, on the clock of\n"
		    "the machine: it is a failed test; 0s: no limit (default)"),
	OPTION_SET(AT(settings), "run.duration=1ms"),
};

static const struct command_words words = {
	"test",
	"usage: heddle test FILE... [options]\n"
	"Runs scenarios beside each other. Each expectation is a test; a scenario that cannot be "
	"read,\n"
	"stalls, or loses a node is a failed one. FILE may be a folder: its *.yaml; -: standard "
	"input.\n"
	"Prints TAP in the order of the FILEs, then a table of the failures as comments.\n"
	"  heddle test scenarios/ --junit results.xml        for GitLab and Jenkins\n"
	"  prove --exec 'heddle test' scenarios/*.yaml       any reader of TAP\n",
	"exit status: 0 all tests hold, 1 one does not, or a FILE cannot be read, 2 wrong usage, "
	"or\n"
	"there is none in a folder, 130 interrupted\n",
	OPTIONS(rows),
	OPERANDS("scenario", 1, 0),
};

/* ---- files ---- */

/* Return: 0 or -ENOMEM */
static int job_add(struct suite *suite, const char *file)
{
	struct job *grown = realloc(suite->jobs, (suite->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	suite->jobs = grown;
	grown[suite->count] = (struct job){ .file = strdup(file) };
	return grown[suite->count++].file ? 0 : -ENOMEM;
}

static int folder_add(struct suite *suite, const char *folder)
{
	struct ready_files files;
	int error = ready_files_list(folder, &files);

	if (error)
		return error;
	if (!files.count)
		error = -ENOENT;
	for (size_t i = 0; i < files.count && !error; i++)
		error = job_add(suite, files.paths[i]);
	ready_files_free(&files);
	return error;
}

/* Return: 0 or an exit status, reported */
static int operand_add(struct suite *suite, const char *name)
{
	struct stat status;
	int error = 0;

	for (size_t i = 0; i < suite->count && input_file_is_stdin(name); i++)
		if (input_file_is_stdin(suite->jobs[i].file))
			return options_wrong("test", "standard input has one scenario: '-' is "
						     "given twice");
	if (!stat(name, &status) && S_ISDIR(status.st_mode))
		error = folder_add(suite, name);
	else
		error = job_add(suite, name);
	if (error == -ENOENT)
		return options_wrong("test", "no scenarios in %s", name);
	return error ? options_wrong("test", "%s: %s", name, strerror(-error)) : 0;
}

/* ---- a run ---- */

/* standard input of the run of @file: nothing, unless the scenario comes from there */
static bool input_join(const char *file)
{
	int nothing;

	if (input_file_is_stdin(file))
		return true;
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0;
}

static _Noreturn void child_run(const struct suite *suite, const struct job *job, pid_t parent)
{
	const struct option_settings *settings = &suite->options->settings;
	const char *arguments[2 * SCENARIO_SETTINGS_MAX + 8] = { "heddle", "run", "--json=-" };
	unsigned count = 3;

	for (unsigned i = 0; i < settings->count; i++) {
		arguments[count++] = "--set";
		arguments[count++] = settings->texts[i];
	}
	arguments[count++] = "--";
	arguments[count] = job->file;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || !input_join(job->file) ||
	    dup2(fileno(job->out), STDOUT_FILENO) < 0 ||
	    dup2(fileno(job->messages), STDERR_FILENO) < 0)
		_exit(EXIT_NODE);
	close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	signal(SIGTERM, SIG_DFL);
	if (interrupt_seen()) /* before that line; execv() would forget it */
		_exit(EXIT_INTERRUPTED);
	execv("/proc/self/exe", (char *const *)arguments);
	_exit(EXIT_NODE);
}

static void job_close(struct job *job)
{
	if (job->out)
		fclose(job->out);
	if (job->messages)
		fclose(job->messages);
	job->out = job->messages = NULL;
}

/* @result: NULL: memory is short */
static void result_keep(struct suite *suite, struct job *job, json_t *result)
{
	if (!result)
		suite->status =
			options_wrong("test", "not enough memory for the result of %s", job->file);
	job->result = result ? result : json_null();
}

/* without an interruption; a run that cannot start fails */
static void job_start(struct suite *suite, struct job *job)
{
	pid_t parent = getpid();
	char why[128];

	job->out = nameless_stream();
	job->messages = nameless_stream();
	job->start_ns = monotonic_ns();
	fflush(NULL);
	job->child = job->out && job->messages ? fork() : -1;
	if (!job->child)
		child_run(suite, job, parent);
	if (job->child > 0) {
		suite->running++;
		return;
	}
	snprintf(why, sizeof(why), "cannot start the run: %s", strerror(errno));
	job->child = 0;
	job_close(job);
	result_keep(suite, job, suite_result_make(job->file, EXIT_NODE, NULL, why, 0));
}

/* what the run wrote to standard error; free() it */
static char *messages_read(FILE *file)
{
	char *text = calloc(1, MESSAGES_MAX + 1);

	rewind(file);
	if (text)
		text[fread(text, 1, MESSAGES_MAX, file)] = 0;
	return text;
}

/* the exit status of a run, from that of waitpid() */
static int status_of(const struct suite *suite, int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return suite->ending ? EXIT_INTERRUPTED : 128 + WTERMSIG(status);
}

/* Values of a run that was ended are those of a part of it, which its expectations do not mean.
 * Return: true if it was ended, with @why in place of its messages */
static bool was_late(const struct suite *suite, const struct job *job, int status, struct why *why)
{
	char time[HUMAN_TEXT_MAX];

	why_say(why, 0, "it did not end within %s, --timeout",
		human_time(suite->options->timeout_ps, time));
	return job->late && !suite->ending &&
	       (!WIFEXITED(status) || WEXITSTATUS(status) == EXIT_INTERRUPTED);
}

static void job_end(struct suite *suite, struct job *job, int status)
{
	char *messages = messages_read(job->messages);
	struct why why;
	bool late = was_late(suite, job, status, &why);
	json_t *result;

	rewind(job->out);
	result = json_loadf(job->out, 0, NULL);
	job->child = 0;
	suite->running--;
	result_keep(suite, job,
		    suite_result_make(job->file, late ? EXIT_INTERRUPTED : status_of(suite, status),
				      late ? NULL : result,
				      late ? why.text : messages ?: "",
				      (double)(monotonic_ns() - job->start_ns) / 1e9));
	json_decref(result);
	free(messages);
	job_close(job);
}

/* an interruption ends all runs; their results say so */
static void runs_end(struct suite *suite)
{
	suite->ending = true;
	for (size_t i = 0; i < suite->started; i++)
		if (suite->jobs[i].child)
			kill(suite->jobs[i].child, SIGTERM);
}

/* ends runs that take too long, in good order if they can */
static void late_end(struct suite *suite)
{
	uint64_t timeout_ns = suite->options->timeout_ps / NODE_NS, now_ns = monotonic_ns();

	for (size_t i = 0; timeout_ns && i < suite->started; i++) {
		struct job *job = &suite->jobs[i];
		uint64_t ran_ns = now_ns - job->start_ns;

		if (!job->child || ran_ns < timeout_ns)
			continue;
		if (!job->late)
			kill(job->child, SIGTERM);
		else if (ran_ns - timeout_ns > LATE_NS)
			kill(job->child, SIGKILL);
		job->late = true;
	}
}

/* waits for a run to end, or a signal; then for all to end */
static void runs_await(struct suite *suite)
{
	int status;
	pid_t child;

	/* not for longer: a run may end between waitpid() and this */
	if (interrupt_wait(-1, WAIT_NS) && !suite->ending)
		runs_end(suite);
	late_end(suite);
	while ((child = waitpid(-1, &status, suite->ending ? 0 : WNOHANG)) > 0)
		for (size_t i = 0; i < suite->started; i++)
			if (suite->jobs[i].child == child)
				job_end(suite, &suite->jobs[i], status);
}

/* ---- all ---- */

/* is standard output TAP, and no JSON or XML? */
static bool prints_tap(const struct test_options *options)
{
	return !options->json && !(options->junit && output_is_stdout(options->junit));
}

/* prints the results that are known and whose turn it is */
static void results_print(struct suite *suite)
{
	for (; suite->printed < suite->started && suite->jobs[suite->printed].result;
	     suite->printed++) {
		const json_t *result = suite->jobs[suite->printed].result;

		if (prints_tap(suite->options)) {
			progress_wipe(&suite->progress);
			suite_tap_print(result, suite->tests + 1, stdout);
			fflush(stdout);
		}
		suite->tests += json_array_size(json_object_get(result, "tests"));
		json_array_append(suite->results, (json_t *)result);
	}
}

static void progress_show(struct suite *suite)
{
	char text[128];
	size_t ended = suite->started - suite->running;

	snprintf(text, sizeof(text), "%zu of %zu scenarios ended, %zu running", ended, suite->count,
		 suite->running);
	progress_waits(&suite->progress, text);
}

static void next_start(struct suite *suite)
{
	struct job *job = &suite->jobs[suite->started++];

	if (interrupt_seen())
		result_keep(suite, job,
			    suite_result_make(job->file, EXIT_INTERRUPTED, NULL,
					      "it was not started", 0));
	else
		job_start(suite, job);
}

static void suite_run(struct suite *suite, size_t jobs)
{
	while (suite->printed < suite->count) {
		while (suite->running < jobs && suite->started < suite->count)
			next_start(suite);
		progress_show(suite);
		if (suite->running)
			runs_await(suite);
		results_print(suite);
	}
	progress_wipe(&suite->progress);
	if (interrupt_seen())
		suite->status = EXIT_INTERRUPTED;
}

static int junit_write(const struct suite *suite, const char *path)
{
	struct atomic_file file;
	int error = atomic_file_output(&file, path);

	if (!error) {
		suite_junit_write(suite->results, file.stream);
		error = atomic_file_commit(&file);
	}
	return error ? options_wrong("test", "cannot write %s: %s", path, atomic_file_why(error))
		     : 0;
}

static void json_print(const struct suite *suite)
{
	struct suite_counts counts = suite_count(suite->results);
	json_t *all = json_pack("{s:I, s:I, s:O}", "tests", (json_int_t)counts.tests, "failed",
				(json_int_t)counts.failed, "files", suite->results);

	json_text_write(all, JSON_INDENT(2) | JSON_REAL_PRECISION(12), stdout);
}

/* Return: the exit status, reported */
static int suite_report(const struct suite *suite)
{
	const struct test_options *options = suite->options;
	int error = options->junit ? junit_write(suite, options->junit) : 0;

	if (options->json) {
		json_print(suite);
	} else if (prints_tap(options)) {
		suite_tap_end(suite->results, stdout);
		suite_failures_print(suite->results, stdout);
	}
	if (error || suite->status)
		return error ? error : suite->status;
	return suite_count(suite->results).failed ? EXIT_EXPECTATION : EXIT_FINE;
}

static void suite_free(struct suite *suite)
{
	for (size_t i = 0; i < suite->count; i++) {
		json_decref(suite->jobs[i].result);
		free(suite->jobs[i].file);
	}
	free(suite->jobs);
	json_decref(suite->results);
}

static size_t jobs_of(const struct test_options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return options->jobs ? options->jobs : cores > 0 ? (size_t)cores : 1;
}

int cmd_test(int argc, char **argv)
{
	struct test_options options = { 0 };
	struct suite suite = { .options = &options };
	int count, status = options_read(&words, argc, argv, &options, &count);

	if (status >= 0)
		return status;
	if (options.json && options.junit && output_is_stdout(options.junit))
		return options_wrong("test", "--json and --junit - both print; give one a file");
	status = 0;
	for (int i = 1; i <= count && !status; i++)
		status = operand_add(&suite, argv[i]);
	suite.results = json_array();
	if (!status) {
		interrupt_catch();
		progress_start(&suite.progress, stderr, !options.quiet);
		if (prints_tap(&options))
			suite_tap_begin(stdout);
		suite_run(&suite, jobs_of(&options));
		status = suite_report(&suite);
	}
	suite_free(&suite);
	return status;
}
