#include "orchestrator/manager/update_safety.h"

#include "orchestrator/routing/routing_cycle.h"

/* those of @ports that lead from @from to another switch and are up */
static uint64_t ports_up(const struct topology *topology, uint32_t from, uint64_t ports)
{
	uint64_t up = 0;

	for (; ports; ports &= ports - 1) {
		uint32_t port = (uint32_t)__builtin_ctzll(ports);

		if (port < topology->switches[from].port_count &&
		    topology_leads_on(topology, from, port))
			up |= 1ull << port;
	}
	return up;
}

static void route_add(const struct topology *topology, struct routing *routing, uint32_t from,
		      uint32_t to, uint64_t ports)
{
	if (from != to && to < topology->switch_count)
		routing_route(routing, from, to)->ports |= ports_up(topology, from, ports);
}

static void routes_add(const struct topology *topology, const struct switch_image *image,
		       uint32_t from, struct routing *routing)
{
	for (uint32_t address = 1; address < switch_image_entries(image, TABLE_ROUTES); address++)
		route_add(topology, routing, from, address - 1,
			  switch_image_get(image, TABLE_ROUTES, address));
}

/* The static port and the group of host @host, whose LID is one more (routing_lids.h). Groups of
 * longer paths exist with LANES_BY_HOP only, which excludes cycles, so the manager does not check
 * them. */
static uint64_t lid_ports(const struct switch_image *image, uint32_t host)
{
	uint32_t lid = host + 1, group;
	uint64_t mask[PORT_GROUP_WORDS] = { 0 }, ports = 0;

	if (lid < switch_image_entries(image, TABLE_LFT) &&
	    switch_image_get(image, TABLE_LFT, lid) < NODE_PORTS_MAX)
		ports = 1ull << switch_image_get(image, TABLE_LFT, lid);
	group = lid < switch_image_entries(image, TABLE_PGFT)
			? (uint32_t)switch_image_get(image, TABLE_PGFT, lid)
			: 0;
	if (group && group < switch_image_entries(image, TABLE_PGT))
		table_get_mask(image->tables[TABLE_PGT].bytes, group, mask);
	return ports | mask[0];
}

static void lids_add(const struct topology *topology, const struct switch_image *image,
		     uint32_t from, struct routing *routing)
{
	for (uint32_t host = 0; host < topology->host_count; host++)
		if (topology->hosts[host].fabric_address)
			route_add(topology, routing, from,
				  topology->hosts[host].fabric_address - 1u,
				  lid_ports(image, host));
}

int update_safety_check(enum fabric_kind fabric, const struct topology *topology,
			const struct switch_image *images, struct routing *routing, char **cycle)
{
	for (uint32_t i = 0; i < topology->switch_count; i++) {
		if (!topology->switches[i].alive)
			continue;
		if (table_of_fabric(fabric, TABLE_ROUTES))
			routes_add(topology, &images[i], i, routing);
		if (table_of_fabric(fabric, TABLE_LFT))
			lids_add(topology, &images[i], i, routing);
	}
	return routing_cycle_find(topology, routing, cycle);
}
