#include "tests/sim/fault_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/plan/plan_routes.h"

/* a switch that cannot be reached has no route */
static void prune(struct switch_config *config)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < config->route_count; i++)
		if (config->routes[i].ports)
			config->routes[kept++] = config->routes[i];
	config->route_count = kept;
}

static int copy(const struct plan *plan, const uint32_t *down, struct plan *follower)
{
	size_t node_bytes = plan->node_count * sizeof(*plan->nodes),
	       link_bytes = plan->link_count * sizeof(*plan->links);

	*follower = (struct plan){ .switch_count = plan->switch_count,
				   .host_count = plan->host_count,
				   .node_count = plan->node_count,
				   .link_count = plan->link_count,
				   .routing = plan->routing,
				   .nodes = malloc(node_bytes),
				   .links = malloc(link_bytes) };
	if (!follower->nodes || !follower->links) {
		free(follower->nodes);
		free(follower->links);
		*follower = (struct plan){ 0 };
		return -ENOMEM;
	}
	memcpy(follower->nodes, plan->nodes, node_bytes);
	memcpy(follower->links, plan->links, link_bytes);
	for (uint32_t i = 0; i < plan->link_count; i++)
		follower->links[i].down = down[i];
	for (uint32_t i = 0; i < plan->switch_count; i++) {
		struct switch_config *config = &follower->nodes[i].switch_;

		config->routes = NULL;
		config->vias = NULL;
		config->lids = (struct lid_tables){ 0 };
	}
	return 0;
}

int fault_tables_make(const struct plan *plan, const uint32_t *down, struct plan *follower)
{
	struct why why;
	int error = copy(plan, down, follower);

	if (!error)
		error = plan_routes_make(follower, &why);
	for (uint32_t i = 0; i < follower->switch_count && !error; i++)
		prune(&follower->nodes[i].switch_);
	return error;
}

void fault_tables_free(struct plan *follower)
{
	for (uint32_t i = 0; i < follower->switch_count; i++)
		switch_tables_free(&follower->nodes[i].switch_);
	free(follower->nodes);
	free(follower->links);
	*follower = (struct plan){ 0 };
}
