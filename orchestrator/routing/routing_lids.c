#include "orchestrator/routing/routing_lids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIERS_MAX 16u /* switches further from the hosts use the divisor of the last tier */

/* ---- the static port ---- */

/* the tier of a switch: links from it to the nearest switch with hosts, TIERS_MAX - 1 at most */
static uint32_t tier_of(const struct topology *topology, const routing_distance_t *distances,
			uint32_t index)
{
	uint32_t least = TIERS_MAX - 1;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t distance = distances[(size_t)i * topology->switch_count + index];

		if (distance != ROUTING_UNREACHED && routing_hops(distance) < least &&
		    topology_has_hosts(topology, i))
			least = routing_hops(distance);
	}
	return least;
}

static uint32_t candidates_max(const struct topology *topology, const struct routing *routing,
			       uint32_t at)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t count = i == at ? 0
					 : (uint32_t)__builtin_popcountll(
						   routing_route(routing, at, i)->ports);

		most = count > most ? count : most;
	}
	return most;
}

/* @divisors  by tier: a host's number is divided by this, the product of the choices of the tiers
 * below.   @tiers  by switch */
static void divisors_fill(const struct topology *topology, const struct routing *routing,
			  const uint8_t *tiers, uint32_t *divisors)
{
	uint32_t most[TIERS_MAX] = { 0 };

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t count = candidates_max(topology, routing, i);

		if (count > most[tiers[i]])
			most[tiers[i]] = count;
	}
	divisors[0] = 1;
	for (uint32_t tier = 1; tier < TIERS_MAX; tier++) {
		uint64_t product =
			(uint64_t)divisors[tier - 1] * (most[tier - 1] ? most[tier - 1] : 1);

		divisors[tier] = product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
	}
}

/* the (@number mod their count)-th of @ports */
static uint8_t port_nth(uint64_t ports, uint32_t number)
{
	for (uint32_t skip = number % (uint32_t)__builtin_popcountll(ports); skip; skip--)
		ports &= ports - 1;
	return (uint8_t)__builtin_ctzll(ports);
}

/* The port of @whole for @number if it is in @ports. Else the port of @ports that the switch
 * selects when its link fails. So a failure moves only the destinations of the lost port, and each
 * of them once. */
static uint8_t port_of(uint64_t ports, uint64_t whole, uint32_t number, uint32_t lid)
{
	uint8_t port;

	if (ports & ~whole)
		return port_nth(ports, number);
	port = port_nth(whole, number);
	return ports >> port & 1 ? port : (uint8_t)lid_stand_in(ports, lid);
}

/* ---- tables ---- */

static int tables_alloc(uint32_t lid_count, struct lid_tables *lids)
{
	*lids = (struct lid_tables){
		.lid_count = lid_count,
		.lft = malloc(lid_count),
		.pgft = calloc(lid_count, 1),
		.group_count = 1,
		.pgt = calloc(PORT_GROUPS_MAX, sizeof(*lids->pgt)),
	};
	if (!lids->lft || !lids->pgft || !lids->pgt)
		return -ENOMEM;
	memset(lids->lft, LFT_NO_PORT, lid_count);
	return 0;
}

/* the group of @ports among those from @first to @end - 1, a new one if there is none yet; 0: one
 * port, or too many groups */
static uint8_t group_of(struct lid_tables *lids, uint64_t ports, uint32_t first, uint32_t end)
{
	uint32_t group = first;

	if (!(ports & (ports - 1)))
		return 0;
	while (group < end && lids->pgt[group][0] && lids->pgt[group][0] != ports)
		group++;
	if (group == end) {
		lids->ungrouped++;
		return 0;
	}
	lids->pgt[group][0] = ports;
	lids->group_count = group < lids->group_count ? lids->group_count : group + 1;
	return (uint8_t)group;
}

/* @ports  the candidates of switch @at towards switch @egress; or what packets from hosts may use
 * besides the only one */
static uint8_t group_enter(const struct routing *routing, uint32_t at, uint32_t egress,
			   uint64_t ports, struct lid_tables *lids)
{
	const uint64_t *non_minimal = routing->switches[at].non_minimal;

	if (non_minimal && non_minimal[egress])
		return group_of(lids, ports | non_minimal[egress], PORT_GROUP_EDGE_FROM,
				PORT_GROUPS_MAX);
	return group_of(lids, ports, 1,
			routing->edge_groups ? PORT_GROUP_EDGE_FROM : PORT_GROUPS_MAX);
}

/* @whole  the ports to the host with everything up */
static void host_enter(const struct topology *topology, const struct routing *routing, uint32_t at,
		       const struct host_config *host, uint64_t whole, uint32_t number,
		       struct lid_tables *lids)
{
	uint32_t lid = (uint32_t)(host - topology->hosts) + 1, egress = host->fabric_address - 1;
	uint64_t ports;

	if (egress == at) {
		lids->lft[lid] = (uint8_t)host->egress_port;
		return;
	}
	ports = routing_route(routing, at, egress)->ports;
	if (!ports)
		return;
	lids->lft[lid] = port_of(ports, whole, number, lid);
	lids->pgft[lid] = group_enter(routing, at, egress, ports, lids);
}

static int switch_fill(const struct topology *topology, const struct topology *whole,
		       const routing_distance_t *whole_distances, uint32_t at, uint32_t divisor,
		       struct routing *routing)
{
	struct lid_tables *lids = &routing->switches[at].lids;

	if (tables_alloc(topology->host_count + 1, lids))
		return -ENOMEM;
	for (uint32_t h = 0; h < topology->host_count; h++) {
		const struct host_config *host = &topology->hosts[h];
		size_t egress = host->fabric_address - 1u;

		if (host->fabric_address && egress < topology->switch_count)
			host_enter(topology, routing, at, host,
				   routing_nearer_ports(whole, at,
							whole_distances +
								egress * whole->switch_count),
				   h / divisor, lids);
	}
	return 0;
}

static int tables_fill(const struct topology *topology, const struct topology *whole,
		       const routing_distance_t *whole_distances, struct routing *routing)
{
	uint8_t *tiers = calloc(topology->switch_count, 1);
	uint32_t divisors[TIERS_MAX];
	int error = tiers ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < topology->switch_count; i++)
		tiers[i] = (uint8_t)tier_of(whole, whole_distances, i);
	if (!error)
		divisors_fill(topology, routing, tiers, divisors);
	for (uint32_t i = 0; !error && i < topology->switch_count; i++)
		error = switch_fill(topology, whole, whole_distances, i, divisors[tiers[i]],
				    routing);
	free(tiers);
	return error;
}

int routing_lids_make(const struct topology *topology, struct routing *routing)
{
	struct topology whole;
	routing_distance_t *distances;
	int error = topology_whole(topology, &whole);

	if (error)
		return error;
	distances = routing_distances(&whole);
	error = distances ? tables_fill(topology, &whole, distances, routing) : -ENOMEM;
	free(distances);
	topology_free(&whole);
	return error;
}
