/*  statistics - the registry of counters: of ports, classes and nodes (nodes/stats/statistics.h),
 *  of flows with a transport and of totals (here).
 *
 *  A row becomes a name at the prompt (counter.h), a key in JSON, a column in CSV, a metric
 *  (metric.c) and a row of docs/results.md. A field that is no unsigned number of 8 to 64 bits does
 *  not compile. */
#ifndef HEDDLE_ORCHESTRATOR_RESULTS_STATISTICS_H
#define HEDDLE_ORCHESTRATOR_RESULTS_STATISTICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nodes/stats/stats.h"
#include "orchestrator/base/quantity.h"

/* clang-format off */

/* a flow with a transport, fabric kind roce: struct result_transport */
#define TRANSPORT_STATISTICS(OWN, SHOWN, METRIC) \
	SHOWN(connection, COUNT, MAX, "index among the connections to this destination") \
	METRIC(in_error, COUNT, SUM, "1: a queue pair that gave up", "errors", NODES) \
	METRIC(resent, COUNT, SUM, "packets sent again", "resent", NODES) \
	METRIC(timeouts, COUNT, SUM, "timeouts of the sender", "timeouts", NODES) \
	METRIC(naks, COUNT, SUM, "NAKs received; TCP: fast retransmits", "naks", NODES) \
	METRIC(cnps, COUNT, SUM, \
	       "CNPs received by the sender; TCP: windows cut because of ECN", "cnps", NODES) \
	METRIC(cnps_made, COUNT, SUM, "CNPs sent by the receiver", "cnps.made", NODES) \
	METRIC(cnp_gap_min_ps, MOMENT, LEAST, \
	       "the shortest time between two CNPs; null: fewer than two", "cnps.gap", NODES) \
	SHOWN(marked, COUNT, SUM, "packets received with a mark") \
	SHOWN(rate_bps, BPS, SUM, "rate of the reaction point at the end; 0: it has none") \
	METRIC(rate_min_bps, BPS, LEAST, "the lowest of these rates", "rate.min", NODES) \
	SHOWN(window_bytes_max, BYTES, MAX, "TCP: the largest congestion window") \
	SHOWN(duplicates, COUNT, SUM, "packets received again, not delivered") \
	SHOWN(out_of_order, COUNT, SUM, "packets received after a gap; only TCP delivers them")

/* the whole fabric: struct result_totals */
#define TOTAL_STATISTICS(OWN, SHOWN, METRIC) \
	METRIC(injected_bytes, BYTES, SUM, "sent by NICs", "injected_bytes", NODES) \
	METRIC(delivered_bytes, BYTES, SUM, "received by NICs", "delivered_bytes", NODES) \
	SHOWN(inside_bytes, BYTES, SUM, "injected_bytes - delivered_bytes - lost_bytes") \
	SHOWN(lost_bytes, BYTES, SUM, "lost and dropped") \
	METRIC(lost, COUNT, SUM, "packets lost, of all flows", "lost", NODES) \
	METRIC(under_way, COUNT, SUM, "packets in flight, of all flows", "under_way", NODES) \
	METRIC(reordered, COUNT, SUM, "packets out of order, of all flows", "reordered", NODES) \
	SHOWN(lost_units, UNITS, SUM, "lost on links") \
	SHOWN(reported_units, UNITS, SUM, "of lost_units, reported to the flow's source (FC-17)") \
	METRIC(unreported_units, COUNT, SUM, \
	       "units lost and not reported to their source; while data is in flight: at most", \
	       "unreported", NODES) \
	METRIC(channel_waits, COUNT, SUM, \
	       "packets that waited for a free channel (FC-9)", "waits", NODES) \
	METRIC(channels, COUNT, SUM, \
	       "lines of EFCT, IFCT and OFCT still allocated", "channels", NODES) \
	SHOWN(messages, COUNT, SUM, "complete messages") \
	SHOWN(messages_unlogged, COUNT, SUM, "of them, those beyond the log: not in messages.csv")

