#include "orchestrator/manager/manager_topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool answered(const struct manager_census *census, uint32_t node, enum node_kind kind)
{
	return node < census->node_count && census->answered[node] &&
	       census->nodes[node].kind == kind;
}

/* the other end of @port of node @node, if its node answered and names @port too; else NULL */
static const struct port_identity *other_end(const struct manager_census *census, uint32_t node,
					     uint32_t port)
{
	const struct port_identity *own = &census->nodes[node].ports[port], *other;
	const struct node_identity *peer;

	if (!own->plugged || own->peer_index >= census->node_count ||
	    !census->answered[own->peer_index])
		return NULL;
	peer = &census->nodes[own->peer_index];
	if (own->peer_port >= peer->port_count)
		return NULL;
	other = &peer->ports[own->peer_port];
	return other->plugged && other->peer_index == node && other->peer_port == port ? other
										       : NULL;
}

/* the peer of @port if that did not answer: a switch, whose address follows from its node index;
 * else nothing */
static struct topology_port silent_end(const struct manager_census *census,
				       const struct port_identity *port)
{
	if (!port->plugged || port->kind != PORT_FABRIC || port->peer_index >= census->node_count ||
	    census->answered[port->peer_index] || port->peer_port >= NODE_PORTS_MAX)
		return (struct topology_port){ .leads_to = END_NOTHING };
	return (struct topology_port){ .leads_to = END_SWITCH,
				       .peer = port->peer_index,
				       .peer_port = (uint8_t)port->peer_port,
				       .tier = (uint8_t)port->tier };
}

static struct topology_port port_of(const struct manager_census *census, uint32_t node,
				    uint32_t port)
{
	const struct port_identity *own = &census->nodes[node].ports[port],
				   *other = other_end(census, node, port);
	const struct node_identity *peer;

	if (!other)
		return silent_end(census, own);
	peer = &census->nodes[own->peer_index];
	return (struct topology_port){
		.leads_to = peer->kind == NODE_SWITCH ? END_SWITCH : END_HOST,
		.peer = peer->kind == NODE_SWITCH ? peer->fabric_address - 1 : peer->host_index,
		.peer_port = (uint8_t)own->peer_port,
		.tier = (uint8_t)own->tier,
		.up = own->up && other->up,
	};
}

static void switch_add(const struct manager_census *census, uint32_t node,
		       struct topology *topology)
{
	const struct node_identity *identity = &census->nodes[node];
	struct topology_switch *at = &topology->switches[identity->fabric_address - 1];

	at->alive = true;
	at->port_count = identity->port_count;
	snprintf(at->name, sizeof(at->name), "%s", identity->name);
	for (uint32_t p = 0; p < identity->port_count; p++)
		at->ports[p] = port_of(census, node, p);
}

static void host_add(const struct manager_census *census, uint32_t node, struct topology *topology)
{
	const struct node_identity *nic = &census->nodes[node];
	const struct port_identity *port = &nic->ports[0];

	if (nic->port_count && port->plugged && answered(census, port->peer_index, NODE_SWITCH) &&
	    other_end(census, node, 0))
		topology->hosts[nic->host_index] = (struct host_config){
			.host_index = nic->host_index,
			.fabric_address = census->nodes[port->peer_index].fabric_address,
			.egress_port = port->peer_port
		};
}

/* the highest index of a switch that @node has as its neighbour, + 1 */
static uint32_t neighbour_last(const struct manager_census *census,
			       const struct node_identity *node)
{
	uint32_t last = 0;

	for (uint32_t p = 0; p < node->port_count; p++) {
		struct topology_port end = silent_end(census, &node->ports[p]);

		if (end.leads_to == END_SWITCH && end.peer >= last)
			last = end.peer + 1;
	}
	return last;
}

/* the number of switches and hosts, with those that did not answer */
static void count(const struct manager_census *census, struct topology *topology)
{
	for (uint32_t i = 0; i < census->node_count; i++) {
		const struct node_identity *node = &census->nodes[i];

		if (answered(census, i, NODE_SWITCH) &&
		    node->fabric_address > topology->switch_count)
			topology->switch_count = node->fabric_address;
		if (answered(census, i, NODE_SWITCH) &&
		    neighbour_last(census, node) > topology->switch_count)
			topology->switch_count = neighbour_last(census, node);
		if (answered(census, i, NODE_NIC) && node->host_index >= topology->host_count)
			topology->host_count = node->host_index + 1;
	}
}

int manager_topology_make(const struct manager_census *census, struct topology *topology)
{
	*topology = (struct topology){ 0 };
	count(census, topology);
	topology->switches = calloc(topology->switch_count, sizeof(*topology->switches));
	topology->hosts = calloc(NODE_COUNT_MAX, sizeof(*topology->hosts)); /* some may be kept */
	if (!topology->switches || !topology->hosts) {
		topology_free(topology);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < topology->switch_count; i++)
		topology->switches[i].fabric_address = i + 1;
	for (uint32_t i = 0; i < NODE_COUNT_MAX; i++)
		topology->hosts[i].host_index = i;
	for (uint32_t i = 0; i < census->node_count; i++) {
		if (answered(census, i, NODE_SWITCH))
			switch_add(census, i, topology);
		else if (answered(census, i, NODE_NIC))
			host_add(census, i, topology);
	}
	return 0;
}

/* does edge port @port of switch @fabric_address, which answered, have a NIC that did not? */
static bool silent_neighbour(const struct manager_census *census, uint32_t fabric_address,
			     uint32_t port)
{
	for (uint32_t i = 0; i < census->node_count; i++) {
		const struct node_identity *node = &census->nodes[i];
		const struct port_identity *edge = &node->ports[port];

		if (answered(census, i, NODE_SWITCH) && node->fabric_address == fabric_address)
			return port < node->port_count && edge->plugged &&
			       edge->kind == PORT_EDGE &&
			       !answered(census, edge->peer_index, NODE_NIC);
	}
	return false;
}

void manager_topology_keep(const struct manager_census *census, struct topology *topology,
			   const struct host_config *host)
{
	bool switch_alive = host->fabric_address <= topology->switch_count &&
			    topology->switches[host->fabric_address - 1].alive;

	if (host->host_index >= NODE_COUNT_MAX || topology->hosts[host->host_index].fabric_address)
		return;
	if (switch_alive && !silent_neighbour(census, host->fabric_address, host->egress_port))
		return;
	topology->hosts[host->host_index] = *host;
	if (host->host_index >= topology->host_count)
		topology->host_count = host->host_index + 1;
}

uint32_t manager_topology_links(const struct topology *topology)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		for (uint32_t p = 0; p < topology->switches[i].port_count; p++)
			ends += topology_leads_on(topology, i, p);
	return ends / 2;
}
