/*  place - where a packed node is: its worker, its times on the places page, its rings (SC-3). */
#ifndef HEDDLE_NODES_NODE_PLACE_H
#define HEDDLE_NODES_NODE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

struct place_port {
	uint32_t peer_worker, peer_place;
	uint64_t tx_at, rx_at; /* first byte of the ring in the memory of all rings */
};

struct node_place {
	uint32_t worker, place; /* places.h */
	uint32_t port_count;
	struct place_port ports[NODE_PORTS_MAX];
};

/* the nodes of a worker */
struct worker_share {
	uint32_t index; /* of the worker */
	uint32_t first_place, node_count;
	bool real_clock; /* nodes have links as processes do, and no places but for `running` */
};

#endif
