#include "orchestrator/results/paths_csv.h"

#include <errno.h>
#include <inttypes.h>

#include "orchestrator/results/events.h"

struct paths {
	const struct plan *plan;
	struct stats_page *const *pages;
	FILE *out;
};

/* the name and the connection of a flow's workload, which its source knows */
static void workload_write(const struct paths *paths, const struct trace_entry *entry)
{
	const struct plan *plan = paths->plan;
	struct stats_page *page = paths->pages[plan_host_node(plan, entry->source - 1)];
	struct flow_tx_stats flow;

	if (entry->detail >= page->flows_max) {
		fputs(",,", paths->out);
		return;
	}
	flow = *stats_flow_tx(page, entry->detail);
	__atomic_signal_fence(__ATOMIC_ACQ_REL);
	fprintf(paths->out, ",%s,%" PRIu32,
		flow.workload_index < plan->workload_count
			? plan->workloads[flow.workload_index].name
			: "",
		flow.connection);
}

static void row_write(void *owner, uint32_t index, const struct trace_entry *entry)
{
	const struct paths *paths = owner;
	const struct plan *plan = paths->plan;
	const struct node_config *node = &plan->nodes[index];

	if (entry->kind != TRACE_PATH || entry->port >= node->port_count || !entry->source ||
	    entry->source > plan->host_count || !entry->destination ||
	    entry->destination > plan->host_count || entry->traffic_class >= node->class_count)
		return;
	fprintf(paths->out, "%s,%s,%s", plan_host_name(plan, entry->source - 1),
		plan_host_name(plan, entry->destination - 1),
		node->classes[entry->traffic_class].name);
	workload_write(paths, entry);
	fprintf(paths->out, ",%" PRIu64 ",%s,%u,%s\n", entry->at_ps, node->name, entry->port,
		node->ports[entry->port].peer_name);
}

int paths_csv_write(const struct plan *plan, struct stats_page *const *pages,
		    const struct node_log_source *events, FILE *out)
{
	struct paths paths = { .plan = plan, .pages = pages, .out = out };
	struct why why;

	fputs("source,destination,class,workload,connection,at_ps,node,port,peer\n", out);
	return events ? events_merge(plan, events, row_write, &paths, &why) : -ENOMEM;
}
