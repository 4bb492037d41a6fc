/*  Which output a flow takes (FC-15, FC-23), when nothing of it is here or downstream: once for all
 *  its packets that follow each other.
 *
 *  Minimal ways. Static: the (egress port mod number of candidates)-th. Hash: by a hash of the
 *  flow, of another seed in every switch. Adaptive: the candidate with the least load, then that
 *  with least under way behind it; among several, one drawn by the switch's own seeded random
 *  numbers, so that switches whose queues are all empty do not all take the same. ours, unless
 *  load_queue: load is what waits here (FC-23) and what of all flows to the same switch went that
 *  way and has not arrived. Else nobody sees that a way is congested further on, where it has no
 *  alternative: flows that meet that stay, those that do not end and choose again, until all are
 *  where it is worst.
 *
 *  Detours. Where a flow enters the fabric it may be sent by a via instead: minimal to there, then
 *  minimal to its destination. The header says so (fabric_header.h), so the switches in between
 *  need not remember. In a network of groups the detour is over as soon as another group is reached
 *  (choose_via_left()): what it is for is another link between groups, and the rest of the way to
 *  the via would only load that group's links. A detour adds one minimal way and its lanes bound
 *  it; no way can go round.
 *
 *  A queue here says nothing of a link further on that many share. But flow channels know how much
 *  went over each port and has not arrived; so the minimal way and a detour are compared by that
 *  and the queue together (ours). Candidates of one kind, which are equally long, are compared by
 *  the queue, as FC-23 says.
 *
 *  A flow that was redirected (FC-25) knows more than the queues here: its way is congested further
 *  down. If no other minimal way is as good it changes its kind: from the minimal way to a detour
 *  that is worth it, from a detour to the minimal way or another detour. */
#include "switchd/flow_channel/choose.h"

#include "nodes/base/units.h"
#include "switchd/common/ecmp.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/path_load.h"

/* who asks for a way */
struct asker {
	const struct ifct_entry *flow;
	const struct packet *packet; /* NULL: not looked at, the choice is adaptive */
	uint32_t tree_ref;           /* FLOW_REF_NONE: of no open tree */
	uint32_t in_port;
	int avoid; /* a port that it has had enough of; -1: none */
	/* ports that others use are all the same to it: what the queue says of them here is not
	 * what it suffers from */
	bool any_used;
	/* only ports that offer as much in a window of redirects, the best first; 0: any */
	uint64_t needs_bytes;
	uint32_t
		flows_limit; /* only ports with path_load_flows() less by two, least first; 0: any */
	uint32_t fewer;      /* only ports with fewer flows than that; 0: any */
	node_time_t now;
};

struct way {
	int port;                          /* -1: no port that is up leads there */
	uint16_t via;                      /* switch that it goes to first; 0: minimal */
	uint64_t load_bytes, beyond_bytes; /* load_of(), load_beyond() that port */
};

/* what waits for @port: requested and queued (FC-23) */
static uint64_t load_of(const struct dataplane *dp, uint32_t port)
{
	return dp->ports[port].gauge.bytes;
}

/* the same and, unless load_queue, what went over @port and is not acknowledged (what was granted
 * to it counts in both): ways of several kinds are compared by it */
static uint64_t load_beyond(const struct dataplane *dp, uint32_t port)
{
	uint64_t units =
		dp->sw.config->switch_.routing.load_queue ? 0 : dp->ports[port].ofct.extent_units;

	return load_of(dp, port) + units * UNIT_BYTES;
}

/* ---- minimal ways ---- */

/* by what candidates are compared: what waits for them, and is under way behind them to the same
 * switch; then all that is under way, for a link that one flow fills may have no queue */
struct candidate {
	uint64_t load_bytes, beyond_units;
};

static struct candidate candidate_of(struct dataplane *dp, const struct asker *asker, uint32_t port)
{
	struct candidate candidate = { load_of(dp, port), dp->ports[port].ofct.extent_units };

