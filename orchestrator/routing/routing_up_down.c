#include "orchestrator/routing/routing_up_down.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* all switches in order; place 0 is the top */
struct order {
	uint32_t *places;   /* by switch */
	uint32_t *switches; /* by place */
	/* by switch: less is nearer to the top; among equals the lower index is first */
	routing_distance_t *ranks;
	uint32_t *queue;
	routing_distance_t *former; /* by switch: length of the path down in the whole fabric */
};

/* ---- the order ---- */

static void places_fill(const struct topology *topology, struct order *order)
{
	uint32_t count = topology->switch_count, end = 0;

	for (uint32_t rank = 0; end < count; rank++)
		for (uint32_t i = 0; i < count; i++)
			if (order->ranks[i] == rank) {
				order->places[i] = end;
				order->switches[end++] = i;
			}
}

/* links to the nearest switch with hosts; ROUTING_UNREACHED: there is none */
static routing_distance_t distance_to_hosts(const struct topology *topology,
					    const routing_distance_t *distances, uint32_t from)
{
	routing_distance_t least = ROUTING_UNREACHED;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		routing_distance_t distance = distances[(size_t)i * topology->switch_count + from];

		if (distance != ROUTING_UNREACHED && routing_hops(distance) < least &&
		    topology_has_hosts(topology, i))
			least = (routing_distance_t)routing_hops(distance);
	}
	return least;
}

static void order_by_hosts(const struct topology *topology, const routing_distance_t *distances,
			   struct order *order)
{
	routing_distance_t furthest = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		order->ranks[i] = distance_to_hosts(topology, distances, i);
		if (order->ranks[i] != ROUTING_UNREACHED && order->ranks[i] > furthest)
			furthest = order->ranks[i];
	}
	for (uint32_t i = 0; i < topology->switch_count; i++)
		order->ranks[i] =
			order->ranks[i] == ROUTING_UNREACHED ? 0 : furthest - order->ranks[i];
	places_fill(topology, order);
}

/* The switch with the least sum of distances to all others in the part that @from reaches; the
 * lowest index of several. */
static uint32_t root_of(const struct topology *topology, const routing_distance_t *distances,
			uint32_t from)
{
	size_t count = topology->switch_count;
	uint64_t least = UINT64_MAX;
	uint32_t root = from;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t sum = 0;

		if (distances[i * count + from] == ROUTING_UNREACHED)
			continue;
		for (uint32_t other = 0; other < count; other++)
			if (distances[i * count + other] != ROUTING_UNREACHED)
				sum += routing_hops(distances[i * count + other]);
		if (sum < least) {
			least = sum;
			root = i;
		}
	}
	return root;
}

/* every connected part of the graph has a root of its own */
static void order_by_root(const struct topology *topology, const routing_distance_t *distances,
			  struct order *order)
{
	size_t count = topology->switch_count;

	for (uint32_t i = 0; i < count; i++)
		order->ranks[i] = ROUTING_UNREACHED;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root;

		if (order->ranks[i] != ROUTING_UNREACHED)
			continue;
		root = root_of(topology, distances, i);
		for (uint32_t other = 0; other < count; other++)
			if (distances[root * count + other] != ROUTING_UNREACHED)
				order->ranks[other] = (routing_distance_t)routing_hops(
					distances[root * count + other]);
	}
	places_fill(topology, order);
}

/* ---- the paths ---- */

static bool leads_up(const struct topology *topology, const struct order *order, uint32_t from,
		     uint32_t port)
{
	return order->places[topology->switches[from].ports[port].peer] < order->places[from];
}

/* @lengths  of paths to @target that only go down; ROUTING_UNREACHED: there is none */
static void lengths_down(const struct topology *topology, const struct order *order,
			 uint32_t target, routing_distance_t *lengths)
{
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < topology->switch_count; i++)
		lengths[i] = ROUTING_UNREACHED;
	lengths[target] = 0;
	order->queue[end++] = target;
	while (first < end) {
		uint32_t at = order->queue[first++];

		for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
			uint32_t peer = topology->switches[at].ports[p].peer;

			if (!topology_leads_on(topology, at, p) ||
			    !leads_up(topology, order, at, p) || lengths[peer] != ROUTING_UNREACHED)
				continue;
			lengths[peer] = lengths[at] + 1;
			order->queue[end++] = peer;
		}
	}
}

/* the ports of @at, all up or all down, to the peers with the least of @lengths */
static uint64_t ports_of_least(const struct topology *topology, const struct order *order,
			       uint32_t at, bool up, const routing_distance_t *lengths,
			       routing_distance_t *least)
{
	uint64_t ports = 0;

	*least = ROUTING_UNREACHED;
	for (uint32_t p = 0; p < topology->switches[at].port_count; p++) {
		uint32_t peer = topology->switches[at].ports[p].peer;

		if (!topology_leads_on(topology, at, p) || leads_up(topology, order, at, p) != up ||
		    lengths[peer] == ROUTING_UNREACHED || lengths[peer] > *least)
			continue;
		ports = lengths[peer] < *least ? 1ull << p : ports | 1ull << p;
		*least = lengths[peer];
	}
	return ports;
}

