#include "nodes/node/managed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void managed_init(struct managed *managed, const struct node_config *config,
		  const struct link *links, const struct node_ops *ops, void *dataplane)
{
	*managed = (struct managed){
		.config = config, .links = links, .ops = ops, .dataplane = dataplane
	};
}

/* nothing is being collected */
static void staged_forget(struct managed *managed)
{
	switch_image_free(&managed->staged);
	managed->staging = managed->spoiled = false;
}

/* there is no memory to go on collecting: what follows is refused, instead of taking effect
 * alone */
static int staged_spoil(struct managed *managed)
{
	staged_forget(managed);
	managed->staging = managed->spoiled = true;
	return -ENOMEM;
}

void managed_fini(struct managed *managed)
{
	staged_forget(managed);
}

/* ---- identity ---- */

/* a dataplane of a fabric kind without tables has no such operations */
static bool has_table(const struct managed *managed, enum table_kind table)
{
	return managed->config->kind == NODE_SWITCH && managed->ops->table_read &&
	       table_of_fabric(managed->config->fabric, table);
}

static uint32_t blocks_used(const struct managed *managed, enum table_kind table)
{
	return has_table(managed, table) ? managed->ops->table_blocks(managed->dataplane, table)
					 : 0;
}

void managed_identify_planned(const struct node_config *config, struct node_identity *identity)
{
	*identity = (struct node_identity){ .kind = config->kind,
					    .fabric = config->fabric,
					    .index = config->index,
					    .port_count = config->port_count };
	snprintf(identity->name, sizeof(identity->name), "%s", config->name);
	if (config->kind == NODE_SWITCH)
		identity->fabric_address = config->switch_.fabric_address;
	else
		identity->host_index = config->nic.host_index;
	for (uint32_t p = 0; p < config->port_count; p++) {
		const struct port_config *port = &config->ports[p];

		if (port->vacant)
			continue;
		identity->ports[p] = (struct port_identity){ .kind = port->kind,
							     .plugged = true,
							     .up = true,
							     .tier = port->tier,
							     .peer_index = port->peer_index,
							     .peer_port = port->peer_port,
							     .rate_bps = port->rate_bps };
	}
}

void managed_identify(const struct managed *managed, struct node_identity *identity)
{
	const struct node_config *config = managed->config;

	managed_identify_planned(config, identity);
	for (int table = 0; table < TABLE_KINDS; table++)
		identity->table_blocks[table] = blocks_used(managed, (enum table_kind)table);
	for (uint32_t p = 0; p < config->port_count; p++)
		if (identity->ports[p].plugged)
			identity->ports[p].up = !managed->links[p].down;
}

/* ---- tables ---- */

/* is there such a block? It is blank then. */
static int block_blank(const struct managed *managed, struct table_block *block, struct why *why)
{
	if ((uint32_t)block->table < TABLE_KINDS)
		memset(block->bytes, table_blank(block->table), sizeof(block->bytes));
	return table_block_check(managed->config, block, why);
}

int managed_read(const struct managed *managed, struct table_block *block, struct why *why)
{
	int error = block_blank(managed, block, why);

	if (!error && block->number < blocks_used(managed, block->table))
		managed->ops->table_read(managed->dataplane, block);
	return error;
}

/* a change begins with the tables as they are */
static int staged_begin(struct managed *managed)
{
	for (int table = 0; table < TABLE_KINDS; table++) {
		uint32_t used = blocks_used(managed, (enum table_kind)table);

		if (switch_image_widen(&managed->staged, (enum table_kind)table, used))
			return -ENOMEM;
		for (uint32_t i = 0; i < used; i++) {
			struct table_block block = { .table = (enum table_kind)table, .number = i };

			memset(block.bytes, table_blank(block.table), sizeof(block.bytes));
			managed->ops->table_read(managed->dataplane, &block);
			memcpy(switch_image_block(&managed->staged, block.table, i), block.bytes,
			       TABLE_BLOCK_BYTES);
		}
	}
	managed->staging = true;
	return 0;
}

int managed_begin(struct managed *managed)
{
	staged_forget(managed);
	if (managed->config->kind != NODE_SWITCH || !managed->ops->table_read)
		return -ENOENT;
	return staged_begin(managed) ? staged_spoil(managed) : 0;
}

static int staged_put(struct managed *managed, const struct table_block *block)
{
	if (managed->spoiled ||
	    switch_image_widen(&managed->staged, block->table, block->number + 1))
		return staged_spoil(managed);
	memcpy(switch_image_block(&managed->staged, block->table, block->number), block->bytes,
	       TABLE_BLOCK_BYTES);
	return 0;
}