	if (asker->tree_ref != FLOW_REF_NONE)
		return (struct candidate){ .load_bytes = tree_load(dp, asker->tree_ref, port,
								   candidate.load_bytes) };
	if (asker->needs_bytes)
		return (struct candidate){ UINT64_MAX - path_load_offer(dp, port, asker->now),
					   candidate.beyond_units };
	if (asker->flows_limit)
		return (struct candidate){ path_load_flows(dp, port, asker->now), 0 };
	if (asker->any_used)
		return candidate.load_bytes || candidate.beyond_units ? (struct candidate){ 1, 1 }
								      : candidate;
	if (dp->sw.config->switch_.routing.load_queue)
		candidate.beyond_units = 0;
	else if (dp->ports[port].kind == PORT_FABRIC)
		candidate.load_bytes +=
			(uint64_t)dp->ports[port].ofct.towards[asker->flow->fabric_address] *
			UNIT_BYTES;
	return candidate;
}

static int candidate_compare(const struct candidate *a, const struct candidate *b)
{
	if (a->load_bytes != b->load_bytes)
		return a->load_bytes < b->load_bytes ? -1 : 1;
	return (a->beyond_units > b->beyond_units) - (a->beyond_units < b->beyond_units);
}

/* is it worth the asker's while to leave its port for @port? */
static bool is_enough(const struct dataplane *dp, const struct asker *asker, uint32_t port)
{
	return (!asker->flows_limit ||
		path_load_flows(dp, port, asker->now) + 1 < asker->flows_limit) &&
	       (!asker->needs_bytes ||
		path_load_offer(dp, port, asker->now) >= asker->needs_bytes) &&
	       (!asker->fewer || dp->ports[port].ofct.used < asker->fewer);
}

/* the least loaded of the candidates that are up; of several equal ones each with the same
 * probability */
static int least_loaded(struct dataplane *dp, const struct asker *asker, const struct route *route)
{
	struct candidate best_load = { UINT64_MAX, UINT64_MAX };
	uint32_t equal = 0;
	int best = -1;

	for (uint32_t i = 0; i < route->port_count; i++) {
		struct candidate load = candidate_of(dp, asker, route->ports[i]);
		int order = candidate_compare(&load, &best_load);

		if (route->ports[i] == asker->avoid || !dataplane_port_up(dp, route->ports[i]) ||
		    order > 0 || !is_enough(dp, asker, route->ports[i]))
			continue;
		equal = order ? 1 : equal + 1;
		best_load = load;
		if (equal == 1 || !random_below(&dp->random, equal))
			best = route->ports[i];
	}
	return best;
}

static uint64_t hash_of(const struct dataplane *dp, const struct packet *packet)
{
	struct frame_fields fields;

	if (packet_parse(&dp->sw.pool, packet, &fields))
		fields = (struct frame_fields){ 0 };
	return ecmp_hash(&fields, dp->sw.config->switch_.routing.seed);
}

static struct way way_by(const struct dataplane *dp, uint32_t port, uint16_t via)
{
	return (struct way){ .port = (int)port,
			     .via = via,
			     .load_bytes = load_of(dp, port),
			     .beyond_bytes = load_beyond(dp, port) };
}

/* the minimal way to the destination, or, if it is not 0, to @via */
static struct way minimal(struct dataplane *dp, const struct asker *asker, uint16_t via)
{
	uint32_t to = via ? via : asker->flow->fabric_address,
		 egress_port = asker->flow->egress_port;
	enum routing_choice choice = dp->sw.config->switch_.routing.choice;
	const struct route *route = route_of(&dp->routes, to);
	struct way way = { .via = via };

	if (route && choice == ROUTING_ADAPTIVE)
		way.port = least_loaded(dp, asker, route);
	else if (route && route->port_count > 1 && choice == ROUTING_HASH)
		way.port = ecmp_choose(&dp->routes, to, egress_port, hash_of(dp, asker->packet));
	else
		way.port = route_choose(&dp->routes, to, egress_port);
	if (way.port >= (int)dp->sw.port_count || way.port == asker->avoid)
		way.port = -1;
	if (way.port < 0)
		return way;
	return way_by(dp, (uint32_t)way.port, via);
}

/* ---- detours ---- */