/* clang-format on */

enum statistic_unit {
	STATISTIC_COUNT,
	STATISTIC_BYTES,
	STATISTIC_UNITS, /* of 256 bytes */
	STATISTIC_PS,
	STATISTIC_NS,
	STATISTIC_BPS,
	STATISTIC_MOMENT, /* ps since the start; 0: never, null in JSON */
};

enum statistic_fold { STATISTIC_SUM, STATISTIC_MAX, STATISTIC_LEAST };

/* where a counter of a port is in JSON, and in which fabrics */
enum statistic_group {
	STATISTIC_BASIC,
	STATISTIC_CONGESTION,
	STATISTIC_PAUSE, /* kind roce; key `roce` */
	STATISTIC_PATHS, /* only where paths are chosen: results_has_paths() */
};

struct statistic {
	const char *name;
	size_t offset; /* in the struct of its list */
	uint8_t bytes; /* of the field: 1, 2, 4 or 8 */
	enum statistic_unit unit;
	enum statistic_fold fold;
	enum statistic_group group;
	const char *what;
	const char *metric; /* its name in `expect:`; NULL: none */
};

/* clang-format off */
/* @field of @type; a type of field that is not listed does not compile. inside_bytes is signed. */
#define STATISTIC_FIELD_BYTES(type, field)                                                  \
	_Generic(((type *)0)->field, uint8_t : 1, uint16_t : 2, uint32_t : 4, uint64_t : 8, \
		 int64_t : 8)

/* the initializer of a struct statistic, from the arguments of SHOWN or METRIC */
#define STATISTIC_ROW(type, in_group, field, of_unit, by_fold, meaning, ...)                \
	{ .name = #field, .offset = offsetof(type, field),                                  \
	  .bytes = STATISTIC_FIELD_BYTES(type, field), .unit = STATISTIC_##of_unit,         \
	  .fold = STATISTIC_##by_fold, .group = STATISTIC_##in_group, .what = (meaning),    \
	  .metric = STATISTIC_SECOND(0, ##__VA_ARGS__, NULL) }
#define STATISTIC_SECOND(first, second, ...) second
#define STATISTIC_NO_ROW(...)
/* clang-format on */

struct statistics {
	const struct statistic *rows;
	size_t count;
};

extern const struct statistics port_statistics;      /* of struct port_stats */
extern const struct statistics class_statistics;     /* of struct class_stats */
extern const struct statistics node_statistics;      /* of struct stats_page */
extern const struct statistics transport_statistics; /* of struct result_transport */
extern const struct statistics total_statistics;     /* of struct result_totals */

/** statistic_value() - the value of @row in @of, a struct of its list. */
uint64_t statistic_value(const struct statistic *row, const void *of);

/** statistic_fold() - @folded, the value of the ports so far (of none: 0), and that of another. */
static inline uint64_t statistic_fold(enum statistic_fold fold, uint64_t folded, uint64_t value)
{
	switch (fold) {
	case STATISTIC_MAX:
		return value > folded ? value : folded;
	case STATISTIC_LEAST:
		return value && (!folded || value < folded) ? value : folded;
	default:
		return folded + value;
	}
}

/** statistics_fold() - folds the values of @of into those of @folded, both a struct of @list. */
void statistics_fold(const struct statistics *list, const void *of, void *folded);

/** statistic_quantity() - how a person writes a value of @unit. */
enum quantity_kind statistic_quantity(enum statistic_unit unit);

/** statistics_json_put() - adds the rows of @group to @object; @nonzero: those that are not 0.
 *  Return: true, or false if memory is short. */
bool statistics_json_put(const struct statistics *list, enum statistic_group group, const void *of,
			 bool nonzero, json_t *object);

/** statistics_csv() - writes the fields of @group, each after a comma. @of  NULL: the headings. */
void statistics_csv(const struct statistics *list, enum statistic_group group, const void *of,
		    FILE *out);

#endif
