#include "nodes/stats/series.h"

#include <errno.h>
#include <stdlib.h>

static const struct series_row rows[SERIES_IDS] = {
	[SERIES_SAMPLE] = { .name = "sample", .unit = "ps", .what = "" },
#define ROW(of_, id, name_, type_, unit_, what_) \
	[SERIES_##id] = { .name = name_,         \
			  .unit = unit_,         \
			  .what = what_,         \
			  .of = SERIES_OF_##of_, \
			  .type = SERIES_##type_ },
#define SERIES_PORT(...) ROW(PORT, __VA_ARGS__)
#define SERIES_CLASS(...) ROW(CLASS, __VA_ARGS__)
#define SERIES_LANE(...) ROW(LANE, __VA_ARGS__)
#define SERIES_FLOW(...) ROW(FLOW, __VA_ARGS__)
#include "nodes/stats/series.def"
#undef SERIES_PORT
#undef SERIES_CLASS
#undef SERIES_LANE
#undef SERIES_FLOW
#undef ROW
};

const struct series_row *series_row(uint32_t id)
{
	return &rows[id < SERIES_IDS ? id : SERIES_SAMPLE];
}

int series_init(struct series *series, const struct node_config *config, struct stats_page *page)
{
	size_t ports = config->port_count, flows = page->flows_max;

	*series = (struct series){ 0 };
	if (!config->series)
		return 0;
	series->ports = calloc(ports * SERIES_PER_PORT, sizeof(uint64_t));
	series->classes = calloc(ports * NODE_CLASSES_MAX * SERIES_PER_CLASS, sizeof(uint64_t));
	series->lanes = calloc(ports * NODE_LANES_MAX * SERIES_PER_LANE, sizeof(uint64_t));
	series->flows = calloc(flows * SERIES_PER_FLOW, sizeof(uint64_t));
	if (!series->ports || !series->classes || !series->lanes || !series->flows)
		return -ENOMEM;
	series->page = page;
	return 0;
}

void series_fini(struct series *series)
{
	free(series->ports);
	free(series->classes);
	free(series->lanes);
	free(series->flows);
	*series = (struct series){ 0 };
}

void series_file(struct stats_page *page, int fd)
{
	page_log_file(&page->series, STATS_SERIES_MAX, fd);
}

void series_ring_full(struct stats_page *page)
{
	page_log_full(&page->series, stats_series(page, 0), STATS_SERIES_MAX,
		      sizeof(struct series_entry));
}
