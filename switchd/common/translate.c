#include "switchd/common/translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/base/bytes.h"
#include "nodes/wire/address.h"

static struct translate_own *own_slot(const struct translate *table, uint8_t version,
				      const uint8_t address[16])
{
	uint32_t at = (uint32_t)XXH3_64bits_withSeed(address, 16, version) & table->own_mask;

	while (table->own[at].version &&
	       (table->own[at].version != version || memcmp(table->own[at].address, address, 16)))
		at = (at + 1) & table->own_mask;
	return &table->own[at];
}

/* the first @bits of @from; the rest is 0 */
static void address_copy(uint8_t to[16], const uint8_t *from, uint32_t bits)
{
	memset(to, 0, 16);
	memcpy(to, from, bits / 8);
}

static uint32_t own_count(const struct prefix_table *prefixes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < prefixes->count; i++)
		count += prefixes->entries[i].prefix.own;
	return count;
}

/* own addresses of all hosts: twice as many slots as addresses, at least.  Return: 0 or -ENOMEM,
 * and nothing has changed */
static int own_fill(struct translate *table)
{
	uint32_t size = 16, count = own_count(&table->prefixes);

	if (!count)
		return 0;
	while (size < 2 * count)
		size *= 2;
	table->own = calloc(size, sizeof(*table->own));
	if (!table->own)
		return -ENOMEM;
	table->own_mask = size - 1;
	for (uint32_t i = 0; i < table->prefixes.count; i++) {
		const struct prefix_config *prefix = &table->prefixes.entries[i].prefix;
		struct translate_own *own;
		uint8_t address[16];

		if (!prefix->own)
			continue;
		address_copy(address, prefix->address, prefix_bits_max(prefix->version));
		own = own_slot(table, prefix->version, address);
		memcpy(own->address, address, sizeof(address));
		own->version = prefix->version;
		own->host_index = prefix->host_index;
		if (prefix->host_index < table->index_end)
			table->hosts[prefix->host_index].own_addresses = true;
	}
	return 0;
}

static int table_init(struct translate *table, const struct host_config *hosts, uint32_t host_count,
		      struct prefix_table prefixes)
{
	*table = (struct translate){ .prefixes = prefixes };
	for (uint32_t i = 0; i < host_count; i++)
		if (hosts[i].host_index >= table->index_end)
			table->index_end = hosts[i].host_index + 1;
	table->hosts = calloc(table->index_end, sizeof(*table->hosts));
	if (!table->hosts)
		return -ENOMEM;
	for (uint32_t i = 0; i < host_count; i++)
		table->hosts[hosts[i].host_index] =
			(struct translate_entry){ .fabric_address =
							  (uint16_t)hosts[i].fabric_address,
						  .egress_port = (uint8_t)hosts[i].egress_port };
	if (!own_fill(table))
		return 0;
	free(table->hosts);
	table->hosts = NULL;
	return -ENOMEM;
}

int translate_init(struct translate *table, const struct host_config *hosts, uint32_t host_count)
{
	int error = table_init(table, hosts, host_count, (struct prefix_table){ 0 });

	if (error)
		*table = (struct translate){ 0 };
	return error;
}

int translate_prefixes_set(struct translate *table, const struct prefix_config *prefixes,
			   uint32_t count)
{
	int error = prefix_table_init(&table->prefixes, prefixes, count);

	return error ? error : own_fill(table);
}

int translate_replace(struct translate *table, const struct host_config *hosts, uint32_t host_count)
{
	struct translate next;

	if (table_init(&next, hosts, host_count, table->prefixes))
		return -ENOMEM;
	table->prefixes = (struct prefix_table){ 0 };
	translate_fini(table);
	*table = next;
	return 0;
}

void translate_fini(struct translate *table)
{
	prefix_table_fini(&table->prefixes);
	free(table->own);
	free(table->hosts);
	*table = (struct translate){ 0 };
}

const struct translate_entry *translate_host(const struct translate *table, uint32_t host_index)
{
	return host_index < table->index_end && table->hosts[host_index].fabric_address
		       ? &table->hosts[host_index]
		       : NULL;
}

/* where the host with IP address @address is */
static const struct translate_entry *find_ip(const struct translate *table, uint32_t version,
					     const uint8_t *address)
{
	const struct translate_entry *entry;

	if (table->own) {
		const struct translate_own *own;
		uint8_t whole[16];

		address_copy(whole, address, version == 4 ? 32 : 128);
		own = own_slot(table, (uint8_t)version, whole);
		if (own->version)
			return translate_host(table, own->host_index);
	}
	entry = translate_host(table, version == 4 ? address_host_of_ipv4(bytes_get32(address))
						   : address_host_of_ipv6(address));
	return entry && !entry->own_addresses ? entry : NULL;
}

/* is it never routed, whatever prefixes say [RFC 3927, 2.7; RFC 4291, 2.5.6]? */
static bool is_link_local(const struct frame_fields *fields)
{
	const uint8_t *ip = fields->destination_ip;

	return fields->ip_version == 4 ? ip[0] == 169 && ip[1] == 254
				       : ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
}

/* the router that the frame's destination is reached through */
static const struct translate_entry *find_router(const struct translate *table,
						 const struct frame_fields *fields)
{
	uint32_t host;

	if (!table->prefixes.count || fields->group || is_link_local(fields))
		return NULL;
	host = prefix_table_find(&table->prefixes, fields->ip_version, fields->destination_ip);
	return host == PREFIX_NO_HOST ? NULL : translate_host(table, host);
}

const struct translate_entry *translate_lookup(const struct translate *table,
					       const struct frame_fields *fields)
{
	const struct translate_entry *entry;

	if (fields->hpc)
		return translate_host(table, address_host_of_hpc(fields->hpc_destination));
	entry = translate_host(table, address_host_of_mac(fields->destination_mac));
	if (!entry && fields->ip_version && !fields->group)
		entry = find_ip(table, fields->ip_version, fields->destination_ip);
	if (!entry)
		entry = find_router(table, fields);
	if (!entry && fields->target_version && fields->group)
		entry = find_ip(table, fields->target_version, fields->target_ip);
	return entry;
}

const struct translate_entry *translate_source(const struct translate *table,
					       const struct frame_fields *fields)
{
	return translate_host(table, address_host_of_mac(fields->source_mac));
}
