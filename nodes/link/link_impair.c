#include "nodes/link/link_impair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nodes/link/link.h"
#include "nodes/stats/trace.h"
#include "nodes/wire/frame.h"

#define STREAM 0x696d706169720000ull /* of random numbers, plus the port */
#define SCRATCH IMPAIR_SLOTS         /* bytes of a damaged packet */
#define ETHERNET_BYTES 14u
#define ENVELOPE_BYTES 14u /* captured in front of a fabric header */

int link_impair_init(struct link *link, const struct node_config *config, uint32_t port)
{
	const struct port_config *p = &config->ports[port];

	if (!link->real && !p->reorder_ppb && !p->duplicate_ppb && !p->corrupt_ppb)
		return 0;
	/* untouched until it is used */
	link->impair = calloc(1, sizeof(*link->impair));
	if (!link->impair)
		return -ENOMEM;
	random_init(&link->impair->random, config->seed, STREAM + port);
	link->impair->next = link->impair->lent = IMPAIR_NONE;
	link_impair_set(link, p);
	return 0;
}

void link_impair_set(struct link *link, const struct port_config *port)
{
	struct link_impair *impair = link->impair;

	if (!impair)
		return;
	impair->reorder_ppb = port->reorder_ppb;
	impair->duplicate_ppb = port->duplicate_ppb;
	impair->corrupt_ppb = port->corrupt_ppb;
	impair->frames = port->reorder_frames;
	impair->wait_ps = port->reorder_wait_ps;
	/* what waits leaves by its own time */
	link->impaired = impair->count || impair->reorder_ppb || impair->duplicate_ppb ||
			 impair->corrupt_ppb;
}

/* ---- what waits ---- */

static bool earlier(const struct impair_slot *a, const struct impair_slot *b)
{
	return a->due_ps != b->due_ps ? a->due_ps < b->due_ps : a->number < b->number;
}

static uint32_t first_slot(const struct link_impair *impair)
{
	uint32_t first = IMPAIR_NONE;

	for (uint32_t i = 0; impair->count && i < IMPAIR_SLOTS; i++)
		if (impair->slots[i].used &&
		    (first == IMPAIR_NONE || earlier(&impair->slots[i], &impair->slots[first])))
			first = i;
	return first;
}

node_time_t link_impair_next_at(struct link *link, node_time_t ring_ps)
{
	struct link_impair *impair = link->impair;
	uint32_t first = first_slot(impair);

	impair->next = IMPAIR_NONE;
	if (first == IMPAIR_NONE || impair->slots[first].due_ps > ring_ps)
		return ring_ps;
	impair->next = first;
	return impair->slots[first].due_ps;
}

const uint8_t *link_impair_waiting(struct link *link, struct record *header)
{
	struct link_impair *impair = link->impair;
	struct impair_slot *slot = &impair->slots[impair->next];

	if (impair->next == IMPAIR_NONE)
		return NULL;
	*header = slot->header;
	link->stats->reordered += slot->passed && !slot->copy;
	impair->lent = impair->next;
	return impair->bytes[impair->lent];
}

bool link_impair_done(struct link *link)
{
	struct link_impair *impair = link->impair;

	if (impair->lent == IMPAIR_NONE)
		return false;
	impair->slots[impair->lent].used = false;
	impair->count--;
	impair->next = impair->lent = IMPAIR_NONE;
	return true;
}

void link_impair_lose(struct link *link)
{
	struct link_impair *impair = link->impair;

	for (uint32_t i = 0; impair->count && i < IMPAIR_SLOTS; i++) {
		const struct record *header = &impair->slots[i].header;
		uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes);

		if (!impair->slots[i].used)
			continue;
		trace_drop(link->page, DROP_LINK_DOWN, link->port, frame_bytes, NULL,
			   link->page->now_ps);
		link->stats->dropped_bytes += frame_bytes;
		link_release(link, header->traffic_class, link_units(link, header));
		impair->slots[i].used = false;
		impair->count--;
	}
	impair->next = impair->lent = IMPAIR_NONE;
}

