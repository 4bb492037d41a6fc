#include "orchestrator/recording/recording_thin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "orchestrator/base/array_grow.h"
#include "orchestrator/base/json_member.h"
#include "orchestrator/recording/recording_read.h"
#include "orchestrator/recording/recording_write.h"

#define TABLE_BYTES_MAX (64u << 10)

/* single packets: with run.packets */
#define PACKETS " packet ack cnp_packet link_acks credit "

/* what a level leaves out; events that are many, and of which the first ones say most, go first */
static const struct {
	unsigned each; /* of so many samples one stays */
	const char *events;
} levels[RECORDING_THIN_LEVELS] = {
	{ 1, "" },
	{ 2, PACKETS "mark " },
	{ 4, PACKETS "mark meter_start meter_end stop_wait " },
	{ 8, PACKETS "mark meter_start meter_end stop_wait cnp cnp_received path " },
	{ 16,
	  PACKETS "mark meter_start meter_end stop_wait cnp cnp_received path roce_state redirect "
		  "message_start message_end " },
	{ 64, NULL }, /* all */
};

struct change {
	struct slice_key key;
	uint32_t sample;
	uint64_t value;
};

struct thin {
	struct recording_reader reader;
	struct recording recording;
	unsigned level;
	uint64_t sample_number; /* of the first sample of the slice, in the whole recording */
	/* of the present slice */
	node_time_t *samples;
	struct change *changes; /* in the order of keys, then of time */
	struct event *events;
	uint32_t sample_count, change_count, event_count;
	size_t change_size, event_size;
	bool failed; /* memory was short */
};

/* ---- a slice is read ---- */

static void span_take(void *context, node_time_t from_ps, node_time_t to_ps,
		      const node_time_t *samples, uint32_t sample_count)
{
	struct thin *thin = context;
	size_t bytes = (sample_count + 1) * sizeof(*samples);

	(void)from_ps;
	(void)to_ps;
	free(thin->samples);
	thin->samples = malloc(bytes);
	thin->sample_count = thin->samples ? sample_count : 0;
	thin->failed |= !thin->samples;
	if (thin->sample_count)
		memcpy(thin->samples, samples, sample_count * sizeof(*samples));
}

static void change_take(void *context, const struct slice_key *key, uint32_t sample, uint64_t value)
{
	struct thin *thin = context;

	if (array_grow(&thin->changes, thin->change_count, &thin->change_size, 1024,
		       sizeof(*thin->changes)))
		thin->changes[thin->change_count++] = (struct change){ *key, sample, value };
	else
		thin->failed = true;
}

static bool event_stays(const struct thin *thin, const struct event *event)
{
	const char *name = thin->reader.heading.kinds[event->kind].name;
	char word[64];

	if (!name || !levels[thin->level].events)
		return false;
	snprintf(word, sizeof(word), " %s ", name);
	return !strstr(levels[thin->level].events, word);
}

static void event_take(void *context, const struct event *event)
{
	struct thin *thin = context;

	if (!event_stays(thin, event))
		return;
	if (array_grow(&thin->events, thin->event_count, &thin->event_size, 1024,
		       sizeof(*thin->events)))
		thin->events[thin->event_count++] = *event;
	else
		thin->failed = true;
}

/* ---- and written ---- */

static int change_find(const void *key, const void *change)
{
	return slice_key_compare(key, &((const struct change *)change)->key);
}

/* A slice starts from nothing: a series that is not in it is 0. */
static void absent_clear(struct thin *thin)
{
	struct slice *slice = &thin->recording.slice;

	for (uint32_t k = 0; k < slice->key_count; k++) {
		struct slice_key key = slice->keys[k].key;

		if (slice->keys[k].value &&
		    !(thin->change_count && bsearch(&key, thin->changes, thin->change_count,
						    sizeof(*thin->changes), change_find)))
			recording_set(&thin->recording, &key, 0);
	}
}

/* the values at sample number @sample of the slice */
static void values_write(struct thin *thin, uint32_t sample)
{
	const struct change *changes = thin->changes;

	for (uint32_t i = 0, next; i < thin->change_count; i = next) {
		uint64_t value = 0;

		for (next = i; next < thin->change_count &&
			       !slice_key_compare(&changes[next].key, &changes[i].key);
		     next++)
			if (changes[next].sample <= sample)
				value = changes[next].value;
		recording_set(&thin->recording, &changes[i].key, value);
	}
}

static void slice_write(struct thin *thin)
{
	uint32_t event = 0;

	for (uint32_t s = 0; s < thin->sample_count; s++) {
		if ((thin->sample_number + s) % levels[thin->level].each)
			continue;
		for (; event < thin->event_count && thin->events[event].at_ps < thin->samples[s];
		     event++)
			recording_event(&thin->recording, &thin->events[event]);
		recording_sample(&thin->recording, thin->samples[s]);
		absent_clear(thin);
		values_write(thin, s);
	}
	for (; event < thin->event_count; event++)
		recording_event(&thin->recording, &thin->events[event]);
	thin->sample_number += thin->sample_count;
	thin->change_count = thin->event_count = 0;
}

