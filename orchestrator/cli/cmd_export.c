/*  cmd_export - `heddle export RECORDING`: the files that a run would have written, from its
 *  recording (SE-3). */
#include "orchestrator/cli/cmd_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/base/human.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/base/output_names.h"
#include "orchestrator/command/options.h"
#include "orchestrator/recording/recording_export.h"
#include "orchestrator/results/results_csv.h"

#define TABLES_MAX 16u

struct request {
	const char *path, *json, *csv, *events;
	bool text;
};

#define AT(member) offsetof(struct request, member)

static const struct option_row options[] = {
	OPTION_TEXT("--json", "FILE", AT(json), "the result as JSON; -: to standard output"),
	OPTION_TEXT("--csv", "DIR", AT(csv), "flows, messages, ports, tables and samples in DIR"),
	OPTION_TEXT("--events", "FILE", AT(events),
		    "every event; CSV, or JSON lines if FILE ends in .jsonl; -: to "
		    "standard output"),
	OPTION_FLAG("--text", AT(text), "the summary, to standard output"),
};

static const struct command_words words = {
	"export",
	"usage: heddle export RECORDING [options]\n"
	"Writes what is in a recording of `heddle run --record`, as that run would have. Without\n"
	"options it checks the recording, and says what is in it.\n",
	"exit status: 0 fine, 2 wrong usage, a recording that is wrong or lacks what was asked "
	"for, or\na file that could not be written\n",
	OPTIONS(options),
	OPERANDS("recording", 1, 1),
};

/* the files that are written; zeroed: none */
struct files {
	struct atomic_file json, events;
};

/* Checks that no output is the recording or another output, and makes the folder of tables.
 * Return: 0 or an exit status, reported */
static int outputs_check(const struct request *request)
{
	struct output_name names[TABLES_MAX + 2];
	char tables[TABLES_MAX][PATH_MAX];
	struct why why;
	unsigned count = 0;
	int error;

	if (output_is_stdout(request->json) + output_is_stdout(request->events) + request->text > 1)
		return options_wrong("export", "only one of --json -, --events - and --text can "
					       "have standard output");
	if (request->json && !output_is_stdout(request->json))
		names[count++] = (struct output_name){ "--json", request->json, false };
	if (request->events && !output_is_stdout(request->events))
		names[count++] = (struct output_name){ "--events", request->events, false };
	for (unsigned i = 0; request->csv && i < TABLES_MAX && results_csv_name(i); i++)
		if (snprintf(tables[i], PATH_MAX, "%s/%s", request->csv, results_csv_name(i)) <
		    PATH_MAX)
			names[count++] = (struct output_name){ "--csv", tables[i], true };
	if (output_names_check(names, count, NULL,
			       !output_is_stdout(request->path) ? request->path : "/dev/stdin",
			       &why))
		return options_wrong("export", "%s", why.text);
	error = request->csv ? atomic_file_folder(request->csv) : 0;
	return error ? options_wrong("export", "cannot make the folder %s: %s", request->csv,
				     strerror(-error))
		     : 0;
}

/* Return: 0 or an exit status, reported */
static int file_open(struct atomic_file *file, const char *path)
{
	int error = atomic_file_open(file, path);

	return error ? options_wrong("export", "cannot write %s: %s", path, atomic_file_why(error))
		     : 0;
}

/* Return: 0 or an exit status, reported */
static int outputs_open(const struct request *request, struct files *files,
			struct recording_outputs *outputs)
{
	int status = 0;

	*outputs = (struct recording_outputs){ .csv = request->csv,
					       .text = request->text ? stdout : NULL };
	if (output_is_stdout(request->json)) {
		outputs->json = stdout;
	} else if (request->json) {
		status = file_open(&files->json, request->json);
		outputs->json = files->json.stream;
	}
	if (request->events)
		outputs->format = events_format_of(request->events);
	if (output_is_stdout(request->events)) {
		outputs->events = stdout;
	} else if (!status && request->events) {
		status = file_open(&files->events, request->events);
		outputs->events = files->events.stream;
	}
	return status;
}

/* Return: 0 or an exit status, reported */
static int file_commit(struct atomic_file *file)
{
	int error = file->stream ? atomic_file_commit(file) : 0;

	return error ? options_wrong("export", "cannot write %s: %s", file->path, strerror(-error))
		     : 0;
}

/* prints "@label @text", without the control characters that a wrong recording may have */
static void line_print(const char *label, const char *text)
{
	fputs(label, stdout);
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
}

static void describe(const struct recording_reader *reader, const struct recording_found *found)
{
	const json_t *head = reader->heading.json, *scenario = json_object_get(head, "scenario");
	const struct plan *plan = &reader->heading.plan;
	char time[HUMAN_TEXT_MAX];

	line_print("scenario   ", member_text(scenario, "name"));
	printf(" (seed %" PRIu64 ")\n", (uint64_t)member_number(scenario, "seed"));
	if (*member_text(scenario, "variant")) {
		line_print("variant    ", member_text(scenario, "variant"));
		putchar('\n');
	}
	line_print("recorded   by Heddle ", member_text(head, "version"));
	line_print(", clock ", member_text(head, "clock"));
	line_print(", fabric ", member_text(head, "kind"));
	putchar('\n');
	printf("nodes      %u switches, %u hosts\n", plan->switch_count, plan->host_count);
	printf("time       up to %s\n", human_time(found->end_ps, time));
	printf("samples    %" PRIu64 ", events %" PRIu64 ", in %" PRIu64 " slices\n",
	       found->sample_count, found->event_count, found->slice_count);
	line_print("run        ", found->status);
	line_print(*found->failure ? ": " : "", found->failure);
	putchar('\n');
}

/* Return: 0 or an exit status, reported */
static int export_from(const struct request *request, FILE *in)
{
	struct recording_reader reader;
	struct recording_outputs outputs;
	struct recording_found found;
	struct files files = { 0 };
	int error = recording_open(&reader, in), status = 0;

	if (error)
		status = options_wrong("export", "%s: %s", request->path, reader.why.text);
	if (!status)
		status = outputs_check(request);
	if (!status)
		status = outputs_open(request, &files, &outputs);
	if (!status && recording_export(&reader, &outputs, &found))
		status = options_wrong("export", "%s: %s", request->path, reader.why.text);
	if (!status && !found.result) /* what there is, is written */
		atomic_file_abort(&files.json);
	if (!status)
		status = file_commit(&files.json);
	if (!status)
		status = file_commit(&files.events);
	if (!status && !found.result && (request->json || request->csv || request->text))
		status = options_wrong("export", "%s has no result; state of its run: %s%s%s",
				       request->path, found.status, *found.failure ? ": " : "",
				       found.failure);
	if (!status && !request->json && !request->csv && !request->events && !request->text)
		describe(&reader, &found);
	atomic_file_abort(&files.json);
	atomic_file_abort(&files.events);
	recording_close(&reader);
	return status;
}

int cmd_export(int argc, char **argv)
{
	struct request request = { 0 };
	int count, status = options_read(&words, argc, argv, &request, &count);
	FILE *in;

	if (status >= 0)
		return status;
	request.path = argv[1];
	in = !output_is_stdout(request.path) ? fopen(request.path, "re") : stdin;
	if (!in)
		return options_wrong("export", "cannot read %s: %s", request.path, strerror(errno));
	status = export_from(&request, in);
	if (in != stdin)
		fclose(in);
	return status;
}
