/*  cmd_run - `heddle run SCENARIO`: from a file to an exit status (TB-10).
 *
 *  scenario -> plan -> processes -> clock to the end -> statistics -> results -> expectations.
 *  Nothing is started before the whole input is checked, and nothing is left however a run ends. *
 *  With --compare this is done once for each variant of the scenario: cmd_compare.c. * It is the
 *  same under both clocks (TB-7, TB-8). A run under the real clock that was not faithful has an
 *  exit status of its own, before that of the expectations, whose outcome then says nothing about
 *  the fabric. */

#include "orchestrator/cli/cmd_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/interrupt.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/base/quantity.h"
#include "orchestrator/cli/breakpoint.h"
#include "orchestrator/cli/cmd_compare.h"
#include "orchestrator/fabric/capture_file.h"
#include "orchestrator/fabric/fabric_end.h"
#include "orchestrator/fabric/fabric_fault.h"
#include "orchestrator/fabric/run.h"
#include "orchestrator/plan/plan_real.h"
#include "orchestrator/plan/plan_given.h"
#include "orchestrator/plan/routing_text.h"
#include "orchestrator/results/expect.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/results_fidelity.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_symptom.h"
#include "orchestrator/results/results_text.h"
#include "orchestrator/scenario/scenario_idle.h"

/* over a shorter time, late processes change rates (ours) */
#define REAL_MEASURED_MIN_PS (100 * NODE_MS)
/* time for late nodes to handle what was due before the end */
#define REAL_GRACE_PS (10 * NODE_MS)

static int options_parse(struct options *options, int argc, char **argv);
static int scenario_watch(struct options *options, struct plan *plan);

int cmd_run(int argc, char **argv)
{
	struct options options = { .capture_bytes = NODE_CAPTURE_WHOLE,
				   .fabric = { .loop = "auto",
					       .watchdog_ns = WATCHDOG_NS_DEFAULT } };
	struct plan plan = { 0 };
	int status = options_parse(&options, argc, argv);

	if (status >= 0)
		return status;
	if (options.compare)
		return run_compare(&options);
	status = run_scenario_load(&options, SCENARIO_NO_VARIANT, &plan);
	if (!status)
		status = run_outputs_check(&options, plan.origin);
	if (!status)
		status = scenario_watch(&options, &plan);
	plan_free(&plan);
	return status;
}

/* ---- options ---- */

static int break_at_take(const char *command, const struct option_row *row, void *field,
			 const char *value)
{
	struct options *options = field;

	options->breaks = true;
	return option_time(command, row, &options->break_ps, value);
}

static int script_take(const char *command, const struct option_row *row, void *field,
		       const char *value)
{
	struct options *options = field;

	(void)command, (void)row;
	options->breaks = true;
	options->script = value;
	return 0;
}

static int slow_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	size_t length = strlen(value);
	char time[64];

	if (length >= 2 && !strcmp(value + length - 2, "/s"))
		length -= 2;
	snprintf(time, sizeof(time), "%.*s", (int)length, value);
	return option_time(command, row, field, time);
}

static int watchdog_take(const char *command, const struct option_row *row, void *field,
			 const char *value)
{
	uint64_t *time_ns = field;
	int status = option_time(command, row, time_ns, value);

	*time_ns /= NODE_NS;
	return status;
}

static int capture_take(const char *command, const struct option_row *row, void *field,
			const char *value)
{
	struct options *options = field;

	(void)row;
	if (options->capture_count == CAPTURE_FILES_MAX)
		return options_wrong(command, "more than %u captures", CAPTURE_FILES_MAX);
	options->captures[options->capture_count++] = value;
	return 0;
}

static int snap_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	uint64_t bytes;
	char why[256];

	if (quantity_parse(QUANTITY_BYTES, value, &bytes, why, sizeof(why)))
		return options_wrong(command, "%s: %s", row->name, why);
	if (!bytes || bytes > NODE_CAPTURE_WHOLE)
		return options_wrong(command, "%s takes 1 to %u bytes, not '%s'", row->name,
				     NODE_CAPTURE_WHOLE, value);
	*(uint32_t *)field = (uint32_t)bytes;
	return 0;
}

