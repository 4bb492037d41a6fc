/*  event_row - an event as a row of CSV or as a JSON line (SE-2): the same text for a run and for a
 *  recording of it.
 *
 *  Names need no quoting: results_csv.c. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_EVENT_ROW_H
#define HEDDLE_ORCHESTRATOR_RESULTS_EVENT_ROW_H

#include <stdint.h>
#include <stdio.h>

enum events_format {
	EVENTS_CSV,
	EVENTS_JSON_LINES, /* an object a line */
};

/* all text is borrowed; "": there is none */
struct event_row {
	uint64_t at_ps, value;
	uint32_t port, detail;
	const char *node, *peer, *event;
	const char *traffic_class;        /* NULL: the kind of event has none */
	const char *source, *destination; /* hosts */
	const char *detail_name, *value_name;
	const char *detail_word; /* what `detail` means; NULL: it is a number */
};

/** events_format_of() - by the end of @path: .jsonl, .ndjson and .json are JSON lines. Pure. */
enum events_format events_format_of(const char *path);

/** event_row_head() - what comes before the first row. */
void event_row_head(enum events_format format, FILE *out);

void event_row_write(const struct event_row *row, enum events_format format, FILE *out);

/** event_row_interrupted() - the last line of the events of a run that was interrupted at
 *  @end_ps. */
void event_row_interrupted(uint64_t end_ps, enum events_format format, FILE *out);

#endif
