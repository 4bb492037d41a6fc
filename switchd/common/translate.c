#include "switchd/common/translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/wire/address.h"

enum translate_kind {
	TRANSLATE_FREE,
	TRANSLATE_MAC,
	TRANSLATE_IPV4,
	TRANSLATE_IPV6,
	TRANSLATE_HPC
};

static struct translate_entry *slot_of(const struct translate *table, uint8_t kind,
				       const uint8_t address[16])
{
	uint32_t at = (uint32_t)XXH3_64bits_withSeed(address, 16, kind) & table->mask;

	while (table->entries[at].kind &&
	       (table->entries[at].kind != kind || memcmp(table->entries[at].address, address, 16)))
		at = (at + 1) & table->mask;
	return &table->entries[at];
}

static void add(struct translate *table, const struct host_config *host, uint8_t kind,
		const void *bytes, size_t length)
{
	uint8_t address[16] = { 0 };
	struct translate_entry *entry;

	memcpy(address, bytes, length);
	entry = slot_of(table, kind, address);
	memcpy(entry->address, address, sizeof(address));
	entry->kind = kind;
	entry->fabric_address = (uint16_t)host->fabric_address;
	entry->egress_port = (uint8_t)host->egress_port;
}

/* what else is found by an address of host @host: its own ones, if it has some */
static bool add_own(struct translate *table, const struct host_config *host)
{
	bool any = false;

	for (uint32_t i = 0; i < table->prefixes.count; i++) {
		const struct prefix_config *prefix = &table->prefixes.entries[i].prefix;

		if (!prefix->own || prefix->host_index != host->host_index)
			continue;
		any = true;
		add(table, host, prefix->version == 4 ? TRANSLATE_IPV4 : TRANSLATE_IPV6,
		    prefix->address, prefix_bits_max(prefix->version) / 8);
	}
	return any;
}

static void add_host(struct translate *table, const struct host_config *host)
{
	uint32_t ipv4 = __builtin_bswap32(address_ipv4(host->host_index));
	uint32_t hpc = address_hpc(host->host_index);
	uint8_t mac[6], ipv6[16];

	address_mac(host->host_index, mac);
	address_ipv6(host->host_index, ipv6);
	add(table, host, TRANSLATE_MAC, mac, sizeof(mac));
	add(table, host, TRANSLATE_HPC, &hpc, sizeof(hpc));
	if (add_own(table, host))
		return;
	add(table, host, TRANSLATE_IPV4, &ipv4, sizeof(ipv4));
	add(table, host, TRANSLATE_IPV6, ipv6, sizeof(ipv6));
}

static uint32_t own_count(const struct prefix_table *prefixes)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < prefixes->count; i++)
		count += prefixes->entries[i].prefix.own;
	return count;
}

/* fills the entries from table->hosts and table->prefixes; -ENOMEM: they are as before */
static int entries_fill(struct translate *table)
{
	struct translate_entry *before = table->entries;
	uint32_t size = 16, needed = table->host_count * 8 + own_count(&table->prefixes) * 2;

	while (size < needed)
		size *= 2;
	table->entries = calloc(size, sizeof(*table->entries));
	if (!table->entries) {
		table->entries = before;
		return -ENOMEM;
	}
	free(before);
	table->mask = size - 1;
	for (uint32_t i = 0; i < table->host_count; i++)
		add_host(table,
			 &(struct host_config){ .host_index = table->hosts[i].host_index,
						.fabric_address = table->hosts[i].fabric_address,
						.egress_port = table->hosts[i].egress_port });
	return 0;
}

static int table_init(struct translate *table, const struct host_config *hosts, uint32_t host_count,
		      struct prefix_table prefixes)
{
	*table = (struct translate){ .host_count = host_count, .prefixes = prefixes };
	table->hosts = calloc(host_count + 1, sizeof(*table->hosts));
	if (!table->hosts)
		return -ENOMEM;
	for (uint32_t i = 0; i < host_count; i++) {
		if (hosts[i].host_index >= table->index_end)
			table->index_end = hosts[i].host_index + 1;
		table->hosts[i] =
			(struct translate_place){ .host_index = hosts[i].host_index,
						  .fabric_address =
							  (uint16_t)hosts[i].fabric_address,
						  .egress_port = (uint8_t)hosts[i].egress_port };
	}
	if (!entries_fill(table))
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

	return error || !own_count(&table->prefixes) ? error : entries_fill(table);
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
	free(table->entries);
	free(table->hosts);
	*table = (struct translate){ 0 };
}

static const struct translate_entry *find(const struct translate *table, uint8_t kind,
					  const void *bytes, size_t length)
{
	uint8_t address[16] = { 0 };
	const struct translate_entry *entry;

	memcpy(address, bytes, length);
	entry = slot_of(table, kind, address);
	return entry->kind ? entry : NULL;
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
		return find(table, TRANSLATE_HPC, &fields->hpc_destination,
			    sizeof(fields->hpc_destination));
	entry = find(table, TRANSLATE_MAC, fields->destination_mac,
		     sizeof(fields->destination_mac));
	if (!entry && fields->ip_version == 4 && !fields->group)
		entry = find(table, TRANSLATE_IPV4, fields->destination_ip, 4);
	if (!entry && fields->ip_version == 6 && !fields->group)
		entry = find(table, TRANSLATE_IPV6, fields->destination_ip, 16);
	if (!entry)
		entry = find_router(table, fields);
	if (!entry && fields->target_version == 4 && fields->group)
		entry = find(table, TRANSLATE_IPV4, fields->target_ip, 4);
	if (!entry && fields->target_version == 6 && fields->group)
		entry = find(table, TRANSLATE_IPV6, fields->target_ip, 16);
	return entry;
}

const struct translate_entry *translate_source(const struct translate *table,
					       const struct frame_fields *fields)
{
	return find(table, TRANSLATE_MAC, fields->source_mac, sizeof(fields->source_mac));
}

const struct translate_entry *translate_host(const struct translate *table, uint32_t host_index)
{
	uint8_t mac[6];

	address_mac(host_index, mac);
	return find(table, TRANSLATE_MAC, mac, sizeof(mac));
}
