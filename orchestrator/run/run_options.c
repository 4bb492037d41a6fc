/*  run_options - the words after `heddle run`, one row each.
 *
 *  A new option is a row of the table, and a member of struct run_options. What it writes is in
 *  run_output.c, what it changes in the run itself in run_execute.c. */
#include "orchestrator/run/run_options.h"

#include <stdio.h>
#include <string.h>

static int break_at_take(const char *command, const struct option_row *row, void *field,
			 const char *value)
{
	struct run_options *options = field;

	options->breaks = true;
	return option_time(command, row, &options->break_ps, value);
}

static int script_take(const char *command, const struct option_row *row, void *field,
		       const char *value)
{
	struct run_options *options = field;

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
	struct run_options *options = field;

	(void)row;
	if (options->capture_count == CAPTURE_FILES_MAX)
		return options_wrong(command, "more than %u captures", CAPTURE_FILES_MAX);
	options->captures[options->capture_count++] = value;
	return 0;
}

static int only_take(const char *command, const struct option_row *row, void *field,
		     const char *value)
{
	struct run_options *options = field;

	return option_list_add(command, row, options->only, &options->only_count,
			       SCENARIO_VARIANTS_MAX, value);
}

/* --json takes the next word if it cannot be the scenario */
static bool is_json_file(const char *next, int operand_count)
{
	if (next[0] == '-' && next[1])
		return false;
	return operand_count || option_is_json_file(next, operand_count);
}

static const struct option_word views[] = { { "read", RUN_VIEW_READ },
					    { "control", RUN_VIEW_CONTROL },
					    { 0 } };
static const struct option_word clocks[] = { { "virtual", false }, { "real", true }, { 0 } };
static const struct option_word cores[] = { { "adapt", FABRIC_CORES_ADAPT },
					    { "spread", FABRIC_CORES_SPREAD },
					    { "free", FABRIC_CORES_FREE },
					    { 0 } };

#define AT(member) offsetof(struct run_options, member)

