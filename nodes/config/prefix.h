/*  prefix - a network that is reached through a host, as a router's is (FC-3): the addresses that
 *  begin with the same bits.
 *
 *  Lists of prefixes are in the order of prefix_order(): a prefix stands before all that lie within
 *  it, so the same prefix twice is found side by side, and switchd/common/prefix_table.h finds the
 *  longest match by halving.
 *  A list also has the addresses of hosts that do not have those of their number
 *  (nodes/wire/address.h): of full length, and marked. */
#ifndef HEDDLE_NODES_CONFIG_PREFIX_H
#define HEDDLE_NODES_CONFIG_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/base/why.h"

#define NODE_PREFIXES_MAX 1024u /* in one fabric, with hosts' own addresses */

struct prefix_config {
	uint32_t host_index;
	uint8_t version;     /* 4 or 6 */
	uint8_t bits;        /* 0..32 or 0..128 */
	bool own;            /* no network: the host's own address, of full length */
	uint8_t address[16]; /* network order, 0 after its bits; IPv4 in the first four bytes */
};

/** prefix_bits_max() - bits of an address of IP @version, 4 or 6. Pure. */
static inline uint32_t prefix_bits_max(uint32_t version)
{
	return version == 4 ? 32 : 128;
}

/** prefix_mask() - the bits of byte @byte of an address that belong to a prefix of @bits bits.
 *  Pure. */
uint8_t prefix_mask(uint32_t bits, uint32_t byte);

/** prefix_covers() - does @address, in network order and of the prefix's version, lie within
 *  @prefix? Reads as many bytes as the prefix's length fills. Pure. */
bool prefix_covers(const struct prefix_config *prefix, const uint8_t *address);

/** prefix_last() - the highest address within @prefix; as many bytes as an address of its version
 *  has. Pure. */
void prefix_last(const struct prefix_config *prefix, uint8_t last[16]);

/** prefix_is_clean() - is the version known, the length within its range, and is the address 0
 *  after it? Pure. */
bool prefix_is_clean(const struct prefix_config *prefix);

/** prefix_order() - by version, then address, then length, shorter first; hosts do not matter.
 *  Return: as memcmp(). Pure. */
int prefix_order(const struct prefix_config *a, const struct prefix_config *b);

/** prefix_list_check() - is each of the @count prefixes clean, of a host below @host_end, and after
 *  the one before it in prefix_order()? Return: 0, or -EINVAL with a sentence in @why, always
 *  terminated. */
int prefix_list_check(const struct prefix_config *prefixes, uint32_t count, uint32_t host_end,
		      struct why *why);

#endif
