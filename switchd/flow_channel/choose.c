/*  Which output a flow takes (FC-15, FC-23), when nothing of it is here or in flight downstream:
 *  once for all its packets that follow each other. A minimal path, or where it enters the fabric
 *  perhaps a detour; after a redirect (FC-25) another one than before. */
#include "switchd/flow_channel/choose.h"

#include "nodes/base/units.h"
#include "switchd/common/ecmp.h"
#include "switchd/flow_channel/flow_tree.h"
#include "switchd/flow_channel/path_load.h"

/* a request for a path */
struct query {
	const struct ifct_entry *flow;
	const struct packet *packet; /* its hash, for ROUTING_HASH; NULL: the choice is adaptive */
	uint32_t tree_ref;           /* FLOW_REF_NONE: of no open tree */
	uint32_t in_port;
	int avoid; /* a port that is excluded; -1: none */
	/* all ports with load are equal, idle ones are better: the congestion is downstream */
	bool any_used;
	/* only ports with a path_load_offer() of at least that, the best first; 0: any */
	uint64_t needs_bytes;
	/* only ports with path_load_flows() less by two, the least first; 0: any */
	uint32_t flows_limit;
	uint32_t fewer; /* only ports with fewer flows than that; 0: any */
	node_time_t now;
};

struct path {
	int port;                          /* -1: no port that is up leads there */
	uint16_t via;                      /* switch that it goes to first; 0: minimal */
	uint64_t load_bytes, beyond_bytes; /* load_of(), load_beyond() that port */
};

/* what waits for @port: requested and queued (FC-23) */
static uint64_t load_of(const struct dataplane *dp, uint32_t port)
{
	return dp->ports[port].gauge.bytes;
}

/* The same and, unless load_queue, what is in flight over @port. A granted packet counts in
 * both. Paths of different kinds are compared by it. */
static uint64_t load_beyond(const struct dataplane *dp, uint32_t port)
{
	uint64_t units = dp->sw.config->switch_.routing.load_queue
				 ? 0
				 : dp->ports[port].fabric.ofct.extent_units;

	return load_of(dp, port) + units * UNIT_BYTES;
}

/* ---- minimal paths ----
 *
 * Static: the (egress port mod number of candidates)-th. Hash: by a hash of the flow, with another
 * seed in every switch. Adaptive: the candidate with the least load. Of several equal ones one is
 * drawn by the switch's own seeded random numbers, so that switches whose queues are all empty do
 * not all take the same. */

/* What candidates are compared by: what waits for them (FC-23) and, unless load_queue, what is in
 * flight over them to the same switch, of all flows (ours). Without the latter, congestion further
 * downstream, where there is no other path, would not count: flows that meet it last longer, all
 * others end and select again, until most flows are where congestion is worst. Then all that is in
 * flight, because a link that one flow fills may have no queue. */
struct candidate {
	uint64_t load_bytes, beyond_units;
};

static struct candidate candidate_of(struct dataplane *dp, const struct query *query, uint32_t port)
{
	struct candidate candidate = { load_of(dp, port),
				       dp->ports[port].fabric.ofct.extent_units };

	if (query->tree_ref != FLOW_REF_NONE)
		return (struct candidate){ .load_bytes = tree_load(dp, query->tree_ref, port,
								   candidate.load_bytes) };
	if (query->needs_bytes)
		return (struct candidate){ UINT64_MAX - path_load_offer(dp, port, query->now),
					   candidate.beyond_units };
	if (query->flows_limit)
		return (struct candidate){ path_load_flows(dp, port, query->now), 0 };
	if (query->any_used)
		return candidate.load_bytes || candidate.beyond_units ? (struct candidate){ 1, 1 }
								      : candidate;
	if (dp->sw.config->switch_.routing.load_queue)
		candidate.beyond_units = 0;
	else if (dp->ports[port].kind == PORT_FABRIC)
		candidate.load_bytes += (uint64_t)*ofct_towards(&dp->ports[port].fabric.ofct,
								query->flow->fabric_address) *
					UNIT_BYTES;
	return candidate;
}