static int only_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	struct options *options = field;

	if (options->only_count == SCENARIO_VARIANTS_MAX)
		return options_wrong(command, "more than %u times %s", SCENARIO_VARIANTS_MAX,
				     row->name);
	options->only[options->only_count++] = value;
	return 0;
}

/* --json takes the next word if it cannot be the scenario */
static bool is_json_file(const char *next, int operand_count)
{
	size_t length = strlen(next);

	if (next[0] == '-' && next[1])
		return false;
	return operand_count || !strcmp(next, JSON_STDOUT) ||
	       (length > 5 && !strcmp(next + length - 5, ".json"));
}

static const struct option_word clocks[] = { { "virtual", false }, { "real", true }, { 0 } };
static const struct option_word cores[] = { { "adapt", FABRIC_CORES_ADAPT },
					    { "spread", FABRIC_CORES_SPREAD },
					    { "free", FABRIC_CORES_FREE },
					    { 0 } };

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[] = {
	{ .name = "--json",
	  .argument = "[FILE]",
	  .field = AT(json),
	  .otherwise = JSON_STDOUT,
	  .takes_next = is_json_file,
	  .help = "the result as JSON, to FILE, or to standard output instead of the summary\n"
		  "(a FILE before the SCENARIO must end in .json)" },
	OPTION_TEXT("--csv", "DIR", AT(csv),
		    "flows, messages, ports, tables and samples as CSV files in DIR"),
	OPTION_TAKE("--capture", "LINK=FILE", 0, capture_take, NULL,
		    "every frame on LINK, both directions, as pcapng, e.g. s1:h3=h3.pcapng; may be "
		    "repeated"),
	OPTION_TAKE("--capture-snap", "N", AT(capture_bytes), snap_take, NULL,
		    "no more than N bytes of each frame"),
	OPTION_TEXT("--events", "FILE", AT(events),
		    "every drop, mark, CNP, pause, credit wait, redirect ... with time, node, port "
		    "and flow;\n"
		    "CSV, or JSON lines if FILE ends in .jsonl"),
	OPTION_TAKE("--clock", "KIND", AT(real), option_value, clocks,
		    "virtual (default): exact, at the speed of the machine; real: in the "
		    "scenario's own\n"
		    "time, at rates that the machine can carry, with a verdict whether it could"),
	OPTION_TAKE("--seed", "N", AT(settings), option_seed, NULL, "another seed"),
	OPTION_SET(AT(settings), "run.duration=1ms"),
	OPTION_FLAG(
		"--compare", AT(compare),
		"run each variant of the scenario's 'compare' section and print one table; the\n"
		"expectations are not judged; --json and --csv write the table"),
	OPTION_TAKE("--only", "VARIANT", 0, only_take, NULL, "only this variant; may be repeated"),
	OPTION_FLAG("--timing", AT(timing), "also the cost of the run on this machine"),
	OPTION_FLAG("--quiet", AT(quiet), "no summary, no progress"),
	OPTION_FLAG("--verbose", AT(verbose),
		    "each stage of the run on standard error, when it begins and ends"),
	OPTION_TAKE("--break-at", "TIME", 0, break_at_take, NULL,
		    "stop at TIME and read commands (type 'help')"),
	OPTION_TAKE("--script", "FILE", 0, script_take, NULL,
		    "read the commands from FILE instead of standard input"),
	OPTION_TAKE("--slow", "TIME/s", AT(slow_ps_per_s), slow_take, NULL,
		    "slow down to TIME of the fabric per second, e.g. 10us/s"),
	OPTION_TAKE("--loop", "KIND", AT(fabric.loop), NULL, option_loops,
		    "event loop of the nodes: auto, io_uring, fallback"),
	OPTION_TAKE(
		"--cores", "KIND", AT(fabric.cores), option_value, cores,
		"of the nodes, virtual clock: adapt (default): placed, fewer while other programs\n"
		"use them; spread: placed once; free: the kernel chooses"),
	OPTION_TAKE("--watchdog", "TIME", AT(fabric.watchdog_ns), watchdog_take, NULL,
		    "how long a node may hang or be stopped (1s); 0s: no limit"),
};

