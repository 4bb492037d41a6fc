#include "orchestrator/results/series_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/results/series_values.h"

static void incomplete(struct series_merge *merge, uint32_t node, int error)
{
	if (!error || merge->error)
		return;
	merge->error = error;
	snprintf(merge->why, sizeof(merge->why), "the samples of %s are incomplete: %s",
		 merge->plan->nodes[node].name, strerror(-error));
}

/* The next entry of the log of @node begins a sample that is not too late, or there is none. */
static void next_find(struct series_merge *merge, uint32_t node)
{
	const struct series_entry *entry = node_log_entry(&merge->logs[node]);
	node_time_t at_ps = entry ? entry->value : NODE_TIME_NEVER;

	if (entry &&
	    (entry->id != SERIES_SAMPLE || at_ps == NODE_TIME_NEVER || at_ps < merge->passed_ps)) {
		incomplete(merge, node, -EBADMSG);
		at_ps = NODE_TIME_NEVER;
	}
	merge->next_at_ps[node] = at_ps;
}

int series_merge_init(struct series_merge *merge, const struct plan *plan,
		      const struct node_log_source *sources)
{
	size_t count = plan->node_count + 1ul;

	*merge = (struct series_merge){ .plan = plan,
					.logs = calloc(count, sizeof(*merge->logs)),
					.next_at_ps = calloc(count, sizeof(*merge->next_at_ps)),
					.flows_max = calloc(count, sizeof(*merge->flows_max)) };
	if (!merge->logs || !merge->next_at_ps || !merge->flows_max) {
		series_merge_fini(merge);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->node_count; i++) {
		incomplete(merge, i, node_log_series(&merge->logs[i], &sources[i]));
		merge->flows_max[i] = sources[i].page ? sources[i].page->flows_max : 0;
		next_find(merge, i);
	}
	return 0;
}

int series_merge_refresh(struct series_merge *merge)
{
	for (uint32_t i = 0; i < merge->plan->node_count; i++) {
		incomplete(merge, i, node_log_refresh(&merge->logs[i]));
		next_find(merge, i);
	}
	return merge->error;
}

node_time_t series_merge_next_at(const struct series_merge *merge)
{
	node_time_t next = NODE_TIME_NEVER;

	for (uint32_t i = 0; i < merge->plan->node_count; i++)
		next = node_time_min(next, merge->next_at_ps[i]);
	return next;
}

/* is there such a series of @node? Its port there was checked. */
static bool is_series(const struct series_merge *merge, uint32_t node,
		      const struct series_entry *entry)
{
	switch (series_row(entry->id)->of) {
	case SERIES_OF_PORT:
		return !entry->index;
	case SERIES_OF_CLASS:
		return entry->index < NODE_CLASSES_MAX;
	case SERIES_OF_LANE:
		return entry->index < NODE_LANES_MAX;
	case SERIES_OF_FLOW:
		break;
	}
	return entry->index < merge->flows_max[node];
}

/* the sample at which the log of @node is */
static void node_take(struct series_merge *merge, uint32_t node, series_fn *take, void *context)
{
	struct node_log *log = &merge->logs[node];
	const struct series_entry *entry;

	node_log_next(log);
	while ((entry = node_log_entry(log)) && entry->id != SERIES_SAMPLE) {
		/* the copy is what is checked, and what is used */
		struct series_entry copy = *entry;
		uint32_t of = series_values_node(merge->plan, node, &copy);

		if (of != UINT32_MAX && is_series(merge, of, &copy)) {
			if (series_row(copy.id)->of == SERIES_OF_FLOW)
				copy.port = 0; /* of the NIC */
			take(context, of, &copy);
		}
		node_log_next(log);
	}
	next_find(merge, node);
}

void series_merge_take(struct series_merge *merge, node_time_t at_ps, series_fn *take,
		       void *context)
{
	merge->passed_ps = at_ps + 1;
	for (uint32_t i = 0; i < merge->plan->node_count; i++)
		if (merge->next_at_ps[i] == at_ps)
			node_take(merge, i, take, context);
}

void series_merge_passed(struct series_merge *merge, node_time_t at_ps)
{
	merge->passed_ps = node_time_max(merge->passed_ps, at_ps);
}

void series_merge_fini(struct series_merge *merge)
{
	for (uint32_t i = 0; merge->logs && i < merge->plan->node_count; i++)
		node_log_close(&merge->logs[i]);
	free(merge->logs);
	free(merge->next_at_ps);
	free(merge->flows_max);
	*merge = (struct series_merge){ 0 };
}