/* Detours begin where a flow enters the fabric, and only there: behind that, ways are minimal. */
static bool may_detour(const struct dataplane *dp, const struct asker *asker)
{
	return dp->sw.config->switch_.routing.detour != DETOUR_NEVER && dp->routes.via_count &&
	       dp->ports[asker->in_port].kind == PORT_EDGE &&
	       asker->flow->fabric_address != dp->routes.own_address;
}

uint32_t choose_flows_limit(const struct dataplane *dp, uint32_t ref, node_time_t now)
{
	const struct asker asker = {
		.flow = &dp->ifcts[flow_ref_port(ref)].entries[flow_ref_id(ref)],
		.in_port = flow_ref_port(ref)
	};

	return path_load_reported(dp) && !may_detour(dp, &asker)
		       ? path_load_flows(dp, asker.flow->follow_port, now)
		       : 0;
}

/* the least loaded detour of as many as are drawn */
static struct way detour(struct dataplane *dp, const struct asker *asker)
{
	const struct routing_config *routing = &dp->sw.config->switch_.routing;
	struct way best = { .port = -1 };

	for (uint32_t draws = routing->detour == DETOUR_ALWAYS ? 1 : routing->detour_draws; draws;
	     draws--) {
		uint16_t via = dp->routes.vias[random_below(&dp->random, dp->routes.via_count)];
		struct way way;

		if (via == asker->flow->fabric_address || via == dp->routes.own_address)
			continue; /* no detour */
		way = minimal(dp, asker, via);
		if (way.port >= 0 && (best.port < 0 || way.beyond_bytes < best.beyond_bytes))
			best = way;
	}
	return best;
}

/* Is @straight so much more loaded than @around that the longer way is worth it? (FC-23)
 * @weight_permille how much more. */
static bool is_worth(const struct dataplane *dp, const struct way *straight,
		     const struct way *around, uint32_t weight_permille)
{
	const struct routing_config *routing = &dp->sw.config->switch_.routing;
	uint64_t load = around->beyond_bytes * weight_permille / 1000;

	return routing->detour == DETOUR_ALWAYS ||
	       straight->beyond_bytes > load + (uint64_t)routing->detour_bias_units * UNIT_BYTES;
}

/* the better one of the minimal way and a detour */
static struct way best_way(struct dataplane *dp, const struct asker *asker)
{
	uint32_t weight = dp->sw.config->switch_.routing.detour_weight_permille;
	struct way straight = minimal(dp, asker, 0), around;

	if (!may_detour(dp, asker))
		return straight;
	around = detour(dp, asker);
	if (around.port >= 0 && (straight.port < 0 || is_worth(dp, &straight, &around, weight)))
		return around;
	return straight;
}

/* ---- sources of congestion (FC-24) ---- */

static bool leads_to(const struct dataplane *dp, uint32_t fabric_address, uint32_t port)
{
	const struct route *route = route_of(&dp->routes, fabric_address);

	for (uint32_t i = 0; route && i < route->port_count; i++)
		if (route->ports[i] == port)
			return true;
	return false;
}

/* is output @port up, and the first step of a way of flow @ref to its destination? */
static bool leads_by(const struct dataplane *dp, uint32_t ref, uint32_t port)
{
	const struct ifct_entry *flow = &dp->ifcts[flow_ref_port(ref)].entries[flow_ref_id(ref)];

	return dataplane_port_up(dp, port) &&
	       (dp->ports[port].kind == PORT_EDGE ||
		leads_to(dp, flow->via ? flow->via : flow->fabric_address, port));
}

bool choose_leads_on(const struct dataplane *dp, uint32_t ref)
{
	return leads_by(dp, ref,
			dp->ifcts[flow_ref_port(ref)].entries[flow_ref_id(ref)].follow_port);
}

/* the way that the flow is bound to since one between the same two is a source of congestion; port
 * -1: none, or not up */
static struct way held_way(const struct dataplane *dp, const struct asker *asker, node_time_t now)
{
	const struct ifct_entry *flow = asker->flow;
	struct source_hold_key key = choose_key(flow, flow_ref(asker->in_port, 0));
	const struct source_hold_line *line = NULL;

