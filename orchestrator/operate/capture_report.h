/*  capture_report - what a capture of a running link has seen, beside what the port has counted
 *  meanwhile (SE-13). Pure.
 *
 *  Frames are counted by direction and kind, bytes as they are on the link: with FCS, without gap.
 *  The node counts what does not fit into the ring, and says what its port has counted from the
 *  beginning of the capture to its end. So captured + missed = counted, exactly: a capture proves
 *  that it is complete. */
#ifndef HEDDLE_ORCHESTRATOR_OPERATE_CAPTURE_REPORT_H
#define HEDDLE_ORCHESTRATOR_OPERATE_CAPTURE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "nodes/link/capture.h"

/* of one direction */
struct capture_seen {
	struct capture_count all;
	uint64_t packets, ack_frames; /* the other frames: FGFC, PFC, PAUSE */
};

struct capture_report {
	struct capture_seen sent, received;
};

/** capture_report_add() - @frame was captured. */
void capture_report_add(struct capture_report *report, const struct capture_frame *frame);

/** capture_report_json() - as JSON, owned by the caller: link, sent, received; of each direction
 *  frames, bytes, packets, ack_frames, other_frames, and missed_frames, missed_bytes,
 *  counted_frames, counted_bytes of @end, the answer of "capture-end" (live_request.h), as far as
 *  it has them. */
json_t *capture_report_json(const struct capture_report *report, const char *link,
			    const json_t *end);

/** capture_report_print() - that JSON in words: a line for each direction. */
void capture_report_print(const json_t *json, FILE *out);

#endif