static const struct option_row rows[] = {
	{ .name = "--json",
	  .argument = "[FILE]",
	  .field = AT(json),
	  .otherwise = OUTPUT_STDOUT,
	  .takes_next = is_json_file,
	  .help = "the result as JSON, to FILE, or to standard output instead of the summary\n"
		  "(a FILE before the SCENARIO must end in .json)" },
	OPTION_TEXT("--csv", "DIR", AT(csv),
		    "flows, messages, ports, tables and samples as CSV files in DIR"),
	OPTION_TAKE("--capture", "LINK=FILE", 0, capture_take, NULL,
		    "every frame on LINK, both directions, as pcapng, e.g. s1:h3=h3.pcapng; may be "
		    "repeated;\n"
		    "all=FILE: all links in one file"),
	OPTION_TAKE("--capture-snap", "N", AT(capture_bytes), option_snap, NULL,
		    "no more than N bytes of each frame"),
	OPTION_TEXT("--events", "FILE", AT(events),
		    "every drop, mark, CNP, pause, credit wait, redirect ... with time, node, port "
		    "and flow;\n"
		    "CSV, or JSON lines if FILE ends in .jsonl; -: to standard output"),
	OPTION_TEXT("--record", "FILE", AT(record),
		    "a recording: scenario, samples, events and result in one file, for the page "
		    "and\n"
		    "`heddle export`; samples every run.sample, or 1us, or so that there are at "
		    "most 4096;\n"
		    "-: to standard output"),
	OPTION_TEXT("--report", "FILE.html", AT(report),
		    "one file with all of it, for a browser and for print: scenario, pictures, "
		    "tables, the\n"
		    "run itself; at most 5 MB; with --compare of all variants"),
	{ .name = "--view",
	  .argument = "[control]",
	  .field = AT(view),
	  .take = option_value,
	  .words = views,
	  .otherwise = "read",
	  .help = "a page of the run in a browser, until Ctrl-C; --view=control: with changes, "
		  "which\n"
		  "are runs of their own" },
	OPTION_TAKE("--listen", "ADDRESS:PORT", AT(listen), option_listen, NULL,
		    "the page on another address than a free port of 127.0.0.1"),
	OPTION_TAKE("--clock", "KIND", AT(real), option_value, clocks,
		    "virtual (default): exact, at the speed of the machine; real: in the "
		    "scenario's own\n"
		    "time, at rates that the machine can carry, with a verdict whether it could"),
	OPTION_TAKE("--seed", "N", AT(settings), option_seed, NULL, "another seed"),
	OPTION_DILATE(AT(settings)),
	OPTION_CONTROL(AT(settings)),
	OPTION_SET(AT(settings), "run.duration=1ms"),
	OPTION_TAKE("--no-new-files", NULL, AT(settings), option_no_new_files, NULL,
		    "settings after this name no file that the scenario does not have without "
		    "them"),
	OPTION_FLAG(
		"--compare", AT(compare),
		"run each variant of the scenario's 'compare' section and print one table; the\n"
		"expectations are not judged; --json and --csv write the table"),
	OPTION_TAKE("--only", "VARIANT", 0, only_take, NULL, "only this variant; may be repeated"),
	OPTION_TEXT("--variant", "NAME", AT(variant),
		    "the scenario with this variant of its 'compare' section, and all outputs"),
	OPTION_TEXT("--sweep", "KEY=A..B", AT(sweep),
		    "a run for each value, and a table: workloads.load.connections=1..16,\n"
		    "links.rate=10..100Gb/s..10, ...=1..64..x2, or a list: KEY=A,B,C"),
	OPTION_TEXT("--seeds", "A..B", AT(seeds),
		    "a run for each seed, and a table with mean and spread"),
	OPTION_FLAG("--timing", AT(timing), "also the cost of the run on this machine"),
	OPTION_FLAG("--quiet", AT(quiet), "no summary, no progress"),
	OPTION_FLAG("--verbose", AT(verbose),
		    "each stage of the run on standard error, when it begins and ends"),
	OPTION_TAKE("--break-at", "TIME", 0, break_at_take, NULL,
		    "stop at TIME and read commands (type 'help')"),
	OPTION_TAKE("--script", "FILE", 0, script_take, NULL,
		    "read the commands from FILE instead of standard input"),
	OPTION_TAKE("--slow", "TIME/s", AT(slow_ps_per_s), slow_take, NULL,
		    "slow down to TIME of the fabric per second, e.g. 10us/s, and show the busiest "
		    "ports"),
	OPTION_TAKE("--loop", "KIND", AT(fabric.loop), NULL, option_loops,
		    "event loop of the nodes: auto, io_uring, fallback"),
	OPTION_TAKE(
		"--cores", "KIND", AT(fabric.cores), option_value, cores,
		"of the nodes, virtual clock: adapt (default): placed, fewer while other programs\n"
		"use them; spread: placed once; free: the kernel chooses"),
	OPTION_PACK(
		AT(pack),
		"virtual clock: many nodes in each of N processes (one for each core), with the\n"
		"same result; 0: each node is a process. By default large fabrics and variants\n"
		"are packed"),
	OPTION_TAKE("--watchdog", "TIME", AT(fabric.watchdog_ns), watchdog_take, NULL,
		    "how long a node may hang or be stopped (1s); 0s: no limit"),
};

static const struct command_words words = {
	"run",
	"usage: heddle run SCENARIO [options]\n"
	"Runs the workloads of a scenario and prints the result. Started by mpirun or srun\n"
	"once on each of several machines, it runs one fabric on all of them, with the same\n"
	"result.\n",
	"exit status:\n"
	"  0    all expectations hold\n"
	"  1    an expectation does not hold\n"
	"  2    wrong usage or scenario, or a file could not be written\n"
	"  3    the fabric stalled\n"
	"  4    a node failed\n"
	"  5    not valid: under the real clock this machine was too slow, whatever the "
	"expectations\n"
	"  130  interrupted: Ctrl-C (SIGINT, SIGTERM) ends a run in good order, with the results "
	"so\n"
	"       far; a second one, half a second or more later, ends it at once without results\n",
	OPTIONS(rows),
	OPERANDS("scenario", 1, 1),
};

