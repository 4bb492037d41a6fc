/*  topology - the switches, hosts and links of a fabric as a graph, the input of routing.
 *
 *  It comes from a plan (plan_topology()) or from discovery by the fabric manager; routing does not
 *  depend on which. Switches are in the order of their fabric addresses, hosts in the order of
 *  their numbers. */
#ifndef HEDDLE_ORCHESTRATOR_ROUTING_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_ROUTING_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

enum topology_end { END_NOTHING, END_HOST, END_SWITCH };

struct topology_port {
	uint8_t leads_to; /* enum topology_end */
	uint8_t peer_port;
	uint8_t tier;  /* enum link_tier */
	bool up;       /* data may be sent over it, in both directions */
	uint32_t peer; /* END_HOST: host index; END_SWITCH: index in `switches` */
};

struct topology_switch {
	char name[NODE_NAME_MAX]; /* for messages; "": the messages use its address */
	uint32_t fabric_address;  /* index + 1 */
	uint32_t port_count;
	bool alive;
	struct topology_port ports[NODE_PORTS_MAX];
};

struct topology {
	uint32_t switch_count, host_count;
	struct topology_switch *switches;
	struct host_config *hosts; /* [host_count]; fabric_address 0: no such host */
};

/** topology_whole() - sets @whole to @topology with everything up that is plugged in: links of
 *  which one end is known, and the switches at their ends or with known hosts.
 *  Return: 0, topology_free() later; -ENOMEM, nothing to free. */
int topology_whole(const struct topology *topology, struct topology *whole);

/** topology_free() - frees what @topology points to. */
void topology_free(struct topology *topology);

/** topology_leads_on() - true if port @port of switch @from is up and its peer is another switch
 *  that exists. */
static inline bool topology_leads_on(const struct topology *topology, uint32_t from, uint32_t port)
{
	const struct topology_port *end = &topology->switches[from].ports[port];

	return end->leads_to == END_SWITCH && end->up && topology->switches[from].alive &&
	       topology->switches[end->peer].alive;
}

/** topology_has_hosts() - true if packets begin and end at switch @index. */
static inline bool topology_has_hosts(const struct topology *topology, uint32_t index)
{
	const struct topology_switch *node = &topology->switches[index];

	for (uint32_t p = 0; node->alive && p < node->port_count; p++)
		if (node->ports[p].leads_to == END_HOST)
			return true;
	return false;
}

#endif
