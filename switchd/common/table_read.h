/*  table_read - the tables of a switch of flow channels or roce: all of them changed at once, and
 *  routes, detours and hosts read as blocks, from what the dataplane goes by (PG-11). */
#ifndef HEDDLE_SWITCHD_COMMON_TABLE_READ_H
#define HEDDLE_SWITCHD_COMMON_TABLE_READ_H

#include "nodes/config/table_block.h"
#include "switchd/common/route.h"
#include "switchd/common/translate.h"

/** table_replace() - both tables say what @config says; ports that are up stay so.
 *  Return: 1 if the routes are others now, 0 if not, or -ENOMEM: nothing has changed. */
int table_replace(struct route_table *routes, struct translate *translate,
		  const struct switch_config *config);

/** table_read_blocks() - as node_ops.table_blocks, of TABLE_ROUTES, TABLE_VIAS, TABLE_HOSTS; 0 for
 *  others. */
uint32_t table_read_blocks(const struct route_table *routes, const struct translate *translate,
			   enum table_kind table);

/** table_read_block() - as node_ops.table_read; @block's bytes are blank. */
void table_read_block(const struct route_table *routes, const struct translate *translate,
		      struct table_block *block);

#endif
