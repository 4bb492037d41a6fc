#include "switchd/common/table_read.h"

#include <errno.h>

int table_replace(struct route_table *routes, struct translate *translate,
		  const struct switch_config *config)
{
	struct route_table ways;
	int changed;

	if (route_table_init(&ways, config))
		return -ENOMEM;
	if (translate_replace(translate, config->hosts, config->host_count)) {
		route_table_fini(&ways);
		return -ENOMEM;
	}
	ways.ports_up = routes->ports_up;
	changed = !route_table_same(routes, &ways);
	route_table_fini(routes);
	*routes = ways;
	return changed;
}

static uint32_t entries_used(const struct route_table *routes, const struct translate *translate,
			     enum table_kind table)
{
	switch (table) {
	case TABLE_ROUTES:
		return routes->address_count;
	case TABLE_VIAS:
		return routes->via_count;
	case TABLE_HOSTS:
		return translate->index_end;
	default:
		return 0;
	}
}

uint32_t table_read_blocks(const struct route_table *routes, const struct translate *translate,
			   enum table_kind table)
{
	return table_blocks(table, entries_used(routes, translate, table));
}

static uint64_t route_entry(const struct route_table *routes, uint32_t address)
{
	const struct route *route = &routes->routes[address];
	uint64_t ports = 0;

	if (address == ROUTE_UPWARD)
		return routes->upward;
	for (uint32_t i = 0; i < route->port_count; i++)
		ports |= 1ull << route->ports[i];
	return ports;
}

static uint64_t host_entry(const struct translate *translate, uint32_t host_index)
{
	const struct translate_entry *entry = translate_host(translate, host_index);
	struct host_config host;

	if (!entry)
		return 0;
	host = (struct host_config){ .fabric_address = entry->fabric_address,
				     .egress_port = entry->egress_port };
	return table_host(&host);
}

void table_read_block(const struct route_table *routes, const struct translate *translate,
		      struct table_block *block)
{
	uint32_t used = entries_used(routes, translate, block->table),
		 from = block->number * table_entries(block->table);

	for (uint32_t i = 0; i < table_entries(block->table) && from + i < used; i++)
		table_put(block->table, block->bytes, i,
			  block->table == TABLE_ROUTES ? route_entry(routes, from + i)
			  : block->table == TABLE_VIAS ? routes->vias[from + i]
						       : host_entry(translate, from + i));
}
