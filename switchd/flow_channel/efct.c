#include "switchd/flow_channel/efct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "nodes/base/array.h"
#include "nodes/base/bytes.h"
#include "nodes/base/ensure.h"
#include "nodes/base/table.h"

/* kinds of a pattern */
#define KIND_HPC 1u
#define KIND_IPV4 4u
#define KIND_IPV6 6u

/* place of @kind in the masks */
static uint32_t kind_index(uint8_t kind)
{
	return kind == KIND_HPC ? 1 : kind == KIND_IPV4 ? 2 : kind == KIND_IPV6 ? 3 : 0;
}

static void mac_mask(uint64_t bits, uint8_t mac[6])
{
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)(bits >> (40 - 8 * i));
}

/* The mask of a pattern of @kind. What such a frame does not have is 0 in its pattern, whatever the
 * mask. */
static void mask_fill(const struct flow_match *match, uint8_t kind, struct efct_pattern *mask)
{
	uint32_t source = (uint32_t)flow_match_part(match, PART_HPC_SOURCE);
	uint32_t destination = (uint32_t)flow_match_part(match, PART_HPC_DESTINATION);

	*mask = (struct efct_pattern){
		.source_port = (uint16_t)flow_match_part(match, PART_SOURCE_PORT),
		.destination_port = (uint16_t)flow_match_part(match, PART_DESTINATION_PORT),
		.flow_label = (uint32_t)flow_match_part(match, PART_FLOW_LABEL),
		.queue_pair = (uint32_t)flow_match_part(match, kind == KIND_HPC ? PART_HPC_PROCESS
										: PART_QUEUE_PAIR),
		.vlan = (uint16_t)flow_match_part(match, PART_VLAN),
		.ip_protocol = (uint8_t)flow_match_part(match, PART_IP_PROTOCOL),
	};
	mac_mask(flow_match_part(match, PART_SOURCE_MAC), mask->source_mac);
	mac_mask(flow_match_part(match, PART_DESTINATION_MAC), mask->destination_mac);
	if (kind == KIND_HPC) {
		memcpy(mask->source_ip, &source, sizeof(source));
		memcpy(mask->destination_ip, &destination, sizeof(destination));
	} else if (kind == KIND_IPV4) {
		bytes_put32(mask->source_ip, (uint32_t)flow_match_part(match, PART_SOURCE_IPV4));
		bytes_put32(mask->destination_ip,
			    (uint32_t)flow_match_part(match, PART_DESTINATION_IPV4));
	} else if (kind == KIND_IPV6) {
		bytes_put64(mask->source_ip, flow_match_part(match, PART_SOURCE_IPV6_HIGH));
		bytes_put64(mask->source_ip + 8, flow_match_part(match, PART_SOURCE_IPV6_LOW));
		bytes_put64(mask->destination_ip,
			    flow_match_part(match, PART_DESTINATION_IPV6_HIGH));
		bytes_put64(mask->destination_ip + 8,
			    flow_match_part(match, PART_DESTINATION_IPV6_LOW));
	}
}

/* what is wanted is in force */
static void match_apply(struct efct *efct)
{
	static const uint8_t kinds[EFCT_KINDS] = { 0, KIND_HPC, KIND_IPV4, KIND_IPV6 };
	struct efct_match *match = efct->match;

	match->now = match->wanted;
	efct->match_fields = match->now.fields;
	efct->masked = flow_match_masked(&match->now);
	for (uint32_t i = 0; efct->masked && i < EFCT_KINDS; i++)
		mask_fill(&match->now, kinds[i], &match->masks[i]);
}

int efct_init(struct efct *efct, uint32_t channels, const struct flow_match *match,
	      struct table_arena *arena)
{
	uint32_t chains = 16;

	while (chains < channels)
		chains *= 2;
	*efct = (struct efct){
		.channels = channels,
		.chain_count = chains,
		.match = calloc(1, sizeof(*efct->match)),
	};
	efct->chains = table_alloc(chains, sizeof(*efct->chains));
	if (!TABLE_INIT(efct->lines, channels, arena) ||
	    !TABLE_INIT(efct->patterns, channels, arena) || !efct->chains || !efct->match) {
		efct_fini(efct);
		return -ENOMEM;
	}
	efct->match->wanted = *match;
	match_apply(efct);
	return 0;
}

void efct_fini(struct efct *efct)
{
	TABLE_FINI(efct->patterns, efct->channels);
	TABLE_FINI(efct->lines, efct->channels);
	table_free(efct->chains, efct->chain_count, sizeof(*efct->chains));
	free(efct->match);
	*efct = (struct efct){ 0 };
}

/* not inlined: almost all patterns have no mask */
static void __attribute__((noinline, cold))
pattern_mask(const struct efct_pattern *mask, struct efct_pattern *pattern)
{
	uint64_t bits[sizeof(*mask) / 8], values[sizeof(*mask) / 8];

	memcpy(bits, mask, sizeof(bits));
	memcpy(values, pattern, sizeof(values));
	for (size_t i = 0; i < COUNT_OF(bits); i++)
		values[i] &= bits[i];
	memcpy(pattern, values, sizeof(values));
}

