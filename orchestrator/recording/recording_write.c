#include "orchestrator/recording/recording_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/base/array_grow.h"

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(17))

const char *const recording_status_name[RECORDING_STATUSES] = {
	[RECORDING_COMPLETE] = "complete",
	[RECORDING_INTERRUPTED] = "interrupted",
	[RECORDING_FAILED] = "failed",
};

/* ---- blocks ---- */

static void out_write(struct recording *recording, const void *bytes, size_t length)
{
	if (recording->error)
		return;
	errno = 0;
	if (fwrite(bytes, 1, length, recording->out) != length)
		recording->error = errno ? -errno : -EIO;
	recording->offset += length;
}

static void place_add(struct recording *recording, const char *kind, node_time_t from_ps,
		      node_time_t to_ps)
{
	struct recording_place *place;

	if (!array_grow(&recording->places, recording->place_count, &recording->place_size, 64,
			sizeof(*place))) {
		recording->error = -ENOMEM;
		return;
	}
	place = &recording->places[recording->place_count++];
	*place = (struct recording_place){ .offset = recording->offset,
					   .bytes = recording->block.length,
					   .from_ps = from_ps,
					   .to_ps = to_ps };
	memcpy(place->kind, kind, RECORDING_KIND_BYTES);
}

static void block_write(struct recording *recording, const char *kind, const void *content,
			size_t length, node_time_t from_ps, node_time_t to_ps)
{
	if (recording->error)
		return;
	recording->block.length = 0;
	if (length > RECORDING_CONTENT_BYTES_MAX) {
		recording->error = -EFBIG;
		return;
	}
	recording->error = recording_block_pack(kind, content, length, &recording->block);
	if (recording->error)
		return;
	sha256_add(&recording->digest, kind, RECORDING_KIND_BYTES);
	sha256_add(&recording->digest, content, length);
	place_add(recording, kind, from_ps, to_ps);
	out_write(recording, recording->block.bytes, recording->block.length);
	if (!recording->error && fflush(recording->out))
		recording->error = -errno;
}

void recording_json(struct recording *recording, const char *kind, const json_t *json)
{
	char *text = json ? json_dumps(json, JSON_FLAGS) : NULL;

	if (text)
		block_write(recording, kind, text, strlen(text), recording->slice.from_ps,
			    recording->slice.from_ps);
	else if (!recording->error)
		recording->error = -ENOMEM;
	free(text);
}

void recording_begin(struct recording *recording, const json_t *head, FILE *out)
{
	*recording = (struct recording){ .out = out };
	sha256_begin(&recording->digest);
	slice_init(&recording->slice);
	out_write(recording, RECORDING_HEAD, RECORDING_HEAD_BYTES);
	recording_json(recording, "HEAD", head);
}

/* ---- flows ---- */

void recording_flow(struct recording *recording, json_t *flow)
{
	if (!recording->flows)
		recording->flows = json_array();
	if ((!flow || json_array_append_new(recording->flows, flow)) && !recording->error)
		recording->error = -ENOMEM;
}

void recording_flows(struct recording *recording)
{
	if (!recording->flows)
		return;
	recording_json(recording, "FLOW", recording->flows);
	json_decref(recording->flows);
	recording->flows = NULL;
}

/* ---- slices ---- */

void recording_slice(struct recording *recording, node_time_t to_ps)
{
	struct slice *slice = &recording->slice;
	node_time_t from_ps = slice->from_ps;

	if (recording->error || (!slice->sample_count && !slice->event_count))
		return;
	to_ps = node_time_max(to_ps, recording->at_ps);
	recording_flows(recording);
	recording->content.length = 0;
	if (!recording->error)
		recording->error = slice_end(slice, to_ps, &recording->content);
	block_write(recording, "DATA", recording->content.bytes, recording->content.length, from_ps,
		    to_ps);
}

/* Something is at @at_ps: a slice that is full has ended. */
static void reach(struct recording *recording, node_time_t at_ps)
{
	if (at_ps <= recording->at_ps)
		return;
	if (slice_full(&recording->slice))
		recording_slice(recording, at_ps);
	recording->at_ps = at_ps;
}

void recording_sample(struct recording *recording, node_time_t at_ps)
{
	if (recording->error)
		return;
	reach(recording, at_ps);
	/* only if a node gave an event a time that it has not reached */
	if (at_ps < recording->at_ps || recording->slice.sample_count == SLICE_SAMPLES_MAX) {
		recording->error = -EBADMSG;
		return;
	}
	slice_sample(&recording->slice, at_ps);
}

