/*  table_read - routes, detours and hosts of a switch as blocks, from what the dataplane goes by (PG-11): flow channels and roce. */
#ifndef HEDDLE_SWITCHD_TABLE_READ_H
#define HEDDLE_SWITCHD_TABLE_READ_H

#include "nodes/table_block.h"
#include "switchd/route.h"
#include "switchd/translate.h"

/** table_read_blocks() - as node_ops.table_blocks, of TABLE_ROUTES, TABLE_VIAS, TABLE_HOSTS; 0 for others. */
uint32_t table_read_blocks(const struct route_table *routes, const struct translate *translate, enum table_kind table);

/** table_read_block() - as node_ops.table_read; @block's bytes are blank. */
void table_read_block(const struct route_table *routes, const struct translate *translate, struct table_block *block);

#endif
