#include "orchestrator/run/run_output.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/base/screen.h"
#include "orchestrator/results/results_json.h"
#include "orchestrator/results/results_text.h"

/* ---- names ---- */

static void output_add(struct output_name *names, unsigned *count, const char *option,
		       const char *path)
{
	if (*count < OUTPUT_NAMES_MAX && path && path[0] && !output_is_stdout(path))
		names[(*count)++] = (struct output_name){
			.option = option,
			.path = path,
			.makes_folder = !strcmp(option, "--csv"),
		};
}

/* "-" is standard output for one output, and no file of that name for any.
 * Return: 0 or an exit status, reported */
static int stdout_check(const struct run_options *options)
{
	if (output_is_stdout(options->json) + output_is_stdout(options->events) +
		    output_is_stdout(options->record) >
	    1)
		return options_wrong("run", "only one of --json -, --events - and --record - can "
					    "have standard output");
	if (output_is_stdout(options->record) && (options->view || isatty(STDOUT_FILENO)))
		return options_wrong("run", "a recording is no text: %s --record FILE",
				     options->view ? "--view with" : "on a terminal");
	for (unsigned i = 0; i < options->capture_count; i++) {
		const char *equals = strchr(options->captures[i], '=');

		if (equals && output_is_stdout(equals + 1))
			return options_wrong("run", "--capture takes a file, not -");
	}
	if (output_is_stdout(options->csv) || output_is_stdout(options->report))
		return options_wrong("run", "%s takes a %s, not -",
				     output_is_stdout(options->csv) ? "--csv" : "--report",
				     output_is_stdout(options->csv) ? "folder" : "file");
	return 0;
}

/* The folder of tables is there before the run: other files may be in it.
 * Return: 0 or an exit status, reported */
static int folder_make(struct run_options *options)
{
	int error;

	if (!options->csv)
		return 0;
	options->csv_there = atomic_file_folder_there(options->csv);
	options->csv_made = true;
	error = atomic_file_folder(options->csv);
	return error ? options_wrong("run", "cannot make the folder %s: %s", options->csv,
				     strerror(-error))
		     : 0;
}

int run_output_check(struct run_options *options, const struct origin *origin)
{
	struct output_name names[OUTPUT_NAMES_MAX];
	char tables[16][PATH_MAX];
	struct why why;
	const char *script = output_is_stdout(options->script) ? NULL : options->script;
	unsigned count = 0;
	int status = stdout_check(options);

	if (status)
		return status;
	output_add(names, &count, "--json", options->json);
	for (unsigned i = 0; i < 15 && options->csv && (!i || results_csv_name(i - 1)); i++) {
		const char *name = i ? results_csv_name(i - 1) : "compare.csv";

		if (snprintf(tables[i], PATH_MAX, "%s/%s", options->csv, name) < PATH_MAX)
			output_add(names, &count, "--csv", tables[i]);
	}
	output_add(names, &count, "--events", options->events);
	output_add(names, &count, "--record", options->record);
	output_add(names, &count, "--report", options->report);
	for (unsigned i = 0; i < options->capture_count; i++) {
		const char *equals = strchr(options->captures[i], '=');

		output_add(names, &count, "--capture", equals ? equals + 1 : NULL);
	}
	return output_names_check(names, count, origin, script, &why)
		       ? options_wrong("run", "%s", why.text)
		       : folder_make(options);
}

void run_output_folder_end(const struct run_options *options)
{
	if (options->csv_made)
		atomic_file_folder_undo(options->csv, options->csv_there);
}

/* ---- while the fabric runs ---- */

/* fabric_options.capture_file */
static int capture_of(void *output, uint32_t node, uint32_t port)
{
	return capture_files_find(&((struct run_output *)output)->captures, node, port);
}

/* fabric_options.event_file */
static int events_of(void *output, uint32_t node)
{
	return node_files_of(&((struct run_output *)output)->event_logs, node);
}

/* fabric_options.series_file */
static int series_of(void *output, uint32_t node)
{
	return node_files_of(&((struct run_output *)output)->series_logs, node);
}