	if (dp->sw.config->switch_.routing.hold_sources && choose_count(dp, flow) > 1)
		line = source_hold_find(&dp->hold, &key, now);
	if (!line || !dataplane_port_up(dp, line->port) ||
	    (asker->packet && dp->ports[asker->in_port].kind == PORT_FABRIC &&
	     asker->packet->via != line->via) ||
	    !leads_to(dp, line->via ? line->via : flow->fabric_address,
		      line->port)) /* other tables have come since */
		return (struct way){ .port = -1 };
	return (struct way){ .port = line->port, .via = line->via };
}

bool choose_is_held(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct asker asker = { .flow = flow_of(dp->ifcts, ref), .in_port = flow_ref_port(ref) };

	return held_way(dp, &asker, now).port >= 0;
}

/* ---- the choice ---- */

/* the flow had more than one port, or a detour, to choose from, and takes @way */
static void note_choice(struct dataplane *dp, const struct asker *asker, const struct way *way)
{
	const struct ifct_entry *flow = asker->flow;
	struct port *in = &dp->ports[asker->in_port];

	if (choose_count(dp, flow) < 2)
		return;
	in->stats->choices++;
	in->stats->choices_other +=
		way->port != route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
	in->stats->choices_detour += way->via && in->kind == PORT_EDGE;
}

/* The virtual lane on which the flow goes out at @port, in *@lane. Return: false if that would be
 * beyond the last one. */
static bool lane_towards(const struct dataplane *dp, const struct asker *asker, uint32_t port,
			 uint8_t *lane)
{
	const struct port *in = &dp->ports[asker->in_port], *out = &dp->ports[port];
	uint32_t traffic_class = asker->flow->traffic_class;
	uint32_t level = asker->flow->in_lane - traffic_class * in->lanes;

	if (out->kind == PORT_EDGE)
		level = 0;
	else if (in->kind == PORT_FABRIC &&
		 dp->sw.config->switch_.routing.lane_rule == LANES_BY_HOP)
		level++;
	*lane = (uint8_t)(traffic_class * out->lanes + level);
	return level < out->lanes;
}

/* the flow goes @way.   Return: false, with the reason in @why, if it cannot. */
static bool take(struct dataplane *dp, const struct asker *asker, struct ifct_entry *flow,
		 const struct way *way, enum drop_reason *why)
{
	uint8_t lane;

	*why = DROP_NO_ROUTE;
	if (way->port < 0 || (dp->ports[way->port].kind == PORT_EDGE) !=
				     (flow->fabric_address == dp->routes.own_address))
		return false;
	*why = DROP_NO_LANE;
	if (!lane_towards(dp, asker, (uint32_t)way->port, &lane))
		return false;
	note_choice(dp, asker, way);
	flow->follow_port = (uint8_t)way->port;
	flow->out_lane = lane & 15;
	flow->via = way->via;
	return true;
}

bool choose_way(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet,
		enum drop_reason *why, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	struct asker asker = { .flow = flow,
			       .packet = packet,
			       .tree_ref = tree_is(dp, ref) && !tree_is_folded(dp, ref)
						   ? ref
						   : FLOW_REF_NONE,
			       .in_port = packet->in_port,
			       .avoid = -1 };
	struct way way = held_way(dp, &asker, now);
	bool held = way.port >= 0, taken;

	if (!held && packet->via)
		way = minimal(dp, &asker, packet->via);
	if (way.port < 0)
		way = best_way(dp, &asker);
	taken = take(dp, &asker, flow, &way, why);
	dp->ports[packet->in_port].stats->choices_held += held && taken;
	return taken;
}

bool choose_output(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet,
		   enum drop_reason *why, node_time_t now)
{
	return ifct_total_extent(flow) || choose_way(dp, flow, packet, why, now);
}

uint32_t choose_count(const struct dataplane *dp, const struct ifct_entry *flow)
{
	const struct route *route = route_of(&dp->routes, flow->fabric_address);
	bool detours = dp->sw.config->switch_.routing.detour != DETOUR_NEVER;

	return route ? route->port_count + (detours ? dp->routes.via_count : 0) : 1;
}

/* ---- after a redirect (FC-25) ---- */