static const struct command_words words = {
	"run",
	"usage: heddle run SCENARIO [options]\n"
	"Runs the workloads of a scenario and prints the result.\n",
	"exit status:\n"
	"  0    all expectations hold\n"
	"  1    an expectation does not hold\n"
	"  2    wrong usage or scenario, or a file could not be written\n"
	"  3    the fabric stalled\n"
	"  4    a node failed\n"
	"  5    not faithful: under the real clock this machine was too slow, whatever the "
	"expectations\n"
	"  130  interrupted: Ctrl-C (SIGINT, SIGTERM) ends a run in good order, with the results "
	"so\n"
	"       far; a second one, half a second or more later, ends it at once without results\n",
	OPTIONS(rows),
	OPERANDS("scenario", 1, 1),
};

/* Return: -1, or the exit status if there is nothing to run */
static int options_parse(struct options *options, int argc, char **argv)
{
	int count, status = options_read(&words, argc, argv, options, &count);

	if (status >= 0)
		return status;
	options->scenario = argv[1];
	if (options->real && (options->breaks || options->slow_ps_per_s))
		return options_wrong("run", "the real clock cannot be stopped or slowed down: "
					    "--break-at, --script and --slow are for "
					    "--clock virtual");
	if (options->compare && (options->breaks || options->slow_ps_per_s || options->timing))
		return options_wrong("run", "--compare runs every variant to its end and prints "
					    "one table: --break-at, --script, "
					    "--slow and "
					    "--timing are for a single run");
	if (options->compare && (options->capture_count || options->events))
		return options_wrong("run", "%s writes the file of one run: not with --compare",
				     options->events ? "--events" : "--capture");
	if (options->only_count && !options->compare)
		return options_wrong("run", "--only names a variant to --compare: give that too");
	options->fabric.real = options->fabric.whole = options->real;
	return -1;
}

/* ---- scenario ---- */

/* notes on settings of the scenario that the real clock does not follow, or not well */
static void real_note(const struct scenario *scenario)
{
	node_time_t measured_ps = scenario->duration_ps - scenario->warmup_ps;
	bool veth = false;
	char time[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < scenario->host_count; i++)
		veth |= scenario->hosts[i].link.medium == MEDIUM_VETH;
	for (uint32_t i = 0; i < scenario->link_count; i++)
		veth |= scenario->links[i].settings.medium == MEDIUM_VETH;
	if (veth)
		fprintf(stderr, "heddle run: all links are of shared memory; 'medium: veth' is for "
				"'heddle up'\n");
	if (measured_ps < REAL_MEASURED_MIN_PS)
		fprintf(stderr,
			"heddle run: rates are measured over %s, which is short under the real "
			"clock: try --set run.duration=2s\n",
			human_time(measured_ps, time));
}

int run_scenario_load(const struct options *options, uint32_t variant, struct plan *plan)
{
	struct scenario scenario = { 0 };
	struct scenario_errors errors = { 0 };
	int error = scenario_read_variant(options->scenario, options->settings.texts,
					  options->settings.count, variant, &scenario, &errors);

	if (!error)
		error = options->real ? plan_make_traffic(&scenario, plan, &errors)
				      : plan_make(&scenario, plan, &errors);
	if (error == -EINVAL)
		expect_check_early(&scenario, &errors);
	for (uint32_t i = 0; !error && i < plan->expectation_count; i++)
		expect_check(plan, &plan->expectations[i], &errors);
	if (!error && options->columns)
		compare_check(options->columns, plan, &errors);
	scenario_errors_print(&errors, stderr);
	if (error && !errors.count)
		options_wrong("run", "%s", strerror(-error));
	error = error || errors.count;
	if (!error && variant == SCENARIO_NO_VARIANT) /* for variants: cmd_compare.c */
		scenario_idle_note(&scenario, "run");
	if (!error && !options->row)
		routing_ungrouped_print(plan, "heddle run: too few port groups: ", stderr);
	if (!error && !options->row)
		plan_loops_print(plan, "heddle run: a routing loop, as configured: ", stderr);
	if (!error && options->real && !options->row)
		real_note(&scenario);
	scenario_errors_free(&errors);
	scenario_free(&scenario);
	return error ? EXIT_USAGE : 0;
}

