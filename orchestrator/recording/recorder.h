/*  recorder - makes a recording of a run from the logs of its nodes (SE-3), while it goes on or
 *  after it.
 *
 *  recorder_begin() when the nodes are ready; recorder_follow() as often as one likes, with the
 *  time that all nodes have passed; recorder_result() if there is a result; recorder_end(). The
 *  file is the same however often it was followed. Memory: a slice, and the last value of every
 *  series. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDER_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDER_H

#include "nodes/base/why.h"
#include "orchestrator/recording/recording_write.h"
#include "orchestrator/results/event_merge.h"
#include "orchestrator/results/flow_paths.h"
#include "orchestrator/results/results_csv.h"
#include "orchestrator/results/series_merge.h"

struct recorder {
	const struct plan *plan;
	const struct stats_page **pages; /* by node; NULL: none */
	uint32_t *flows_known;           /* by node: how many flows were recorded */
	struct recording recording;
	struct event_merge events;
	struct series_merge series;
	struct flow_paths paths; /* so far */
	bool ended;              /* the result is there */
};

/** recorder_begin() - starts a recording of a run of @plan on @out; all are borrowed.
 *  @variant  the name of the variant, or NULL
 *  @events, @series  where the logs of each node are; copied
 *  Return: 0, recorder_end() is due; -errno, nothing to free. */
int recorder_begin(struct recorder *recorder, const struct plan *plan, const char *variant,
		   const struct node_log_source *events, const struct node_log_source *series,
		   FILE *out);

/** recorder_follow() - records what was before @horizon, which all nodes have passed
 *  (fabric_now()); NODE_TIME_NEVER: all, once they have ended.
 *  Return: 0; -errno: it cannot be written. */
int recorder_follow(struct recorder *recorder, node_time_t horizon);

/** recorder_result() - after the last recorder_follow(): the result, as JSON, as text, and as
 *  tables (but for the samples, which are there already). */
void recorder_result(struct recorder *recorder, struct stats_page *const *pages,
		     const struct results_logs *logs, const struct results *results);

/** recorder_end() - completes the file and frees everything. @failure  why the run failed, or NULL.
 *  @why  what is incomplete.
 *  Return: 0; -EBADMSG or another -errno of a node: its logs are incomplete, the rest is there;
 *  *@written false: the file could not be written. */
int recorder_end(struct recorder *recorder, enum recording_status status, const char *failure,
		 node_time_t end_ps, bool *written, struct why *why);

#endif
