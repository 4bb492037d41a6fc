/*  translate - where a destination is: MAC, IPv4, IPv6 or HPC address -> egress switch and port
 *  (FC-3).
 *
 *  The addresses of a host follow from its number (address.h), so a table by number is enough: four
 *  bytes for each host at each switch. IP addresses of a host's own are in an open-addressed table
 *  beside it. Both are filled by the fabric manager and only read afterwards. An HPC frame is
 *  looked up by its endpoint, everything else by its destination MAC and, if that is unknown, by
 *  its IP address (frames handed to a gateway): a host's own, else the longest prefix that covers
 *  it (prefix_table.h), a network behind the router at that port. The frame goes out as it came in.
 *  A request for a host's MAC (ARP, neighbour solicitation) is forwarded by the IP address in it,
 *  to that host only, without a broadcast. Prefixes do not count for it (ours): hosts request MACs
 *  only of their own link, and another host may have an address within a prefix. A host with
 *  addresses of its own (prefix.h) has those instead of the ones of its number. */
#ifndef HEDDLE_SWITCHD_COMMON_TRANSLATE_H
#define HEDDLE_SWITCHD_COMMON_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "nodes/wire/frame.h"
#include "switchd/common/prefix_table.h"

struct translate_entry {
	uint16_t fabric_address; /* 0: unknown */
	uint8_t egress_port;
	bool own_addresses; /* instead of the IP addresses of its number */
};

/* an IP address that does not follow from the number of its host */
struct translate_own {
	uint8_t address[16];
	uint32_t host_index;
	uint8_t version; /* 4, 6; 0: free */
};

struct translate {
	struct translate_entry *hosts; /* [index_end] */
	uint32_t index_end;            /* host indices are below */
	struct translate_own *own;     /* open-addressed; NULL: there are none */
	uint32_t own_mask;
	struct prefix_table prefixes; /* networks that are reached through hosts */
};

/** translate_init() - the table of @host_count hosts, all four addresses of each, without prefixes.
 *  Return: 0 or -ENOMEM. */
int translate_init(struct translate *table, const struct host_config *hosts, uint32_t host_count);

/** translate_prefixes_set() - gives @table, which has none, @count prefixes and own addresses of
 *  hosts that prefix_list_check() has accepted; copied. Each leads to its host, or nowhere while
 *  the place of the host is unknown. Return: 0 or -ENOMEM. */
int translate_prefixes_set(struct translate *table, const struct prefix_config *prefixes,
			   uint32_t count);

/** translate_replace() - replaces all hosts of @table by @hosts, @host_count of them; prefixes
 *  stay.   Return: 0; -ENOMEM: nothing has changed. */
int translate_replace(struct translate *table, const struct host_config *hosts,
		      uint32_t host_count);
void translate_fini(struct translate *table);

/** translate_lookup() - where a frame goes. Return: borrowed entry, NULL if its destination is
 *  unknown. O(1); to an address of no host prefix_table_find() besides. */
const struct translate_entry *translate_lookup(const struct translate *table,
					       const struct frame_fields *fields);

/** translate_source() - where a frame comes from, by its source MAC. Return: borrowed entry, NULL
 *  if that is unknown. O(1). */
const struct translate_entry *translate_source(const struct translate *table,
					       const struct frame_fields *fields);

/** translate_host() - where host @host_index is. Return: borrowed entry, NULL if that is unknown.
 *  O(1). */
const struct translate_entry *translate_host(const struct translate *table, uint32_t host_index);

#endif
