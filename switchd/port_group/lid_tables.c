#include "switchd/port_group/lid_tables.h"

#include <errno.h>

int lid_tables_set(void *dataplane, const struct switch_config *config)
{
	struct lid_switch *lid = dataplane;

	if (port_group_set(&lid->tables, &config->lids))
		return -ENOMEM;
	lid->sw.flood_ports = config->flood_ports;
	lid->sw.tables_changed = true;
	lid->sw.stats->tables_taken++;
	return 0;
}

uint32_t lid_table_blocks(void *dataplane, enum table_kind table)
{
	const struct lid_switch *lid = dataplane;

	switch (table) {
	case TABLE_FLOOD:
		return 1;
	case TABLE_LFT:
	case TABLE_PGFT:
		return table_blocks(table, lid->tables.lid_count);
	case TABLE_PGT:
		return table_blocks(table, PORT_GROUPS_MAX);
	default:
		return 0;
	}
}

void lid_table_read(void *dataplane, struct table_block *block)
{
	const struct lid_switch *lid = dataplane;
	const struct port_group *tables = &lid->tables;
	uint32_t entries = table_entries(block->table), first = block->number * entries;

	if (block->table == TABLE_FLOOD)
		table_put(TABLE_FLOOD, block->bytes, 0, lid->sw.flood_ports);
	for (uint32_t i = 0; block->table == TABLE_PGT && i < entries; i++)
		table_put_mask(block->bytes, i,
			       (uint64_t[PORT_GROUP_WORDS]){ tables->mask[first + i] });
	if (block->table != TABLE_LFT && block->table != TABLE_PGFT)
		return;
	for (uint32_t i = 0; i < entries && first + i < tables->lid_count; i++)
		table_put(block->table, block->bytes, i,
			  block->table == TABLE_LFT ? tables->lids[first + i].home
						    : tables->lids[first + i].group);
}
