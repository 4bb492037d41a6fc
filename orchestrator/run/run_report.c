#include "orchestrator/run/run_report.h"

#include <errno.h>
#include <string.h>

#include "orchestrator/base/nameless_file.h"
#include "orchestrator/recording/recording_thin.h"
#include "orchestrator/run/run_options.h"
#include "orchestrator/view/view_report.h"

int run_report_open(struct run_report *report, const char *path, const char *lab)
{
	int error;

	*report = (struct run_report){ .lab = lab };
	if (!path)
		return 0;
	error = atomic_file_open(&report->file, path);
	return error ? options_wrong("run", "cannot write the report to %s: %s", path,
				     atomic_file_why(error))
		     : 0;
}

FILE *run_report_recording(struct run_report *report)
{
	FILE *out;

	if (!report->file.stream || report->count == SCENARIO_VARIANTS_MAX)
		return NULL;
	out = nameless_stream();
	report->recordings[report->count++] = out;
	return out;
}

static uint64_t bytes_of(const struct run_report *report, FILE *const *recordings)
{
	uint64_t bytes = report->lab ? strlen(report->lab) : 0;
	uint32_t count = report->count;

	for (uint32_t i = 0; i < count; i++)
		if (!fseeko(recordings[i], 0, SEEK_END))
			bytes += (uint64_t)ftello(recordings[i]);
	return view_report_bytes(bytes, count + !!report->lab);
}

static void files_close(FILE **files, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (files[i])
			fclose(files[i]);
}

/* copies of all recordings at @level.  Return: 0; -errno with @why. */
static int thin_all(const struct run_report *report, unsigned level, FILE **thin, struct why *why)
{
	int error = 0;

	for (uint32_t i = 0; i < report->count && !error; i++) {
		thin[i] = nameless_stream();
		error = thin[i] ? recording_thin(report->recordings[i], thin[i], level, why)
				: why_say(why, -errno, "a temporary file: %s", strerror(errno));
	}
	return error;
}

/* the recordings, thinned out as far as it needs; the last level is taken in any case */
static int report_write(struct run_report *report, struct why *why)
{
	FILE *thin[SCENARIO_VARIANTS_MAX] = { 0 }, **shown = report->recordings;
	int error = 0;

	for (unsigned level = 1; !error && level < RECORDING_THIN_LEVELS &&
				 bytes_of(report, shown) > VIEW_REPORT_BYTES_MAX;
	     level++) {
		files_close(thin, report->count);
		memset(thin, 0, sizeof(thin));
		error = thin_all(report, level, thin, why);
		shown = thin;
	}
	if (!error && bytes_of(report, shown) > VIEW_REPORT_BYTES_MAX)
		fprintf(stderr,
			"heddle run: the report is larger than %u MB, thinned out as it "
			"is: a shorter run.duration makes it smaller\n",
			VIEW_REPORT_BYTES_MAX / 1000000);
	if (!error) {
		error = view_report_write(report->file.stream, shown, report->count, report->lab);
		why_say(why, 0, "%s", strerror(-error));
	}
	files_close(thin, report->count);
	return error;
}

int run_report_end(struct run_report *report, int status)
{
	struct why why = { "no temporary file" };
	int error = 0;

	if (!report->file.stream)
		return status;
	for (uint32_t i = 0; i < report->count; i++)
		if (!report->recordings[i])
			error = -EIO;
	/* a node that failed: what was before it is in its recording */
	if (report->count && !error && status != EXIT_USAGE) {
		error = report_write(report, &why);
		if (!error) {
			error = atomic_file_commit(&report->file);
			why_say(&why, 0, "%s", atomic_file_why(error));
		}
	}
	if (error)
		status = options_wrong("run", "cannot write the report: %s", why.text);
	run_report_abort(report);
	return status;
}

void run_report_abort(struct run_report *report)
{
	files_close(report->recordings, report->count);
	atomic_file_abort(&report->file);
	*report = (struct run_report){ 0 };
}
