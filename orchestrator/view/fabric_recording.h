/*  fabric_recording - a recording of a fabric that is up, from answers of its daemon to "ps"
 *  (SE-4).
 *
 *  The daemon keeps no history and its nodes are not sampled: each answer becomes one sample of
 *  what it has of ports, at the time since the start of the fabric. The fidelity verdict is in it
 *  from the first answer on, in blocks FIDL (docs/recording.md). Nodes and links are those of the
 *  first answer; later ones that join are not in it. Each sample is a slice, so that a page can
 *  follow. */
#ifndef HEDDLE_ORCHESTRATOR_VIEW_FABRIC_RECORDING_H
#define HEDDLE_ORCHESTRATOR_VIEW_FABRIC_RECORDING_H

#include <jansson.h>
#include <stdio.h>

#include "orchestrator/recording/recording_write.h"

#define FABRIC_RECORDING_BYTES_MAX (512ull << 20)

struct fabric_recording {
	struct recording recording;
	json_t *nodes;   /* name -> index */
	json_t *verdict; /* the last one written */
	node_time_t at_ps;
	uint32_t samples;
};

/** fabric_recording_begin() - writes the head, of @answer, to @out, borrowed.
 *  @sample_ps  between answers.  Return: 0, or -errno. fabric_recording_end() in any case. */
int fabric_recording_begin(struct fabric_recording *recording, const json_t *answer,
			   node_time_t sample_ps, FILE *out);

/** fabric_recording_add() - a sample, of @answer after observe_fidelity().
 *  Return: 0; -EFBIG: it has FABRIC_RECORDING_BYTES_MAX, and no more is recorded; -errno. */
int fabric_recording_add(struct fabric_recording *recording, const json_t *answer);

/** fabric_recording_end() - the fabric has ended: completes the file and frees everything.
 *  Return: 0 or -errno. */
int fabric_recording_end(struct fabric_recording *recording);

#endif
