#include "orchestrator/fabric/table_shelf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void table_shelf_init(struct table_shelf *shelf, struct fabric *fabric)
{
	*shelf = (struct table_shelf){ .fabric = fabric };
	shelf->tables = calloc(TABLE_SHELF_MAX, sizeof(*shelf->tables));
	shelf->error = shelf->tables ? 0 : -ENOMEM;
}

void table_shelf_free(struct table_shelf *shelf)
{
	for (uint32_t i = 0; i < shelf->count; i++) {
		node_table_free(&shelf->tables[i].table);
		free(shelf->tables[i].name);
	}
	free(shelf->tables);
	*shelf = (struct table_shelf){ 0 };
}

const struct node_table *table_shelf_get(struct table_shelf *shelf, uint32_t node, const char *name)
{
	static const struct node_table none;
	struct shelf_table *entry;
	int error;

	for (uint32_t i = 0; i < shelf->count; i++)
		if (shelf->tables[i].node == node && !strcmp(shelf->tables[i].name, name))
			return &shelf->tables[i].table;
	if (shelf->error || shelf->count == TABLE_SHELF_MAX)
		return &none;
	entry = &shelf->tables[shelf->count];
	*entry = (struct shelf_table){ .node = node, .name = strdup(name) };
	error = entry->name ? fabric_show(shelf->fabric, node, name, -1, &entry->table, &shelf->why)
			    : -ENOMEM;
	if (error) {
		shelf->error = error;
		free(entry->name);
		return &none;
	}
	shelf->count++;
	return &entry->table;
}