/* must the flow stay where it is, whatever is better? */
static bool is_bound(const struct dataplane *dp, const struct asker *asker, node_time_t now)
{
	return dp->sw.config->switch_.routing.choice != ROUTING_ADAPTIVE ||
	       held_way(dp, asker, now).port >= 0;
}

/* Another way for the flow, once nothing of it is on the present one. One of the same kind must be
 * as good as that is without it; what is below the depth from which on an output is congested is as
 * good as nothing. Else one of another kind. */
static struct way other_way(struct dataplane *dp, const struct asker *asker, node_time_t now)
{
	struct asker other = *asker;
	const struct ifct_entry *flow = asker->flow;
	struct way present = way_by(dp, flow->follow_port, flow->via);
	uint32_t weight = dp->sw.config->switch_.routing.detour_weight_permille;
	struct way way = { .port = -1 }, around;

	if (is_bound(dp, asker, now))
		return way;
	other.avoid = flow->follow_port;
	if (!flow->via || !may_detour(dp, asker))
		way = minimal(dp, &other, flow->via);
	if (!may_detour(dp, asker))
		return way;
	if (way.port >= 0 && way.load_bytes <= present.load_bytes)
		return way;
	way.port = -1;
	if (flow->via)
		way = minimal(dp, asker, 0);
	around = detour(dp, asker);
	if (around.port < 0 || around.via == flow->via)
		return way;
	if (!flow->via) /* to know of congestion is half of what it takes */
		return is_worth(dp, &present, &around, (1000 + weight) / 2) ? around : way;
	return way.port < 0 || is_worth(dp, &way, &around, weight) ? around : way;
}

/* @far: the congestion is at another switch, and what the queues here say is beside the point. Else
 * the flow leaves for a port that offers it more than it has; where its own link stands still, and
 * so has no load, for one with two flows less. */
static struct asker asker_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now)
{
	struct asker asker = { .flow = flow_of(dp->ifcts, ref),
			       .tree_ref = FLOW_REF_NONE,
			       .in_port = flow_ref_port(ref),
			       .avoid = -1,
			       .any_used = far,
			       .now = now };
	uint32_t flows = dp->ports[asker.flow->follow_port].ofct.used;

	if (far)
		asker.flows_limit = choose_flows_limit(dp, ref, now);
	if (far || dp->sw.config->switch_.routing.redirect_rule == REDIRECT_BY_DEPTH)
		return asker;
	asker.needs_bytes = path_load_needs(dp, ref, now);
	if (!asker.needs_bytes)
		asker.fewer = flows > 1 ? flows - 1 : 1;
	return asker;
}

struct choose_move choose_move_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now)
{
	struct asker asker = asker_of(dp, ref, far, now);
	struct way way = other_way(dp, &asker, now);

	return (struct choose_move){ .port = way.port, .via = way.via };
}

bool choose_take(struct dataplane *dp, uint32_t ref, const struct choose_move *move,
		 node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct asker asker = asker_of(dp, ref, true, now);
	struct way way = { .port = move->port, .via = move->via };
	enum drop_reason why;

	return move->port >= 0 && dataplane_port_up(dp, (uint32_t)move->port) &&
	       leads_to(dp, move->via ? move->via : flow->fabric_address, (uint32_t)move->port) &&
	       !is_bound(dp, &asker, now) && take(dp, &asker, flow, &way, &why);
}

bool choose_may_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now)
{
	struct asker asker = asker_of(dp, ref, true, now);

	return port != asker.flow->follow_port && !asker.flow->via && leads_by(dp, ref, port) &&
	       !is_bound(dp, &asker, now);
}

void choose_other(struct dataplane *dp, uint32_t ref, bool far, uint32_t hint, node_time_t now)
{
	struct asker asker = asker_of(dp, ref, far, now);
	struct way way = { .port = route_upward_port(&dp->routes, hint) };
	enum drop_reason why;

	if (way.port < 0 || !choose_may_move(dp, ref, (uint32_t)way.port, now))
		way = other_way(dp, &asker, now);
	if (way.port >= 0)
		take(dp, &asker, flow_of(dp->ifcts, ref), &way,
		     &why); /* else it stays where it is */
}
