/*  plan_ideal - the time of a message on an empty fabric.
 *
 *  Its packets take the path of static routing; in a fabric of kind roce, one of the paths of ECMP.
 *  All packets but the last are full. Packet m begins on link k at
 *
 *      S(k, m) = max( S(k-1, m) + act(k-1) + delay(k-1) + latency,     it has arrived,
 *                     S(k, m-1) + time(k) )                            packet m-1 has left.
 *
 *  act: the time until a switch may forward a packet. With store-and-forward it is that of the
 *  whole packet, with cut-through that of its first 64 bytes, and so much more that the packet
 *  arrives in time for a faster link. time: that of the whole packet and the gap.
 *  For the full packets this has a closed form: each begins after the one before by the time of the
 *  slowest link so far. The last packet, which may be short, is computed link by link. The message
 *  is complete with the last packet's last bit.
 *  A packet is longer by the fabric header between switches of a fabric of kind flow-channel; by
 *  the local route header on every link of one of kind port-group. ACKs do not matter: no packet
 *  waits for them. */
#include "orchestrator/plan/plan_ideal.h"

#include <stdint.h>

#include "nodes/wire/fabric_header.h"
#include "nodes/wire/frame.h"
#include "nodes/wire/lid_header.h"
#include "orchestrator/plan/plan_routes.h"

#define CUT_THROUGH_BYTES 64u

/* the message on one link of its path; 128 bits, because long messages on slow links exceed 64 */
struct transit {
	uint32_t full_bytes, last_bytes;   /* frames without FCS */
	uint32_t header_bytes[PORT_KINDS]; /* before each frame, on edge and fabric links */
	uint64_t full_count;               /* packets before the last */
	unsigned __int128 first_ps;        /* first full packet begins on this link */
	unsigned __int128 last_ps;         /* last packet begins on this link */
	node_time_t slowest_ps;            /* a full packet with gap on the slowest link so far */
};

static uint32_t wire_bytes(const struct transit *transit, const struct port_config *port,
			   uint32_t frame_bytes)
{
	return frame_bytes + FRAME_FCS_BYTES + transit->header_bytes[port->kind];
}

/* the time from the first bit of a frame on link @in until the switch may forward it to link
 * @out */
static node_time_t act_ps(const struct transit *transit, const struct switch_config *config,
			  const struct port_config *in, const struct port_config *out,
			  uint32_t frame_bytes)
{
	uint32_t bytes = wire_bytes(transit, in, frame_bytes);
	node_time_t in_ps = node_time_of_bytes(bytes, in->rate_bps);
	node_time_t out_ps =
		node_time_of_bytes(wire_bytes(transit, out, frame_bytes), out->rate_bps);
	node_time_t head_ps = node_time_of_bytes(CUT_THROUGH_BYTES, in->rate_bps);

	if (!config->cut_through || bytes <= CUT_THROUGH_BYTES)
		return in_ps;
	return in_ps > out_ps ? node_time_max(head_ps, in_ps - out_ps) : head_ps;
}

/* begins the link at @port: the last packet waits for the full ones */
static void link_begin(struct transit *transit, const struct port_config *port)
{
	node_time_t time_ps = node_time_of_bytes(
		wire_bytes(transit, port, transit->full_bytes) + port->gap_bytes, port->rate_bps);
	unsigned __int128 free_ps;

	if (!transit->full_count)
		return;
	transit->slowest_ps = node_time_max(transit->slowest_ps, time_ps);
	free_ps = transit->first_ps +
		  (unsigned __int128)(transit->full_count - 1) * transit->slowest_ps + time_ps;
	if (transit->last_ps < free_ps)
		transit->last_ps = free_ps;
}

/* from the beginning of link @in to that of link @out, through the switch in between */
static void switch_pass(struct transit *transit, const struct port_config *in,
			const struct port_config *out, const struct switch_config *config)
{
	transit->first_ps += act_ps(transit, config, in, out, transit->full_bytes) + in->delay_ps +
			     config->latency_ps;
	transit->last_ps += act_ps(transit, config, in, out, transit->last_bytes) + in->delay_ps +
			    config->latency_ps;
}

/* the port with index @number modulo their count of @ports, in ascending order */
static uint32_t port_choose(uint64_t ports, uint32_t number)
{
	for (uint32_t skip = number % (uint32_t)__builtin_popcountll(ports); skip; skip--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

/* Return: the time when the last bit arrives; NODE_TIME_NEVER: the routes are a loop, which a
 * scenario may request (routing_given.h). */
static unsigned __int128 path_follow(struct transit *transit, const struct plan *plan,
				     uint32_t source, uint32_t destination)
{
	const struct node_config *node = &plan->nodes[plan_host_node(plan, source)];
	const struct port_config *port = &node->ports[0], *next;
	const struct port_config *end = &plan->nodes[plan_host_node(plan, destination)].ports[0];

	transit->first_ps = transit->last_ps = node->nic.latency_ps;
	for (uint32_t hops = 0; hops <= plan->switch_count; hops++) {
		link_begin(transit, port);
		node = &plan->nodes[port->peer_index];
		if (node->kind == NODE_NIC)
			return transit->last_ps + port->delay_ps +
			       node_time_of_bytes(wire_bytes(transit, port, transit->last_bytes),
						  port->rate_bps);
		next = &node->ports[node->index == end->peer_index
					    ? end->peer_port
					    : port_choose(plan_route(node, end->peer_index)->ports,
							  end->peer_port)];
		switch_pass(transit, port, next, &node->switch_);
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
	struct transit transit = {
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

	total_ps = path_follow(&transit, plan, source, destination);
	return total_ps < NODE_TIME_NEVER ? (node_time_t)total_ps : NODE_TIME_NEVER;
}
