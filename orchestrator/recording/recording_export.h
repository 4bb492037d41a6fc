/*  recording_export - everything in a recording as the files that its run would have written: JSON,
 *  CSV, events, the summary (SE-3). The bytes are the same. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_EXPORT_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_EXPORT_H

#include <stdio.h>

#include "orchestrator/recording/recording_read.h"
#include "orchestrator/results/event_row.h"

/* what is wanted; NULL: it is not */
struct recording_outputs {
	FILE *json, *text, *events;
	enum events_format format; /* of the events */
	const char *csv;           /* a folder, which exists */
};

/* what was found */
struct recording_found {
	char status[16];   /* "complete", "interrupted", "failed" */
	char failure[512]; /* "": none */
	bool result;       /* there was one */
	node_time_t end_ps;
	uint64_t slice_count, sample_count, event_count;
};

/** recording_export() - reads the recording of @reader, which is at its first block, to its end,
 *  and writes @outputs.
 *  Return: 0; -EINVAL: the recording is wrong, another -errno: an output cannot be written, with a
 *  sentence in reader->why. Tables get their names after all is read, so a wrong recording leaves
 *  none; the streams are the caller's. */
int recording_export(struct recording_reader *reader, const struct recording_outputs *outputs,
		     struct recording_found *found);

#endif
