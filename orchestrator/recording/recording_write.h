/*  recording_write - writes a recording, while a run goes on or after it (SE-3). The format:
 *  docs/recording.md.
 *
 *  Order of calls: recording_begin(); recording_sample(), recording_set(), recording_event() and
 *  recording_flow() in the order of time; recording_slice() when the end is reached; the result,
 *  with recording_text(); recording_end(). An error is kept, and what follows has no effect;
 *  recording_end() returns it.
 *  The bytes depend on what is given alone, not on when. A slice ends when it is full; each is
 *  flushed, so that a reader can follow. Memory: a slice, and the last value of every series. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_WRITE_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_WRITE_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/base/sha256.h"
#include "orchestrator/recording/recording_block.h"
#include "orchestrator/recording/slice.h"

enum recording_status {
	RECORDING_COMPLETE,
	RECORDING_INTERRUPTED,
	RECORDING_FAILED, /* the run: there is no result */
	RECORDING_STATUSES
};

extern const char *const recording_status_name[RECORDING_STATUSES];

struct recording_place {
	char kind[RECORDING_KIND_BYTES + 1];
	uint64_t offset, bytes; /* of the block, its head included */
	node_time_t from_ps, to_ps;
};

struct recording {
	FILE *out;
	uint64_t offset;
	struct sha256 digest; /* of the contents */
	struct pack content, block;
	struct recording_place *places;
	size_t place_count, place_size;
	struct slice slice;
	json_t *flows;     /* not written so far; NULL: none */
	node_time_t at_ps; /* of the last sample or event */
	int error;
};

/** recording_begin() - starts a recording on @out, borrowed. @head is the block HEAD
 *  (recording_head.h), borrowed. recording_end() is due in any case. */
void recording_begin(struct recording *recording, const json_t *head, FILE *out);

/** recording_sample() - nodes sampled at @at_ps: later than the sample before. recording_set() - at
 *  that moment a series has this value; 0 until it is first set. */
void recording_sample(struct recording *recording, node_time_t at_ps);
void recording_set(struct recording *recording, const struct slice_key *key, uint64_t value);

/** recording_event() - an event, later than, or at the time of, the one before and the last
 *  sample. */
void recording_event(struct recording *recording, const struct event *event);

/** recording_flow() - a flow was met, before a series names it: @flow, taken. It is written before
 *  the present slice, or by recording_flows(). */
void recording_flow(struct recording *recording, json_t *flow);
void recording_flows(struct recording *recording);

/** recording_slice() - all before @to_ps has been given: ends the present slice, if there is
 *  anything in it. */
void recording_slice(struct recording *recording, node_time_t to_ps);

/** recording_json() - a block of @kind (four letters) with @json, borrowed. */
void recording_json(struct recording *recording, const char *kind, const json_t *json);

/** recording_text() - a stream for the text of blocks of @kind; one that is long becomes several
 *  blocks. @name  the first line of each; NULL: there is none. fclose() it before the next call.
 *  Return: NULL if memory is short, or after an error. */
FILE *recording_text(struct recording *recording, const char *kind, const char *name);

/** recording_end() - the blocks DONE and INDX, unless there was an error; frees everything.
 *  @failure a sentence, or NULL.
 *  Return: 0; -errno, also that of an earlier call: what was written is no recording. */
int recording_end(struct recording *recording, enum recording_status status, const char *failure,
		  node_time_t end_ps);

#endif
