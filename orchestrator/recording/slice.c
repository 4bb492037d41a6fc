#include "orchestrator/recording/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/ensure.h"
#include "orchestrator/base/array_grow.h"

#define TABLE_FREE 0u

void slice_init(struct slice *slice)
{
	*slice = (struct slice){ 0 };
}

void slice_fini(struct slice *slice)
{
	free(slice->keys);
	free(slice->table);
	free(slice->values);
	free(slice->order);
	pack_free(&slice->events);
	*slice = (struct slice){ 0 };
}

/* ---- series ---- */

static uint32_t key_hash(const struct slice_key *key)
{
	uint64_t hash = key->node * 0x9e3779b97f4a7c15ull + key->series;

	hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull + key->port;
	hash = (hash ^ hash >> 32) * 0x94d049bb133111ebull + key->index;
	return (uint32_t)(hash ^ hash >> 31);
}

static bool key_equal(const struct slice_key *a, const struct slice_key *b)
{
	return a->node == b->node && a->series == b->series && a->port == b->port &&
	       a->index == b->index;
}

/* the place in the table of @key, or where it belongs */
static uint32_t *table_find(const struct slice *slice, const struct slice_key *key)
{
	uint32_t mask = slice->table_size - 1, at = key_hash(key) & mask;

	while (slice->table[at] != TABLE_FREE &&
	       !key_equal(&slice->keys[slice->table[at] - 1].key, key))
		at = (at + 1) & mask;
	return &slice->table[at];
}

/* keys and table twice as large. Return: false if memory is short */
static bool keys_grow(struct slice *slice)
{
	uint32_t size = slice->key_size ? 2 * slice->key_size : 1024;
	struct slice_series *keys = realloc(slice->keys, size * sizeof(*keys));
	uint32_t *order, *table;

	if (!keys)
		return false;
	slice->keys = keys;
	order = realloc(slice->order, size * sizeof(*order));
	if (!order)
		return false;
	slice->order = order;
	table = calloc(2 * (size_t)size, sizeof(*table));
	if (!table)
		return false;
	free(slice->table);
	slice->table = table;
	slice->table_size = 2 * size;
	slice->key_size = size;
	for (uint32_t i = 0; i < slice->key_count; i++)
		*table_find(slice, &slice->keys[i].key) = i + 1;
	return true;
}

/* Return: NULL if memory is short */
static struct slice_series *series_of(struct slice *slice, const struct slice_key *key)
{
	uint32_t *place;

	if (slice->key_count == slice->key_size && !keys_grow(slice))
		return NULL;
	place = table_find(slice, key);
	if (*place == TABLE_FREE) {
		slice->keys[slice->key_count] = (struct slice_series){ .key = *key };
		*place = ++slice->key_count;
	}
	return &slice->keys[*place - 1];
}

/* ---- samples ---- */

static void value_add(struct slice *slice, uint32_t place, uint32_t sample, uint64_t value)
{
	if (!array_grow(&slice->values, slice->value_count, &slice->value_size, 4096,
			sizeof(*slice->values))) {
		slice->failed = true;
		return;
	}
	slice->values[slice->value_count++] =
		(struct slice_value){ .place = place, .sample = sample, .value = value };
}

/* the value of @series in the present sample, which is not the first one of the slice */
static void change_add(struct slice *slice, struct slice_series *series)
{
	uint32_t place = (uint32_t)(series - slice->keys), sample = slice->sample_count - 1;
	struct slice_value *last =
		series->change < slice->value_count ? &slice->values[series->change] : NULL;

	if (last && last->place == place && last->sample == sample) {
		last->value = series->value;
		return;
	}
	series->change = slice->value_count;
	value_add(slice, place, sample, series->value);
}

/* The first sample is complete: a slice begins with every value that is not 0. */
static void first_sample_add(struct slice *slice)
{
	for (uint32_t i = 0; i < slice->key_count; i++)
		if (slice->keys[i].value)
			value_add(slice, i, 0, slice->keys[i].value);
}

void slice_sample(struct slice *slice, node_time_t at_ps)
{
	ENSURE(slice->sample_count, <, SLICE_SAMPLES_MAX);
	if (slice->sample_count == 1)
		first_sample_add(slice);
	slice->samples[slice->sample_count++] = at_ps;
}

void slice_set(struct slice *slice, const struct slice_key *key, uint64_t value)
{
	struct slice_series *series = series_of(slice, key);

	if (!series) {
		slice->failed = true;
		return;
	}
	if (series->value == value)
		return;
	series->value = value;
	if (slice->sample_count > 1)
		change_add(slice, series);
}

/* ---- events ---- */

