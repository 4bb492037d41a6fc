/*  record_file - the file of `heddle run --record FILE` (SE-3): the logs of the nodes
 *  (node_files.h) become a recording (orchestrator/recording/recorder.h) while the run goes on.
 *
 *  After a failure the file has what was before it, and says so; a fabric that does not start
 *  leaves no file. Under the real clock nothing is read before the end, since nodes have no common
 *  time up to which they are complete. */
#ifndef HEDDLE_ORCHESTRATOR_FABRIC_RECORD_FILE_H
#define HEDDLE_ORCHESTRATOR_FABRIC_RECORD_FILE_H

#include "nodes/base/why.h"
#include "orchestrator/base/atomic_file.h"
#include "orchestrator/fabric/fabric.h"
#include "orchestrator/fabric/node_files.h"
#include "orchestrator/recording/recorder.h"

struct record_file {
	struct atomic_file file; /* not open: `out` is the caller's */
	FILE *out;
	bool wanted, begun;
	bool result, interrupted; /* there is a result; of an interrupted run */
	node_time_t end_ps;       /* of the result */
	struct recorder recorder;
};

/** record_file_sample_ps() - how often nodes sample for a recording of @duration_ps, if the
 *  scenario does not say it: every 1 us, or the least of 2, 5, 10, 20 ... us that gives no more
 *  than 4096 samples (ours). Pure. */
node_time_t record_file_sample_ps(node_time_t duration_ps);

/** record_file_open() - @path, NULL: no recording is wanted.
 *  Return: 0; -errno with a sentence in @why, and no file is left. */
int record_file_open(struct record_file *record, const char *path, struct why *why);

/** record_file_to() - in place of record_file_open(): the recording goes to @out, which stays open
 *  and is the caller's. */
void record_file_to(struct record_file *record, FILE *out);

/** record_file_begin() - the nodes of @fabric are ready, and write @events and @series.
 *  Return: 0 or -errno. */
int record_file_begin(struct record_file *record, const struct fabric *fabric, const char *variant,
		      const struct node_files *events, const struct node_files *series);

/** record_file_follow() - virtual clock: writes what is before the present time of all nodes of
 *  @fabric. At any time. record_file_end() reports an error. */
void record_file_follow(struct record_file *record, const struct fabric *fabric);

/** record_file_result() - the nodes have stopped: the rest, and the result. */
void record_file_result(struct record_file *record, struct stats_page *const *pages,
			const struct results_logs *logs, const struct results *results);

/** record_file_end() - after the end of the nodes: completes the file, and reports errors on
 *  standard error.
 *  Return: 0, or -errno if the file is not complete. */
int record_file_end(struct record_file *record, const struct fabric *fabric);

/** record_file_abort() - deletes a file that is not complete. Idempotent. */
void record_file_abort(struct record_file *record);

#endif
