/*  recording_head - the block HEAD of a recording: what is known before a run, from its plan
 *  (docs/recording.md). */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_HEAD_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_HEAD_H

#include <jansson.h>

#include "nodes/stats/series.h"
#include "orchestrator/plan/plan.h"

/** recording_head() - the head for runs of @plan, whose nodes sample every @sample_ps (0: not at
 *  all). @variant  the name of the variant, NULL: none.
 *  Return: a new object; NULL if memory is short. */
json_t *recording_head(const struct plan *plan, const char *variant, node_time_t sample_ps);

/** recording_series_json(), recording_events_json() - the lists `series` and `events` of a head.
 *  Return: a new array. */
json_t *recording_series_json(void);
json_t *recording_events_json(void);

/** recording_series_number() - the number in slices of the series @id (enum series_id), which is
 *  its place in the head's list. Pure. */
static inline uint32_t recording_series_number(uint32_t id)
{
	return id - SERIES_SAMPLE - 1;
}

#endif
