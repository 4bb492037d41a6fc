/*  topology - the switches, hosts and links of a fabric as a graph, as routing sees it.
 *
 *  Made from a plan (topology_of_plan()) or by asking the nodes (the fabric manager); who made it does not matter to what is worked
 *  out from it. Switches are in the order of their fabric addresses, hosts in that of their numbers.                   */
#ifndef HEDDLE_ORCHESTRATOR_TOPOLOGY_H
#define HEDDLE_ORCHESTRATOR_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config.h"

enum topology_end { END_NOTHING, END_HOST, END_SWITCH };

struct topology_port {
	uint8_t leads_to; /* enum topology_end */
	uint8_t peer_port;
	uint8_t tier;  /* enum link_tier */
	bool up;       /* data may go over it, both ways */
	uint32_t peer; /* END_HOST: host index; END_SWITCH: index in `switches` */
};

struct topology_switch {
	uint32_t fabric_address;
	uint32_t port_count;
	bool alive;
	struct topology_port ports[NODE_PORTS_MAX];
};

struct topology {
	uint32_t switch_count, host_count;
	struct topology_switch *switches;
	struct host_config *hosts; /* [host_count]; fabric_address 0: not there */
};

/** topology_free() - releases what @topology points to. */
void topology_free(struct topology *topology);

#endif
