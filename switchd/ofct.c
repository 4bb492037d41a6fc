#include "switchd/ofct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "switchd/ifct.h"

#define NONE UINT16_MAX

int ofct_init(struct ofct *ofct, uint32_t channels)
{
	uint32_t chains = 16;

	while (chains < channels)
		chains *= 2;
	*ofct = (struct ofct){ .channels = channels, .hash_mask = chains - 1, .free = NONE };
	ofct->entries = calloc(channels, sizeof(*ofct->entries));
	ofct->chains = malloc(chains * sizeof(*ofct->chains));
	if (!ofct->entries || !ofct->chains) {
		ofct_fini(ofct);
		return -ENOMEM;
	}
	memset(ofct->chains, 0xff, chains * sizeof(*ofct->chains));
	return 0;
}

void ofct_fini(struct ofct *ofct)
{
	free(ofct->entries);
	free(ofct->chains);
	*ofct = (struct ofct){ 0 };
}

/* ids are handed out densely, so low bits of port and id, spread over each other, are hash enough */
static uint16_t *chain_of(struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	return &ofct->chains[(flow_id ^ input_port * 181u) & ofct->hash_mask];
}

static int allocate(struct ofct *ofct)
{
	uint16_t id = ofct->free;

	if (id != NONE)
		ofct->free = ofct->entries[id].next;
	else if (ofct->fresh < ofct->channels)
		id = (uint16_t)ofct->fresh++;
	else
		return -ENOSPC;
	if (++ofct->used > ofct->used_max)
		ofct->used_max = ofct->used;
	return id;
}

int ofct_lookup(struct ofct *ofct, uint32_t input_port, uint32_t flow_id)
{
	uint16_t *chain = chain_of(ofct, input_port, flow_id);
	struct ofct_entry *entry;
	int id;

	for (uint16_t i = *chain; i != NONE; i = entry->next) {
		entry = &ofct->entries[i];
		if (entry->input_port_flow_id == flow_id && entry->input_port == input_port)
			return i;
	}
	id = allocate(ofct);
	if (id < 0)
		return id;
	entry = &ofct->entries[id];
	entry->input_port = (uint8_t)input_port;
	entry->input_port_flow_id = (uint16_t)flow_id;
	entry->ack_flow = entry->data_flow;
	entry->active = true;
	entry->next = *chain;
	*chain = (uint16_t)id;
	return id;
}

uint16_t ofct_send(struct ofct *ofct, uint32_t id, uint32_t units)
{
	struct ofct_entry *entry = &ofct->entries[id];
	uint16_t position = (uint16_t)entry->data_flow;

	entry->data_flow += units;
	return position;
}

static void release(struct ofct *ofct, uint32_t id)
{
	struct ofct_entry *entry = &ofct->entries[id];
	uint16_t *link = chain_of(ofct, entry->input_port, entry->input_port_flow_id);

	while (*link != id)
		link = &ofct->entries[*link].next;
	*link = entry->next;
	entry->active = false;
	entry->next = ofct->free;
	ofct->free = (uint16_t)id;
	ofct->used--;
}

bool ofct_on_ack(struct ofct *ofct, uint32_t id, uint32_t units, uint32_t *flow, bool *freed)
{
	struct ofct_entry *entry;

	*freed = false;
	if (id >= ofct->channels || !ofct->entries[id].active || !ofct_flow_extent(&ofct->entries[id]) ||
	    units > ofct_flow_extent(&ofct->entries[id]))
		return false;
	entry = &ofct->entries[id];
	entry->ack_flow += units;
	*flow = flow_ref(entry->input_port, entry->input_port_flow_id);
	if (!ofct_flow_extent(entry)) {
		release(ofct, id);
		*freed = true;
	}
	return true;
}

uint32_t ofct_lose(struct ofct *ofct, uint32_t id, uint32_t *flow)
{
	struct ofct_entry *entry = &ofct->entries[id];
	uint32_t units = ofct_flow_extent(entry);

	if (!entry->active)
		return 0;
	entry->ack_flow = entry->data_flow;
	*flow = flow_ref(entry->input_port, entry->input_port_flow_id);
	release(ofct, id);
	return units;
}