/* From the top downwards: a switch without a path down has a path through the switches above it,
 * which are complete by then. For switches below, @lengths still has their paths down, the only
 * ones that count. */
static void target_fill(const struct topology *topology, const struct order *order,
			const struct topology *former, uint32_t target, routing_distance_t *lengths,
			struct routing *routing)
{
	if (former)
		lengths_down(former, order, target, order->former);
	lengths_down(topology, order, target, lengths);
	for (uint32_t place = 0; place < topology->switch_count; place++) {
		uint32_t at = order->switches[place];
		bool up = lengths[at] == ROUTING_UNREACHED;
		routing_distance_t least;

		if (at == target)
			continue;
		routing_route(routing, at, target)->ports = 0;
		if (up && former && order->former[at] != ROUTING_UNREACHED)
			continue; /* packets that came down to here must not go up again */
		routing_route(routing, at, target)->ports =
			ports_of_least(topology, order, at, up, lengths, &least);
		if (up && least != ROUTING_UNREACHED)
			lengths[at] = least + 1;
	}
}

/* @former  where this topology goes down, no path goes up; NULL: no such condition */
static void ways_fill(const struct topology *topology, const struct order *order,
		      const struct topology *former, routing_distance_t *lengths,
		      struct routing *routing)
{
	for (uint32_t target = 0; target < topology->switch_count; target++)
		target_fill(topology, order, former, target,
			    lengths + (size_t)target * topology->switch_count, routing);
}

/* True if every switch with hosts reaches whatever has a path at all.  @hosts_only  only switches
 * with hosts need be reached */
static bool is_complete(const struct topology *topology, const routing_distance_t *distances,
			const routing_distance_t *lengths, bool hosts_only)
{
	size_t count = topology->switch_count;

	for (uint32_t from = 0; from < count; from++)
		for (uint32_t to = 0; to < count && topology_has_hosts(topology, from); to++)
			if (lengths[to * count + from] == ROUTING_UNREACHED &&
			    (!hosts_only || topology_has_hosts(topology, to)) &&
			    distances[to * count + from] != ROUTING_UNREACHED)
				return false;
	return true;
}

static int order_alloc(const struct topology *topology, struct order *order)
{
	size_t count = topology->switch_count + 1;

	*order = (struct order){
		.places = calloc(count, sizeof(*order->places)),
		.switches = calloc(count, sizeof(*order->switches)),
		.ranks = calloc(count, sizeof(*order->ranks)),
		.queue = calloc(count, sizeof(*order->queue)),
		.former = calloc(count, sizeof(*order->former)),
	};
	return order->places && order->switches && order->ranks && order->queue && order->former
		       ? 0
		       : -ENOMEM;
}

static void order_free(struct order *order)
{
	free(order->places);
	free(order->switches);
	free(order->ranks);
	free(order->queue);
	free(order->former);
}

/* an order for @topology, and its routes */
static void make(const struct topology *topology, const routing_distance_t *distances,
		 struct order *order, routing_distance_t *lengths, struct routing *routing)
{
	order_by_hosts(topology, distances, order);
	ways_fill(topology, order, NULL, lengths, routing);
	if (is_complete(topology, distances, lengths, false))
		return;
	order_by_root(topology, distances, order);
	ways_fill(topology, order, NULL, lengths, routing);
}

int routing_up_down_make(const struct topology *topology, const routing_distance_t *distances,
			 routing_distance_t *lengths, struct routing *routing)
{
	struct order order;
	int error = order_alloc(topology, &order);

	if (!error)
		make(topology, distances, &order, lengths, routing);
	order_free(&order);
	return error;
}

int routing_up_down_follow(const struct topology *topology, const routing_distance_t *distances,
			   const struct topology *whole, const routing_distance_t *whole_distances,
			   struct routing *routing, bool *fresh)
{
	size_t count = topology->switch_count;
	routing_distance_t *lengths = malloc((count * count + 1) * sizeof(*lengths));
	struct order order;
	int error = order_alloc(topology, &order);

	*fresh = false;
	if (!error && lengths) {
		make(whole, whole_distances, &order, lengths, routing);
		ways_fill(topology, &order, whole, lengths, routing);
		*fresh = !is_complete(topology, distances, lengths, true);
	}
	if (!error && lengths && *fresh)
		make(topology, distances, &order, lengths, routing);
	order_free(&order);
	free(lengths);
	return lengths ? error : -ENOMEM;
}
