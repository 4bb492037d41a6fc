/*  switch_tables - routes and hosts of a switch of flow channels or roce: replaced all at once, and
 *  read as blocks (PG-11). The functions are members of node_ops. */
#ifndef HEDDLE_SWITCHD_COMMON_SWITCH_TABLES_H
#define HEDDLE_SWITCHD_COMMON_SWITCH_TABLES_H

#include "nodes/config/table_block.h"
#include "switchd/common/switch.h"

/** switch_tables_init() - @routes and @translate, members of the kind's switch, become what the
 *  configuration says; all ports with a link are up. Return: 0 or -ENOMEM. */
int switch_tables_init(struct switch_shell *sw, struct route_table *routes,
		       struct translate *translate);
void switch_tables_fini(struct switch_shell *sw);

/** switch_tables_replace() - node_ops.tables. The set of ports that are up stays. */
int switch_tables_replace(void *dataplane, const struct switch_config *config);

/** switch_tables_blocks(), switch_tables_read() - node_ops.table_blocks and table_read, of
 *  TABLE_ROUTES, TABLE_VIAS and TABLE_HOSTS, and with a flood tree of TABLE_FLOOD. */
uint32_t switch_tables_blocks(void *dataplane, enum table_kind table);
void switch_tables_read(void *dataplane, struct table_block *block);

#endif
