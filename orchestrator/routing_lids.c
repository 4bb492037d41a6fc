#include "orchestrator/routing_lids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIERS_MAX 16u /* switches further inside divide as those do */

/* ---- the static port ---- */

/* how far inside a switch is: links from it to the nearest switch with hosts, TIERS_MAX - 1 at most */
static uint32_t tier_of(const struct topology *topology, const uint16_t *distances, uint32_t index)
{
	uint32_t least = TIERS_MAX - 1;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t distance = distances[(size_t)i * topology->switch_count + index];

		if (distance != ROUTING_UNREACHED && routing_hops(distance) < least && topology_has_hosts(topology, i))
			least = routing_hops(distance);
	}
	return least;
}

static uint32_t candidates_max(const struct topology *topology, const struct routing *routing, uint32_t at)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t count = i == at ? 0 : (uint32_t)__builtin_popcountll(routing_route(routing, at, i)->ports);

		most = count > most ? count : most;
	}
	return most;
}

/* @divisors  by tier: what is left of a host's number when the switches before have chosen.   @tiers  by switch */
static void divisors_fill(const struct topology *topology, const struct routing *routing, const uint8_t *tiers,
			  uint32_t *divisors)
{
	uint32_t most[TIERS_MAX] = { 0 };

	for (uint32_t i = 0; i < topology->switch_count; i++) {
		uint32_t count = candidates_max(topology, routing, i);

		if (count > most[tiers[i]])
			most[tiers[i]] = count;
	}
	divisors[0] = 1;
	for (uint32_t tier = 1; tier < TIERS_MAX; tier++) {
		uint64_t product = (uint64_t)divisors[tier - 1] * (most[tier - 1] ? most[tier - 1] : 1);

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

/* the group of @ports, a new one if there is none yet; 0: one port, or too many groups */
static uint8_t group_of(struct lid_tables *lids, uint64_t ports)
{
	if (!(ports & (ports - 1)))
		return 0;
	for (uint32_t group = 1; group < lids->group_count; group++)
		if (lids->pgt[group][0] == ports)
			return (uint8_t)group;
	if (lids->group_count == PORT_GROUPS_MAX)
		return 0;
	lids->pgt[lids->group_count][0] = ports;
	return (uint8_t)lids->group_count++;
}

static void host_enter(const struct topology *topology, const struct routing *routing, uint32_t at,
		       const struct host_config *host, uint32_t number, struct lid_tables *lids)
{
	uint32_t lid = (uint32_t)(host - topology->hosts) + 1, egress = host->fabric_address - 1;
	uint64_t ports;

	if (!host->fabric_address || egress >= topology->switch_count)
		return;
	if (egress == at) {
		lids->lft[lid] = (uint8_t)host->egress_port;
		return;
	}
	ports = routing_route(routing, at, egress)->ports;
	if (!ports)
		return;
	lids->lft[lid] = port_nth(ports, number);
	lids->pgft[lid] = group_of(lids, ports);
}

int routing_lids_make(const struct topology *topology, const uint16_t *distances, struct routing *routing)
{
	uint8_t *tiers = calloc(topology->switch_count + 1, 1);
	uint32_t divisors[TIERS_MAX];
	int error = tiers ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < topology->switch_count; i++)
		tiers[i] = (uint8_t)tier_of(topology, distances, i);
	if (!error)
		divisors_fill(topology, routing, tiers, divisors);
	for (uint32_t i = 0; !error && i < topology->switch_count; i++) {
		struct lid_tables *lids = &routing->switches[i].lids;

		error = tables_alloc(topology->host_count + 1, lids);
		for (uint32_t h = 0; !error && h < topology->host_count; h++)
			host_enter(topology, routing, i, &topology->hosts[h], h / divisors[tiers[i]], lids);
	}
	free(tiers);
	return error;
}
