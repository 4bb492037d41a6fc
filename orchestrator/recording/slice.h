/*  slice - a span of time of a recording: what nodes sampled in it, and events (docs/recording.md,
 *  block DATA).
 *
 *  The writer is given samples and events in the order of time. It keeps the value of every series
 *  from slice to slice, since nodes report changes; a slice begins with all values that are not 0,
 *  so that it can be read without those before it. The bytes depend on what is given alone.
 *  The reader checks everything, and allocates nothing. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_SLICE_H
#define HEDDLE_ORCHESTRATOR_RECORDING_SLICE_H

#include "nodes/base/time.h"
#include "nodes/base/why.h"
#include "orchestrator/recording/pack.h"
#include "orchestrator/results/event_merge.h"

#define SLICE_SAMPLES_MAX 64u
#define SLICE_EVENTS_MAX 65536u /* after the moment in which it is reached, a slice ends */

/* a series of a node. In a slice they are in the order of these members */
struct slice_key {
	uint32_t node, series, port;
	uint32_t index; /* of the class, lane or flow; 0: there is none */
};

/** slice_key_compare() - their order in a slice. */
int slice_key_compare(const struct slice_key *a, const struct slice_key *b);

struct slice_value {
	uint32_t place; /* in `keys` */
	uint32_t sample;
	uint64_t value;
};

struct slice_series {
	struct slice_key key;
	uint64_t value; /* of the last sample */
	size_t change;  /* place of the last change in `values`, if it is one of this slice */
};

/* the writer of one slice after the other */
struct slice {
	node_time_t from_ps;
	uint32_t sample_count, event_count;
	node_time_t samples[SLICE_SAMPLES_MAX];
	/* all series so far, in the order in which they were met; `table` finds them */
	struct slice_series *keys;
	uint32_t key_count, key_size;
	uint32_t *table; /* place + 1; 0: free */
	uint32_t table_size;
	/* changes in the order of time; those of the first sample are added last */
	struct slice_value *values;
	size_t value_count, value_size;
	uint32_t *order; /* scratch: [key_size] */
	struct pack events;
	node_time_t event_at_ps; /* of the last event */
	bool failed;             /* memory was short */
};

/** slice_init() - an empty slice from time 0 on. slice_fini() later. */
void slice_init(struct slice *slice);
void slice_fini(struct slice *slice);

/** slice_sample() - nodes sampled at @at, which is later than the sample before; at most
 *  SLICE_SAMPLES_MAX in a slice. Values that follow are of this moment. */
void slice_sample(struct slice *slice, node_time_t at_ps);

/** slice_set() - the value of @key from the present sample on; in one sample the last one counts.
 *  Average O(1). */
void slice_set(struct slice *slice, const struct slice_key *key, uint64_t value);

/** slice_event() - an event; one with a time before that of the last one gets that time. */
void slice_event(struct slice *slice, const struct event *event);

/** slice_full() - must a sample, or an event later than the last one, be in another slice? */
bool slice_full(const struct slice *slice);

/** slice_end() - adds the slice as bytes to @pack, and begins the next one at @to_ps, which is at
 *  or after all samples and events. O(n log n) in the series that change.
 *  Return: 0 or -ENOMEM. */
int slice_end(struct slice *slice, node_time_t to_ps, struct pack *pack);

/* what a reader is given, in the order of the slice; each may be NULL. `context` is the reader's */
struct slice_visitor {
	void *context;
	void (*span)(void *context, node_time_t from_ps, node_time_t to_ps,
		     const node_time_t *samples, uint32_t sample_count);
	/* @key has @value from sample number @sample on */
	void (*change)(void *context, const struct slice_key *key, uint32_t sample, uint64_t value);
	void (*event)(void *context, const struct event *event);
};

/* what numbers of a slice may be */
struct slice_limits {
	uint32_t node_count, series_count, kind_count;
	const uint32_t *port_counts; /* of each node */
};

/** slice_read() - reads a slice of @length bytes.
 *  Return: 0; -EINVAL with a sentence in @why; what came before the mistake was given. */
int slice_read(const uint8_t *bytes, size_t length, const struct slice_limits *limits,
	       const struct slice_visitor *visitor, struct why *why);

#endif
