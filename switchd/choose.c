/*  Which output a flow takes (FC-15, FC-23), when nothing of it is here or downstream: once for all its packets that follow each other.
 *
 *  Minimal ways first. Static: the (egress port mod number of candidates)-th. Hash: by a hash of the flow, of another seed in every
 *  switch. Adaptive: the candidate with the least load; among several, one drawn by the switch's own seeded random numbers, so that
 *  switches whose queues are all empty do not all take the same.                                                      */
#include "switchd/dataplane.h"
#include "switchd/ecmp.h"

/* where a flow goes: a port, -1: none leads there */
struct way {
	int port;
	uint64_t load_bytes; /* ROUTING_ADAPTIVE */
};

/* what waits for @port: requested and queued (FC-23) */
static uint64_t load_of(const struct dataplane *dp, uint32_t port)
{
	return dp->ports[port].gauge.bytes;
}

/* the least loaded of the candidates that are up; of several equal ones each with the same probability */
static struct way least_loaded(struct dataplane *dp, const struct route *route)
{
	struct way best = { .port = -1 };
	uint32_t equal = 0;

	for (uint32_t i = 0; i < route->port_count; i++) {
		struct way way = { .port = route->ports[i], .load_bytes = load_of(dp, route->ports[i]) };

		if (!dataplane_port_up(dp, route->ports[i]) || (equal && way.load_bytes > best.load_bytes))
			continue;
		equal = equal && way.load_bytes == best.load_bytes ? equal + 1 : 1;
		if (equal == 1 || !random_below(&dp->random, equal))
			best = way;
	}
	return best;
}

static uint64_t hash_of(const struct dataplane *dp, const struct packet *packet)
{
	struct frame_fields fields;

	if (frame_parse(packet->bytes, packet->captured_bytes, packet->frame_bytes, &fields))
		fields = (struct frame_fields){ 0 };
	return ecmp_hash(&fields, dp->config->switch_.routing.seed);
}

/* a minimal way to @egress_port of switch @fabric_address */
static struct way minimal(struct dataplane *dp, const struct packet *packet, uint32_t fabric_address,
			  uint32_t egress_port)
{
	const struct route *route = route_of(&dp->routes, fabric_address);

	if (!route || route->port_count == 1 || dp->config->switch_.routing.choice == ROUTING_STATIC)
		return (struct way){ .port = route_choose(&dp->routes, fabric_address, egress_port) };
	if (dp->config->switch_.routing.choice == ROUTING_HASH)
		return (struct way){ .port = ecmp_choose(&dp->routes, fabric_address, egress_port,
							 hash_of(dp, packet)) };
	return least_loaded(dp, route);
}

/* a flow that came in over @in had more than one port to choose from, and took @port */
static void note_choice(struct dataplane *dp, struct port *in, const struct ifct_entry *flow, int port)
{
	const struct route *route = route_of(&dp->routes, flow->fabric_address);

	if (!route || route->port_count < 2)
		return;
	in->stats->choices++;
	in->stats->choices_other += port != route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
}

/* The virtual lane on which the flow goes out at @port, in *@lane.   Return: false if that would be beyond the last one. */
static bool lane_towards(const struct dataplane *dp, const struct ifct_entry *flow, uint32_t in_port, uint32_t port,
			 uint8_t *lane)
{
	const struct port *in = &dp->ports[in_port], *out = &dp->ports[port];
	uint32_t level = flow->in_lane - flow->traffic_class * in->lanes;

	if (out->kind == PORT_EDGE)
		level = 0;
	else if (in->kind == PORT_FABRIC && dp->config->switch_.routing.lane_rule == LANES_BY_HOP)
		level++;
	*lane = (uint8_t)(flow->traffic_class * out->lanes + level);
	return level < out->lanes;
}

bool choose_output(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet, enum drop_reason *why)
{
	struct way way;
	uint8_t lane;

	*why = DROP_NO_ROUTE;
	if (ifct_total_extent(flow))
		return true;
	way = minimal(dp, packet, flow->fabric_address, flow->egress_port);
	if (way.port < 0 || (uint32_t)way.port >= dp->port_count ||
	    (dp->ports[way.port].kind == PORT_EDGE) != (flow->fabric_address == dp->routes.own_address))
		return false;
	if (!lane_towards(dp, flow, packet->in_port, (uint32_t)way.port, &lane)) {
		*why = DROP_NO_LANE;
		return false;
	}
	note_choice(dp, &dp->ports[packet->in_port], flow, way.port);
	flow->follow_port = (uint8_t)way.port;
	flow->out_lane = lane & 15;
	flow->via = packet->via;
	return true;
}
