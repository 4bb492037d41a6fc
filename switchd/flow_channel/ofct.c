#include "switchd/flow_channel/ofct.h"

#include <errno.h>

#include "nodes/base/ensure.h"
#include "nodes/base/table.h"
#include "switchd/flow_channel/ifct.h"

int ofct_init(struct ofct *ofct, uint32_t channels, uint32_t levels, uint32_t *towards,
	      uint32_t port_count, struct table_arena *arena)
{
	uint32_t chains = 16;

	while (chains < channels)
		chains *= 2;
	*ofct = (struct ofct){ .channels = channels,
			       .hash_mask = chains - 1,
			       .levels = levels,
			       .towards = towards,
			       .port_count = port_count };
	ofct->chains = table_alloc(chains, sizeof(*ofct->chains));
	if (!TABLE_INIT(ofct->entries, channels, arena) ||
	    !TABLE_INIT(ofct->tails, channels, arena) ||
	    !TABLE_INIT(ofct->headroom, channels, arena) || !ofct->chains) {
		ofct_fini(ofct);
		return -ENOMEM;
	}
	return 0;
}

void ofct_fini(struct ofct *ofct)
{
	TABLE_FINI(ofct->entries, ofct->channels);
	TABLE_FINI(ofct->tails, ofct->channels);
	TABLE_FINI(ofct->headroom, ofct->channels);
	table_free(ofct->chains, ofct->hash_mask + 1, sizeof(*ofct->chains));
	*ofct = (struct ofct){ 0 };
}

/* ids are handed out densely, so this is hash enough; low ids have the near chains */
static uint32_t chain_index(const struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	return (flow_id * ofct->port_count + input_port) & ofct->hash_mask;
}

static uint16_t *chain_of(struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	uint32_t chain = chain_index(ofct, input_port, flow_id);

	return chain < OFCT_NEAR_CHAINS ? &ofct->near_chains[chain] : &ofct->chains[chain];
}

static int allocate(struct ofct *ofct)
{
	uint16_t id = 0;

	if (ofct->free) {
		id = ofct->free - 1;
		ofct->free = TABLE_AT(ofct->entries, id)->next;
	} else if (ofct->fresh < ofct->channels) {
		id = (uint16_t)ofct->fresh++;
	} else {
		return -ENOSPC;
	}
	ENSURE(ofct->used, <, ofct->channels);
	ENSURE(TABLE_AT(ofct->entries, id)->active & 1, ==, 0);
	if (++ofct->used > ofct->used_max)
		ofct->used_max = ofct->used;
	return id;
}

int ofct_find(const struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	uint32_t chain = chain_index(ofct, input_port, flow_id);
	const struct ofct_entry *entry;
	uint16_t next = chain < OFCT_NEAR_CHAINS ? ofct->near_chains[chain] : ofct->chains[chain];

	for (; next; next = entry->next) {
		entry = TABLE_AT(ofct->entries, next - 1);
		if (entry->input_port_flow_id == flow_id && entry->input_port == input_port)
			return next - 1;
	}
	return -ENOENT;
}

bool ofct_may_take(const struct ofct *ofct, uint32_t level)
{
	uint32_t kept = 0; /* for others */

	for (uint32_t other = 0; other < ofct->levels; other++)
		kept += other != level && !ofct->used_at[other];
	return ofct->channels - ofct->used > (ofct->used_at[level] ? kept : 0);
}

int ofct_lookup(struct ofct *ofct, uint32_t input_port, uint32_t flow_id, uint32_t level)
{
	uint16_t *chain = chain_of(ofct, input_port, flow_id);
	int id = ofct_find(ofct, input_port, flow_id);
	struct ofct_entry *entry;

	if (id >= 0)
		return id;
	id = ofct_may_take(ofct, level) ? allocate(ofct) : -ENOSPC;
	if (id < 0)
		return id;
	ofct->used_at[level]++;
	entry = TABLE_AT(ofct->entries, id);
	entry->input_port = (uint8_t)input_port;
	entry->input_port_flow_id = (uint16_t)flow_id;
	entry->ack_flow = entry->data_flow;
	entry->active = true;
	entry->level = level & (OFCT_LEVELS_MAX - 1);
	entry->metered = false;
	entry->next = *chain;
	*chain = (uint16_t)(id + 1);
	return id;
}

uint16_t ofct_send(struct ofct *ofct, uint32_t id, uint32_t units, uint16_t destination)
{
	struct ofct_entry *entry = TABLE_AT(ofct->entries, id);
	uint16_t position = (uint16_t)entry->data_flow;

	ENSURE(entry->active & 1, ==, 1);
	if (entry->data_flow != entry->ack_flow)
		ENSURE(entry->destination, ==, destination);
	entry->data_flow += units;
	entry->destination = destination;
	ofct->extent_units += units;
	*ofct_towards(ofct, destination) += units;
	return position;
}

