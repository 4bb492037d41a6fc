/*  recording_heading - the block HEAD of a recording that was read: its nodes and names, checked.
 *
 *  Names are plain words (letters, digits, '_', '.', '-'), so that tables need no quoting. Nodes
 *  are switches, then hosts, as in a plan; so the same code prints tables of a run and of its
 *  recording. Series and kinds of events are those of the Heddle that wrote the file. */
#ifndef HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_HEADING_H
#define HEDDLE_ORCHESTRATOR_RECORDING_RECORDING_HEADING_H

#include <jansson.h>

#include "nodes/base/why.h"
#include "nodes/stats/series.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/recording/slice.h"

#define RECORDING_SERIES_MAX 1024u
#define RECORDING_KINDS_MAX 1024u
#define RECORDING_WORD_MAX 63u /* bytes of a name or word */

/* a kind of event; its words are borrowed from the head */
struct recording_kind {
	const char *name, *detail, *value; /* NULL: there is no such kind; "": it has none */
	bool has_class;
	const json_t *words; /* names of the values of `detail`; NULL: it is a number */
};

struct recording_heading {
	json_t *json;
	/* only what tables need: names, ports, peers, classes, lanes, workloads (met so far) */
	struct plan plan;
	uint32_t kind_count;
	struct recording_kind *kinds;
	uint32_t series_count;
	uint32_t *series;      /* enum series_id of this Heddle; SERIES_SAMPLE: it has none */
	uint32_t *port_counts; /* of each node */
	struct slice_limits limits;
};

extern const char *const recording_series_of[]; /* by enum series_of: the word of the key `of` */

/** recording_heading_read() - from the JSON of @length bytes at @text.
 *  Return: 0; -EINVAL with a sentence in @why; -ENOMEM. recording_heading_free() in any case. */
int recording_heading_read(struct recording_heading *heading, const char *text, size_t length,
			   struct why *why);
void recording_heading_free(struct recording_heading *heading);

/** recording_heading_word() - the text of @value if it is a name as scenarios have them, of at most
 *  RECORDING_WORD_MAX bytes; "" too if @empty.   Return: borrowed; NULL: it is none. */
const char *recording_heading_word(const json_t *value, bool empty);

/** recording_heading_number() - is @key of @object a number below @limit?  @number  filled if it
 *  is. */
bool recording_heading_number(const json_t *object, const char *key, uint64_t limit,
			      uint32_t *number);

/** recording_heading_workload() - the index of the workload called @name, which is added to the
 *  plan if it is new.   Return: its index; UINT32_MAX: it is no name, or memory is short. */
uint32_t recording_heading_workload(struct recording_heading *heading, const char *name);

#endif
