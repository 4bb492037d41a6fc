#include "orchestrator/results/flow_paths.h"

#include <errno.h>
#include <stdlib.h>

#define SIZE_MIN 1024u

struct flow_path_line {
	uint32_t node, source, slot;
	uint64_t ports; /* 0: free */
};

void flow_paths_init(struct flow_paths *paths, const struct plan *plan)
{
	*paths = (struct flow_paths){ .plan = plan };
}

void flow_paths_fini(struct flow_paths *paths)
{
	free(paths->lines);
	*paths = (struct flow_paths){ 0 };
}

/* ---- the table: at most half full ---- */

static struct flow_path_line *find(const struct flow_paths *paths, uint32_t node, uint32_t source,
				   uint32_t slot)
{
	uint64_t hash =
		(((uint64_t)node << 40) ^ ((uint64_t)source << 24) ^ slot) * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 32) & (paths->size - 1);

	for (;; at = (at + 1) & (paths->size - 1)) {
		struct flow_path_line *line = &paths->lines[at];

		if (!line->ports ||
		    (line->node == node && line->source == source && line->slot == slot))
			return line;
	}
}

static int grow(struct flow_paths *paths)
{
	struct flow_paths more = *paths;

	more.size = paths->size ? 2 * paths->size : SIZE_MIN;
	more.lines = calloc(more.size, sizeof(*more.lines));
	if (!more.lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->size; i++) {
		const struct flow_path_line *line = &paths->lines[i];

		if (line->ports)
			*find(&more, line->node, line->source, line->slot) = *line;
	}
	free(paths->lines);
	*paths = more;
	return 0;
}

/* ---- events and paths ---- */

static bool is_unordered(const struct node_config *node, uint32_t traffic_class)
{
	return traffic_class < node->class_count && node->classes[traffic_class].unordered;
}

int flow_paths_take(struct flow_paths *paths, uint32_t node, const struct trace_entry *entry)
{
	const struct node_config *config = &paths->plan->nodes[node];
	struct flow_path_line *line;

	if (entry->kind != TRACE_PATH || entry->port >= config->port_count || !entry->source ||
	    entry->source > paths->plan->host_count)
		return 0;
	if (2 * (paths->count + 1) > paths->size && grow(paths))
		return -ENOMEM;
	line = find(paths, node, entry->source - 1, entry->detail);
	paths->count += !line->ports;
	*line = (struct flow_path_line){
		.node = node,
		.source = entry->source - 1,
		.slot = entry->detail,
		.ports = (is_unordered(config, entry->traffic_class) ? line->ports : 0) |
			 1ull << entry->port,
	};
	return 0;
}

uint64_t flow_paths_ports(const struct flow_paths *paths, uint32_t node, uint32_t source,
			  uint32_t slot)
{
	return paths->size ? find(paths, node, source, slot)->ports : 0;
}

uint32_t flow_paths_find(const struct flow_paths *paths, uint32_t source, uint32_t slot,
			 uint32_t destination, struct flow_hop hops[FLOW_PATH_HOPS_MAX])
{
	const struct plan *plan = paths->plan;
	uint32_t node = plan_host_node(plan, source), end = plan_host_node(plan, destination),
		 count = 0;
	uint64_t ports = 1; /* a NIC has one */

	while (ports && count < FLOW_PATH_HOPS_MAX) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		hops[count++] = (struct flow_hop){ node, port };
		node = plan->nodes[node].ports[port].peer_index;
		if (node == end)
			return count;
		if (node >= plan->node_count || plan->nodes[node].kind != NODE_SWITCH)
			return 0;
		ports = flow_paths_ports(paths, node, source, slot);
	}
	return 0;
}
