#include "switchd/common/ecmp.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* no padding: it is hashed as it lies in memory */
struct ip_key {
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port;
	uint32_t protocol;
};

struct other_key {
	uint8_t source_mac[6], destination_mac[6];
	uint32_t ethertype, hpc_source, hpc_destination, hpc_process;
};

_Static_assert(sizeof(struct ip_key) == 40 && sizeof(struct other_key) == 28, "keys have no holes");

static uint64_t hash_ip(const struct frame_fields *fields, uint64_t seed)
{
	struct ip_key key = { .source_port = fields->source_port,
			      .destination_port = fields->destination_port,
			      .protocol = fields->ip_protocol };

	memcpy(key.source, fields->source_ip, sizeof(key.source));
	memcpy(key.destination, fields->destination_ip, sizeof(key.destination));
	return XXH3_64bits_withSeed(&key, sizeof(key), seed);
}

static uint64_t hash_other(const struct frame_fields *fields, uint64_t seed)
{
	struct other_key key = { .ethertype = fields->ethertype,
				 .hpc_source = fields->hpc_source,
				 .hpc_destination = fields->hpc_destination,
				 .hpc_process = fields->hpc_process };

	memcpy(key.source_mac, fields->source_mac, sizeof(key.source_mac));
	memcpy(key.destination_mac, fields->destination_mac, sizeof(key.destination_mac));
	return XXH3_64bits_withSeed(&key, sizeof(key), seed);
}

uint64_t ecmp_hash(const struct frame_fields *fields, uint64_t seed)
{
	return fields->ip_version ? hash_ip(fields, seed) : hash_other(fields, seed);
}

/* A flow whose port is down selects by the upper half of the hash: all flows of that port have the
 * same lower half, modulo the candidates. */
int ecmp_choose(const struct route_table *table, uint32_t fabric_address, uint32_t egress_port,
		uint64_t hash)
{
	return route_pick(table, fabric_address, egress_port, (uint32_t)hash,
			  (uint32_t)(hash >> 32));
}
