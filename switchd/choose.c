/*  Which output a flow takes (FC-15, FC-23), when nothing of it is here or downstream: once for all its packets that follow each other.
 *
 *  Minimal ways first. Static: the (egress port mod number of candidates)-th. Hash: by a hash of the flow, of another seed in every
 *  switch. Adaptive: the candidate with the least load; among several, one drawn by the switch's own seeded random numbers, so that
 *  switches whose queues are all empty do not all take the same.                                                      */
#include "nodes/units.h"
#include "switchd/dataplane.h"
#include "switchd/ecmp.h"

/* where a flow goes */
struct way {
	int port;            /* -1: no port that is up leads there */
	uint16_t via;        /* switch that it goes to first; 0: minimal */
	uint64_t load_bytes; /* of that port */
};

/* what waits for @port: requested and queued (FC-23) */
static uint64_t load_of(const struct dataplane *dp, uint32_t port)
{
	return dp->ports[port].gauge.bytes;
}

/* the least loaded of the candidates that are up; of several equal ones each with the same probability */
static struct way least_loaded(struct dataplane *dp, const struct route *route, uint16_t via)
{
	struct way best = { .port = -1, .via = via };
	uint32_t equal = 0;

	for (uint32_t i = 0; i < route->port_count; i++) {
		uint64_t load_bytes = load_of(dp, route->ports[i]);

		if (!dataplane_port_up(dp, route->ports[i]) || (equal && load_bytes > best.load_bytes))
			continue;
		equal = equal && load_bytes == best.load_bytes ? equal + 1 : 1;
		if (equal == 1 || !random_below(&dp->random, equal))
			best.port = route->ports[i];
		best.load_bytes = load_bytes;
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

/* the minimal way to @egress_port of switch @fabric_address, by @via if that is where it leads */
static struct way minimal(struct dataplane *dp, const struct packet *packet, uint32_t fabric_address,
			  uint32_t egress_port, uint16_t via)
{
	const struct route *route = route_of(&dp->routes, fabric_address);
	enum routing_choice choice = dp->config->switch_.routing.choice;
	struct way way = { .port = -1, .via = via };

	if (choice == ROUTING_ADAPTIVE && route && route->port_count > 1)
		way = least_loaded(dp, route, via);
	else if (choice == ROUTING_HASH && route && route->port_count > 1)
		way.port = ecmp_choose(&dp->routes, fabric_address, egress_port, hash_of(dp, packet));
	else
		way.port = route_choose(&dp->routes, fabric_address, egress_port);
	if (way.port >= (int)dp->port_count)
		way.port = -1;
	if (way.port >= 0)
		way.load_bytes = load_of(dp, (uint32_t)way.port);
	return way;
}

/* the least loaded detour of @draws drawn */
static struct way detour(struct dataplane *dp, const struct packet *packet, const struct ifct_entry *flow,
			 uint32_t draws)
{
	struct way best = { .port = -1 };

	while (draws--) {
		uint16_t via = dp->routes.vias[random_below(&dp->random, dp->routes.via_count)];
		struct way way;

		if (via == flow->fabric_address || via == dp->routes.own_address)
			continue; /* no detour */
		way = minimal(dp, packet, via, flow->egress_port, via);
		if (way.port >= 0 && (best.port < 0 || way.load_bytes < best.load_bytes))
			best = way;
	}
	return best;
}

/* Detours begin where a flow enters the fabric, and only there: after it, ways are minimal. */
static bool may_detour(const struct dataplane *dp, const struct packet *packet, const struct ifct_entry *flow)
{
	return dp->config->switch_.routing.detour != DETOUR_NEVER && dp->routes.via_count &&
	       dp->ports[packet->in_port].kind == PORT_EDGE && flow->fabric_address != dp->routes.own_address;
}

/* is @around so much less loaded than @straight that it makes up for the longer way? */
static bool is_worth(const struct routing_config *routing, const struct way *straight, const struct way *around)
{
	uint64_t load = around->load_bytes * routing->detour_weight_permille / 1000;

	return straight->load_bytes > load + (uint64_t)routing->detour_bias_units * UNIT_BYTES;
}

static struct way choose(struct dataplane *dp, const struct packet *packet, const struct ifct_entry *flow)
{
	const struct routing_config *routing = &dp->config->switch_.routing;
	struct way straight, around = { .port = -1 };

	if (packet->via) {
		around = minimal(dp, packet, packet->via, flow->egress_port, packet->via);
		if (around.port >= 0)
			return around;
	}
	straight = minimal(dp, packet, flow->fabric_address, flow->egress_port, 0);
	if (!may_detour(dp, packet, flow))
		return straight;
	around = detour(dp, packet, flow, routing->detour == DETOUR_ALWAYS ? 1 : routing->detour_draws);
	if (around.port < 0)
		return straight;
	return straight.port < 0 || routing->detour == DETOUR_ALWAYS || is_worth(routing, &straight, &around)
		       ? around
		       : straight;
}

/* a flow that came in over @in had more than one port, or a detour, to choose from, and took @way */
static void note_choice(struct dataplane *dp, struct port *in, const struct ifct_entry *flow, const struct way *way)
{
	const struct route *route = route_of(&dp->routes, flow->fabric_address);
	bool around = way->via && in->kind == PORT_EDGE;

	if (!around && (!route || route->port_count < 2))
		return;
	in->stats->choices++;
	in->stats->choices_other += way->port != route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
	in->stats->choices_detour += around;
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
	way = choose(dp, packet, flow);
	if (way.port < 0 || (dp->ports[way.port].kind == PORT_EDGE) != (flow->fabric_address == dp->routes.own_address))
		return false;
	if (!lane_towards(dp, flow, packet->in_port, (uint32_t)way.port, &lane)) {
		*why = DROP_NO_LANE;
		return false;
	}
	note_choice(dp, &dp->ports[packet->in_port], flow, &way);
	flow->follow_port = (uint8_t)way.port;
	flow->out_lane = lane & 15;
	flow->via = way.via;
	return true;
}
