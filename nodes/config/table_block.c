#include "nodes/config/table_block.h"

#include <errno.h>
#include <inttypes.h>

const char *const table_kind_name[TABLE_KINDS] = {
	[TABLE_ROUTES] = "routes", [TABLE_VIAS] = "vias", [TABLE_HOSTS] = "hosts",
	[TABLE_FLOOD] = "flood",   [TABLE_LFT] = "lft",   [TABLE_PGFT] = "pgft",
	[TABLE_PGT] = "pgt",
};

static const struct {
	uint32_t entry_bytes, entries_max;
	uint8_t blank;
	uint32_t fabrics; /* set of enum fabric_kind */
} kinds[TABLE_KINDS] = {
	[TABLE_ROUTES] = { 8, NODE_SWITCHES_MAX + 1, 0,
			   1u << FABRIC_FLOW_CHANNEL | 1u << FABRIC_ROCE },
	[TABLE_VIAS] = { 2, NODE_SWITCHES_MAX + 1, 0, 1u << FABRIC_FLOW_CHANNEL },
	[TABLE_HOSTS] = { 4, NODE_COUNT_MAX, 0, 1u << FABRIC_FLOW_CHANNEL | 1u << FABRIC_ROCE },
	[TABLE_FLOOD] = { 8, 1, 0, 1u << FABRIC_ROCE | 1u << FABRIC_PORT_GROUP },
	[TABLE_LFT] = { 1, NODE_COUNT_MAX + 1, LFT_NO_PORT, 1u << FABRIC_PORT_GROUP },
	[TABLE_PGFT] = { 1, NODE_COUNT_MAX + 1, 0, 1u << FABRIC_PORT_GROUP },
	[TABLE_PGT] = { 8 * PORT_GROUP_WORDS, PORT_GROUPS_MAX, 0, 1u << FABRIC_PORT_GROUP },
};

bool table_of_fabric(enum fabric_kind fabric, enum table_kind table)
{
	return kinds[table].fabrics >> fabric & 1;
}

uint32_t table_entries(enum table_kind table)
{
	return TABLE_BLOCK_BYTES / kinds[table].entry_bytes;
}

uint32_t table_blocks(enum table_kind table, uint32_t entries)
{
	return (entries + table_entries(table) - 1) / table_entries(table);
}

uint32_t table_blocks_max(enum table_kind table)
{
	return table_blocks(table, kinds[table].entries_max);
}

uint8_t table_blank(enum table_kind table)
{
	return kinds[table].blank;
}

static void number_put(uint8_t *bytes, uint32_t length, uint64_t value)
{
	for (uint32_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t number_get(const uint8_t *bytes, uint32_t length)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < length; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

void table_put(enum table_kind table, uint8_t *bytes, uint32_t at, uint64_t value)
{
	number_put(bytes + (size_t)at * kinds[table].entry_bytes, kinds[table].entry_bytes, value);
}

uint64_t table_get(enum table_kind table, const uint8_t *bytes, uint32_t at)
{
	return number_get(bytes + (size_t)at * kinds[table].entry_bytes, kinds[table].entry_bytes);
}

void table_put_mask(uint8_t *bytes, uint32_t group, const uint64_t mask[PORT_GROUP_WORDS])
{
	for (uint32_t i = 0; i < PORT_GROUP_WORDS; i++)
		number_put(bytes + ((size_t)group * PORT_GROUP_WORDS + i) * 8, 8, mask[i]);
}

void table_get_mask(const uint8_t *bytes, uint32_t group, uint64_t mask[PORT_GROUP_WORDS])
{
	for (uint32_t i = 0; i < PORT_GROUP_WORDS; i++)
		mask[i] = number_get(bytes + ((size_t)group * PORT_GROUP_WORDS + i) * 8, 8);
}

/* ---- what may be written ---- */

static bool ports_there(const struct node_config *config, uint64_t ports)
{
	return config->port_count >= 64 || !(ports >> config->port_count);
}

/* entry @value of @table; bits of a PGT beyond the ports are ignored, not refused (PG-6) */
static bool entry_valid(const struct node_config *config, enum table_kind table, uint64_t value)
{
	switch (table) {
	case TABLE_ROUTES:
	case TABLE_FLOOD:
		return ports_there(config, value);
	case TABLE_VIAS:
		return value <= NODE_SWITCHES_MAX;
	case TABLE_HOSTS:
		return !value || (value & 0xffff && (value & 0xffff) <= NODE_SWITCHES_MAX &&
				  value >> 16 < NODE_PORTS_MAX);
	case TABLE_LFT:
		return value == LFT_NO_PORT || value < config->port_count;
	default:
		return true;
	}
}

int table_block_check(const struct node_config *config, const struct table_block *block,
		      struct why *why)
{
	if (config->kind != NODE_SWITCH || (uint32_t)block->table >= TABLE_KINDS ||
	    !table_of_fabric(config->fabric, block->table))
		return why_say(why, -ENOENT, "%s has no table %d", config->name, (int)block->table);
	if (block->number >= table_blocks_max(block->table))
		return why_say(why, -EINVAL, "table %s has no block %" PRIu32,
			       table_kind_name[block->table], block->number);
	for (uint32_t i = 0; block->table != TABLE_PGT && i < table_entries(block->table); i++) {
		uint64_t value = table_get(block->table, block->bytes, i);

		if (entry_valid(config, block->table, value))
			continue;
		return why_say(why, -EINVAL,
			       "entry %" PRIu32 " of block %" PRIu32
			       " of table %s names what is not there: %" PRIu64,
			       i, block->number, table_kind_name[block->table], value);
	}
	return 0;
}
