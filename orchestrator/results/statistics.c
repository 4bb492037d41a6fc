#include "orchestrator/results/statistics.h"

#include <inttypes.h>
#include <string.h>

#include "nodes/base/array.h"
#include "nodes/base/ensure.h"
#include "orchestrator/results/results.h"

#define BASIC(...) STATISTIC_ROW(struct port_stats, BASIC, __VA_ARGS__),
#define CONGESTION(...) STATISTIC_ROW(struct port_stats, CONGESTION, __VA_ARGS__),
#define PAUSE(...) STATISTIC_ROW(struct port_stats, PAUSE, __VA_ARGS__),
#define PATHS(...) STATISTIC_ROW(struct port_stats, PATHS, __VA_ARGS__),
#define CLASS(...) STATISTIC_ROW(struct class_stats, BASIC, __VA_ARGS__),
#define NODE(...) STATISTIC_ROW(struct stats_page, BASIC, __VA_ARGS__),
#define TRANSPORT(...) STATISTIC_ROW(struct result_transport, BASIC, __VA_ARGS__),
#define TOTAL(...) STATISTIC_ROW(struct result_totals, BASIC, __VA_ARGS__),

/* clang-format off */
static const struct statistic ports[] = {
	PORT_OUTPUT_STATISTICS(STATISTIC_NO_ROW, BASIC, BASIC)
	PORT_INPUT_STATISTICS(STATISTIC_NO_ROW, BASIC, BASIC)
	PORT_PEER_STATISTICS(STATISTIC_NO_ROW, BASIC, BASIC)
	PORT_LOSS_STATISTICS(STATISTIC_NO_ROW, BASIC, BASIC)
	PORT_CONGESTION_STATISTICS(STATISTIC_NO_ROW, CONGESTION, CONGESTION)
	PORT_PAUSE_STATISTICS(STATISTIC_NO_ROW, PAUSE, PAUSE)
	PORT_PATH_STATISTICS(STATISTIC_NO_ROW, PATHS, PATHS)
};
static const struct statistic classes[] = { CLASS_STATISTICS(STATISTIC_NO_ROW, CLASS, CLASS) };
static const struct statistic nodes[] = { NODE_STATISTICS(STATISTIC_NO_ROW, NODE, NODE) };
static const struct statistic transports[] = {
	TRANSPORT_STATISTICS(STATISTIC_NO_ROW, TRANSPORT, TRANSPORT)
};
static const struct statistic totals[] = { TOTAL_STATISTICS(STATISTIC_NO_ROW, TOTAL, TOTAL) };
/* clang-format on */

const struct statistics port_statistics = { ports, COUNT_OF(ports) };
const struct statistics class_statistics = { classes, COUNT_OF(classes) };
const struct statistics node_statistics = { nodes, COUNT_OF(nodes) };
const struct statistics transport_statistics = { transports, COUNT_OF(transports) };
const struct statistics total_statistics = { totals, COUNT_OF(totals) };

uint64_t statistic_value(const struct statistic *row, const void *of)
{
	const void *field = (const char *)of + row->offset;

	switch (row->bytes) {
	case 1:
		return *(const uint8_t *)field;
	case 2:
		return *(const uint16_t *)field;
	case 4:
		return *(const uint32_t *)field;
	default:
		return *(const uint64_t *)field;
	}
}

void statistics_fold(const struct statistics *list, const void *of, void *folded)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct statistic *row = &list->rows[i];
		uint64_t *into = (uint64_t *)((char *)folded + row->offset);

		ENSURE(row->bytes, ==, sizeof(*into));
		*into = statistic_fold(row->fold, *into, statistic_value(row, of));
	}
}

enum quantity_kind statistic_quantity(enum statistic_unit unit)
{
	switch (unit) {
	case STATISTIC_BYTES:
		return QUANTITY_BYTES;
	case STATISTIC_PS:
	case STATISTIC_MOMENT:
		return QUANTITY_TIME;
	case STATISTIC_BPS:
		return QUANTITY_RATE;
	default:
		return QUANTITY_COUNT;
	}
}

/* a moment that never occurred has no value */
static bool is_known(const struct statistic *row, uint64_t value)
{
	return value || row->unit != STATISTIC_MOMENT;
}

bool statistics_json_put(const struct statistics *list, enum statistic_group group, const void *of,
			 bool nonzero, json_t *object)
{
	bool failed = !object;

	for (size_t i = 0; i < list->count; i++) {
		const struct statistic *row = &list->rows[i];
		uint64_t value = statistic_value(row, of);

		if (row->group == group && (value || !nonzero))
			failed |= json_object_set_new(object, row->name,
						      is_known(row, value)
							      ? json_integer((json_int_t)value)
							      : json_null()) != 0;
	}
	return !failed;
}

void statistics_csv(const struct statistics *list, enum statistic_group group, const void *of,
		    FILE *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct statistic *row = &list->rows[i];

		if (row->group != group)
			continue;
		if (!of)
			fprintf(out, ",%s", row->name);
		else if (is_known(row, statistic_value(row, of)))
			fprintf(out, ",%" PRIu64, statistic_value(row, of));
		else
			fputc(',', out);
	}
}
