#include "orchestrator/plan/plan_topology.h"

#include <errno.h>
#include <stdlib.h>

static struct topology_port port_of(const struct plan *plan, const struct port_config *port)
{
	bool is_switch = port->peer_index < plan->switch_count;

	if (port->vacant)
		return (struct topology_port){ .leads_to = END_NOTHING };
	return (struct topology_port){
		.leads_to = is_switch ? END_SWITCH : END_HOST,
		.peer = is_switch ? port->peer_index : port->peer_index - plan->switch_count,
		.peer_port = (uint8_t)port->peer_port,
		.tier = (uint8_t)port->tier,
		.up = plan_link_carries(&plan->links[port->link_index]),
	};
}

static void switch_of(const struct plan *plan, uint32_t index, struct topology_switch *node)
{
	const struct node_config *config = &plan->nodes[index];

	*node = (struct topology_switch){
		.fabric_address = index + 1,
		.port_count = config->port_count,
		.alive = !plan_vacant(plan, index),
	};
	snprintf(node->name, sizeof(node->name), "%s", config->name);
	for (uint32_t p = 0; p < config->port_count; p++)
		node->ports[p] = port_of(plan, &config->ports[p]);
}

static struct host_config host_of(const struct plan *plan, uint32_t host)
{
	const struct node_config *nic = &plan->nodes[plan_host_node(plan, host)];
	bool is_there = nic->name[0] && !nic->ports[0].vacant;

	return (struct host_config){
		.host_index = host,
		.fabric_address = is_there ? nic->ports[0].peer_index + 1 : 0,
		.egress_port = is_there ? nic->ports[0].peer_port : 0,
	};
}

int plan_topology(const struct plan *plan, struct topology *topology)
{
	*topology = (struct topology){
		.switch_count = plan->switch_count,
		.host_count = plan->host_count,
		.switches = calloc(plan->switch_count, sizeof(*topology->switches)),
		.hosts = calloc(plan->host_count, sizeof(*topology->hosts)),
	};
	if (!topology->switches || !topology->hosts) {
		topology_free(topology);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < plan->switch_count; i++)
		switch_of(plan, i, &topology->switches[i]);
	for (uint32_t i = 0; i < plan->host_count; i++)
		topology->hosts[i] = host_of(plan, i);
	return 0;
}