/* ---- other blocks ---- */

static int flows_copy(struct thin *thin)
{
	const struct pack *content = &thin->reader.content;
	json_t *flows = json_loadb((const char *)content->bytes, content->length, 0, NULL), *flow;
	size_t i;

	if (!json_is_array(flows)) {
		json_decref(flows);
		return recording_wrong(&thin->reader, "it is no list of flows");
	}
	json_array_foreach (flows, i, flow)
		recording_flow(&thin->recording, json_incref(flow));
	json_decref(flows);
	return 0;
}

/* @name: how many bytes of the content are the first line, with the name of a table */
static void text_copy(struct thin *thin, const char *kind, size_t name_bytes)
{
	const struct pack *content = &thin->reader.content;
	char name[64] = "";
	FILE *out;

	memcpy(name, content->bytes, name_bytes ? name_bytes - 1 : 0);
	recording_slice(&thin->recording, thin->reader.to_ps);
	recording_flows(&thin->recording);
	out = recording_text(&thin->recording, kind, name_bytes ? name : NULL);
	if (!out)
		return;
	fwrite(content->bytes + name_bytes, 1, content->length - name_bytes, out);
	fclose(out);
}

static void table_copy(struct thin *thin)
{
	const struct pack *content = &thin->reader.content;
	const uint8_t *line = memchr(content->bytes, '\n', content->length);

	if (line && line - content->bytes < 63 && content->length <= TABLE_BYTES_MAX)
		text_copy(thin, "TABL", (size_t)(line - content->bytes) + 1);
}

static int done_copy(struct thin *thin)
{
	const struct pack *content = &thin->reader.content;
	json_t *done = json_loadb((const char *)content->bytes, content->length, 0, NULL);
	const char *word = json_string_value(json_object_get(done, "status")), *failure;
	unsigned status = 0;
	int error;

	while (word && status < RECORDING_STATUSES &&
	       strcmp(word, recording_status_name[status]) != 0)
		status++;
	if (!word || status == RECORDING_STATUSES) {
		json_decref(done);
		return recording_wrong(&thin->reader, "it does not say how the run ended");
	}
	failure = json_string_value(json_object_get(done, "failure"));
	recording_slice(&thin->recording, thin->reader.to_ps);
	recording_flows(&thin->recording);
	error = recording_end(&thin->recording, status, failure,
			      (node_time_t)member_number(done, "end_ps"));
	json_decref(done);
	if (error)
		why_say(&thin->reader.why, 0, "%s", strerror(-error));
	return error;
}

static int block_copy(struct thin *thin)
{
	const struct slice_visitor visitor = { thin, span_take, change_take, event_take };
	int error;

	switch (thin->reader.kind) {
	case RECORDING_DATA:
		error = recording_read_slice(&thin->reader, &visitor);
		if (!error)
			slice_write(thin);
		return error;
	case RECORDING_FLOW:
		return flows_copy(thin);
	case RECORDING_RSLT:
		text_copy(thin, "RSLT", 0);
		return 0;
	case RECORDING_TABL:
		table_copy(thin);
		return 0;
	case RECORDING_DONE:
		return done_copy(thin);
	default:
		return 0;
	}
}

static void head_mark(json_t *head, unsigned level)
{
	const char *events = levels[level].events;
	char text[400];

	snprintf(text, sizeof(text), "one of %u samples%s%s", levels[level].each,
		 !events || *events ? ", no events" : "", events ? events : "");
	json_object_set_new(head, "thinned", json_string(text));
	json_object_set_new(head, "sample_ps",
			    json_integer(member_number(head, "sample_ps") * levels[level].each));
}

static int blocks_copy(struct thin *thin)
{
	int error = 0, more = 0;

	while (!error && (more = recording_next(&thin->reader)) > 0) {
		error = block_copy(thin);
		if (thin->reader.kind == RECORDING_DONE)
			return error;
	}
	if (error || more < 0)
		return error ? error : more;
	return recording_wrong(&thin->reader, "the recording does not say how it ended");
}

int recording_thin(FILE *in, FILE *out, unsigned level, struct why *why)
{
	struct thin thin = { .level = level };
	int error;

	rewind(in);
	error = recording_open(&thin.reader, in);
	if (!error) {
		head_mark(thin.reader.heading.json, level);
		recording_begin(&thin.recording, thin.reader.heading.json, out);
		error = blocks_copy(&thin);
		if (thin.recording.out && error)
			recording_end(&thin.recording, RECORDING_FAILED, NULL, 0);
	}
	if (!error && thin.failed)
		error = -ENOMEM;
	why_say(why, 0, "%s", error == -ENOMEM ? strerror(ENOMEM) : thin.reader.why.text);
	free(thin.samples);
	free(thin.changes);
	free(thin.events);
	recording_close(&thin.reader);
	return error;
}
