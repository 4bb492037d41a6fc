#include "switchd/flow_channel/ifct.h"

#include <errno.h>

#include "nodes/base/ensure.h"
#include "nodes/base/table.h"

int ifct_init(struct ifct *ifct, uint32_t channels, struct table_arena *arena)
{
	*ifct = (struct ifct){ .channels = channels };
	return TABLE_INIT(ifct->entries, channels, arena) ? 0 : -ENOMEM;
}

void ifct_fini(struct ifct *ifct)
{
	TABLE_FINI(ifct->entries, ifct->channels);
	*ifct = (struct ifct){ 0 };
}

static void set_up(struct ifct *ifct, struct ifct_entry *entry, const struct packet *packet)
{
	*entry = (struct ifct_entry){
		.next_data_flow = entry->next_data_flow,
		.data_flow = entry->data_flow,
		.ack_flow = entry->ack_flow,
		.next_ref = FLOW_REF_NONE,
		.fabric_address = packet->fabric_address,
		.egress_port = packet->egress_port,
		.traffic_class = packet->traffic_class,
		.in_lane = packet->lane & 15,
		.active = true,
		.marked = entry->marked,
	};
	ENSURE(ifct->used, <, ifct->channels);
	if (++ifct->used > ifct->used_max)
		ifct->used_max = ifct->used;
}

/* advances all positions over @units that were lost: no extent changes */
static void move_on(struct ifct_entry *entry, uint32_t units)
{
	entry->next_data_flow += units;
	entry->data_flow += units;
	entry->ack_flow += units;
}

/* what @position is ahead of the one expected: a hole, if it is less than half of what 16 bits can
 * count */
static uint16_t ahead_of(const struct ifct_entry *entry, uint16_t position)
{
	return (uint16_t)(position - (uint16_t)entry->next_data_flow);
}

static bool is_hole(uint16_t ahead)
{
	return ahead < 1u << 15;
}

struct ifct_entry *ifct_arrive(struct ifct *ifct, const struct packet *packet, uint16_t position,
			       uint32_t *hole_units)
{
	struct ifct_entry *entry = TABLE_AT(ifct->entries, packet->flow_id);
	uint16_t ahead = ahead_of(entry, position);

	*hole_units = 0;
	if (entry->active && (!is_hole(ahead) || packet->lane != entry->in_lane ||
			      packet->fabric_address != entry->fabric_address ||
			      packet->egress_port != entry->egress_port))
		return NULL;
	if (!entry->active)
		set_up(ifct, entry, packet);
	move_on(entry, ahead);
	/* else a peer that counts otherwise on a free channel: its position holds from now on */
	if (is_hole(ahead))
		*hole_units = ahead;
	return entry;
}

uint32_t ifct_skip(struct ifct *ifct, uint32_t flow_id, uint16_t position, uint32_t units)
{
	struct ifct_entry *entry = TABLE_AT(ifct->entries, flow_id);
	uint16_t ahead = ahead_of(entry, position);

	if (!is_hole(ahead))
		return 0; /* the next packet sets the channel up again, or contradicts it */
	move_on(entry, ahead + units);
	return ahead;
}

bool ifct_push(struct ifct_entry *entry, struct packet *packet)
{
	bool was_empty = !entry->queue.head;

	packet_queue_push(&entry->queue, packet);
	entry->next_data_flow += packet->units;
	return was_empty;
}

struct packet *ifct_pop(struct ifct_entry *entry)
{
	struct packet *packet = packet_queue_pop(&entry->queue);

	ENSURE(ifct_queue_extent(entry), >=, (uint32_t)packet->units);
	entry->data_flow += packet->units;
	return packet;
}

bool ifct_on_ack(struct ifct *ifct, uint32_t flow_id, uint32_t units)
{
	struct ifct_entry *entry = TABLE_AT(ifct->entries, flow_id);

	if (!entry->active || units > ifct_flow_extent(entry))
		return false;
	entry->ack_flow += units;
	return true;
}

void ifct_release(struct ifct *ifct, uint32_t flow_id)
{
	ENSURE(TABLE_AT(ifct->entries, flow_id)->active & 1, ==, 1);
	ENSURE(ifct_total_extent(TABLE_AT(ifct->entries, flow_id)), ==, 0u);
	ENSURE(TABLE_AT(ifct->entries, flow_id)->queue.head, ==, NULL);
	ENSURE(ifct->used, >, 0u);
	TABLE_AT(ifct->entries, flow_id)->active = false;
	ifct->used--;
}

void ifct_restart(struct ifct *ifct)
{
	for (uint32_t i = 0; i < ifct->channels; i++)
		if (TABLE_AT(ifct->entries, i)->next_data_flow) /* memory not used is not touched */
			*TABLE_AT(ifct->entries, i) = (struct ifct_entry){ 0 };
}