/* @units of @entry are in flight no more */
static void settle(struct ofct *ofct, const struct ofct_entry *entry, uint32_t units)
{
	ENSURE(*ofct_towards(ofct, entry->destination), >=, units);
	ofct->extent_units -= units;
	*ofct_towards(ofct, entry->destination) -= units;
}

static void release(struct ofct *ofct, uint32_t id)
{
	struct ofct_entry *entry = TABLE_AT(ofct->entries, id);
	uint16_t *link = chain_of(ofct, entry->input_port, entry->input_port_flow_id);

	ENSURE(entry->active & 1, ==, 1);
	ENSURE(ofct->used, >, 0u);
	ENSURE(ofct->used_at[entry->level], >, 0);
	while (*link != id + 1) {
		ENSURE(*link, !=, 0); /* it is in its chain */
		link = &TABLE_AT(ofct->entries, *link - 1)->next;
	}
	*link = entry->next;
	entry->active = false;
	entry->next = ofct->free;
	ofct->free = (uint16_t)(id + 1);
	ofct->used--;
	ofct->used_at[entry->level]--;
}

/* are @units of channel @id in flight, and at least one? */
static bool is_in_flight(const struct ofct *ofct, uint32_t id, uint32_t units)
{
	return id < ofct->channels && TABLE_AT(ofct->entries, id)->active &&
	       ofct_flow_extent(TABLE_AT(ofct->entries, id)) &&
	       units <= ofct_flow_extent(TABLE_AT(ofct->entries, id));
}

/* @units of channel @id, whose positions say so already, are in flight no more */
static void done(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed)
{
	const struct ofct_entry *entry = TABLE_AT(ofct->entries, id);

	settle(ofct, entry, units);
	*flow = flow_ref(entry->input_port, entry->input_port_flow_id);
	ENSURE(ofct_flow_extent(entry), <, 1u << 31);
	*freed = !ofct_flow_extent(entry);
	if (*freed)
		release(ofct, id);
}

bool ofct_on_ack(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed)
{
	*freed = false;
	if (!is_in_flight(ofct, id, units))
		return false;
	TABLE_AT(ofct->entries, id)->ack_flow += units;
	done(ofct, id, units, flow, freed);
	return true;
}

void ofct_seen(struct ofct *ofct, uint32_t id, uint32_t units)
{
	ENSURE(id, <, ofct->fresh);
	TABLE_AT(ofct->tails, id)->told_flow += units;
	TABLE_AT(ofct->tails, id)->lost_units = 0;
}

uint32_t ofct_missing(struct ofct *ofct, uint32_t id, uint32_t units)
{
	struct ofct_tail *tail = TABLE_AT(ofct->tails, id);

	ENSURE(id, <, ofct->fresh);
	tail->told_flow += units;
	tail->lost_units += units;
	return tail->told_flow == TABLE_AT(ofct->entries, id)->data_flow ? tail->lost_units : 0;
}

bool ofct_take_back(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed)
{
	*freed = false;
	TABLE_AT(ofct->tails, id)->lost_units = 0;
	if (!is_in_flight(ofct, id, units))
		return false;
	TABLE_AT(ofct->entries, id)->data_flow -= units;
	TABLE_AT(ofct->tails, id)->told_flow -= units;
	done(ofct, id, units, flow, freed);
	return true;
}

void ofct_restart(struct ofct *ofct)
{
	for (uint32_t id = 0; id < ofct->fresh; id++) {
		TABLE_AT(ofct->entries, id)->data_flow = TABLE_AT(ofct->entries, id)->ack_flow = 0;
		*TABLE_AT(ofct->tails, id) = (struct ofct_tail){ 0 };
	}
}

bool ofct_give_back(struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	int id = ofct_find(ofct, input_port, flow_id);

	if (id < 0 || ofct_flow_extent(TABLE_AT(ofct->entries, id)))
		return false;
	release(ofct, (uint32_t)id);
	return true;
}

uint32_t ofct_lose(struct ofct *ofct, uint32_t id, uint32_t *flow)
{
	struct ofct_entry *entry = TABLE_AT(ofct->entries, id);
	uint32_t units = ofct_flow_extent(entry);

	if (!entry->active)
		return 0;
	settle(ofct, entry, units);
	entry->ack_flow = entry->data_flow;
	*flow = flow_ref(entry->input_port, entry->input_port_flow_id);
	release(ofct, id);
	return units;
}
