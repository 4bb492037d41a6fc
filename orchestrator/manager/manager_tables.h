/*  manager_tables - a switch's tables as blocks, wanted and read: a part of the fabric manager. */
#ifndef HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TABLES_H
#define HEDDLE_ORCHESTRATOR_MANAGER_MANAGER_TABLES_H

#include <stddef.h>

#include "nodes/config/table_block.h"
#include "orchestrator/routing/routing.h"

struct table_image {
	uint32_t blocks;
	uint8_t *bytes; /* [blocks * TABLE_BLOCK_BYTES] */
};

struct switch_image {
	struct table_image tables[TABLE_KINDS];
};

/** switch_image_widen() - extends @table to at least @blocks blocks; new ones are blank.
 *  Return: 0 or -ENOMEM. */
int switch_image_widen(struct switch_image *image, enum table_kind table, uint32_t blocks);
void switch_image_free(struct switch_image *image);

static inline uint8_t *switch_image_block(const struct switch_image *image, enum table_kind table,
					  uint32_t block)
{
	return image->tables[table].bytes + (size_t)block * TABLE_BLOCK_BYTES;
}

/** switch_image_make() - the tables that switch @index must have in a fabric of kind @fabric.
 *  Return: 0 or -ENOMEM. */
int switch_image_make(enum fabric_kind fabric, const struct topology *topology,
		      const struct routing *routing, uint32_t index, uint64_t flood_ports,
		      struct switch_image *image);

/** switch_image_same() - is block @block of @table as wanted? Both images have that block. */
bool switch_image_same(const struct switch_image *is, const struct switch_image *wanted,
		       enum table_kind table, uint32_t block);

#endif
