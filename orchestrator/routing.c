#include "orchestrator/routing.h"

#include <errno.h>
#include <stdlib.h>

#include "orchestrator/routing_minimal.h"

/* routes without ports */
static int tables_alloc(const struct topology *topology, struct routing *routing)
{
	uint32_t count = topology->switch_count;

	routing->switches = calloc(count + 1, sizeof(*routing->switches));
	if (!routing->switches)
		return -ENOMEM;
	routing->switch_count = count;
	for (uint32_t i = 0; i < count; i++) {
		routing->switches[i].routes = calloc(count, sizeof(struct route_config));
		if (!routing->switches[i].routes)
			return -ENOMEM;
		for (uint32_t to = 0; to < count; to++)
			if (to != i)
				routing_route(routing, i, to)->fabric_address = topology->switches[to].fabric_address;
	}
	return 0;
}

int routing_make(const struct topology *topology, const struct routing_request *request, struct routing *routing,
		 char *why, unsigned why_max)
{
	uint16_t *distances;
	int error;

	(void)why;
	(void)why_max;
	*routing = (struct routing){ .order = ORDER_MINIMAL, .lanes = request->lanes ? request->lanes : 1 };
	distances = routing_distances(topology);
	error = distances ? tables_alloc(topology, routing) : -ENOMEM;
	if (!error)
		routing_minimal_make(topology, distances, routing);
	else
		routing_free(routing);
	free(distances);
	return error;
}

void routing_free(struct routing *routing)
{
	for (uint32_t i = 0; i < routing->switch_count; i++) {
		free(routing->switches[i].routes);
		free(routing->switches[i].vias);
		free(routing->switches[i].lids.lft);
		free(routing->switches[i].lids.pgft);
		free(routing->switches[i].lids.pgt);
	}
	free(routing->switches);
	free(routing->cycle);
	*routing = (struct routing){ 0 };
}
