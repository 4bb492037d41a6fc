#include "switchd/common/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int route_table_init(struct route_table *table, const struct switch_config *config)
{
	*table = (struct route_table){ .address_count = 1,
				       .own_address = config->fabric_address,
				       .ports_up = UINT64_MAX };
	for (uint32_t i = 0; i < config->route_count; i++)
		if (config->routes[i].fabric_address >= table->address_count)
			table->address_count = config->routes[i].fabric_address + 1;
	table->routes = calloc(table->address_count, sizeof(*table->routes));
	table->vias = calloc(config->via_count, sizeof(*table->vias));
	if (!table->routes || !table->vias) {
		route_table_fini(table);
		return -ENOMEM;
	}
	for (; table->via_count < config->via_count; table->via_count++)
		table->vias[table->via_count] = config->vias[table->via_count];
	for (uint32_t i = 0; i < config->route_count; i++) {
		struct route *route = &table->routes[config->routes[i].fabric_address];

		if (config->routes[i].fabric_address == ROUTE_UPWARD) {
			table->upward = config->routes[i].ports;
			continue;
		}
		route->port_count = 0;
		for (uint64_t ports = config->routes[i].ports; ports; ports &= ports - 1)
			route->ports[route->port_count++] = (uint8_t)__builtin_ctzll(ports);
	}
	return 0;
}

int route_pick_other(const struct route_table *table, const struct route *route, uint32_t other)
{
	uint8_t up[NODE_PORTS_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < route->port_count; i++)
		if (route_port_up(table, route->ports[i]))
			up[count++] = route->ports[i];
	return count ? up[other % count] : -1;
}

bool route_table_same(const struct route_table *a, const struct route_table *b)
{
	uint32_t count = a->address_count > b->address_count ? a->address_count : b->address_count;
	static const struct route none;

	for (uint32_t i = 0; i < count; i++)
		if (memcmp(i < a->address_count ? &a->routes[i] : &none,
			   i < b->address_count ? &b->routes[i] : &none, sizeof(none)) != 0)
			return false;
	return a->upward == b->upward && a->via_count == b->via_count &&
	       !memcmp(a->vias, b->vias, a->via_count * sizeof(*a->vias));
}

void route_table_fini(struct route_table *table)
{
	free(table->routes);
	free(table->vias);
	*table = (struct route_table){ 0 };
}
