#include "nodes/managed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void managed_init(struct managed *managed, const struct node_config *config, const struct link *links,
		  const struct node_ops *ops, void *dataplane)
{
	*managed = (struct managed){ .config = config, .links = links, .ops = ops, .dataplane = dataplane };
}

/* nothing is being collected */
static void staged_forget(struct managed *managed)
{
	for (int table = 0; table < TABLE_KINDS; table++) {
		free(managed->staged[table].bytes);
		managed->staged[table] = (struct staged_table){ 0 };
	}
	managed->staging = false;
}

void managed_fini(struct managed *managed)
{
	staged_forget(managed);
}

/* ---- who it is ---- */

/* a dataplane of a fabric kind without tables has no such operations */
static bool has_table(const struct managed *managed, enum table_kind table)
{
	return managed->config->kind == NODE_SWITCH && managed->ops->table_read &&
	       table_of_fabric(managed->config->fabric, table);
}

static uint32_t blocks_used(const struct managed *managed, enum table_kind table)
{
	return has_table(managed, table) ? managed->ops->table_blocks(managed->dataplane, table) : 0;
}

void managed_identify(const struct managed *managed, struct node_identity *identity)
{
	const struct node_config *config = managed->config;

	*identity = (struct node_identity){
		.kind = config->kind, .fabric = config->fabric, .index = config->index, .port_count = config->port_count
	};
	snprintf(identity->name, sizeof(identity->name), "%s", config->name);
	if (config->kind == NODE_SWITCH)
		identity->fabric_address = config->switch_.fabric_address;
	else
		identity->host_index = config->nic.host_index;
	for (int table = 0; table < TABLE_KINDS; table++)
		identity->table_blocks[table] = blocks_used(managed, (enum table_kind)table);
	for (uint32_t p = 0; p < config->port_count; p++) {
		const struct port_config *port = &config->ports[p];

		if (port->vacant)
			continue;
		identity->ports[p] = (struct port_identity){ .kind = port->kind,
							     .plugged = true,
							     .up = !managed->links[p].down,
							     .tier = port->tier,
							     .peer_index = port->peer_index,
							     .peer_port = port->peer_port,
							     .rate_bps = port->rate_bps };
	}
}

/* ---- tables ---- */

int managed_read(const struct managed *managed, struct table_block *block, char *why, unsigned why_max)
{
	int error;

	if ((uint32_t)block->table < TABLE_KINDS)
		memset(block->bytes, table_blank(block->table), sizeof(block->bytes));
	error = table_block_check(managed->config, block, why, why_max);
	if (!error && block->number < blocks_used(managed, block->table))
		managed->ops->table_read(managed->dataplane, block);
	return error;
}

/* room for @count blocks, the new ones blank */
static int staged_widen(struct staged_table *staged, enum table_kind table, uint32_t count)
{
	uint8_t *bytes;

	if (count <= staged->block_count)
		return 0;
	bytes = realloc(staged->bytes, (size_t)count * TABLE_BLOCK_BYTES);
	if (!bytes)
		return -ENOMEM;
	memset(bytes + (size_t)staged->block_count * TABLE_BLOCK_BYTES, table_blank(table),
	       (size_t)(count - staged->block_count) * TABLE_BLOCK_BYTES);
	*staged = (struct staged_table){ .block_count = count, .bytes = bytes };
	return 0;
}

/* a change begins with the tables as they are */
static int staged_begin(struct managed *managed)
{
	for (int table = 0; table < TABLE_KINDS; table++) {
		uint32_t used = blocks_used(managed, (enum table_kind)table);

		if (staged_widen(&managed->staged[table], (enum table_kind)table, used))
			return -ENOMEM;
		for (uint32_t i = 0; i < used; i++) {
			struct table_block block = { .table = (enum table_kind)table, .number = i };

			memset(block.bytes, table_blank(block.table), sizeof(block.bytes));
			managed->ops->table_read(managed->dataplane, &block);
			memcpy(managed->staged[table].bytes + (size_t)i * TABLE_BLOCK_BYTES, block.bytes,
			       TABLE_BLOCK_BYTES);
		}
	}
	managed->staging = true;
	return 0;
}

int managed_write(struct managed *managed, const struct table_block *block, char *why, unsigned why_max)
{
	int error = table_block_check(managed->config, block, why, why_max);

	if (!error && !has_table(managed, block->table))
		error = -ENOENT;
	if (error)
		return error;
	if (managed->ops->table_write)
		return managed->ops->table_write(managed->dataplane, block);
	if (!managed->staging)
		error = staged_begin(managed);
	if (!error)
		error = staged_widen(&managed->staged[block->table], block->table, block->number + 1);
	if (error)
		staged_forget(managed);
	else
		memcpy(managed->staged[block->table].bytes + (size_t)block->number * TABLE_BLOCK_BYTES, block->bytes,
		       TABLE_BLOCK_BYTES);
	return error;
}

static uint32_t staged_entries(const struct managed *managed, enum table_kind table)
{
	return managed->staged[table].block_count * table_entries(table);
}

static uint64_t staged_get(const struct managed *managed, enum table_kind table, uint32_t at)
{
	return table_get(table, managed->staged[table].bytes, at);
}

static void routes_take(const struct managed *managed, struct switch_config *tables)
{
	for (uint32_t a = 0; a < staged_entries(managed, TABLE_ROUTES); a++) {
		uint64_t ports = staged_get(managed, TABLE_ROUTES, a);

		if (ports)
			tables->routes[tables->route_count++] =
				(struct route_config){ .fabric_address = a, .ports = ports };
	}
}

static void vias_take(const struct managed *managed, struct switch_config *tables)
{
	while (tables->via_count < staged_entries(managed, TABLE_VIAS)) {
		uint64_t address = staged_get(managed, TABLE_VIAS, tables->via_count);

		if (!address)
			return;
		tables->vias[tables->via_count++] = (uint16_t)address;
	}
}

static void hosts_take(const struct managed *managed, struct switch_config *tables)
{
	for (uint32_t h = 0; h < staged_entries(managed, TABLE_HOSTS); h++) {
		uint64_t host = staged_get(managed, TABLE_HOSTS, h);

		if (host)
			tables->hosts[tables->host_count++] = (struct host_config){
				.host_index = h, .fabric_address = host & 0xffff, .egress_port = (uint32_t)(host >> 16)
			};
	}
}

int managed_commit(struct managed *managed)
{
	struct switch_config tables = { .fabric_address = managed->config->switch_.fabric_address };
	int error = -ENOMEM;

	if (!managed->staging)
		return 0;
	tables.routes = calloc(staged_entries(managed, TABLE_ROUTES) + 1, sizeof(*tables.routes));
	tables.vias = calloc(staged_entries(managed, TABLE_VIAS) + 1, sizeof(*tables.vias));
	tables.hosts = calloc(staged_entries(managed, TABLE_HOSTS) + 1, sizeof(*tables.hosts));
	if (tables.routes && tables.vias && tables.hosts) {
		routes_take(managed, &tables);
		vias_take(managed, &tables);
		hosts_take(managed, &tables);
		if (managed->staged[TABLE_FLOOD].block_count)
			tables.flood_ports = staged_get(managed, TABLE_FLOOD, 0);
		error = managed->ops->tables(managed->dataplane, &tables);
	}
	free(tables.routes);
	free(tables.vias);
	free(tables.hosts);
	staged_forget(managed);
	return error;
}
