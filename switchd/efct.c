#include "switchd/efct.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/table.h"

int efct_init(struct efct *efct, uint32_t channels, uint32_t match_fields)
{
	uint32_t chains = 16;

	while (chains < channels)
		chains *= 2;
	*efct = (struct efct){
		.channels = channels,
		.hash_mask = chains - 1,
		.match_fields = match_fields,
		.match_wanted = match_fields,
	};
	efct->patterns = table_alloc(channels, sizeof(*efct->patterns));
	efct->lines = table_alloc(channels, sizeof(*efct->lines));
	efct->chains = table_alloc(chains, sizeof(*efct->chains));
	if (!efct->patterns || !efct->lines || !efct->chains) {
		efct_fini(efct);
		return -ENOMEM;
	}
	return 0;
}

void efct_fini(struct efct *efct)
{
	table_free(efct->patterns, efct->channels, sizeof(*efct->patterns));
	table_free(efct->lines, efct->channels, sizeof(*efct->lines));
	table_free(efct->chains, efct->hash_mask + 1, sizeof(*efct->chains));
	*efct = (struct efct){ 0 };
}

static void pattern_of_addresses(uint32_t match, const struct frame_fields *fields, struct efct_pattern *pattern)
{
	if (match & MATCH_HPC && fields->hpc) {
		memcpy(pattern->source_ip, &fields->hpc_source, sizeof(fields->hpc_source));
		memcpy(pattern->destination_ip, &fields->hpc_destination, sizeof(fields->hpc_destination));
		pattern->queue_pair = fields->hpc_process;
	}
	if (match & MATCH_HPC && fields->roce)
		pattern->queue_pair = fields->queue_pair;
	if (match & MATCH_IP_PAIR && fields->ip_version) {
		memcpy(pattern->source_ip, fields->source_ip, sizeof(pattern->source_ip));
		memcpy(pattern->destination_ip, fields->destination_ip, sizeof(pattern->destination_ip));
	}
	if (match & MATCH_PORTS) {
		pattern->source_port = fields->source_port;
		pattern->destination_port = fields->destination_port;
		pattern->ip_protocol = fields->ip_protocol;
	}
	if (match & MATCH_FLOW_LABEL)
		pattern->flow_label = fields->flow_label;
}

uint64_t efct_pattern_of(const struct efct *efct, const struct frame_fields *fields, uint32_t fabric_address,
			 uint32_t egress_port, uint32_t traffic_class, struct efct_pattern *pattern)
{
	uint32_t match = efct->match_fields;

	memset(pattern, 0, sizeof(*pattern));
	if (match & MATCH_SOURCE_MAC)
		memcpy(pattern->source_mac, fields->source_mac, sizeof(pattern->source_mac));
	if (match & MATCH_DESTINATION_MAC)
		memcpy(pattern->destination_mac, fields->destination_mac, sizeof(pattern->destination_mac));
	if (match & MATCH_VLAN)
		pattern->vlan = fields->vlan;
	if (match & (MATCH_HPC | MATCH_IP_PAIR | MATCH_PORTS | MATCH_FLOW_LABEL))
		pattern_of_addresses(match, fields, pattern);
	pattern->fabric_address = (uint16_t)fabric_address;
	pattern->egress_port = (uint8_t)egress_port;
	pattern->traffic_class = (uint8_t)traffic_class;
	pattern->kind = fields->hpc ? 1 : fields->ip_version;
	return XXH3_64bits(pattern, sizeof(*pattern));
}

static int allocate(struct efct *efct)
{
	uint16_t id = 0;

	if (efct->free) {
		id = efct->free - 1;
		efct->free = efct->lines[id].next;
	} else if (efct->fresh < efct->channels) {
		id = (uint16_t)efct->fresh++;
	} else {
		return -ENOSPC;
	}
	if (++efct->used > efct->used_max)
		efct->used_max = efct->used;
	return id;
}

int efct_classify(struct efct *efct, const struct efct_pattern *pattern, uint64_t hash)
{
	uint16_t *chain = &efct->chains[hash & efct->hash_mask];
	struct efct_line *line;
	int id;

	if (efct->draining)
		return -ENOSPC; /* also who has a line: a permanent flow would else keep all new ones out */
	for (uint16_t next = *chain; next; next = line->next) {
		line = &efct->lines[next - 1];
		if (line->hash == hash && !memcmp(&efct->patterns[next - 1], pattern, sizeof(*pattern)))
			return next - 1;
	}
	id = allocate(efct);
	if (id < 0)
		return id;
	efct->patterns[id] = *pattern;
	efct->lines[id] = (struct efct_line){ .hash = hash, .next = *chain, .active = true };
	*chain = (uint16_t)(id + 1);
	return id;
}

void efct_release(struct efct *efct, uint32_t flow_id)
{
	struct efct_line *line = &efct->lines[flow_id];
	uint16_t *link = &efct->chains[line->hash & efct->hash_mask];

	while (*link != flow_id + 1)
		link = &efct->lines[*link - 1].next;
	*link = line->next;
	line->active = false;
	line->next = efct->free;
	efct->free = (uint16_t)(flow_id + 1);
	if (!--efct->used) {
		efct->match_fields = efct->match_wanted;
		efct->draining = false;
	}
}

void efct_match_set(struct efct *efct, uint32_t match_fields)
{
	efct->match_wanted = match_fields;
	if (!efct->used)
		efct->match_fields = match_fields;
	else if (match_fields != efct->match_fields)
		efct->draining = true;
}
