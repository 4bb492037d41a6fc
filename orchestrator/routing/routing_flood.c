#include "orchestrator/routing/routing_flood.h"

#include <errno.h>
#include <stdlib.h>

/* the breadth-first tree from switch @root, over links that are up */
static void tree_grow(const struct topology *topology, uint32_t root, bool *joined, uint32_t *queue,
		      uint64_t *ports)
{
	uint32_t head = 0, tail = 0;

	queue[tail++] = root;
	joined[root] = true;
	while (head < tail) {
		uint32_t at = queue[head++];
		const struct topology_switch *node = &topology->switches[at];

		for (uint32_t p = 0; p < node->port_count; p++) {
			const struct topology_port *port = &node->ports[p];

			if (!topology_leads_on(topology, at, p) || joined[port->peer])
				continue;
			joined[port->peer] = true;
			ports[at] |= 1ull << p;
			ports[port->peer] |= 1ull << port->peer_port;
			queue[tail++] = port->peer;
		}
	}
}

int routing_flood(const struct topology *topology, uint64_t *ports)
{
	bool *joined = calloc(topology->switch_count, sizeof(*joined));
	uint32_t *queue = calloc(topology->switch_count, sizeof(*queue));
	int error = joined && queue ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < topology->switch_count; i++) {
		ports[i] = 0;
		for (uint32_t p = 0; p < topology->switches[i].port_count; p++)
			if (topology->switches[i].ports[p].leads_to == END_HOST)
				ports[i] |= 1ull << p;
	}
	for (uint32_t i = 0; !error && i < topology->switch_count; i++)
		if (!joined[i] && topology->switches[i].alive)
			tree_grow(topology, i, joined, queue, ports);
	free(joined);
	free(queue);
	return error;
}