static void pattern_of_addresses(uint32_t match, const struct frame_fields *fields,
				 struct efct_pattern *pattern)
{
	if (match & MATCH_HPC && fields->hpc) {
		memcpy(pattern->source_ip, &fields->hpc_source, sizeof(fields->hpc_source));
		memcpy(pattern->destination_ip, &fields->hpc_destination,
		       sizeof(fields->hpc_destination));
		pattern->queue_pair = fields->hpc_process;
	}
	if (match & MATCH_HPC && fields->roce)
		pattern->queue_pair = fields->queue_pair;
	if (match & MATCH_IP_PAIR && fields->ip_version) {
		memcpy(pattern->source_ip, fields->source_ip, sizeof(pattern->source_ip));
		memcpy(pattern->destination_ip, fields->destination_ip,
		       sizeof(pattern->destination_ip));
	}
	if (match & MATCH_PORTS) {
		pattern->source_port = fields->source_port;
		pattern->destination_port = fields->destination_port;
		pattern->ip_protocol = fields->ip_protocol;
	}
	if (match & MATCH_FLOW_LABEL)
		pattern->flow_label = fields->flow_label;
}

uint64_t efct_pattern_of(const struct efct *efct, const struct frame_fields *fields,
			 uint32_t fabric_address, uint32_t egress_port, uint32_t traffic_class,
			 struct efct_pattern *pattern)
{
	uint32_t match = efct->match_fields;

	memset(pattern, 0, sizeof(*pattern));
	if (match & MATCH_SOURCE_MAC)
		memcpy(pattern->source_mac, fields->source_mac, sizeof(pattern->source_mac));
	if (match & MATCH_DESTINATION_MAC)
		memcpy(pattern->destination_mac, fields->destination_mac,
		       sizeof(pattern->destination_mac));
	if (match & MATCH_VLAN)
		pattern->vlan = fields->vlan;
	if (match & (MATCH_HPC | MATCH_IP_PAIR | MATCH_PORTS | MATCH_FLOW_LABEL))
		pattern_of_addresses(match, fields, pattern);
	if (efct->masked)
		pattern_mask(&efct->match->masks[kind_index(fields->hpc ? KIND_HPC
									: fields->ip_version)],
			     pattern);
	pattern->fabric_address = (uint16_t)fabric_address;
	pattern->egress_port = (uint8_t)egress_port;
	pattern->traffic_class = (uint8_t)traffic_class;
	pattern->kind = fields->hpc ? KIND_HPC : fields->ip_version;
	return XXH3_64bits(pattern, sizeof(*pattern));
}

static uint16_t *chain_of(struct efct *efct, uint64_t hash)
{
	if (efct->fresh <= EFCT_NEAR_LINES)
		return &efct->near_chains[hash & (EFCT_NEAR_CHAINS - 1)];
	return &efct->chains[hash & (efct->chain_count - 1)];
}

static void chain_add(struct efct *efct, uint16_t id)
{
	struct efct_line *line = TABLE_AT(efct->lines, id);
	uint16_t *chain = chain_of(efct, line->hash);

	line->next = *chain;
	*chain = (uint16_t)(id + 1);
}

/* one line more than ever, which the near chains serve no longer: those before it, all in use, move
 * to the others */
static uint16_t fresh_take(struct efct *efct)
{
	uint16_t id = (uint16_t)efct->fresh++;

	if (id == EFCT_NEAR_LINES)
		for (uint16_t before = 0; before < id; before++)
			chain_add(efct, before);
	return id;
}

static int allocate(struct efct *efct)
{
	uint16_t id = 0;

	if (efct->free) {
		id = efct->free - 1;
		efct->free = TABLE_AT(efct->lines, id)->next;
	} else if (efct->fresh < efct->channels) {
		id = fresh_take(efct);
	} else {
		return -ENOSPC;
	}
	ENSURE(efct->used, <, efct->channels);
	ENSURE(TABLE_AT(efct->lines, id)->active, ==, false);
	if (++efct->used > efct->used_max)
		efct->used_max = efct->used;
	return id;
}

int efct_classify(struct efct *efct, const struct efct_pattern *pattern, uint64_t hash)
{
	struct efct_line *line;
	int id;

	/* flows with a line wait too: else a permanent flow would keep new ones out for ever */
	if (efct->draining)
		return -ENOSPC;
	for (uint16_t next = *chain_of(efct, hash); next; next = line->next) {
		line = TABLE_AT(efct->lines, next - 1);
		if (line->hash == hash &&
		    !memcmp(TABLE_AT(efct->patterns, next - 1), pattern, sizeof(*pattern)))
			return next - 1;
	}
	id = allocate(efct);
	if (id < 0)
		return id;
	*TABLE_AT(efct->patterns, id) = *pattern;
	*TABLE_AT(efct->lines, id) = (struct efct_line){ .hash = hash, .active = true };
	chain_add(efct, (uint16_t)id);
	return id;
}

void efct_release(struct efct *efct, uint32_t flow_id)
{
	struct efct_line *line = TABLE_AT(efct->lines, flow_id);
	uint16_t *link = chain_of(efct, line->hash);

	ENSURE(line->active, ==, true);
	ENSURE(efct_flow_extent(line), ==, 0u);
	ENSURE(efct->used, >, 0u);
	while (*link != flow_id + 1) {
		ENSURE(*link, !=, 0); /* it is in its chain */
		link = &TABLE_AT(efct->lines, *link - 1)->next;
	}
	*link = line->next;
	line->active = false;
	line->next = efct->free;
	efct->free = (uint16_t)(flow_id + 1);
	if (!--efct->used) {
		if (efct->draining)
			match_apply(efct);
		efct->draining = false;
	}
}

void efct_match_set(struct efct *efct, const struct flow_match *match)
{
	efct->match->wanted = *match;
	if (!efct->used)
		match_apply(efct);
	else if (!flow_match_equal(&efct->match->now, match))
		efct->draining = true;
}
