/*  plan_ideal - how long a message takes on an empty fabric.
 *
 *  Its packets follow the path that static routing takes, all of them full except the last. On link
 *  k packet m begins
 *
 *      S(k, m) = max( S(k-1, m) + act(k-1) + delay(k-1) + latency,     it is there,
 *                     S(k, m-1) + time(k) ) and the one before it is out of the way,
 *
 *  act: the time until a switch may send it on: all of it (store and forward), or its first 64
 *  bytes and so much that the rest keeps up with a faster link (cut-through); time: all of it and
 *  the gap. For the full packets this is solved: each begins the time of the slowest link so far
 *  after the one before. The last packet, which may be short, is followed link by link. The message
 *  is complete with the last packet's last bit. Between switches a packet is longer by the fabric
 *  header, in a fabric of kind flow-channel; with port groups on every link by the local route
 *  header. ACKs take no part: nothing waits for them. In a fabric of kind roce the way is one of
 *  those that ECMP chooses from. */
#include "orchestrator/plan/plan_ideal.h"

#include <stdint.h>

#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/lid_header.h"
#include "orchestrator/plan/plan_ways.h"

#define CUT_THROUGH_BYTES 64u

/* where the message is on its way; 128 bits, because long messages on slow links exceed 64 */
struct way {
	uint32_t full_bytes, last_bytes;   /* frames without FCS */
	uint32_t header_bytes[PORT_KINDS]; /* in front of them, on edge and fabric links */
	uint64_t full_count;               /* packets before the last */
	unsigned __int128 first_ps;        /* first full packet begins on this link */
	unsigned __int128 last_ps;         /* last packet begins on this link */
	node_time_t slowest_ps;            /* a full packet with gap on the slowest link so far */
};

static uint32_t wire_bytes(const struct way *way, const struct port_config *port,
			   uint32_t frame_bytes)
{
	return frame_bytes + FRAME_FCS_BYTES + way->header_bytes[port->kind];
}

/* until the switch between links @in and @out may send a frame on, counted from its first bit on
 * @in */
static node_time_t act_ps(const struct way *way, const struct switch_config *config,
			  const struct port_config *in, const struct port_config *out,
			  uint32_t frame_bytes)
{
	uint32_t bytes = wire_bytes(way, in, frame_bytes);
	node_time_t in_ps = node_time_of_bytes(bytes, in->rate_bps);
	node_time_t out_ps = node_time_of_bytes(wire_bytes(way, out, frame_bytes), out->rate_bps);
	node_time_t head_ps = node_time_of_bytes(CUT_THROUGH_BYTES, in->rate_bps);

	if (!config->cut_through || bytes <= CUT_THROUGH_BYTES)
		return in_ps;
	return in_ps > out_ps ? node_time_max(head_ps, in_ps - out_ps) : head_ps;
}

/* the last packet has come to the beginning of the link behind @port: it waits for the full ones */
static void way_enter(struct way *way, const struct port_config *port)
{
	node_time_t time_ps = node_time_of_bytes(
		wire_bytes(way, port, way->full_bytes) + port->gap_bytes, port->rate_bps);
	unsigned __int128 free_ps;

	if (!way->full_count)
		return;
	way->slowest_ps = node_time_max(way->slowest_ps, time_ps);
	free_ps = way->first_ps + (unsigned __int128)(way->full_count - 1) * way->slowest_ps +
		  time_ps;
	if (way->last_ps < free_ps)
		way->last_ps = free_ps;
}

/* from the beginning of link @in through the switch at its end to link @out */
static void way_through(struct way *way, const struct port_config *in,
			const struct port_config *out, const struct switch_config *config)
{
	way->first_ps +=
		act_ps(way, config, in, out, way->full_bytes) + in->delay_ps + config->latency_ps;
	way->last_ps +=
		act_ps(way, config, in, out, way->last_bytes) + in->delay_ps + config->latency_ps;
}

/* the (@number mod their count)-th of @ports, in ascending order */
static uint32_t port_choose(uint64_t ports, uint32_t number)
{
	for (uint32_t skip = number % (uint32_t)__builtin_popcountll(ports); skip; skip--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

/* Return: when the last bit arrives; NODE_TIME_NEVER: the routes lead in a loop, as a scenario may
 * ask for (routing_said.h). */
static unsigned __int128 way_follow(struct way *way, const struct plan *plan, uint32_t source,
				    uint32_t destination)
{
	const struct node_config *node = &plan->nodes[plan_host_node(plan, source)];
	const struct port_config *port = &node->ports[0], *next;
	const struct port_config *end = &plan->nodes[plan_host_node(plan, destination)].ports[0];

	way->first_ps = way->last_ps = node->nic.latency_ps;
	for (uint32_t hops = 0; hops <= plan->switch_count; hops++) {
		way_enter(way, port);
		node = &plan->nodes[port->peer_index];
		if (node->kind == NODE_NIC)
			return way->last_ps + port->delay_ps +
			       node_time_of_bytes(wire_bytes(way, port, way->last_bytes),
						  port->rate_bps);
		next = &node->ports[node->index == end->peer_index
					    ? end->peer_port
					    : port_choose(
						      plan_ways_route(node, end->peer_index)->ports,
						      end->peer_port)];
		way_through(way, port, next, &node->switch_);
		port = next;
	}
	return NODE_TIME_NEVER;
}

node_time_t plan_ideal_ps(const struct plan *plan, uint32_t source, uint32_t destination,
			  uint32_t workload, uint64_t message_bytes)
{
	const struct plan_workload *sent = &plan->workloads[workload];
	enum fabric_kind fabric = plan_fabric(plan);
	uint32_t data_bytes = frame_payload_max(sent->frame, sent->packet_bytes);
	uint64_t full_count = message_bytes ? (message_bytes - 1) / data_bytes : 0;
	uint32_t rest_bytes = (uint32_t)(message_bytes - full_count * data_bytes);
	struct way way = {
		.full_bytes = sent->packet_bytes,
		.last_bytes = frame_bytes_of(sent->frame, rest_bytes),
		.full_count = full_count,
		.header_bytes = { [PORT_EDGE] = fabric == FABRIC_PORT_GROUP ? LID_HEADER_BYTES : 0,
				  [PORT_FABRIC] = fabric == FABRIC_FLOW_CHANNEL
							  ? FABRIC_HEADER_BYTES
						  : fabric == FABRIC_PORT_GROUP ? LID_HEADER_BYTES
										: 0 },
	};
	unsigned __int128 total_ps;

	total_ps = way_follow(&way, plan, source, destination);
	return total_ps < NODE_TIME_NEVER ? (node_time_t)total_ps : NODE_TIME_NEVER;
}