/* @block, and nothing else, takes effect */
static int write_alone(struct managed *managed, const struct table_block *block)
{
	int error = managed_begin(managed);

	if (!error)
		error = staged_put(managed, block);
	if (!error)
		return managed_commit(managed);
	staged_forget(managed);
	return error;
}

int managed_write(struct managed *managed, const struct table_block *block, struct why *why)
{
	int error = table_block_check(managed->config, block, why);

	if (!error && !has_table(managed, block->table))
		error = -ENOENT;
	if (error)
		return error;
	return managed->staging ? staged_put(managed, block) : write_alone(managed, block);
}

int managed_read_back(const struct managed *managed, struct table_block *block, struct why *why)
{
	int error = block_blank(managed, block, why);

	if (error)
		return error;
	if (!managed->staging || managed->spoiled)
		return why_say(why, -EINVAL, "nothing is collected: TABLE_BEGIN comes first");
	if (block->number < managed->staged.tables[block->table].blocks)
		memcpy(block->bytes,
		       switch_image_block(&managed->staged, block->table, block->number),
		       TABLE_BLOCK_BYTES);
	return 0;
}

static void routes_take(const struct managed *managed, struct switch_config *tables)
{
	for (uint32_t a = 0; a < switch_image_entries(&managed->staged, TABLE_ROUTES); a++) {
		uint64_t ports = switch_image_get(&managed->staged, TABLE_ROUTES, a);

		if (ports)
			tables->routes[tables->route_count++] =
				(struct route_config){ .fabric_address = a, .ports = ports };
	}
}

static void vias_take(const struct managed *managed, struct switch_config *tables)
{
	while (tables->via_count < switch_image_entries(&managed->staged, TABLE_VIAS)) {
		uint64_t address =
			switch_image_get(&managed->staged, TABLE_VIAS, tables->via_count);

		if (!address)
			return;
		tables->vias[tables->via_count++] = (uint16_t)address;
	}
}

static void hosts_take(const struct managed *managed, struct switch_config *tables)
{
	for (uint32_t h = 0; h < switch_image_entries(&managed->staged, TABLE_HOSTS); h++) {
		uint64_t host = switch_image_get(&managed->staged, TABLE_HOSTS, h);

		if (host)
			tables->hosts[tables->host_count++] = table_host_read(h, host);
	}
}

/* LFT and PGFT lie as the dataplane has them, byte by byte.  Return: 0; -ENOMEM */
static int lids_take(struct managed *managed, struct lid_tables *lids)
{
	const struct table_image *lft = &managed->staged.tables[TABLE_LFT],
				 *pgft = &managed->staged.tables[TABLE_PGFT];

	if (switch_image_widen(&managed->staged, TABLE_LFT, pgft->blocks) ||
	    switch_image_widen(&managed->staged, TABLE_PGFT, lft->blocks))
		return -ENOMEM;
	*lids = (struct lid_tables){ .lid_count = switch_image_entries(&managed->staged, TABLE_LFT),
				     .lft = lft->bytes,
				     .pgft = pgft->bytes,
				     .group_count =
					     switch_image_entries(&managed->staged, TABLE_PGT) };
	lids->pgt = calloc(lids->group_count, sizeof(*lids->pgt));
	for (uint32_t g = 0; g < lids->group_count && lids->pgt; g++)
		table_get_mask(managed->staged.tables[TABLE_PGT].bytes, g, lids->pgt[g]);
	return lids->pgt ? 0 : -ENOMEM;
}

int managed_commit(struct managed *managed)
{
	struct switch_config tables = { .fabric_address = managed->config->switch_.fabric_address };
	int error = -ENOMEM;

	if (!managed->staging)
		return -EINVAL;
	tables.routes = calloc(switch_image_entries(&managed->staged, TABLE_ROUTES),
			       sizeof(*tables.routes));
	tables.vias =
		calloc(switch_image_entries(&managed->staged, TABLE_VIAS), sizeof(*tables.vias));
	tables.hosts =
		calloc(switch_image_entries(&managed->staged, TABLE_HOSTS), sizeof(*tables.hosts));
	if (!managed->spoiled && tables.routes && tables.vias && tables.hosts &&
	    !lids_take(managed, &tables.lids)) {
		routes_take(managed, &tables);
		vias_take(managed, &tables);
		hosts_take(managed, &tables);
		if (managed->staged.tables[TABLE_FLOOD].blocks)
			tables.flood_ports = switch_image_get(&managed->staged, TABLE_FLOOD, 0);
		error = managed->ops->tables(managed->dataplane, &tables);
	}
	free(tables.routes);
	free(tables.vias);
	free(tables.hosts);
	free(tables.lids.pgt);
	staged_forget(managed);
	return error;
}
