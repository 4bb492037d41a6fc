/*  progress - one line on a terminal that shows how far a long run is (TB-10).
 *
 *  The line appears after two seconds, and only if the stream is a terminal. It is wiped when the
 *  run ends, so it is never part of a result. */
#ifndef HEDDLE_ORCHESTRATOR_BASE_PROGRESS_H
#define HEDDLE_ORCHESTRATOR_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/base/time.h"

struct progress {
	FILE *out;
	bool on;    /* the stream is a terminal, and the line is wanted */
	bool shown; /* a line is on the screen */
	uint64_t start_ns, next_ns;
};

/** progress_start() - begins; with @wanted false nothing is ever shown. */
void progress_start(struct progress *progress, FILE *out, bool wanted);

/** progress_update() - shows that the fabric is at @now of @end, after @windows windows. At most
 *  one line in 200 ms is written, so it may be called often. */
void progress_update(struct progress *progress, node_time_t now, node_time_t end, uint64_t windows);

/** progress_waits() - shows @what, the thing that the run waits for. */
void progress_waits(struct progress *progress, const char *what);

/** progress_wipe() - removes the line, if there is one. */
void progress_wipe(struct progress *progress);

#endif
