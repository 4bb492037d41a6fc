#include "orchestrator/results/events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/base/deadline_heap.h"

struct events {
	const struct plan *plan;
	enum events_format format;
	FILE *out;
};

enum events_format events_format_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".jsonl") || !strcmp(dot, ".ndjson") || !strcmp(dot, ".json"))
		       ? EVENTS_JSON_LINES
		       : EVENTS_CSV;
}

/* ---- rows ---- */

/* of host @index + 1; "" if it is not known, or none */
static const char *host_name(const struct plan *plan, uint32_t host)
{
	return host && host <= plan->host_count ? plan->nodes[plan_host_node(plan, host - 1)].name
						: "";
}

/* of a lane the class that it belongs to; "" if there is none */
static const char *class_name(const struct node_config *node, const struct trace_entry *entry)
{
	uint32_t lanes = node_lanes(node, node->ports[entry->port].kind);
	uint32_t c = entry->traffic_class /
		     (entry->kind == TRACE_XOFF || entry->kind == TRACE_XON ? lanes : 1);

	return c < node->class_count ? node->classes[c].name : "";
}

/* what `detail` means in words; NULL: it is a number */
static const char *detail_word(const struct trace_entry *entry)
{
	if (entry->kind == TRACE_DROP && entry->detail < DROP_REASONS)
		return stats_drop_name[entry->detail];
	return NULL;
}

static void row_csv(const struct events *events, const struct node_config *node,
		    const struct trace_entry *entry, const char *const hosts[2])
{
	const struct trace_row *row = trace_row(entry->kind);
	const char *word = detail_word(entry);
	FILE *out = events->out;

	fprintf(out, "%" PRIu64 ",%s,%u,%s,%s,", entry->at_ps, node->name, entry->port,
		node->ports[entry->port].peer_name, row->name);
	if (row->has_class)
		fputs(class_name(node, entry), out);
	fprintf(out, ",%s,%s,", hosts[0], hosts[1]);
	if (word)
		fputs(word, out);
	else if (row->detail[0])
		fprintf(out, "%" PRIu32, entry->detail);
	fputc(',', out);
	if (row->value[0])
		fprintf(out, "%" PRIu64, entry->value);
	fputc('\n', out);
}

/* names need no quoting: results_csv.c */
static void row_json(const struct events *events, const struct node_config *node,
		     const struct trace_entry *entry, const char *const hosts[2])
{
	const struct trace_row *row = trace_row(entry->kind);
	const char *word = detail_word(entry);
	FILE *out = events->out;

	fprintf(out, "{\"at_ps\":%" PRIu64 ",\"node\":\"%s\",\"port\":%u,\"peer\":\"%s\",",
		entry->at_ps, node->name, entry->port, node->ports[entry->port].peer_name);
	fprintf(out, "\"event\":\"%s\"", row->name);
	if (row->has_class)
		fprintf(out, ",\"class\":\"%s\"", class_name(node, entry));
	if (hosts[0][0])
		fprintf(out, ",\"source\":\"%s\"", hosts[0]);
	if (hosts[1][0])
		fprintf(out, ",\"destination\":\"%s\"", hosts[1]);
	if (word)
		fprintf(out, ",\"%s\":\"%s\"", row->detail, word);
	else if (row->detail[0])
		fprintf(out, ",\"%s\":%" PRIu32, row->detail, entry->detail);
	if (row->value[0])
		fprintf(out, ",\"%s\":%" PRIu64, row->value, entry->value);
	fputs("}\n", out);
}

/* At a NIC the side of a flow that its event does not name is its own host. */
static void hosts_of(const struct plan *plan, const struct node_config *node,
		     const struct trace_entry *entry, const char *hosts[2])
{
	hosts[0] = host_name(plan, entry->source);
	hosts[1] = host_name(plan, entry->destination);
	if (node->kind != NODE_NIC || !hosts[0][0] == !hosts[1][0])
		return;
	hosts[hosts[0][0] != 0] = node->name;
}

static void row_write(void *owner, uint32_t index, const struct trace_entry *entry)
{
	const struct events *events = owner;
	const struct node_config *node = &events->plan->nodes[index];
	const char *hosts[2];

	if (entry->port >= node->port_count || !entry->kind || entry->kind >= TRACE_KINDS)
		return;
	hosts_of(events->plan, node, entry, hosts);
	if (events->format == EVENTS_CSV)
		row_csv(events, node, entry, hosts);
	else
		row_json(events, node, entry, hosts);
}

/* ---- all ---- */

/* the logs of all nodes, in the order of their next events */
struct merge {
	struct node_log *logs;
	struct deadline_heap heap;
};

/* when the next event of node @index is due */
static void schedule(struct merge *merge, uint32_t index)
{
	const struct trace_entry *entry = node_log_entry(&merge->logs[index]);

	/* whatever time a node claims, its events are written */
	deadline_heap_set(&merge->heap, index,
			  entry ? node_time_min(entry->at_ps, NODE_TIME_NEVER - 1)
				: NODE_TIME_NEVER);
}

/* Return: 0; -errno: the events of a node are incomplete, as @why says */
static int merge_open(struct merge *merge, const struct plan *plan,
		      const struct node_log_source *sources, char *why, size_t why_max)
{
	int first = 0;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		int error = node_log_events(&merge->logs[i], &sources[i]);

		if (error && !first) {
			first = error;
			snprintf(why, why_max, "the events of %s are incomplete: %s",
				 plan->nodes[i].name, strerror(-error));
		}
		schedule(merge, i);
	}
	return first;
}

static void merge_run(struct merge *merge, events_take_fn *take, void *owner)
{
	while (deadline_heap_next_at(&merge->heap) != NODE_TIME_NEVER) {
		uint32_t index = deadline_heap_first(&merge->heap);
		/* the copy is what is checked, and what is used */
		struct trace_entry entry =
			*(const struct trace_entry *)node_log_entry(&merge->logs[index]);

		__atomic_signal_fence(__ATOMIC_ACQ_REL);
		take(owner, index, &entry);
		node_log_next(&merge->logs[index]);
		schedule(merge, index);
	}
}

int events_merge(const struct plan *plan, const struct node_log_source *sources,
		 events_take_fn *take, void *owner, char *why, size_t why_max)
{
	struct merge merge = { .logs = calloc(plan->node_count + 1, sizeof(*merge.logs)) };
	int error = deadline_heap_init(&merge.heap, plan->node_count);

	if (error || !merge.logs) {
		snprintf(why, why_max, "out of memory");
		error = -ENOMEM;
	} else {
		error = merge_open(&merge, plan, sources, why, why_max);
		merge_run(&merge, take, owner);
	}
	for (uint32_t i = 0; merge.logs && i < plan->node_count; i++)
		node_log_close(&merge.logs[i]);
	free(merge.logs);
	deadline_heap_fini(&merge.heap);
	return error;
}

int events_write(const struct plan *plan, const struct node_log_source *sources,
		 enum events_format format, FILE *out, char *why, size_t why_max)
{
	struct events events = { .plan = plan, .format = format, .out = out };

	if (format == EVENTS_CSV)
		fputs("at_ps,node,port,peer,event,class,source,destination,detail,value\n", out);
	return events_merge(plan, sources, row_write, &events, why, why_max);
}