/* the packet waits in a slot until @due; NULL: none is free */
static struct impair_slot *keep(struct link_impair *impair, const struct record *header,
				const uint8_t *bytes, node_time_t due)
{
	uint32_t i = 0;

	while (i < IMPAIR_SLOTS && impair->slots[i].used)
		i++;
	if (i == IMPAIR_SLOTS)
		return NULL;
	impair->slots[i] = (struct impair_slot){
		.used = true, .due_ps = due, .number = impair->numbers++, .header = *header
	};
	memcpy(impair->bytes[i], bytes, header->captured_bytes);
	impair->count++;
	return &impair->slots[i];
}

/* ---- a packet ---- */

static bool drawn(struct link_impair *impair, uint32_t ppb)
{
	return ppb && random_below(&impair->random, 1000000000) < ppb;
}

/* a packet is delivered at @now: those that are delayed have one less to wait for */
static void pass(struct link_impair *impair, node_time_t now)
{
	for (uint32_t i = 0; impair->count && i < IMPAIR_SLOTS; i++) {
		struct impair_slot *slot = &impair->slots[i];

		if (!slot->used || slot->copy)
			continue;
		slot->passed = true;
		if (slot->passes && !--slot->passes)
			slot->due_ps = now;
	}
}

static bool hold_back(struct link_impair *impair, const struct record *header, const uint8_t *bytes,
		      node_time_t now)
{
	struct impair_slot *slot = keep(impair, header, bytes, now + impair->wait_ps);

	if (slot)
		slot->passes = impair->frames;
	return slot;
}

/* the damaged packet; the peer may change its bytes in the ring, so a copy */
static const uint8_t *damage(struct link *link, const struct record *header, const uint8_t *bytes)
{
	uint32_t front_bytes = link->front_bytes ? link->front_bytes + ENVELOPE_BYTES : 0;
	uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes), bit;
	uint8_t *copy = link->impair->bytes[SCRATCH], *frame = copy + front_bytes;

	if (header->captured_bytes <= front_bytes + ETHERNET_BYTES)
		return bytes;
	memcpy(copy, bytes, header->captured_bytes);
	link->stats->corrupted++;
	if (header->captured_bytes - front_bytes < frame_bytes) {
		frame_payload_spoil(frame, header->captured_bytes - front_bytes, frame_bytes);
		return copy;
	}
	bit = (uint32_t)random_below(&link->impair->random,
				     8 * (header->captured_bytes - front_bytes - ETHERNET_BYTES));
	frame[ETHERNET_BYTES + bit / 8] ^= (uint8_t)(1u << bit % 8);
	return copy;
}

/* A copy of the packet follows, if there is space for it. None while the peer must stop: the rest
 * of the buffer is for what is in flight. */
static void duplicate(struct link *link, const struct record *header, const uint8_t *bytes,
		      node_time_t now)
{
	uint32_t units = link_units(link, header), lane = header->traffic_class;
	struct impair_slot *slot;

	if (link->rx.buffer_units && (link->stop.wanted >> lane % 8 & 1 ||
				      link->rx.held_units[lane] + units > link->rx.buffer_units))
		return;
	slot = keep(link->impair, header, bytes, now);
	if (!slot)
		return;
	slot->copy = true;
	if (link->rx.buffer_units)
		link->rx.held_units[lane] += units;
	link->stats->duplicated++;
	link->stats->duplicated_bytes += link_frame_bytes(link, header->wire_bytes);
}

const uint8_t *link_impair_packet(struct link *link, const struct record *header,
				  const uint8_t *bytes, node_time_t now)
{
	struct link_impair *impair = link->impair;
	bool late = drawn(impair, impair->reorder_ppb);
	bool twice = drawn(impair, impair->duplicate_ppb);

	if (drawn(impair, impair->corrupt_ppb))
		bytes = damage(link, header, bytes);
	if (late && hold_back(impair, header, bytes, now))
		return NULL;
	pass(impair, now);
	if (twice)
		duplicate(link, header, bytes, now);
	return bytes;
}
