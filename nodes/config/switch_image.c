#include "nodes/config/switch_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int switch_image_widen(struct switch_image *image, enum table_kind table, uint32_t blocks)
{
	struct table_image *at = &image->tables[table];
	uint8_t *bytes;

	if (blocks <= at->blocks)
		return 0;
	bytes = realloc(at->bytes, (size_t)blocks * TABLE_BLOCK_BYTES);
	if (!bytes)
		return -ENOMEM;
	memset(bytes + (size_t)at->blocks * TABLE_BLOCK_BYTES, table_blank(table),
	       (size_t)(blocks - at->blocks) * TABLE_BLOCK_BYTES);
	*at = (struct table_image){ .blocks = blocks, .bytes = bytes };
	return 0;
}

void switch_image_free(struct switch_image *image)
{
	for (int table = 0; table < TABLE_KINDS; table++)
		free(image->tables[table].bytes);
	*image = (struct switch_image){ 0 };
}

bool switch_image_same(const struct switch_image *a, const struct switch_image *b,
		       enum table_kind table, uint32_t block)
{
	return !memcmp(switch_image_block(a, table, block), switch_image_block(b, table, block),
		       TABLE_BLOCK_BYTES);
}
