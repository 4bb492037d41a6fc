#include "orchestrator/run/run_execute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/interrupt.h"
#include "orchestrator/fabric/fabric_cores.h"
#include "orchestrator/fabric/fabric_end.h"
#include "orchestrator/fabric/fabric_fault.h"
#include "orchestrator/fabric/run.h"
#include "orchestrator/prompt/breakpoint.h"
#include "orchestrator/prompt/slow_view.h"
#include "orchestrator/results/expect.h"
#include "orchestrator/results/results_fidelity.h"
#include "orchestrator/results/results_symptom.h"
#include "orchestrator/run/run_ranks.h"

/* time for late nodes to handle what was due before the end */
#define REAL_GRACE_PS (10 * NODE_MS)
#define STATUS_AGAIN (-1) /* no exit status: the prompt requests the run from its start again */

/* ---- breakpoint ---- */

/* opens the commands of a breakpoint; @name for messages, NULL for a terminal */
static FILE *script_open(const struct run_options *options, const char **name)
{
	FILE *in;

	*name = options->script;
	if (!options->script || output_is_stdout(options->script)) {
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
static int execute_to_breakpoint(const struct run_options *options, struct run *run,
				 struct breakpoint *breakpoint, enum run_outcome *outcome)
{
	*outcome = breakpoint_repeats(breakpoint) ? RUN_REACHED : run_to(run, options->break_ps);
	if (*outcome != RUN_REACHED)
		return 0;
	switch (breakpoint_prompt(breakpoint, run)) {
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
	case BREAKPOINT_AGAIN:
		return STATUS_AGAIN;
	}
	return 0;
}

/* ---- end ---- */

/* Return: 0: there is no PFC deadlock, or the scenario has an expectation about deadlocks, so that
 * one is a result; EXIT_STALL, reported: the run has failed. */
static int deadlocks_judge(const struct run_options *options, const struct plan *plan,
			   const struct results *results)
{
	char text[1024];

	if (!results->deadlocks.count || (expect_speaks_of(plan, "deadlocks") && !options->row))
		return 0;
	for (uint32_t i = 0; i < results->deadlocks.count; i++)
		run_remark(options, "the fabric stalled: deadlock %s",
			   pause_cycle_describe(plan, &results->deadlocks.list[i], text,
						sizeof(text)));
	return EXIT_STALL;
}

/* @status of the run, unless its @results say another one; reported */
static int results_judge(const struct run_options *options, const struct plan *plan,
			 const struct results *results, int status)
{
	char why[256];

	if (!results_balanced(results)) {
		run_remark(options, "injected, delivered, lost and waiting bytes do not balance: a "
				    "node counts wrongly");
		status = EXIT_NODE;
	}
	if (results_symptom_wrong(plan, results, why, sizeof(why))) {
		run_remark(options, "%s, so this is not the result of the scenario", why);
		status = EXIT_NODE;
	}
	if (!status && !results->interrupted && !results_valid(results)) {
		if (options->row)
			run_remark(options, "not valid: the machine was too slow");
		status = EXIT_NOT_VALID;
	}
	if (!status && expect_failed(results))
		status = EXIT_EXPECTATION;
	return deadlocks_judge(options, plan, results) ?: status;
}

/* after the end of the fabric: gathers, writes and judges results */
static int results_make(struct run_output *output, const struct run_options *options,
			struct run *run, bool interrupted)
{
	struct fabric *fabric = &run->fabric;
	const struct plan *plan = fabric->plan;
	struct results results = { .interrupted = interrupted,
				   .empty = fabric->empty,
				   .end_ps = fabric->stopped_at_ps };
	struct stats_page **pages = fabric_pages(fabric);
	int status;

	if (!pages) {
		options_wrong("run", "%s",
			      fabric->failure[0] ? fabric->failure : "not enough memory");
		return EXIT_NODE;
	}
	if (results_gather(plan, pages, &results) ||
	    fault_schedule_report(&run->faults, &results) ||
	    ((!options->row || !options->columns) && expect_evaluate(plan, &results))) {
		status = options_wrong("run", "not enough memory for the results");
	} else {
		status = run_output_write(output, options, plan, pages, &results, fabric);
		status = results_judge(options, plan, &results, status);
	}
	results_free(&results);
	free(pages);
	return status;
}

static int node_failed(const struct run_options *options, struct fabric *fabric)
{
	fabric_kill(fabric);
	run_remark(options, "%s", fabric->failure);
	return EXIT_NODE;
}

/* The result is read and written before the nodes end, since a later failure does not change it.
 * But under the real clock nodes count until they leave, and --timing includes the cost of the
 * end. */
static int results_and_end(struct run_output *output, const struct run_options *options,
			   struct run *run, bool interrupted)
{
	struct fabric *fabric = &run->fabric;
	bool end_first = options->real || options->timing;
	int status;

	if (fabric_stop(fabric) || (end_first && fabric_end(fabric)))
		return node_failed(options, fabric);
	fabric_stage(fabric, "reads the statistics");
	status = results_make(output, options, run, interrupted);
	fabric_stage(fabric, "has written the result");
	return !end_first && fabric_end(fabric) ? node_failed(options, fabric) : status;
}

/* the fabric is ready: runs it, ends it, and writes the results */
static int execute(struct run_output *output, const struct run_options *options, struct run *run,
		   struct breakpoint *breakpoint)
{
	struct fabric *fabric = &run->fabric;
	enum run_outcome outcome = RUN_REACHED;
	struct why holders = { "" };
	int status = 0;
	bool stalled;

	if (options->breaks)
		status = execute_to_breakpoint(options, run, breakpoint, &outcome);
	if (!status && outcome == RUN_REACHED)
		outcome = run_to(run, run->end_ps);
	if (outcome == RUN_FAILED)
		return node_failed(options, fabric);
	stalled = !status && outcome == RUN_REACHED && run_stalled(run, &holders);
	if (status)
		return fabric_end(fabric) ? node_failed(options, fabric) : status;
	status = results_and_end(output, options, run, outcome == RUN_INTERRUPTED);
	if (fabric->failure[0])
		return status;
	if (outcome == RUN_INTERRUPTED)
		return EXIT_INTERRUPTED;
	if (stalled && (options->row || !expect_speaks_of(fabric->plan, "deadlocks"))) {
		run_remark(options, "the fabric stalled: no event is left, but %s", holders.text);
		return EXIT_STALL;
	}
	if (fabric->plan->drain && !fabric->empty && !stalled && !status)
		run_remark(options, "the fabric was not empty when run.drain-max was over");
	return status;
}

/* ---- what the fabric reports ---- */

/* context of the callbacks */
struct observer {
	const struct run_options *options;
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
	run_remark(context->options, "%s", text);
}

static void observe(struct fabric_options *fabric_options, struct observer *observer)
{
	bool verbose = observer->options->verbose;

	fabric_options->waits = verbose ? wait_print : wait_show;
	fabric_options->stage = verbose ? stage_print : NULL;
	fabric_options->note = note_show;
	fabric_options->observer = observer;
}

/* the nodes are ready: the run, and its files */
static int execute_and_complete(struct run_output *output, const struct run_options *options,
				struct run *run, struct breakpoint *breakpoint)
{
	int status = run_output_begin(output, &run->fabric);

	if (!status)
		status = execute(output, options, run, breakpoint);
	else
		fabric_kill(&run->fabric);
	if (status != STATUS_AGAIN)
		return run_output_complete(output, &run->fabric, status);
	run_output_end(output); /* a recording reads the statistics pages: before these are freed */
	return status;
}

/* where a slowed run is shown */
static FILE *view_out(const struct run_options *options)
{
	return run_on_stdout(options) ? stderr : stdout;
}

/* is a slowed run drawn on a terminal, where a line of progress would be in the picture? */
static bool draws(const struct run_options *options)
{
	return options->slow_ps_per_s && screen_look(view_out(options)).terminal;
}

/* execute_and_complete(), and a slowed run is shown */
static int execute_shown(struct run_output *output, const struct run_options *options,
			 struct run *run, struct breakpoint *breakpoint)
{
	struct slow_view view = { 0 };
	int status;

	if (options->slow_ps_per_s && !options->quiet &&
	    !slow_view_open(&view, &run->fabric, options->slow_ps_per_s, view_out(options))) {
		run->show = slow_view_show;
		run->viewer = &view;
	}
	status = execute_and_complete(output, options, run, breakpoint);
	slow_view_close(&view);
	return status;
}

/* Fills @workers, the number of workers that run the nodes, and prints it if the default packs. Of
 * a variant only the row is shown, so its nodes are packed wherever they can be.
 * Return: 0; an exit status, reported: the nodes cannot be packed */
static int pack_choose(const struct run_options *options, const struct plan *plan,
		       uint32_t *workers)
{
	int cores[CPU_SETSIZE];
	uint32_t core_count = fabric_cores_allowed(cores);
	const char *why = options->pack > 0 || options->pack == OPTION_PACK_BY_CORES
				  ? fabric_pack_refuses(plan)
				  : NULL;

	if (options->fabric.ranks > 1)
		return run_ranks_pack(options, plan, core_count, workers);
	if (why)
		return options_wrong("run", "--pack: %s", why);
	if (options->pack >= 0)
		*workers = (uint32_t)options->pack;
	else if (options->pack == OPTION_PACK_BY_CORES)
		*workers = fabric_pack_by_cores(core_count);
	else if (options->row)
		*workers = fabric_pack_variant(plan, core_count);
	else
		*workers = fabric_pack_default(plan, core_count);
	if (options->pack == RUN_PACK_BY_SIZE && *workers && !options->quiet && !options->row)
		fprintf(stderr,
			"heddle run: more than %u nodes: %u are packed into %u worker%s (--pack=0: "
			"each is a process)\n",
			FABRIC_PACK_SHARE, plan->node_count, *workers, *workers == 1 ? "" : "s");
	return 0;
}

/* one run from its start.  Return: the exit status, or STATUS_AGAIN */
static int execute_once(const struct run_options *options, const struct plan *plan,
			struct run_output *output, struct breakpoint *breakpoint)
{
	struct fabric_options fabric_options = options->fabric;
	struct run run = {
		.end_ps = plan->drain ? node_time_max(plan->drain_max_ps, plan->duration_ps)
				      : plan->duration_ps,
		.once = options->fabric.ranks > 1 ? "a run on several machines begins once"
						  : run_output_once(output),
		.slow_ps_per_s = options->slow_ps_per_s,
		/* logs of other machines arrive only while the clock is stopped */
		.follow = (options->record || options->recording) && options->fabric.ranks <= 1
				  ? run_output_follow
				  : NULL,
		.follower = output
	};
	struct observer observer = { .options = options, .progress = &run.progress };
	int status, error;

	if (options->real)
		run.end_ps += REAL_GRACE_PS;
	else if ((status = pack_choose(options, plan, &fabric_options.pack)))
		return status;
	progress_start(&run.progress, stderr, !options->quiet && !draws(options));
	observe(&fabric_options, &observer);
	fabric_options.managers = options->real ? &run.managers : NULL;
	manager_pair_init(&run.managers, &run.fabric);
	error = fabric_start(&run.fabric, plan, &fabric_options);
	if (!error) {
		struct fault_fabric callbacks = fabric_fault(&run.fabric);

		error = fault_schedule_init(&run.faults, plan, &callbacks);
	}
	if (error == -EINTR) {
		fabric_kill(&run.fabric);
		run_remark(options, "interrupted before the start");
		status = EXIT_INTERRUPTED;
	} else if (error) {
		status = node_failed(options, &run.fabric);
	} else {
		status = execute_shown(output, options, &run, breakpoint);
	}
	manager_pair_end(&run.managers);
	fault_schedule_fini(&run.faults);
	fabric_free(&run.fabric);
	return status;
}

int run_execute(const struct run_options *options, const struct plan *plan,
		struct run_output *output)
{
	struct breakpoint *breakpoint = NULL;
	const char *script_name = NULL;
	FILE *script = NULL;
	int status;

	if (options->breaks) {
		script = script_open(options, &script_name);
		if (!script)
			return EXIT_USAGE;
		breakpoint = breakpoint_open(script, script_name,
					     run_on_stdout(options) ? stderr : stdout);
		if (!breakpoint)
			return options_wrong("run", "not enough memory for the prompt");
	}
	interrupt_catch();
	while ((status = execute_once(options, plan, output, breakpoint)) == STATUS_AGAIN) {
		status = run_output_again(output);
		if (status)
			break;
	}
	breakpoint_close(breakpoint);
	if (script && script != stdin)
		fclose(script);
	return status;
}