static void output_add(struct output_name *names, unsigned *count, const char *option,
		       const char *path)
{
	if (*count < OUTPUT_NAMES_MAX && path && path[0])
		names[(*count)++] = (struct output_name){ .option = option, .path = path };
}

int run_outputs_check(const struct options *options, const struct origin *origin)
{
	struct output_name names[OUTPUT_NAMES_MAX];
	char tables[16][PATH_MAX], why[2 * PATH_MAX];
	unsigned count = 0;

	if (options->json && strcmp(options->json, JSON_STDOUT) != 0)
		output_add(names, &count, "--json", options->json);
	for (unsigned i = 0; i < 15 && options->csv && (!i || results_csv_name(i - 1)); i++) {
		const char *name = i ? results_csv_name(i - 1) : "compare.csv";

		if (snprintf(tables[i], PATH_MAX, "%s/%s", options->csv, name) < PATH_MAX)
			output_add(names, &count, "--csv", tables[i]);
	}
	output_add(names, &count, "--events", options->events);
	for (unsigned i = 0; i < options->capture_count; i++) {
		const char *equals = strchr(options->captures[i], '=');

		output_add(names, &count, "--capture", equals ? equals + 1 : NULL);
	}
	return output_names_check(names, count, origin, options->script, why, sizeof(why))
		       ? options_wrong("run", "%s", why)
		       : 0;
}

/* ---- run ---- */

/* opens the commands of a breakpoint; @name for messages, NULL for a terminal */
static FILE *script_open(const struct options *options, const char **name)
{
	FILE *in;

	*name = options->script;
	if (!options->script) {
		*name = isatty(STDIN_FILENO) ? NULL : "standard input";
		return stdin;
	}
	in = fopen(options->script, "re");
	if (!in)
		options_wrong("run", "cannot read the script %s: %s", options->script,
			      strerror(errno));
	return in;
}

/* the first part of a run: to the breakpoint, then the commands there */
static int play_breakpoint(const struct options *options, struct run *run, FILE *script,
			   const char *name, enum run_outcome *outcome)
{
	bool json_on_stdout = options->json && !strcmp(options->json, JSON_STDOUT);

	*outcome = run_to(run, options->break_ps);
	if (*outcome != RUN_REACHED)
		return 0;
	switch (breakpoint_prompt(run, script, name, json_on_stdout ? stderr : stdout)) {
	case BREAKPOINT_CONTINUE:
		break;
	case BREAKPOINT_QUIT:
	case BREAKPOINT_INTERRUPTED:
		*outcome = RUN_INTERRUPTED;
		break;
	case BREAKPOINT_FAILED:
		*outcome = RUN_FAILED;
		break;
	case BREAKPOINT_BAD_SCRIPT:
		return EXIT_USAGE;
	}
	return 0;
}

/* the event loop of the nodes; if they differ, that of the first with its number of nodes */
static void loops_describe(const struct fabric *fabric, char *text, size_t text_max)
{
	uint32_t same = 0;

	for (uint32_t i = 0; i < fabric->plan->node_count; i++)
		same += !strcmp(fabric->nodes[i].loop, fabric->nodes[0].loop);
	if (same == fabric->plan->node_count)
		snprintf(text, text_max, "%s", fabric->nodes[0].loop);
	else
		snprintf(text, text_max, "%u nodes: %s", same, fabric->nodes[0].loop);
}

