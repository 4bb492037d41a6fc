/*  plan_ideal - how long a message takes on an empty fabric.
 *
 *  All packets of the message follow the path that static routing takes. With n packets over links k = 1..K:
 *
 *      latency of the NIC
 *    + sum over all links of the propagation delay
 *    + sum over all switches of their latency and of the time until they may act on the first packet: its first 64 bytes
 *      on the link before (cut-through), or all of it (store and forward)
 *    + (n - 1) * the time of a full packet with its gap on the slowest link
 *    + the last packet on the last link, up to its last bit.
 *
 *  Between switches a packet is longer by the fabric header. ACKs take no part: nothing waits for them.              */
#include <stdint.h>

#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "orchestrator/plan.h"
#include "orchestrator/shortest_path.h"

#define CUT_THROUGH_BYTES 64u

struct way {
	uint32_t first_bytes, last_bytes, full_bytes; /* frames without FCS: first and last of the message, any full one */
	node_time_t head_ps;    /* until the first bit reaches the last link's end */
	node_time_t slowest_ps; /* a full packet on the slowest link */
	node_time_t last_ps;    /* the last packet on the last link */
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* the link behind @port; @fabric_bytes what a packet is longer there */
static void way_pass(struct way *way, const struct port_config *port)
{
	uint32_t more_bytes = FRAME_FCS_BYTES + (port->kind == PORT_FABRIC ? FABRIC_HEADER_BYTES : 0);

	way->head_ps += port->delay_ps;
	way->slowest_ps = node_time_max(way->slowest_ps, node_time_of_bytes(way->full_bytes + more_bytes + port->gap_bytes,
									    port->rate_bps));
	way->last_ps = node_time_of_bytes(way->last_bytes + more_bytes, port->rate_bps);
}

/* the switch at the end of the link behind @port */
static void way_through(struct way *way, const struct port_config *port, const struct switch_config *config)
{
	uint32_t bytes = way->first_bytes + FRAME_FCS_BYTES + (port->kind == PORT_FABRIC ? FABRIC_HEADER_BYTES : 0);

	way->head_ps += config->latency_ps;
	way->head_ps += node_time_of_bytes(config->cut_through ? least(bytes, CUT_THROUGH_BYTES) : bytes, port->rate_bps);
}

/* the (@number mod their count)-th of @ports, in ascending order */
static uint32_t port_choose(uint64_t ports, uint32_t number)
{
	for (uint32_t skip = number % (uint32_t)__builtin_popcountll(ports); skip; skip--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

static void way_follow(struct way *way, const struct plan *plan, uint32_t source, uint32_t destination)
{
	const struct node_config *node = &plan->nodes[plan_host_node(plan, source)];
	const struct port_config *port = &node->ports[0];
	const struct port_config *end = &plan->nodes[plan_host_node(plan, destination)].ports[0];

	way->head_ps = node->nic.latency_ps;
	for (;;) {
		way_pass(way, port);
		node = &plan->nodes[port->peer_index];
		if (node->kind == NODE_NIC)
			return;
		way_through(way, port, &node->switch_);
		port = &node->ports[node->index == end->peer_index ? end->peer_port :
			port_choose(shortest_path_route(node, end->peer_index)->ports, end->peer_port)];
	}
}

node_time_t plan_ideal_ps(const struct plan *plan, uint32_t source, uint32_t destination, uint32_t workload,
			  uint64_t message_bytes)
{
	const struct plan_workload *sent = &plan->workloads[workload];
	uint32_t overhead_bytes = frame_overhead_bytes(sent->frame), data_bytes = sent->packet_bytes - overhead_bytes;
	uint64_t packets = message_bytes ? (message_bytes + data_bytes - 1) / data_bytes : 1;
	uint32_t rest_bytes = (uint32_t)(message_bytes - (packets - 1) * data_bytes);
	struct way way = { .full_bytes = sent->packet_bytes, .last_bytes = overhead_bytes + rest_bytes };
	unsigned __int128 total_ps;

	if (way.last_bytes < frame_bytes_min(sent->frame))
		way.last_bytes = frame_bytes_min(sent->frame);
	way.first_bytes = packets > 1 ? way.full_bytes : way.last_bytes;
	way_follow(&way, plan, source, destination);
	total_ps = (unsigned __int128)(packets - 1) * way.slowest_ps + way.head_ps + way.last_ps;
	return total_ps < NODE_TIME_NEVER ? (node_time_t)total_ps : NODE_TIME_NEVER;
}
