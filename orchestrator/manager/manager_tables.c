#include "orchestrator/manager/manager_tables.h"

#include <errno.h>

static int entries_widen(struct switch_image *image, enum table_kind table, uint32_t entries)
{
	return switch_image_widen(image, table, table_blocks(table, entries));
}

static void entry_put(struct switch_image *image, enum table_kind table, uint32_t at,
		      uint64_t value)
{
	table_put(table, image->tables[table].bytes, at, value);
}

static int routes_put(struct switch_image *image, const struct topology *topology,
		      const struct switch_tables *tables)
{
	if (entries_widen(image, TABLE_ROUTES, topology->switch_count + 1) ||
	    entries_widen(image, TABLE_VIAS, tables->via_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < topology->switch_count; i++)
		entry_put(image, TABLE_ROUTES, tables->routes[i].fabric_address,
			  tables->routes[i].ports);
	for (uint32_t i = 0; i < tables->via_count; i++)
		entry_put(image, TABLE_VIAS, i, tables->vias[i]);
	return 0;
}

static int hosts_put(struct switch_image *image, const struct topology *topology)
{
	if (entries_widen(image, TABLE_HOSTS, topology->host_count))
		return -ENOMEM;
	for (uint32_t h = 0; h < topology->host_count; h++)
		if (topology->hosts[h].fabric_address)
			entry_put(image, TABLE_HOSTS, h, table_host(&topology->hosts[h]));
	return 0;
}

static int lids_put(struct switch_image *image, const struct lid_tables *lids)
{
	if (entries_widen(image, TABLE_LFT, lids->lid_count) ||
	    entries_widen(image, TABLE_PGFT, lids->lid_count) ||
	    entries_widen(image, TABLE_PGT, lids->group_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < lids->lid_count; i++) {
		entry_put(image, TABLE_LFT, i, lids->lft[i]);
		entry_put(image, TABLE_PGFT, i, lids->pgft[i]);
	}
	for (uint32_t g = 0; g < lids->group_count; g++)
		table_put_mask(image->tables[TABLE_PGT].bytes, g, lids->pgt[g]);
	return 0;
}

int manager_tables_make(enum fabric_kind fabric, const struct topology *topology,
			const struct routing *routing, uint32_t index, uint64_t flood_ports,
			struct switch_image *image)
{
	const struct switch_tables *tables = &routing->switches[index];
	int error = 0;

	*image = (struct switch_image){ 0 };
	if (table_of_fabric(fabric, TABLE_ROUTES))
		error = routes_put(image, topology, tables);
	if (!error && table_of_fabric(fabric, TABLE_HOSTS))
		error = hosts_put(image, topology);
	if (!error && table_of_fabric(fabric, TABLE_LFT))
		error = lids_put(image, &tables->lids);
	if (!error && table_of_fabric(fabric, TABLE_FLOOD))
		error = entries_widen(image, TABLE_FLOOD, 1);
	if (!error && table_of_fabric(fabric, TABLE_FLOOD))
		entry_put(image, TABLE_FLOOD, 0, flood_ports);
	return error;
}
