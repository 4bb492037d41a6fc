#include "orchestrator/routing/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void end_restore(struct topology_switch *at, uint32_t port, struct topology_port end)
{
	end.up = true;
	at->alive = true;
	at->ports[port] = end;
	if (at->port_count <= port)
		at->port_count = port + 1;
}

/* restores both ends of the link at port @port of switch @from */
static void link_restore(struct topology *whole, uint32_t from, uint32_t port)
{
	struct topology_port *end = &whole->switches[from].ports[port];

	end->up = true;
	if (end->leads_to == END_SWITCH)
		end_restore(&whole->switches[end->peer], end->peer_port,
			    (struct topology_port){ .leads_to = END_SWITCH,
						    .peer = from,
						    .peer_port = (uint8_t)port,
						    .tier = end->tier });
}

int topology_whole(const struct topology *topology, struct topology *whole)
{
	*whole = (struct topology){ .switch_count = topology->switch_count,
				    .switches = calloc(topology->switch_count,
						       sizeof(*whole->switches)) };
	if (!whole->switches)
		return -ENOMEM;
	memcpy(whole->switches, topology->switches,
	       topology->switch_count * sizeof(*whole->switches));
	for (uint32_t i = 0; i < topology->switch_count; i++)
		for (uint32_t p = 0; p < topology->switches[i].port_count; p++)
			link_restore(whole, i, p);
	for (uint32_t i = 0; i < topology->host_count; i++) {
		const struct host_config *host = &topology->hosts[i];

		if (host->fabric_address && host->fabric_address <= topology->switch_count)
			end_restore(&whole->switches[host->fabric_address - 1], host->egress_port,
				    (struct topology_port){ .leads_to = END_HOST, .peer = i });
	}
	return 0;
}

void topology_free(struct topology *topology)
{
	free(topology->switches);
	free(topology->hosts);
	*topology = (struct topology){ 0 };
}
