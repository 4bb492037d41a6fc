/*  lid_tables - tables as the fabric manager writes and reads them: members of node_ops. */
#ifndef HEDDLE_SWITCHD_PORT_GROUP_LID_TABLES_H
#define HEDDLE_SWITCHD_PORT_GROUP_LID_TABLES_H

#include "switchd/port_group/lid_switch.h"

int lid_tables_set(void *dataplane, const struct switch_config *config);
uint32_t lid_table_blocks(void *dataplane, enum table_kind table);

/** lid_table_read() - of the LFT what was written, not what choices have made of it since (PG-8).
 *  Table "lft" of switch_show() has both. */
void lid_table_read(void *dataplane, struct table_block *block);

#endif
