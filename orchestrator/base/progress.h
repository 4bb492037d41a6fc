/*  progress - one line on a terminal that shows how far a long run is (TB-10).
 *
 *  Nothing appears in the first two seconds, nor ever if the stream is not a terminal; the line is wiped when the run
 *  ends, so that it never stands in a result.                                                                        */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PROGRESS_H
#define HEDDLE_ORCHESTRATOR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"

struct progress {
	FILE *out;
	bool on;    /* the stream is a terminal and nobody asked for silence */
	bool shown; /* a line stands there */
	uint64_t start_ns, next_ns;
};

/** progress_start() - @wanted false: nothing is ever shown. */
void progress_start(struct progress *progress, FILE *out, bool wanted);

/** progress_update() - the fabric is at @now of @end and has had @windows windows. Cheap; call it often. */
void progress_update(struct progress *progress, node_time_t now, node_time_t end, uint64_t windows);

/** progress_waits() - @what is waited for. */
void progress_waits(struct progress *progress, const char *what);

/** progress_wipe() - removes the line, if there is one. */
void progress_wipe(struct progress *progress);

#endif