/* the folder of the file @path, where the logs of the nodes are to be; NULL: in memory, as @file is
 * no regular file */
static const char *folder_of(const struct atomic_file *file, const char *path, char *folder)
{
	snprintf(folder, PATH_MAX, "%s", path);
	return file->written[0] ? dirname(folder) : NULL;
}

/* The nodes of @plan get files for the events and the samples that are wanted, on the disk of the
 * output that is made of them. Tables of samples need the events for the paths of flows. */
static int logs_open(struct run_output *output, const struct run_options *options,
		     struct plan *plan, struct why *why)
{
	bool record = options->record || options->recording;
	bool series = (options->csv || record) && plan->nodes[0].sample_ps;
	bool events = options->events || record || series;
	char folder[PATH_MAX];
	const char *at = options->csv;
	int error = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		plan->nodes[i].events = events;
		plan->nodes[i].series = series;
		plan->nodes[i].packets &= options->events || record;
	}
	if (options->record)
		at = folder_of(&output->record.file, options->record, folder);
	else if (options->events)
		at = folder_of(&output->events.file, options->events, folder);
	if (events)
		error = node_files_open(&output->event_logs, plan->node_count, at, why);
	if (!error && series)
		error = node_files_open(&output->series_logs, plan->node_count, at, why);
	return error;
}

/* A recording has samples, also if the scenario has none. The real clock has none. */
static void samples_set(const struct run_options *options, struct plan *plan)
{
	if ((!options->record && !options->recording) || options->real || plan->nodes[0].sample_ps)
		return;
	for (uint32_t i = 0; i < plan->node_count; i++)
		plan->nodes[i].sample_ps = record_file_sample_ps(plan->duration_ps);
}

int run_output_open(struct run_output *output, struct run_options *options, struct plan *plan)
{
	struct why why;

	output->options = options;
	output->plan = plan;
	output->variant = options->row ? options->row->name : options->variant;
	samples_set(options, plan);
	if (capture_files_open(&output->captures, options->captures, options->capture_count,
			       options->capture_bytes, plan, &why) ||
	    event_file_open(&output->events, options->events, &why) ||
	    record_file_open(&output->record, options->record, &why) ||
	    logs_open(output, options, plan, &why))
		return options_wrong("run", "%s", why.text);
	if (options->recording)
		record_file_to(&output->record, options->recording);
	options->fabric.capture_file = capture_of;
	options->fabric.event_file = events_of;
	options->fabric.series_file = series_of;
	options->fabric.owner = output;
	return 0;
}

int run_output_begin(struct run_output *output, const struct fabric *fabric)
{
	int error = record_file_begin(&output->record, fabric, output->variant, &output->event_logs,
				      &output->series_logs);

	return error ? options_wrong("run", "cannot begin the recording: %s", strerror(-error)) : 0;
}

/* is @file written under its own name, so that what was written stays? */
static bool direct(const struct atomic_file *file)
{
	return file->stream && !file->written[0];
}

const char *run_output_once(const struct run_output *output)
{
	const struct capture_files *captures = &output->captures;
	bool pipes = direct(&output->events.file) || direct(&captures->all.file);

	for (uint32_t i = 0; i < captures->count; i++)
		pipes |= direct(&captures->files[i].file);
	if (direct(&output->record.file))
		return "its recording has a reader, such as the page: rewind there";
	return pipes ? "a capture or --events is a pipe or a device, which keeps what was written"
		     : NULL;
}

/* the plan as it was before run_output_open() */
static void captures_unmark(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++) {
		plan->nodes[i].capture_sent_bytes = 0;
		for (uint32_t port = 0; port < plan->nodes[i].port_count; port++)
			plan->nodes[i].ports[port].capture_bytes = 0;
	}
}

int run_output_again(struct run_output *output)
{
	struct run_options *options = output->options;
	struct plan *plan = output->plan;

	*output = (struct run_output){ 0 };
	captures_unmark(plan);
	if (options->recording) {
		rewind(options->recording);
		if (ftruncate(fileno(options->recording), 0))
			return options_wrong("run", "cannot begin the recording again: %s",
					     strerror(errno));
	}
	return run_output_open(output, options, plan);
}

