/*  recording_samples - the logs of samples that nodes wrote, made again from the slices of a
 *  recording, so that the same code prints their tables (results/samples_csv.h).
 *
 *  A sample in which nothing changes takes a byte in a recording, and a row for each port in a
 *  table. So a small file made for it would have tables that fill a disk: they are limited by what
 *  the file has (recording_samples_allow()).
 *  Memory: a statistics page for each node with its flows, and the changes of one node in a slice.
 *  The logs are in files without a name. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_SAMPLES_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_SAMPLES_H

#include <stdio.h>

#include "orchestrator/recording/recording_heading.h"
#include "orchestrator/results/node_log.h"

/* The values in tables: always allowed, and more for each byte of the recording. Ours: of a fabric
 * without traffic 4096 samples of 768 ports are 110 million values in a file of 20 kB; with traffic
 * there are less than 100 for each byte. */
#define RECORDING_VALUES_ANY (128ull << 20)
#define RECORDING_VALUES_RATIO 2048ull

struct recording_change {
	struct series_entry entry;
	uint32_t sample;
};

struct recording_samples_node {
	struct flow_tx_stats *flows;
	uint32_t flow_count;
	size_t flow_size;
	/* the series that are not 0 at the end of the last slice; a change has their key */
	struct series_entry *live;
	size_t live_count, live_size;
	FILE *log;
	struct stats_page *page; /* for tables */
};

struct recording_samples {
	struct recording_heading *heading; /* borrowed */
	struct recording_samples_node *nodes;
	struct recording_change *changes; /* of the present node in the present slice */
	size_t change_count, change_size;
	uint32_t node; /* the present one */
	uint32_t sample_count;
	node_time_t samples[SLICE_SAMPLES_MAX];
	uint64_t value_count, values_max; /* in the tables */
	bool any;                         /* there was a sample */
	int error;                        /* -errno; -EFBIG: more than values_max */
};

/** recording_samples_init() - no samples so far.
 *  Return: 0, or -errno; recording_samples_fini() in any case. */
int recording_samples_init(struct recording_samples *samples, struct recording_heading *heading);
void recording_samples_fini(struct recording_samples *samples);

/** recording_samples_flows() - adds the flows of a block FLOW, @length bytes of JSON at @text.
 *  Return: 0; -EINVAL: it is no such block; -ENOMEM. */
int recording_samples_flows(struct recording_samples *samples, const char *text, size_t length);

/** recording_samples_allow() - @file_bytes of the recording were read: what its tables may have.
 *  Before each slice. */
void recording_samples_allow(struct recording_samples *samples, uint64_t file_bytes);

/** recording_samples_span(), recording_samples_change(), recording_samples_end() - a slice: for
 *  struct slice_visitor, and at its end. An error is kept in samples->error; -EFBIG: the tables
 *  would have more than is allowed, and the slice is left out. A series of an index that there
 *  is not is left out. */
void recording_samples_span(void *samples, node_time_t from_ps, node_time_t to_ps,
			    const node_time_t *times, uint32_t count);
void recording_samples_change(void *samples, const struct slice_key *key, uint32_t sample,
			      uint64_t value);
void recording_samples_end(struct recording_samples *samples);

/** recording_samples_sources() - all slices were given: where the logs are, for
 *  samples_csv_ports(). An array of one for each node, to be freed by the caller; NULL: an error,
 *  in samples->error. */
struct node_log_source *recording_samples_sources(struct recording_samples *samples);

#endif