void slice_event(struct slice *slice, const struct event *event)
{
	struct pack *pack = &slice->events;
	node_time_t before_ps = slice->event_count ? slice->event_at_ps : slice->from_ps;
	node_time_t at_ps = node_time_max(event->at_ps, before_ps);

	pack_number(pack, at_ps - before_ps);
	pack_number(pack, event->node);
	pack_number(pack, event->kind);
	pack_number(pack, event->port);
	pack_number(pack, event->traffic_class);
	pack_number(pack, event->detail);
	pack_number(pack, event->value);
	pack_number(pack, event->source);
	pack_number(pack, event->destination);
	slice->event_at_ps = at_ps;
	slice->event_count++;
}

bool slice_full(const struct slice *slice)
{
	return slice->sample_count >= SLICE_SAMPLES_MAX || slice->event_count >= SLICE_EVENTS_MAX;
}

/* ---- the bytes ---- */

int slice_key_compare(const struct slice_key *a, const struct slice_key *b)
{
	const uint32_t left[] = { a->node, a->series, a->port, a->index };
	const uint32_t right[] = { b->node, b->series, b->port, b->index };

	for (uint32_t i = 0; i < COUNT_OF(left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

static int place_compare(const void *a, const void *b, void *keys)
{
	const struct slice_series *series = keys;

	return slice_key_compare(&series[*(const uint32_t *)a].key,
				 &series[*(const uint32_t *)b].key);
}

/* The changes of @count values at @values, all of one key, in the order of samples. */
static void changes_pack(const struct slice_value *values, uint32_t count, struct pack *pack)
{
	uint64_t value = 0;
	uint32_t sample = 0;

	pack_number(pack, count);
	for (uint32_t i = 0; i < count; i++) {
		pack_number(pack, values[i].sample - sample);
		pack_signed(pack, (int64_t)(values[i].value - value));
		sample = values[i].sample;
		value = values[i].value;
	}
}

/* Sorts the values by key, and leaves those of a key in the order of time. @starts  [key_count + 1]
 * by place: its first value in the result. Return: NULL if memory is short. */
static struct slice_value *values_sort(const struct slice *slice, size_t *starts)
{
	struct slice_value *sorted = malloc((slice->value_count + 1) * sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < slice->value_count; i++)
		starts[slice->values[i].place + 1]++;
	for (uint32_t i = 0; i < slice->key_count; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < slice->value_count; i++)
		sorted[starts[slice->values[i].place]++] = slice->values[i];
	/* each is at the end of its key, the start of the next one */
	memmove(starts + 1, starts, slice->key_count * sizeof(*starts));
	starts[0] = 0;
	return sorted;
}

static int keys_pack(struct slice *slice, struct pack *pack)
{
	size_t *starts = calloc(slice->key_count + 2, sizeof(*starts));
	struct slice_value *sorted = starts ? values_sort(slice, starts) : NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; sorted && i < slice->key_count; i++)
		if (starts[i + 1] > starts[i])
			slice->order[count++] = i;
	if (count)
		qsort_r(slice->order, count, sizeof(*slice->order), place_compare, slice->keys);
	pack_number(pack, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = slice->order[i];
		const struct slice_key *key = &slice->keys[place].key;

		pack_number(pack, key->node);
		pack_number(pack, key->series);
		pack_number(pack, key->port);
		pack_number(pack, key->index);
		changes_pack(sorted + starts[place], (uint32_t)(starts[place + 1] - starts[place]),
			     pack);
	}
	free(starts);
	free(sorted);
	return sorted ? 0 : -ENOMEM;
}

int slice_end(struct slice *slice, node_time_t to_ps, struct pack *pack)
{
	node_time_t before_ps = slice->from_ps;
	int error;

	if (slice->sample_count == 1)
		first_sample_add(slice);
	pack_number(pack, slice->from_ps);
	pack_number(pack, to_ps);
	pack_number(pack, slice->sample_count);
	for (uint32_t i = 0; i < slice->sample_count; i++) {
		pack_number(pack, slice->samples[i] - before_ps);
		before_ps = slice->samples[i];
	}
	error = keys_pack(slice, pack);
	pack_number(pack, slice->event_count);
	pack_bytes(pack, slice->events.bytes, slice->events.length);
	if (slice->failed || pack->failed || slice->events.failed)
		error = -ENOMEM;
	slice->from_ps = to_ps;
	slice->sample_count = slice->event_count = 0;
	slice->value_count = 0;
	slice->events.length = 0;
	return error;
}

/* ---- reading ---- */

struct reading {
	struct unpack unpack;
	const struct slice_limits *limits;
	const struct slice_visitor *visitor;
	const char *wrong; /* what is wrong; NULL: nothing */
	node_time_t from_ps, to_ps;
	node_time_t samples[SLICE_SAMPLES_MAX];
	uint32_t sample_count;
};

/* Return: false; the slice is wrong */
static bool wrong(struct reading *reading, const char *what)
{
	if (!reading->wrong)
		reading->wrong = what;
	return false;
}

static bool span_read(struct reading *reading)
{
	struct unpack *unpack = &reading->unpack;
	node_time_t at_ps;

	reading->from_ps = at_ps = unpack_number(unpack);
	reading->to_ps = unpack_number(unpack);
	if (unpack->bad || reading->to_ps < reading->from_ps)
		return wrong(reading, "its times");
	reading->sample_count = unpack_below(unpack, SLICE_SAMPLES_MAX + 1);
	for (uint32_t i = 0; i < reading->sample_count && !unpack->bad; i++) {
		uint64_t gap_ps = unpack_number(unpack);

		if (gap_ps > reading->to_ps - at_ps || (i && !gap_ps))
			return wrong(reading, "the time of a sample");
		at_ps += gap_ps;
		reading->samples[i] = at_ps;
	}
	if (unpack->bad)
		return wrong(reading, "its samples");
	if (reading->visitor->span)
		reading->visitor->span(reading->visitor->context, reading->from_ps, reading->to_ps,
				       reading->samples, reading->sample_count);
	return true;
}

/* a port of a node that is there */
static bool port_is(const struct slice_limits *limits, uint32_t node, uint32_t port)
{
	return port < limits->port_counts[node];
}

static bool changes_read(struct reading *reading, const struct slice_key *key)
{
	struct unpack *unpack = &reading->unpack;
	uint32_t count = unpack_below(unpack, reading->sample_count + 1ull), sample = 0;
	uint64_t value = 0;

	for (uint32_t i = 0; i < count && !unpack->bad; i++) {
		uint32_t gap = unpack_below(unpack, reading->sample_count - sample);

		if (i && !gap)
			return wrong(reading, "two values of a series in one sample");
		sample += gap;
		value += (uint64_t)unpack_signed(unpack);
		if (!unpack->bad && reading->visitor->change)
			reading->visitor->change(reading->visitor->context, key, sample, value);
	}
	return !unpack->bad || wrong(reading, "the values of a series");
}

static bool keys_read(struct reading *reading)
{
	const struct slice_limits *limits = reading->limits;
	struct unpack *unpack = &reading->unpack;
	uint64_t count = unpack_number(unpack);
	struct slice_key before = { 0 };

	for (uint64_t i = 0; i < count; i++) {
		struct slice_key key;

		key.node = unpack_below(unpack, limits->node_count);
		key.series = unpack_below(unpack, limits->series_count);
		key.port = unpack_below(unpack, UINT32_MAX);
		key.index = unpack_below(unpack, UINT32_MAX);
		if (unpack->bad || !port_is(limits, key.node, key.port))
			return wrong(reading, "the node, series, port or index of a series");
		if (i && slice_key_compare(&before, &key) >= 0)
			return wrong(reading, "the order of the series");
		if (!changes_read(reading, &key))
			return false;
		before = key;
	}
	return !unpack->bad || wrong(reading, "the number of series");
}

static bool event_unpack(struct reading *reading, node_time_t *at_ps, struct event *event)
{
	const struct slice_limits *limits = reading->limits;
	struct unpack *unpack = &reading->unpack;
	uint64_t gap_ps = unpack_number(unpack);

	event->node = unpack_below(unpack, limits->node_count);
	event->kind = unpack_below(unpack, limits->kind_count);
	event->port = unpack_below(unpack, UINT32_MAX);
	event->traffic_class = unpack_below(unpack, UINT32_MAX);
	event->detail = unpack_below(unpack, UINT32_MAX + 1ull);
	event->value = unpack_number(unpack);
	event->source = unpack_below(unpack, limits->node_count + 1ull);
	event->destination = unpack_below(unpack, limits->node_count + 1ull);
	if (unpack->bad || !port_is(limits, event->node, event->port))
		return wrong(reading, "the node, kind, port or host of an event");
	if (gap_ps > reading->to_ps - *at_ps)
		return wrong(reading, "the time of an event");
	event->at_ps = *at_ps += gap_ps;
	return true;
}

static bool events_read(struct reading *reading)
{
	uint64_t count = unpack_number(&reading->unpack);
	node_time_t at_ps = reading->from_ps;
	struct event event;

	for (uint64_t i = 0; i < count; i++) {
		if (!event_unpack(reading, &at_ps, &event))
			return false;
		if (reading->visitor->event)
			reading->visitor->event(reading->visitor->context, &event);
	}
	if (reading->unpack.bad)
		return wrong(reading, "the number of events");
	return reading->unpack.at == reading->unpack.end ||
	       wrong(reading, "bytes after the last event");
}

int slice_read(const uint8_t *bytes, size_t length, const struct slice_limits *limits,
	       const struct slice_visitor *visitor, struct why *why)
{
	struct reading reading = { .unpack = { .at = bytes, .end = bytes + length },
				   .limits = limits,
				   .visitor = visitor };

	if (span_read(&reading) && keys_read(&reading) && events_read(&reading))
		return 0;
	return why_say(why, -EINVAL, "%s, at byte %zu of its content", reading.wrong,
		       (size_t)(reading.unpack.at - bytes));
}