static int json_write(const struct options *options, const struct plan *plan,
		      const struct results *results, const struct result_host *host)
{
	struct atomic_file file;
	int error;

	if (!strcmp(options->json, JSON_STDOUT)) {
		error = results_json_write(plan, results, host, stdout);
		if (!error && fflush(stdout))
			error = -errno;
	} else {
		error = atomic_file_open(&file, options->json);
		if (!error) {
			error = results_json_write(plan, results, host, file.stream);
			if (error)
				atomic_file_abort(&file);
			else
				error = atomic_file_commit(&file);
		}
	}
	return error ? options_wrong("run", "cannot write the JSON result to %s: %s", options->json,
				     atomic_file_why(error))
		     : 0;
}

/* why there is no usual result: into the row of a variant, or to standard error */
static void __attribute__((format(printf, 2, 3)))
remark(const struct options *options, const char *format, ...)
{
	va_list arguments;
	char text[1024];

	va_start(arguments, format);
	if (options->row)
		compare_note(options->row, format, arguments);
	else
		vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!options->row)
		options_wrong("run", "%s", text);
}

/* the warnings of a summary */
static void row_remarks(const struct options *options, const struct results *results)
{
	uint32_t undelivered = results_undelivered_count(results->flows, results->flow_count);

	if (undelivered)
		remark(options, "%u flow%s again and again, nothing arrives", undelivered,
		       undelivered == 1 ? " sends" : "s send");
	if (results->totals.messages_unlogged)
		remark(options, "completion times lack %llu messages: nic.messages-max",
		       (unsigned long long)results->totals.messages_unlogged);
}

/* writes all requested results; returns 0 or an exit status */
static int results_write(const struct options *options, const struct plan *plan,
			 struct stats_page *const *pages, const struct results *results,
			 const struct fabric *fabric)
{
	struct result_host cost = fabric_cost(fabric);
	const struct result_host *host = options->timing ? &cost : NULL;
	bool json_on_stdout = options->json && !strcmp(options->json, JSON_STDOUT);
	char loops[FABRIC_LOOP_MAX + 32], why[512];
	int status = 0;

	if (options->row) {
		compare_row_fill(options->row, options->columns, plan, results);
		row_remarks(options, results);
		return 0;
	}
	if (!options->quiet && !json_on_stdout) {
		loops_describe(fabric, loops, sizeof(loops));
		results_text_write(plan, results, host, loops,
				   isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), stdout);
		fflush(stdout);
	}
	if (options->json)
		status = json_write(options, plan, results, host);
	if (options->csv && results_csv_write(plan, pages, results, options->csv, why, sizeof(why)))
		status = options_wrong("run", "%s", why);
	return status;
}

/* A PFC deadlock is a result if the scenario has an expectation about deadlocks; else the run has
 * failed. */
static int deadlocks_judge(const struct options *options, const struct plan *plan,
			   const struct results *results)
{
	char text[1024];

	if (!results->deadlocks.count || (expect_speaks_of(plan, "deadlocks") && !options->row))
		return 0;
	for (uint32_t i = 0; i < results->deadlocks.count; i++)
		remark(options, "the fabric stalled: deadlock %s",
		       pause_cycle_describe(plan, &results->deadlocks.list[i], text, sizeof(text)));
	return EXIT_STALL;
}

