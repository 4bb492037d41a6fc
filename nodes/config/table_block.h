/*  table_block - a switch's tables in blocks of TABLE_BLOCK_BYTES, as a fabric manager reads and
 *  writes them (PG-11, FC-26).
 *
 *  Numbers are little-endian. An entry that says nothing is of the bytes table_blank(). Entries of
 *    TABLE_ROUTES  by fabric address: set of the ports that lead there, 8 bytes; 0: none does.
 *                  Address 0: ROUTE_UPWARD
 *    TABLE_VIAS    a list of fabric addresses that detours may go by, in this order, 2 bytes each;
 *                  0: the end
 *    TABLE_HOSTS   by host index: fabric address | egress port << 16, 4 bytes; 0: there is no such
 *                  host
 *    TABLE_FLOOD   one entry: set of the ports that floods go over, 8 bytes
 *    TABLE_LFT     by DLID: static port, 1 byte; LFT_NO_PORT (PG-2)
 *    TABLE_PGFT    by DLID: group, 1 byte (PG-5)
 *    TABLE_PGT     by group: 256-bit mask of ports, 32 bytes (PG-6)
 *  Tables of each kind of fabric: flow channels ROUTES, VIAS, HOSTS; roce ROUTES, HOSTS, FLOOD;
 *  port-group LFT, PGFT, PGT, FLOOD. */
#ifndef HEDDLE_NODES_CONFIG_TABLE_BLOCK_H
#define HEDDLE_NODES_CONFIG_TABLE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"

#define TABLE_BLOCK_BYTES 512u

enum table_kind {
	TABLE_ROUTES,
	TABLE_VIAS,
	TABLE_HOSTS,
	TABLE_FLOOD,
	TABLE_LFT,
	TABLE_PGFT,
	TABLE_PGT,
	TABLE_KINDS
};

extern const char *const table_kind_name[TABLE_KINDS];

struct table_block {
	enum table_kind table;
	uint32_t number;
	uint8_t bytes[TABLE_BLOCK_BYTES];
};

/** table_of_fabric() - has a switch of @fabric such a table? */
bool table_of_fabric(enum fabric_kind fabric, enum table_kind table);

/** table_entries() - how many entries a block holds. table_blocks() - blocks that @entries take.
 *  table_blocks_max() - of the largest table there can be. */
uint32_t table_entries(enum table_kind table);
uint32_t table_blocks(enum table_kind table, uint32_t entries);
uint32_t table_blocks_max(enum table_kind table);

/** table_blank() - the value of every byte of an empty entry. */
uint8_t table_blank(enum table_kind table);

/** table_put(), table_get() - entry @at of a table at @bytes, whose blocks are contiguous; not for
 *  TABLE_PGT, whose entries are PORT_GROUP_WORDS numbers: table_put_mask(), table_get_mask(). */
void table_put(enum table_kind table, uint8_t *bytes, uint32_t at, uint64_t value);
uint64_t table_get(enum table_kind table, const uint8_t *bytes, uint32_t at);
void table_put_mask(uint8_t *bytes, uint32_t group, const uint64_t mask[PORT_GROUP_WORDS]);
void table_get_mask(const uint8_t *bytes, uint32_t group, uint64_t mask[PORT_GROUP_WORDS]);

/** table_host(), table_host_read() - an entry of TABLE_HOSTS. */
static inline uint64_t table_host(const struct host_config *host)
{
	return host->fabric_address | (uint64_t)host->egress_port << 16;
}

static inline struct host_config table_host_read(uint32_t host_index, uint64_t entry)
{
	return (struct host_config){ .host_index = host_index,
				     .fabric_address = entry & 0xffff,
				     .egress_port = (uint32_t)(entry >> 16) };
}

/** table_block_check() - may a switch of @config be given @block?
 *  Return: 0; -ENOENT: it has no such table; -EINVAL: no such block, or an entry that names what is
 *  not there; a sentence in @why. */
int table_block_check(const struct node_config *config, const struct table_block *block,
		      struct why *why);

#endif
