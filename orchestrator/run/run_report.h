/*  run_report - `heddle run --report FILE`: the page with the recording of the run in it, or those
 *  of all variants that were compared (SE-11).
 *
 *  Recordings are written to files without a name, so nothing is left, however the run ends. If the
 *  report would be larger than VIEW_REPORT_BYTES_MAX, all recordings are thinned out alike
 *  (recording_thin.h), and the report says so. */
#ifndef HEDDLE_ORCHESTRATOR_RUN_RUN_REPORT_H
#define HEDDLE_ORCHESTRATOR_RUN_RUN_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "orchestrator/base/atomic_file.h"
#include "orchestrator/scenario/scenario.h"

struct run_report {
	struct atomic_file file;
	FILE *recordings[SCENARIO_VARIANTS_MAX];
	uint32_t count;
	const char *lab; /* of view_report.h; borrowed; NULL: none */
};

/** run_report_open() - starts the report @path, of lab @lab (NULL: none). NULL: none is wanted, and
 *  the other functions have no effect.
 *  Return: 0, run_report_end() or run_report_abort() later; an exit status, reported. */
int run_report_open(struct run_report *report, const char *path, const char *lab);

/** run_report_recording() - a file for the recording of the next run; the report owns it.
 *  Return: NULL: no report is wanted, or there is no temporary file; run_report_end() tells. */
FILE *run_report_recording(struct run_report *report);

/** run_report_end() - writes the report of the runs, the last of which ended with @status.
 *  Return: @status, or another exit status, reported. */
int run_report_end(struct run_report *report, int status);

/** run_report_abort() - no report. Idempotent. */
void run_report_abort(struct run_report *report);

#endif
