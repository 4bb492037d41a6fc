/*  prefix_table - which host an IP address is reached through: the longest prefix that covers it
 *  (FC-3).
 *
 *  Prefixes are sorted, each before those within it. Two prefixes are either one within the other
 *  or disjoint. So the longest match of an address is the last prefix that begins at or below it,
 *  or encloses that one. A binary search finds that prefix, and a walk from prefix to enclosing
 *  prefix the match.
 *  Filled when the switch is made, only read afterwards: prefixes are configured, and the fabric
 *  manager knows nothing of them. It says where hosts are, which is looked up by the host's index
 *  (translate.h). */
#ifndef HEDDLE_SWITCHD_COMMON_PREFIX_TABLE_H
#define HEDDLE_SWITCHD_COMMON_PREFIX_TABLE_H

#include "nodes/config/prefix.h"

#define PREFIX_NO_HOST UINT32_MAX

struct prefix_entry {
	struct prefix_config prefix;
	uint32_t enclosing; /* index of the longest prefix around it; its own: there is none */
};

struct prefix_table {
	struct prefix_entry *entries; /* NULL: none */
	uint32_t count;
};

/** prefix_table_init() - of @count prefixes that prefix_list_check() has accepted; copied. Return:
 *  0 or -ENOMEM. */
int prefix_table_init(struct prefix_table *table, const struct prefix_config *prefixes,
		      uint32_t count);
void prefix_table_fini(struct prefix_table *table);

/** prefix_table_find() - the host that @address is reached through.
 *  @version  4 or 6; others are of no host.   @address  network order, 4 or 16 bytes.
 *  Return: host index or PREFIX_NO_HOST. O(log n + depth): at most 11 + 129 comparisons. */
uint32_t prefix_table_find(const struct prefix_table *table, uint32_t version,
			   const uint8_t *address);

#endif
