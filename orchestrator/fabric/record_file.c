#include "orchestrator/fabric/record_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 4096u

node_time_t record_file_sample_ps(node_time_t duration_ps)
{
	static const uint32_t steps[] = { 1, 2, 5 };
	node_time_t unit_ps = NODE_US;

	for (uint32_t i = 0;; i++) {
		node_time_t sample_ps = unit_ps * steps[i % 3];

		if (duration_ps / sample_ps < SAMPLES)
			return sample_ps;
		if (i % 3 == 2)
			unit_ps *= 10;
	}
}

int record_file_open(struct record_file *record, const char *path, struct why *why)
{
	int error;

	*record = (struct record_file){ 0 };
	if (!path)
		return 0;
	error = atomic_file_output(&record->file, path);
	if (error)
		why_say(why, 0, "cannot write the recording to %s: %s", path,
			atomic_file_why(error));
	record->out = record->file.stream;
	record->wanted = !error;
	return error;
}

void record_file_to(struct record_file *record, FILE *out)
{
	*record = (struct record_file){ .out = out, .wanted = true };
}

int record_file_begin(struct record_file *record, const struct fabric *fabric, const char *variant,
		      const struct node_files *events, const struct node_files *series)
{
	struct node_log_source *event_sources, *series_sources;
	int error = -ENOMEM;

	if (!record->wanted)
		return 0;
	event_sources = node_files_sources(events, fabric);
	series_sources = node_files_sources(series, fabric);
	if (event_sources && series_sources)
		error = recorder_begin(&record->recorder, fabric->plan, variant, event_sources,
				       series_sources, record->out);
	free(event_sources);
	free(series_sources);
	record->begun = !error;
	return error;
}

void record_file_follow(struct record_file *record, const struct fabric *fabric)
{
	if (record->begun && !fabric->options.real)
		recorder_follow(&record->recorder, fabric_now(fabric));
}

void record_file_result(struct record_file *record, struct stats_page *const *pages,
			const struct results_logs *logs, const struct results *results)
{
	if (!record->begun)
		return;
	recorder_follow(&record->recorder, NODE_TIME_NEVER);
	recorder_result(&record->recorder, pages, logs, results);
	record->result = true;
	record->interrupted = results->interrupted;
	record->end_ps = results->end_ps;
}

/* how the run ended; @failure: why it failed, NULL: it did not */
static enum recording_status status_of(const struct record_file *record,
				       const struct fabric *fabric, const char **failure)
{
	*failure = fabric->failure[0] ? fabric->failure : NULL;
	if (*failure || !record->result)
		return RECORDING_FAILED;
	return record->interrupted ? RECORDING_INTERRUPTED : RECORDING_COMPLETE;
}

int record_file_end(struct record_file *record, const struct fabric *fabric)
{
	enum recording_status status;
	const char *failure;
	struct why why = { "" };
	bool written;
	int error, commit = 0;

	if (!record->begun)
		return 0;
	if (!record->result)
		recorder_follow(&record->recorder, NODE_TIME_NEVER);
	status = status_of(record, fabric, &failure);
	error = recorder_end(&record->recorder, status, failure,
			     record->result ? record->end_ps : fabric_now(fabric), &written, &why);
	record->begun = false;
	if (written && record->file.stream) {
		commit = atomic_file_commit(&record->file);
		if (commit)
			error = why_say(&why, commit, "%s", strerror(-commit));
	}
	if (error)
		fprintf(stderr, "heddle run: %s %s: %s\n",
			written && !commit ? "the recording lacks something:"
					   : "cannot write the recording to",
			record->file.path[0] ? record->file.path : "the report", why.text);
	record_file_abort(record);
	return error;
}

void record_file_abort(struct record_file *record)
{
	struct why why;
	bool written;

	if (record->begun)
		recorder_end(&record->recorder, RECORDING_FAILED, NULL, 0, &written, &why);
	atomic_file_abort(&record->file);
	*record = (struct record_file){ 0 };
}