void run_output_follow(void *output, const struct fabric *fabric)
{
	record_file_follow(&((struct run_output *)output)->record, fabric);
}

int run_output_complete(struct run_output *output, struct fabric *fabric, int status)
{
	int captures = capture_files_end(&output->captures, fabric);
	int events = event_file_end(&output->events, &output->event_logs, fabric,
				    status == EXIT_INTERRUPTED);
	int record = record_file_end(&output->record, fabric);

	if ((!captures && !events && !record) ||
	    (status != EXIT_FINE && status != EXIT_EXPECTATION && status != EXIT_NOT_VALID))
		return status;
	return captures == -EOWNERDEAD ? EXIT_NODE : EXIT_USAGE;
}

void run_output_end(struct run_output *output)
{
	capture_files_abort(&output->captures);
	event_file_abort(&output->events);
	record_file_abort(&output->record);
	node_files_close(&output->event_logs);
	node_files_close(&output->series_logs);
}

/* ---- at the end ---- */

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

static int json_write(const struct run_options *options, const struct plan *plan,
		      const struct results *results, const struct result_host *host)
{
	struct atomic_file file;
	int error = atomic_file_output(&file, options->json);

	if (!error)
		error = atomic_file_end(&file,
					results_json_write(plan, results, host, file.stream));
	return error ? options_wrong("run", "cannot write the JSON result to %s: %s", options->json,
				     atomic_file_why(error))
		     : 0;
}

/* the warnings of a summary */
static void row_remarks(const struct run_options *options, const struct results *results)
{
	uint32_t undelivered = results_undelivered_count(results->flows, results->flow_count);

	if (undelivered)
		run_remark(options, "%u flow%s, nothing arrives", undelivered,
			   undelivered == 1 ? " retransmits" : "s retransmit");
	if (results->totals.messages_unlogged)
		run_remark(options, "completion times lack %llu messages: nic.messages-max",
			   (unsigned long long)results->totals.messages_unlogged);
}

/* what is made of the logs of the nodes; returns 0 or an exit status */
static int logs_write(struct run_output *output, const struct run_options *options,
		      struct stats_page *const *pages, const struct results *results,
		      const struct fabric *fabric)
{
	struct node_log_source *series = node_files_sources(&output->series_logs, fabric);
	struct node_log_source *events = node_files_sources(&output->event_logs, fabric);
	const struct results_logs logs = { .series = series, .events = events };
	struct why why;
	int error = 0;

	record_file_result(&output->record, pages, &logs, results);
	/* --csv of a comparison has its table alone */
	if (options->csv && !options->row)
		error = results_csv_write(fabric->plan, pages, &logs, results, options->csv, &why);
	free(series);
	free(events);
	return error ? options_wrong("run", "%s", why.text) : 0;
}

int run_output_write(struct run_output *output, const struct run_options *options,
		     const struct plan *plan, struct stats_page *const *pages,
		     const struct results *results, const struct fabric *fabric)
{
	struct result_host cost = fabric_cost(fabric);
	const struct result_host *host = options->timing ? &cost : NULL;
	char loops[FABRIC_LOOP_MAX + 32];
	int status = 0;

	if (options->row) {
		compare_row_fill(options->row, options->columns, plan, results);
		row_remarks(options, results);
		return options->recording ? logs_write(output, options, pages, results, fabric) : 0;
	}
	if (!options->quiet && !run_on_stdout(options)) {
		loops_describe(fabric, loops, sizeof(loops));
		results_text_write(plan, results, host, loops, screen_look(stdout).colours, stdout);
		fflush(stdout);
	}
	if (options->json)
		status = json_write(options, plan, results, host);
	if (logs_write(output, options, pages, results, fabric))
		status = EXIT_USAGE;
	return status;
}

void run_remark(const struct run_options *options, const char *format, ...)
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