/* after the end of the fabric: gathers, judges and writes results */
static int results_make(const struct options *options, const struct plan *plan, struct run *run,
			bool interrupted)
{
	struct fabric *fabric = &run->fabric;
	struct results results = { .interrupted = interrupted,
				   .empty = fabric->empty,
				   .end_ps = fabric->stopped_at_ps };
	struct stats_page **pages = fabric_pages(fabric);
	char why[256];
	int status;

	if (!pages) {
		options_wrong("run", "%s",
			      fabric->failure[0] ? fabric->failure : "not enough memory");
		return EXIT_NODE;
	}
	if (results_gather(plan, pages, &results) || fault_player_report(&run->faults, &results) ||
	    (!options->row && expect_evaluate(plan, &results))) {
		status = options_wrong("run", "not enough memory for the results");
	} else {
		status = results_write(options, plan, pages, &results, fabric);
		if (!results_balanced(&results)) {
			remark(options, "injected, delivered, lost and waiting bytes do not "
					"balance: a node counts wrongly");
			status = EXIT_NODE;
		}
		if (results_symptom_wrong(plan, &results, why, sizeof(why))) {
			remark(options, "%s, so this is not the result of the scenario", why);
			status = EXIT_NODE;
		}
		if (!status && !interrupted && !results_faithful(&results)) {
			if (options->row)
				remark(options, "not faithful: the machine was too slow");
			status = EXIT_UNFAITHFUL;
		}
		if (!status && expect_failed(&results))
			status = EXIT_EXPECTATION;
		if (deadlocks_judge(options, plan, &results))
			status = EXIT_STALL;
	}
	results_free(&results);
	free(pages);
	return status;
}

static int node_failed(const struct options *options, struct fabric *fabric)
{
	fabric_kill(fabric);
	remark(options, "%s", fabric->failure);
	return EXIT_NODE;
}

/* The result is read and written before the nodes end, since a later failure does not change it.
 * But under the real clock nodes count until they leave, and --timing includes the cost of the
 * end. */
static int results_and_end(const struct options *options, struct run *run, bool interrupted)
{
	struct fabric *fabric = &run->fabric;
	bool end_first = options->real || options->timing;
	int status;

	if (fabric_stop(fabric) || (end_first && fabric_end(fabric)))
		return node_failed(options, fabric);
	fabric_stage(fabric, "reads the statistics");
	status = results_make(options, fabric->plan, run, interrupted);
	fabric_stage(fabric, "has written the result");
	return !end_first && fabric_end(fabric) ? node_failed(options, fabric) : status;
}

/* the fabric is ready: runs it, ends it, and writes the results */
static int play(const struct options *options, struct run *run, FILE *script,
		const char *script_name)
{
	struct fabric *fabric = &run->fabric;
	enum run_outcome outcome = RUN_REACHED;
	char holders[512] = "";
	int status = 0;
	bool stalled;

	if (options->breaks)
		status = play_breakpoint(options, run, script, script_name, &outcome);
	if (!status && outcome == RUN_REACHED)
		outcome = run_to(run, run->end_ps);
	if (outcome == RUN_FAILED)
		return node_failed(options, fabric);
	stalled = !status && outcome == RUN_REACHED && run_stalled(run, holders, sizeof(holders));
	if (status)
		return fabric_end(fabric) ? node_failed(options, fabric) : status;
	status = results_and_end(options, run, outcome == RUN_INTERRUPTED);
	if (fabric->failure[0])
		return status;
	if (outcome == RUN_INTERRUPTED)
		return EXIT_INTERRUPTED;
	if (stalled && (options->row || !expect_speaks_of(fabric->plan, "deadlocks"))) {
		remark(options, "the fabric stalled: no event is left, but %s", holders);
		return EXIT_STALL;
	}
	if (fabric->plan->drain && !fabric->empty && !stalled && !status)
		remark(options, "the fabric was not empty when run.drain-max was over");
	return status;
}

/* what is written while the fabric runs; owner of fabric_options */
struct watch {
	struct capture_files captures;
	struct event_file events;
};

static int watch_capture(void *owner, uint32_t node, uint32_t port)
{
	return capture_files_find(&((struct watch *)owner)->captures, node, port);
}

static int watch_events(void *owner, uint32_t node)
{
	return event_file_of(&((struct watch *)owner)->events, node);
}

/* completes the files of @watch, if there is any, of a run with @status. Return: the exit status */
static int watch_end(struct watch *watch, struct fabric *fabric, int status)
{
	int error = 0, events = 0;

	if (watch) {
		error = capture_files_end(&watch->captures, fabric);
		events = event_file_end(&watch->events, fabric, status == EXIT_INTERRUPTED);
	}
	if ((!error && !events) ||
	    (status != EXIT_FINE && status != EXIT_EXPECTATION && status != EXIT_UNFAITHFUL))
		return status;
	return error == -EOWNERDEAD ? EXIT_NODE : EXIT_USAGE;
}