void recording_set(struct recording *recording, const struct slice_key *key, uint64_t value)
{
	if (!recording->error)
		slice_set(&recording->slice, key, value);
}

void recording_event(struct recording *recording, const struct event *event)
{
	if (recording->error)
		return;
	reach(recording, event->at_ps);
	slice_event(&recording->slice, event);
}

/* ---- text ---- */

struct text {
	struct recording *recording;
	char kind[RECORDING_KIND_BYTES];
	size_t name_bytes; /* of the first line of each block */
	struct pack part;
	bool written;
};

static void part_write(struct text *text)
{
	struct recording *recording = text->recording;

	if (text->part.failed && !recording->error)
		recording->error = -ENOMEM;
	block_write(recording, text->kind, text->part.bytes, text->part.length,
		    recording->slice.from_ps, recording->slice.from_ps);
	text->part.length = text->name_bytes;
	text->written = true;
}

static ssize_t text_add(void *cookie, const char *bytes, size_t length)
{
	struct text *text = cookie;
	size_t left = length;

	while (left) {
		size_t part = RECORDING_PART_BYTES_MAX - text->part.length;

		part = left < part ? left : part;
		pack_bytes(&text->part, bytes, part);
		bytes += part;
		left -= part;
		if (text->part.failed || text->part.length == RECORDING_PART_BYTES_MAX)
			part_write(text);
		if (text->recording->error) {
			errno = -text->recording->error;
			return 0;
		}
	}
	return (ssize_t)length;
}

static int text_close(void *cookie)
{
	struct text *text = cookie;

	if (!text->written || text->part.length > text->name_bytes)
		part_write(text);
	pack_free(&text->part);
	free(text);
	return 0;
}

FILE *recording_text(struct recording *recording, const char *kind, const char *name)
{
	const cookie_io_functions_t functions = { .write = text_add, .close = text_close };
	struct text *text = recording->error ? NULL : calloc(1, sizeof(*text));
	FILE *stream = text ? fopencookie(text, "w", functions) : NULL;

	if (!stream) {
		if (!recording->error)
			recording->error = -ENOMEM;
		free(text);
		return NULL;
	}
	text->recording = recording;
	memcpy(text->kind, kind, sizeof(text->kind));
	if (name) {
		pack_bytes(&text->part, name, strlen(name));
		pack_bytes(&text->part, "\n", 1);
		text->name_bytes = text->part.length;
	}
	return stream;
}

/* ---- the end ---- */

static json_t *index_json(const struct recording *recording)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < recording->place_count; i++) {
		const struct recording_place *place = &recording->places[i];

		if (json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:I, s:I}", "kind",
							   place->kind, "offset",
							   (json_int_t)place->offset, "from_ps",
							   (json_int_t)place->from_ps, "to_ps",
							   (json_int_t)place->to_ps, "bytes",
							   (json_int_t)place->bytes))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static void end_write(struct recording *recording, enum recording_status status,
		      const char *failure, node_time_t end_ps)
{
	char digest[SHA256_TEXT_MAX];
	json_t *json = json_pack("{s:s, s:s?, s:I, s:s}", "status", recording_status_name[status],
				 "failure", failure, "end_ps", (json_int_t)end_ps, "digest",
				 sha256_text(&recording->digest, digest));
	uint64_t offset;

	recording_json(recording, "DONE", json);
	json_decref(json);
	offset = recording->offset;
	json = index_json(recording);
	recording_json(recording, "INDX", json);
	json_decref(json);
	recording->content.length = 0;
	pack_u32(&recording->content, (uint32_t)offset);
	pack_u32(&recording->content, (uint32_t)(offset >> 32));
	if (recording->content.failed && !recording->error)
		recording->error = -ENOMEM;
	else if (!recording->error)
		out_write(recording, recording->content.bytes, recording->content.length);
	out_write(recording, RECORDING_TAIL, strlen(RECORDING_TAIL));
}

int recording_end(struct recording *recording, enum recording_status status, const char *failure,
		  node_time_t end_ps)
{
	int error;

	if (!recording->error)
		end_write(recording, status, failure, end_ps);
	error = recording->error;
	if (!error && fflush(recording->out))
		error = -errno;
	slice_fini(&recording->slice);
	pack_free(&recording->content);
	pack_free(&recording->block);
	json_decref(recording->flows);
	free(recording->places);
	*recording = (struct recording){ .error = error };
	return error;
}
