#include "orchestrator/results/event_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an event says ---- */

/* of host @host + 1: its node + 1; 0 if it is not known, or none */
static uint32_t host_node(const struct plan *plan, uint32_t host)
{
	return host && host <= plan->host_count ? plan_host_node(plan, host - 1) + 1 : 0;
}

/* of a lane the class that it belongs to */
static uint32_t class_of(const struct node_config *node, const struct trace_entry *entry)
{
	uint32_t lanes = node_lanes(node, node->ports[entry->port].kind);

	if (!trace_row(entry->kind)->has_class)
		return 0;
	return entry->traffic_class /
	       (entry->kind == TRACE_XOFF || entry->kind == TRACE_XON ? lanes : 1);
}

/* Return: false if it is not one */
static bool event_read(const struct plan *plan, uint32_t index, const struct trace_entry *entry,
		       struct event *event)
{
	const struct node_config *node = &plan->nodes[index];

	if (entry->port >= node->port_count || !entry->kind || entry->kind >= TRACE_KINDS)
		return false;
	*event = (struct event){ .at_ps = entry->at_ps,
				 .value = entry->value,
				 .node = index,
				 .kind = entry->kind,
				 .port = entry->port,
				 .traffic_class = class_of(node, entry),
				 .detail = entry->detail,
				 .source = host_node(plan, entry->source),
				 .destination = host_node(plan, entry->destination),
				 .entry = entry };
	if (node->kind == NODE_NIC && !event->source != !event->destination)
		*(event->source ? &event->destination : &event->source) = index + 1;
	return true;
}

/* ---- all ---- */

static void incomplete(struct event_merge *merge, uint32_t index, int error)
{
	if (!error || merge->error)
		return;
	merge->error = error;
	snprintf(merge->why, sizeof(merge->why), "the events of %s are incomplete: %s",
		 merge->plan->nodes[index].name, strerror(-error));
}

/* when the next event of node @index is due */
static void schedule(struct event_merge *merge, uint32_t index)
{
	const struct trace_entry *entry = node_log_entry(&merge->logs[index]);

	/* whatever time a node claims, its events are given */
	deadline_heap_set(&merge->heap, index,
			  entry ? node_time_min(entry->at_ps, NODE_TIME_NEVER - 1)
				: NODE_TIME_NEVER);
}

int event_merge_init(struct event_merge *merge, const struct plan *plan,
		     const struct node_log_source *sources)
{
	int error;

	*merge = (struct event_merge){ .plan = plan };
	error = deadline_heap_init(&merge->heap, plan->node_count);
	merge->logs = calloc(plan->node_count + 1ul, sizeof(*merge->logs));
	if (error || !merge->logs) {
		event_merge_fini(merge);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->node_count; i++) {
		incomplete(merge, i, node_log_events(&merge->logs[i], &sources[i]));
		schedule(merge, i);
	}
	return 0;
}

int event_merge_refresh(struct event_merge *merge)
{
	for (uint32_t i = 0; i < merge->plan->node_count; i++) {
		incomplete(merge, i, node_log_refresh(&merge->logs[i]));
		schedule(merge, i);
	}
	return merge->error;
}

int event_merge_to(struct event_merge *merge, node_time_t horizon, event_fn *take, void *context)
{
	while (deadline_heap_next_at(&merge->heap) < horizon) {
		uint32_t index = deadline_heap_first(&merge->heap);
		const struct trace_entry *entry = node_log_entry(&merge->logs[index]);
		struct event event;

		if (entry) {
			/* the copy is what is checked, and what is used */
			const struct trace_entry copy = *entry;

			if (event_read(merge->plan, index, &copy, &event))
				take(context, &event);
			node_log_next(&merge->logs[index]);
		}
		schedule(merge, index);
	}
	return merge->error;
}

void event_merge_fini(struct event_merge *merge)
{
	for (uint32_t i = 0; merge->logs && i < merge->plan->node_count; i++)
		node_log_close(&merge->logs[i]);
	free(merge->logs);
	deadline_heap_fini(&merge->heap);
	*merge = (struct event_merge){ 0 };
}
