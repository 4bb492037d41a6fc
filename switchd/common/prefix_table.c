#include "switchd/common/prefix_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool encloses(const struct prefix_config *outer, const struct prefix_config *inner)
{
	return outer->version == inner->version && prefix_covers(outer, inner->address);
}

/* the longest prefix around entry @at is the one before it, or encloses that one */
static uint32_t enclosing_find(const struct prefix_table *table, uint32_t at)
{
	const struct prefix_entry *entries = table->entries;
	uint32_t outer;

	if (!at)
		return at;
	for (outer = at - 1; !encloses(&entries[outer].prefix, &entries[at].prefix);
	     outer = entries[outer].enclosing)
		if (entries[outer].enclosing == outer)
			return at;
	return outer;
}

int prefix_table_init(struct prefix_table *table, const struct prefix_config *prefixes,
		      uint32_t count)
{
	*table = (struct prefix_table){ 0 };
	if (!count)
		return 0;
	table->entries = calloc(count, sizeof(*table->entries));
	if (!table->entries)
		return -ENOMEM;
	for (; table->count < count; table->count++) {
		table->entries[table->count].prefix = prefixes[table->count];
		table->entries[table->count].enclosing = enclosing_find(table, table->count);
	}
	return 0;
}

void prefix_table_fini(struct prefix_table *table)
{
	free(table->entries);
	*table = (struct prefix_table){ 0 };
}

/* number of entries that begin at or below the address of @wanted */
static uint32_t begin_by(const struct prefix_table *table, const struct prefix_config *wanted)
{
	uint32_t low = 0, high = table->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (prefix_order(&table->entries[middle].prefix, wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t prefix_table_find(const struct prefix_table *table, uint32_t version,
			   const uint8_t *address)
{
	struct prefix_config wanted = { .version = (uint8_t)version };
	uint32_t at;

	if (!table->count || (version != 4 && version != 6))
		return PREFIX_NO_HOST;
	wanted.bits = (uint8_t)prefix_bits_max(version);
	memcpy(wanted.address, address, wanted.bits / 8);
	at = begin_by(table, &wanted);
	if (!at--)
		return PREFIX_NO_HOST;
	while (!encloses(&table->entries[at].prefix, &wanted)) {
		if (table->entries[at].enclosing == at)
			return PREFIX_NO_HOST;
		at = table->entries[at].enclosing;
	}
	return table->entries[at].prefix.host_index;
}