static int candidate_compare(const struct candidate *a, const struct candidate *b)
{
	if (a->load_bytes != b->load_bytes)
		return a->load_bytes < b->load_bytes ? -1 : 1;
	return (a->beyond_units > b->beyond_units) - (a->beyond_units < b->beyond_units);
}

/* does @port meet the minimum that @query sets for leaving the present port? */
static bool is_better(const struct dataplane *dp, const struct query *query, uint32_t port)
{
	return (!query->flows_limit ||
		path_load_flows(dp, port, query->now) + 1 < query->flows_limit) &&
	       (!query->needs_bytes ||
		path_load_offer(dp, port, query->now) >= query->needs_bytes) &&
	       (!query->fewer || dp->ports[port].fabric.ofct.used < query->fewer);
}

/* the least loaded of the candidates that are up; of several equal ones each with the same
 * probability */
static int least_loaded(struct dataplane *dp, const struct query *query, const struct route *route)
{
	struct candidate best_load = { UINT64_MAX, UINT64_MAX };
	uint32_t equal = 0;
	int best = -1;

	for (uint32_t i = 0; i < route->port_count; i++) {
		struct candidate load = candidate_of(dp, query, route->ports[i]);
		int order = candidate_compare(&load, &best_load);

		if (route->ports[i] == query->avoid || !dataplane_port_up(dp, route->ports[i]) ||
		    order > 0 || !is_better(dp, query, route->ports[i]))
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

static struct path path_by(const struct dataplane *dp, uint32_t port, uint16_t via)
{
	return (struct path){ .port = (int)port,
			      .via = via,
			      .load_bytes = load_of(dp, port),
			      .beyond_bytes = load_beyond(dp, port) };
}

/* the minimal path to the destination, or to @via if it is not 0 */
static struct path minimal(struct dataplane *dp, const struct query *query, uint16_t via)
{
	uint32_t to = via ? via : query->flow->fabric_address,
		 egress_port = query->flow->egress_port;
	enum routing_choice choice = dp->sw.config->switch_.routing.choice;
	const struct route *route = route_of(&dp->routes, to);
	struct path path = { .via = via };

	if (route && choice == ROUTING_ADAPTIVE)
		path.port = least_loaded(dp, query, route);
	else if (route && route->port_count > 1 && choice == ROUTING_HASH)
		path.port = ecmp_choose(&dp->routes, to, egress_port, hash_of(dp, query->packet));
	else
		path.port = route_choose(&dp->routes, to, egress_port);
	if (path.port >= (int)dp->sw.port_count || path.port == query->avoid)
		path.port = -1;
	if (path.port < 0)
		return path;
	return path_by(dp, (uint32_t)path.port, via);
}

/* ---- detours ----
 *
 * Where a flow enters the fabric it may be sent by an intermediate switch, its via: minimal to
 * there, then minimal to its destination. The header carries the via (fabric_header.h), so switches
 * in between need no state. In a network of groups the detour ends at the first switch of another
 * group (choose_via_left()): its purpose is another link between groups, and the rest of the path
 * to the via would only load that group's links. A detour adds one minimal path, and the lanes
 * bound its length; no path can loop.
 *
 * A queue here does not show congestion of a link further downstream that many share. Flow channels
 * show how much went over each port and is in flight. So the minimal path and a detour are compared
 * by that and the queue together (ours), load_beyond(). */

/* Detours begin where a flow enters the fabric, and only there: after that, paths are minimal. */
static bool may_detour(const struct dataplane *dp, const struct query *query)
{
	return dp->sw.config->switch_.routing.detour != DETOUR_NEVER && dp->routes.via_count &&
	       dp->ports[query->in_port].kind == PORT_EDGE &&
	       query->flow->fabric_address != dp->routes.own_address;
}

uint32_t choose_flows_limit(const struct dataplane *dp, uint32_t ref, node_time_t now)
{
	const struct query query = { .flow = flow_of(dp->ifcts, ref),
				     .in_port = flow_ref_port(ref) };

	return path_load_reported(dp) && !may_detour(dp, &query)
		       ? path_load_flows(dp, query.flow->follow_port, now)
		       : 0;
}

/* the least loaded detour of as many as are drawn */
static struct path detour(struct dataplane *dp, const struct query *query)
{
	const struct routing_config *routing = &dp->sw.config->switch_.routing;
	struct path best = { .port = -1 };

	for (uint32_t draws = routing->detour == DETOUR_ALWAYS ? 1 : routing->detour_draws; draws;
	     draws--) {
		uint16_t via = dp->routes.vias[random_below(&dp->random, dp->routes.via_count)];
		struct path path;

		if (via == query->flow->fabric_address || via == dp->routes.own_address)
			continue; /* no detour */
		path = minimal(dp, query, via);
		if (path.port >= 0 && (best.port < 0 || path.beyond_bytes < best.beyond_bytes))
			best = path;
	}
	return best;
}

/* Is the minimal path @straight so much more loaded than the detour @around that the longer path is
 * worth it (FC-23)?  @weight_permille  how much more. */
static bool detour_is_worth(const struct dataplane *dp, const struct path *straight,
			    const struct path *around, uint32_t weight_permille)
{
	const struct routing_config *routing = &dp->sw.config->switch_.routing;
	uint64_t load = around->beyond_bytes * weight_permille / 1000;

	return routing->detour == DETOUR_ALWAYS ||
	       straight->beyond_bytes > load + (uint64_t)routing->detour_bias_units * UNIT_BYTES;
}

/* the better one of the minimal path and a detour */
static struct path best_path(struct dataplane *dp, const struct query *query)
{
	uint32_t weight = dp->sw.config->switch_.routing.detour_weight_permille;
	struct path straight = minimal(dp, query, 0), around;

	if (!may_detour(dp, query))
		return straight;
	around = detour(dp, query);
	if (around.port >= 0 &&
	    (straight.port < 0 || detour_is_worth(dp, &straight, &around, weight)))
		return around;
	return straight;
}

/* ---- sources of congestion (FC-24) ---- */

/* is @port a candidate for switch @fabric_address, up or down? */
static bool is_candidate(const struct dataplane *dp, uint32_t fabric_address, uint32_t port)
{
	const struct route *route = route_of(&dp->routes, fabric_address);

	for (uint32_t i = 0; route && i < route->port_count; i++)
		if (route->ports[i] == port)
			return true;
	return false;
}

/* is output @port up, and a next hop on a path of flow @ref to its via or destination? */
static bool is_next_hop(const struct dataplane *dp, uint32_t ref, uint32_t port)
{
	const struct ifct_entry *flow = flow_of(dp->ifcts, ref);

	return dataplane_port_up(dp, port) &&
	       (dp->ports[port].kind == PORT_EDGE ||
		is_candidate(dp, flow->via ? flow->via : flow->fabric_address, port));
}

bool choose_is_valid(const struct dataplane *dp, uint32_t ref)
{
	return is_next_hop(dp, ref, flow_of(dp->ifcts, ref)->follow_port);
}

/* The path that binds the flow, because a flow with the same key is a source of congestion.
 * Port -1: there is none, or it is no next hop now. */
static struct path held_path(const struct dataplane *dp, const struct query *query, node_time_t now)
{
	const struct ifct_entry *flow = query->flow;
	struct source_hold_key key = choose_key(flow, flow_ref(query->in_port, 0));
	const struct source_hold_line *line = NULL;

	if (dp->sw.config->switch_.routing.hold_sources && choose_count(dp, flow) > 1)
		line = source_hold_find(&dp->hold, &key, now);
	if (!line || !dataplane_port_up(dp, line->port) ||
	    (query->packet && dp->ports[query->in_port].kind == PORT_FABRIC &&
	     query->packet->via != line->via) ||
	    !is_candidate(dp, line->via ? line->via : flow->fabric_address,
			  line->port)) /* tables may have changed since it was noted */
		return (struct path){ .port = -1 };
	return (struct path){ .port = line->port, .via = line->via };
}

bool choose_is_held(struct dataplane *dp, uint32_t ref, node_time_t now)
{
	struct query query = { .flow = flow_of(dp->ifcts, ref), .in_port = flow_ref_port(ref) };

	return held_path(dp, &query, now).port >= 0;
}

/* ---- the choice ---- */

/* counts the choice of @path, if the flow had more than one port, or a detour, to select from */
static void note_choice(struct dataplane *dp, const struct query *query, const struct path *path)
{
	const struct ifct_entry *flow = query->flow;
	struct port *in = &dp->ports[query->in_port];

	if (choose_count(dp, flow) < 2)
		return;
	in->stats->choices++;
	in->stats->choices_other +=
		path->port != route_choose(&dp->routes, flow->fabric_address, flow->egress_port);
	in->stats->choices_detour += path->via && in->kind == PORT_EDGE;
}

/* The virtual lane on which the flow goes out at @port, in *@lane. Return: false if that would be
 * beyond the last one. */
static bool lane_towards(const struct dataplane *dp, const struct query *query, uint32_t port,
			 uint8_t *lane)
{
	const struct port *in = &dp->ports[query->in_port], *out = &dp->ports[port];
	uint32_t traffic_class = query->flow->traffic_class;
	uint32_t level = query->flow->in_lane - traffic_class * in->lanes;

	if (out->kind == PORT_EDGE)
		level = 0;
	else if (in->kind == PORT_FABRIC &&
		 dp->sw.config->switch_.routing.lane_rule == LANES_BY_HOP)
		level++;
	*lane = (uint8_t)(traffic_class * out->lanes + level);
	return level < out->lanes;
}

/* the flow takes @path.   Return: false, with the reason in @why, if it cannot. */
static bool path_take(struct dataplane *dp, const struct query *query, struct ifct_entry *flow,
		      const struct path *path, enum drop_reason *why)
{
	uint8_t lane;

	*why = DROP_NO_ROUTE;
	if (path->port < 0 || (dp->ports[path->port].kind == PORT_EDGE) !=
				      (flow->fabric_address == dp->routes.own_address))
		return false;
	*why = DROP_NO_LANE;
	if (!lane_towards(dp, query, (uint32_t)path->port, &lane))
		return false;
	note_choice(dp, query, path);
	flow->follow_port = (uint8_t)path->port;
	flow->out_lane = lane & 15;
	flow->via = path->via;
	return true;
}

bool choose_path(struct dataplane *dp, struct ifct_entry *flow, const struct packet *packet,
		 enum drop_reason *why, node_time_t now)
{
	uint32_t ref = flow_ref(packet->in_port, packet->flow_id);
	struct query query = { .flow = flow,
			       .packet = packet,
			       .tree_ref = tree_is(dp, ref) && !tree_is_folded(dp, ref)
						   ? ref
						   : FLOW_REF_NONE,
			       .in_port = packet->in_port,
			       .avoid = -1 };
	struct path path = held_path(dp, &query, now);
	bool held = path.port >= 0, taken;

	if (!held && packet->via)
		path = minimal(dp, &query, packet->via);
	if (path.port < 0)
		path = best_path(dp, &query);
	taken = path_take(dp, &query, flow, &path, why);
	dp->ports[packet->in_port].stats->choices_held += held && taken;
	return taken;
}

uint32_t choose_count(const struct dataplane *dp, const struct ifct_entry *flow)
{
	const struct route *route = route_of(&dp->routes, flow->fabric_address);
	bool detours = dp->sw.config->switch_.routing.detour != DETOUR_NEVER;

	return route ? route->port_count + (detours ? dp->routes.via_count : 0) : 1;
}

/* ---- after a redirect (FC-25) ----
 *
 * A redirect reports what the queues here do not show: the path is congested downstream. If no
 * other minimal path is as good, the flow changes the kind of its path. */

/* must the flow keep its path: routing is not adaptive, or a source of congestion binds it? */
static bool is_bound(const struct dataplane *dp, const struct query *query, node_time_t now)
{
	return dp->sw.config->switch_.routing.choice != ROUTING_ADAPTIVE ||
	       held_path(dp, query, now).port >= 0;
}

/* Another path for the flow, which is to leave its present one; port -1: none. From a minimal path:
 * another minimal one that is no more loaded, else a detour that is worth it. From a detour: the
 * minimal path, or another detour that is worth it. Where no detour can begin: any other next hop.
 */
static struct path other_path(struct dataplane *dp, const struct query *query, node_time_t now)
{
	struct query other = *query;
	const struct ifct_entry *flow = query->flow;
	struct path present = path_by(dp, flow->follow_port, flow->via);
	uint32_t weight = dp->sw.config->switch_.routing.detour_weight_permille;
	struct path path = { .port = -1 }, around;

	if (is_bound(dp, query, now))
		return path;
	other.avoid = flow->follow_port;
	if (!flow->via || !may_detour(dp, query))
		path = minimal(dp, &other, flow->via);
	if (!may_detour(dp, query))
		return path;
	if (path.port >= 0 && path.load_bytes <= present.load_bytes)
		return path;
	path.port = -1;
	if (flow->via)
		path = minimal(dp, query, 0);
	around = detour(dp, query);
	if (around.port < 0 || around.via == flow->via)
		return path;
	if (!flow->via) /* congestion is certain: half of the usual advantage suffices */
		return detour_is_worth(dp, &present, &around, (1000 + weight) / 2) ? around : path;
	return path.port < 0 || detour_is_worth(dp, &path, &around, weight) ? around : path;
}

/* The query for another path of flow @ref. @far: the congestion is at another switch, so loads here
 * do not show it. Else the flow moves to a port that offers it more than it has. If its own link
 * is paused, and so has no load, it moves to a port with at least two flows less. */
static struct query query_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now)
{
	struct query query = { .flow = flow_of(dp->ifcts, ref),
			       .tree_ref = FLOW_REF_NONE,
			       .in_port = flow_ref_port(ref),
			       .avoid = -1,
			       .any_used = far,
			       .now = now };
	uint32_t flows = dp->ports[query.flow->follow_port].fabric.ofct.used;

	if (far)
		query.flows_limit = choose_flows_limit(dp, ref, now);
	if (far || dp->sw.config->switch_.routing.redirect_rule == REDIRECT_BY_DEPTH)
		return query;
	query.needs_bytes = path_load_needs(dp, ref, now);
	if (!query.needs_bytes)
		query.fewer = flows > 1 ? flows - 1 : 1;
	return query;
}

struct choose_move choose_move_of(struct dataplane *dp, uint32_t ref, bool far, node_time_t now)
{
	struct query query = query_of(dp, ref, far, now);
	struct path path = other_path(dp, &query, now);

	return (struct choose_move){ .port = path.port, .via = path.via };
}

bool choose_take(struct dataplane *dp, uint32_t ref, const struct choose_move *move,
		 node_time_t now)
{
	struct ifct_entry *flow = flow_of(dp->ifcts, ref);
	struct query query = query_of(dp, ref, true, now);
	struct path path = { .port = move->port, .via = move->via };
	enum drop_reason why;

	return move->port >= 0 && dataplane_port_up(dp, (uint32_t)move->port) &&
	       is_candidate(dp, move->via ? move->via : flow->fabric_address,
			    (uint32_t)move->port) &&
	       !is_bound(dp, &query, now) && path_take(dp, &query, flow, &path, &why);
}

bool choose_may_move(struct dataplane *dp, uint32_t ref, uint32_t port, node_time_t now)
{
	struct query query = query_of(dp, ref, true, now);

	return port != query.flow->follow_port && !query.flow->via && is_next_hop(dp, ref, port) &&
	       !is_bound(dp, &query, now);
}

void choose_other(struct dataplane *dp, uint32_t ref, bool far, uint32_t hint, node_time_t now)
{
	struct query query = query_of(dp, ref, far, now);
	struct path path = { .port = route_upward_port(&dp->routes, hint) };
	enum drop_reason why;

	if (path.port < 0 || !choose_may_move(dp, ref, (uint32_t)path.port, now))
		path = other_path(dp, &query, now);
	if (path.port >= 0)
		path_take(dp, &query, flow_of(dp->ifcts, ref), &path,
			  &why); /* else it keeps its path */
}
