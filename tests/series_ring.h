/*  series_ring - what a node has sampled, of a node without a file: all of it is in the ring. */
#ifndef HEDDLE_TESTS_SERIES_RING_H
#define HEDDLE_TESTS_SERIES_RING_H

#include "nodes/stats/series.h"
#include "tests/testing.h"

/* how many samples the node has taken */
static inline uint32_t series_samples(struct stats_page *page)
{
	uint32_t count = 0;

	ck_assert_uint_le(page->series.count, STATS_SERIES_MAX);
	for (uint64_t i = 0; i < page->series.count; i++)
		count += stats_series(page, i)->id == SERIES_SAMPLE;
	return count;
}

/* the time of its sample @index */
static inline node_time_t series_sample_at(struct stats_page *page, uint32_t index)
{
	uint64_t i = 0;

	ck_assert_uint_lt(index, series_samples(page));
	for (;; i++)
		if (stats_series(page, i)->id == SERIES_SAMPLE && !index--)
			return stats_series(page, i)->value;
}

/* the value of a series at the last sample up to @at_ps */
static inline uint64_t series_at(struct stats_page *page, node_time_t at_ps, enum series_id id,
				 uint32_t port, uint32_t index)
{
	uint64_t value = 0;

	ck_assert_uint_le(page->series.count, STATS_SERIES_MAX);
	for (uint64_t i = 0; i < page->series.count; i++) {
		const struct series_entry *entry = stats_series(page, i);

		if (entry->id == SERIES_SAMPLE && entry->value > at_ps)
			break;
		if (entry->id == id && entry->port == port && entry->index == index)
			value = entry->value;
	}
	return value;
}

#endif
