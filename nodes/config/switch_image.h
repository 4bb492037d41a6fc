/*  switch_image - all tables of a switch, as they are or are to be, in blocks (table_block.h). */
#ifndef HEDDLE_NODES_CONFIG_SWITCH_IMAGE_H
#define HEDDLE_NODES_CONFIG_SWITCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "nodes/config/table_block.h"

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

/** switch_image_same() - is block @block of @table the same? Both images have that block. */
bool switch_image_same(const struct switch_image *a, const struct switch_image *b,
		       enum table_kind table, uint32_t block);

/** switch_image_entries() - how many entries of @table there are. switch_image_get() - entry @at of
 *  it: table_get(). */
static inline uint32_t switch_image_entries(const struct switch_image *image, enum table_kind table)
{
	return image->tables[table].blocks * table_entries(table);
}

static inline uint64_t switch_image_get(const struct switch_image *image, enum table_kind table,
					uint32_t at)
{
	return table_get(table, image->tables[table].bytes, at);
}

#endif
