/*  series - what a node samples every `run.sample`: series of values, of which changes are kept
 *  (SE-1).
 *
 *  A sample begins with an entry of its time. After it come the values that have changed since the
 *  sample before; before the first one all are 0. So what does not change costs nothing, and a
 *  reader that has read all entries has every value at every sample. Entries are in a log, a ring
 *  in the statistics page and a file (page_log.h): nothing is lost however long the run is.
 *  series.def has a row for each series. A node without such a file (node_config.series) takes no
 *  samples: it has no event for them.
 *  Memory: the last values, O(ports + flows), allocated in _init, never later; those that are never
 *  written are not touched. */
#ifndef HEDDLE_NODES_STATS_SERIES_H
#define HEDDLE_NODES_STATS_SERIES_H

#include <stdint.h>

#include "nodes/stats/stats.h"

enum series_of { SERIES_OF_PORT, SERIES_OF_CLASS, SERIES_OF_LANE, SERIES_OF_FLOW };
enum series_type { SERIES_GAUGE, SERIES_COUNTER, SERIES_STATE };

/* a row is a series; those of a kind of key are one after the other */
enum series_id {
	SERIES_SAMPLE, /* no series: begins a sample, whose time is the value */
#define SERIES_ID(id, ...) SERIES_##id,
#define SERIES_PORT SERIES_ID
#define SERIES_CLASS SERIES_ID
#define SERIES_LANE SERIES_ID
#define SERIES_FLOW SERIES_ID
#include "nodes/stats/series.def"
#undef SERIES_PORT
#undef SERIES_CLASS
#undef SERIES_LANE
#undef SERIES_FLOW
	SERIES_IDS
};

enum {
	SERIES_PORT_FIRST = SERIES_SAMPLE + 1,
	SERIES_CLASS_FIRST = SERIES_CLASS_QUEUE_BYTES,
	SERIES_LANE_FIRST = SERIES_LANE_CREDIT_UNITS,
	SERIES_FLOW_FIRST = SERIES_FLOW_ALLOWED_RATE_BPS,
	SERIES_PER_PORT = SERIES_CLASS_FIRST - SERIES_PORT_FIRST,
	SERIES_PER_CLASS = SERIES_LANE_FIRST - SERIES_CLASS_FIRST,
	SERIES_PER_LANE = SERIES_FLOW_FIRST - SERIES_LANE_FIRST,
	SERIES_PER_FLOW = SERIES_IDS - SERIES_FLOW_FIRST,
};

struct series_row {
	const char *name, *unit, *what;
	enum series_of of;
	enum series_type type;
};

/** series_row() - the row of @id, whatever that is; "sample" if there is no such series. Pure. */
const struct series_row *series_row(uint32_t id);

/* of a node that takes samples; all NULL: it takes none */
struct series {
	struct stats_page *page;
	uint64_t *ports, *classes, *lanes, *flows; /* the last values, by key and series */
};

/** series_init() - for the node that @config describes; none if config->series is not set.
 *  @page borrowed.   Return: 0 or -ENOMEM; series_fini() is due in any case. */
int series_init(struct series *series, const struct node_config *config, struct stats_page *page);
void series_fini(struct series *series);

/** series_file() - every entry from now on goes to @fd, borrowed until the node ends. Before the
 *  first sample. */
void series_file(struct stats_page *page, int fd);

/** series_ring_full() - for series_add(): appends the ring to the file. */
void series_ring_full(struct stats_page *page) __attribute__((cold, noinline));

static inline void series_add(struct stats_page *page, struct series_entry entry)
{
	uint64_t count = page->series.count;

	*stats_series(page, count++) = entry;
	page_log_count(&page->series, count);
	if (__builtin_expect(count == page->series.full, 0))
		series_ring_full(page);
}

/** series_begin() - a sample at @now, of a node that takes some. */
static inline void series_begin(struct series *series, node_time_t now)
{
	series_add(series->page, (struct series_entry){ .value = now, .id = SERIES_SAMPLE });
}

static inline void series_put(struct series *series, uint64_t *last, uint32_t id, uint32_t port,
			      uint32_t index, uint64_t value)
{
	if (*last == value)
		return;
	*last = value;
	series_add(series->page, (struct series_entry){ .value = value,
							.index = index,
							.port = (uint8_t)port,
							.id = (uint8_t)id });
}

/** series_port(), series_class(), series_lane(), series_flow() - (after series_begin()) the present
 *  value of a series of port @port, its class @c, its lane @lane; of the flow in @slot. O(1). */
static inline void series_port(struct series *series, uint32_t id, uint32_t port, uint64_t value)
{
	series_put(series, &series->ports[port * SERIES_PER_PORT + (id - SERIES_PORT_FIRST)], id,
		   port, 0, value);
}

static inline void series_class(struct series *series, uint32_t id, uint32_t port, uint32_t c,
				uint64_t value)
{
	uint32_t key = port * NODE_CLASSES_MAX + c;

	series_put(series, &series->classes[key * SERIES_PER_CLASS + (id - SERIES_CLASS_FIRST)], id,
		   port, c, value);
}

static inline void series_lane(struct series *series, uint32_t id, uint32_t port, uint32_t lane,
			       uint64_t value)
{
	uint32_t key = port * NODE_LANES_MAX + lane;

	series_put(series, &series->lanes[key * SERIES_PER_LANE + (id - SERIES_LANE_FIRST)], id,
		   port, lane, value);
}

static inline void series_flow(struct series *series, uint32_t id, uint32_t slot, uint64_t value)
{
	series_put(series,
		   &series->flows[(size_t)slot * SERIES_PER_FLOW + (id - SERIES_FLOW_FIRST)], id, 0,
		   slot, value);
}

#endif