/* context of the callbacks */
struct observer {
	const struct options *options;
	struct progress *progress;
};

/* fabric_options.waits */
static void wait_show(void *observer, const char *what)
{
	progress_waits(((struct observer *)observer)->progress, what);
}

/* ... for --verbose */
static void wait_print(void *observer, const char *what)
{
	(void)observer;
	fprintf(stderr, "heddle run: %s\n", what);
}

/* fabric_options.stage */
static void stage_print(void *observer, const char *what)
{
	progress_wipe(((struct observer *)observer)->progress);
	fprintf(stderr, "heddle run: %s\n", what);
}

/* fabric_options.note */
static void note_show(void *observer, const char *text)
{
	const struct observer *context = observer;

	progress_wipe(context->progress);
	remark(context->options, "%s", text);
}

static void observe(struct fabric_options *fabric_options, struct observer *observer)
{
	bool verbose = observer->options->verbose;

	fabric_options->waits = verbose ? wait_print : wait_show;
	fabric_options->stage = verbose ? stage_print : NULL;
	fabric_options->note = note_show;
	fabric_options->observer = observer;
}

static int scenario_play(const struct options *options, const struct plan *plan,
			 struct watch *watch)
{
	struct fabric_options fabric_options = options->fabric;
	struct run run = { .end_ps = plan->drain
					     ? node_time_max(plan->drain_max_ps, plan->duration_ps)
					     : plan->duration_ps,
			   .slow_ps_per_s = options->slow_ps_per_s };
	struct observer observer = { .options = options, .progress = &run.progress };
	const char *script_name = NULL;
	FILE *script = NULL;
	int status, error;

	if (options->real)
		run.end_ps += REAL_GRACE_PS;
	if (options->breaks) {
		script = script_open(options, &script_name);
		if (!script)
			return EXIT_USAGE;
	}
	interrupt_catch();
	progress_start(&run.progress, stderr, !options->quiet);
	observe(&fabric_options, &observer);
	fabric_options.managers = options->real ? &run.managers : NULL;
	manager_pair_init(&run.managers, &run.fabric);
	error = fabric_start(&run.fabric, plan, &fabric_options);
	if (!error) {
		struct fault_fabric played_on = fabric_fault(&run.fabric);

		error = fault_player_init(&run.faults, plan, &played_on);
	}
	if (error == -EINTR) {
		fabric_kill(&run.fabric);
		remark(options, "interrupted before the start");
		status = EXIT_INTERRUPTED;
	} else if (error) {
		status = node_failed(options, &run.fabric);
	} else {
		status = play(options, &run, script, script_name);
		status = watch_end(watch, &run.fabric, status);
	}
	manager_pair_end(&run.managers);
	fault_player_fini(&run.faults);
	fabric_free(&run.fabric);
	if (script && script != stdin)
		fclose(script);
	return status;
}

int run_scenario_play(const struct options *options, const struct plan *plan)
{
	return scenario_play(options, plan, NULL);
}

/* ... with its captures and events */
static int scenario_watch(struct options *options, struct plan *plan)
{
	struct watch watch = { 0 };
	char why[512];
	int status;

	if (capture_files_open(&watch.captures, options->captures, options->capture_count,
			       options->capture_bytes, plan, why, sizeof(why)))
		return options_wrong("run", "%s", why);
	if (event_file_open(&watch.events, options->events, plan, why, sizeof(why))) {
		capture_files_abort(&watch.captures);
		return options_wrong("run", "%s", why);
	}
	options->fabric.capture_file = watch_capture;
	options->fabric.event_file = watch_events;
	options->fabric.owner = &watch;
	status = scenario_play(options, plan, &watch);
	capture_files_abort(&watch.captures);
	event_file_abort(&watch.events);
	return status;
}