/* the option that asks for several runs; NULL: none */
static const char *table_option(const struct run_options *options)
{
	return options->compare ? "--compare"
	       : options->sweep ? "--sweep"
	       : options->seeds ? "--seeds"
				: NULL;
}

const struct run_options run_options_default = {
	.capture_bytes = NODE_CAPTURE_WHOLE,
	.pack = RUN_PACK_BY_SIZE,
	.listen = { .address = VIEW_LISTEN_OWN },
	.fabric = { .loop = "auto", .watchdog_ns = WATCHDOG_NS_DEFAULT },
};

/* ---- options that exclude each other.  Return: 0 or EXIT_USAGE, reported ---- */

static int clock_check(const struct run_options *options)
{
	if (options->real && (options->breaks || options->slow_ps_per_s))
		return options_wrong("run", "the real clock cannot be stopped or slowed down: "
					    "--break-at, --script and --slow are for "
					    "--clock virtual");
	if (options->real && options->pack != RUN_PACK_BY_SIZE && options->pack)
		return options_wrong("run", "under the real clock each node is a process: "
					    "--pack is for --clock virtual");
	if (!options->real && *options->settings.dilation)
		return options_wrong("run", "--dilate is for --clock real: the virtual clock is "
					    "exact on any machine");
	return 0;
}

/* several runs and a table */
static int table_check(const struct run_options *options)
{
	const char *table = table_option(options);

	if (options->sweep && options->seeds)
		return options_wrong("run", "either --sweep or --seeds");
	if (options->compare && (options->sweep || options->seeds || options->variant))
		return options_wrong("run", "--compare runs all variants: not with --variant, "
					    "--sweep or --seeds");
	if (table && (options->breaks || options->slow_ps_per_s || options->timing))
		return options_wrong("run",
				     "%s runs everything to its end and prints one table: "
				     "--break-at, --script, --slow and --timing are for a single "
				     "run",
				     table);
	if (table && (options->capture_count || options->events || options->record))
		return options_wrong("run", "%s writes the file of one run: not with %s",
				     options->record   ? "--record"
				     : options->events ? "--events"
						       : "--capture",
				     table);
	return 0;
}

/* the page: --report, --view */
static int page_check(const struct run_options *options)
{
	const char *table = table_option(options);

	if (options->report && (options->record || options->sweep || options->seeds))
		return options_wrong("run", options->record
						    ? "--report and --record each make a "
						      "recording of the run: give one of them"
						    : "--report is of one run, or of variants: "
						      "not with --sweep or --seeds");
	if (table && options->view)
		return options_wrong("run", "--view shows one run: not with %s", table);
	if (options->real && options->view == RUN_VIEW_CONTROL)
		return options_wrong("run", "under the real clock no run can be repeated: --view "
					    "without control");
	if (options->report && options->view)
		return options_wrong("run", "--report and --view each make a recording of the run: "
					    "give one of them");
	return 0;
}

int run_options_read(struct run_options *options, int argc, char **argv)
{
	int count, status;

	*options = run_options_default;
	status = options_read(&words, argc, argv, options, &count);
	if (status >= 0)
		return status;
	options->scenario = argv[1];
	status = clock_check(options) ?: table_check(options) ?: page_check(options);
	if (status)
		return status;
	if (options->only_count && !options->compare)
		return options_wrong("run", "--only names a variant to --compare: give that too");
	options->fabric.real = options->fabric.whole = options->real;
	return -1;
}

bool run_on_stdout(const struct run_options *options)
{
	return output_is_stdout(options->json) || output_is_stdout(options->events) ||
	       output_is_stdout(options->record);
}
