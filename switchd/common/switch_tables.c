#include "switchd/common/switch_tables.h"

#include <errno.h>

int switch_tables_init(struct switch_shell *sw, struct route_table *routes,
		       struct translate *translate)
{
	const struct node_config *config = sw->config;
	const struct switch_config *tables = &config->switch_;

	sw->routes = routes;
	sw->translate = translate;
	sw->ports_up = &routes->ports_up;
	if (translate_init(translate, tables->hosts, tables->host_count) ||
	    translate_prefixes_set(translate, tables->prefixes, tables->prefix_count) ||
	    route_table_init(routes, tables))
		return -ENOMEM;
	for (uint32_t p = 0; p < NODE_PORTS_MAX; p++)
		if (p >= config->port_count || config->ports[p].vacant)
			routes->ports_up &= ~(1ull << p);
	sw->stats->tables_taken = tables->host_count > 0;
	return 0;
}

void switch_tables_fini(struct switch_shell *sw)
{
	if (!sw->routes)
		return;
	translate_fini(sw->translate);
	route_table_fini(sw->routes);
}

int switch_tables_replace(void *dataplane, const struct switch_config *config)
{
	struct switch_shell *sw = dataplane;
	struct route_table routes;

	if (route_table_init(&routes, config))
		return -ENOMEM;
	if (translate_replace(sw->translate, config->hosts, config->host_count)) {
		route_table_fini(&routes);
		return -ENOMEM;
	}
	routes.ports_up = sw->routes->ports_up;
	sw->tables_changed |= sw->ops->follow && !route_table_same(sw->routes, &routes);
	route_table_fini(sw->routes);
	*sw->routes = routes;
	sw->flood_ports = config->flood_ports;
	sw->stats->tables_taken++;
	return 0;
}

static uint32_t entries_used(const struct switch_shell *sw, enum table_kind table)
{
	switch (table) {
	case TABLE_ROUTES:
		return sw->routes->address_count;
	case TABLE_VIAS:
		return sw->routes->via_count;
	case TABLE_HOSTS:
		return sw->translate->index_end;
	default:
		return 0;
	}
}

uint32_t switch_tables_blocks(void *dataplane, enum table_kind table)
{
	const struct switch_shell *sw = dataplane;

	if (table == TABLE_FLOOD)
		return sw->ops->flood_tree;
	return table_blocks(table, entries_used(sw, table));
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

void switch_tables_read(void *dataplane, struct table_block *block)
{
	const struct switch_shell *sw = dataplane;
	uint32_t used = entries_used(sw, block->table),
		 from = block->number * table_entries(block->table);

	if (block->table == TABLE_FLOOD)
		table_put(TABLE_FLOOD, block->bytes, 0, sw->flood_ports);
	for (uint32_t i = 0; i < table_entries(block->table) && from + i < used; i++)
		table_put(block->table, block->bytes, i,
			  block->table == TABLE_ROUTES ? route_entry(sw->routes, from + i)
			  : block->table == TABLE_VIAS ? sw->routes->vias[from + i]
						       : host_entry(sw->translate, from + i));
}
