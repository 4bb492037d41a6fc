#include "switchd/packet.h"

#include <errno.h>
#include <string.h>

#include "nodes/table.h"
#include "nodes/units.h"

int packet_pool_init(struct packet_pool *pool, uint64_t packets, uint32_t captured_max)
{
	size_t cell_bytes = (sizeof(struct packet) + captured_max + 63) / 64 * 64;

	*pool = (struct packet_pool){ .cell_bytes = cell_bytes, .captured_max = captured_max };
	if (packets > UINT32_MAX)
		return -ENOMEM;
	pool->cell_count = (uint32_t)packets;
	pool->cells = table_alloc(pool->cell_count, cell_bytes);
	return pool->cells ? 0 : -ENOMEM;
}

void packet_pool_fini(struct packet_pool *pool)
{
	table_free(pool->cells, pool->cell_count, pool->cell_bytes);
	*pool = (struct packet_pool){ 0 };
}

struct packet *packet_alloc(struct packet_pool *pool)
{
	struct packet *packet = pool->free;

	if (packet)
		pool->free = packet->next;
	else if (pool->fresh < pool->cell_count)
		packet = (struct packet *)(pool->cells + pool->cell_bytes * pool->fresh++);
	else
		return NULL;
	pool->used++;
	return packet;
}

void packet_free(struct packet_pool *pool, struct packet *packet)
{
	packet->next = pool->free;
	pool->free = packet;
	pool->used--;
}

uint32_t packet_captured_max(const struct node_config *config)
{
	uint32_t bytes = FRAME_HEADERS_MAX;

	for (uint32_t p = 0; config->clock == CLOCK_REAL && p < config->port_count; p++)
		if (config->ports[p].mtu_bytes > bytes)
			bytes = config->ports[p].mtu_bytes;
	return bytes;
}

struct packet *packet_copy_in(struct packet_pool *pool, const struct link *link, uint32_t mtu_bytes,
			      const struct record *header, const uint8_t *bytes, uint32_t front_bytes,
			      enum drop_reason *why)
{
	uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes);
	struct packet *packet;

	*why = DROP_MALFORMED;
	if (header->captured_bytes < front_bytes || header->captured_bytes - front_bytes > frame_bytes)
		return NULL;
	*why = DROP_OVERSIZE;
	if (frame_bytes > mtu_bytes || header->captured_bytes - front_bytes > pool->captured_max)
		return NULL;
	*why = DROP_BUFFER_OVERFLOW;
	packet = packet_alloc(pool);
	if (!packet)
		return NULL;
	packet->frame_bytes = frame_bytes;
	packet->captured_bytes = (uint16_t)(header->captured_bytes - front_bytes);
	packet->units = (uint16_t)units_of_bytes(frame_bytes);
	packet->in_port = link->port;
	packet->traffic_class = packet->lane = (uint8_t)header->traffic_class;
	packet->copy = false;
	packet->whole_at_ps = header->at_ps + link_frame_time_of(link, header->wire_bytes);
	memcpy(packet->bytes, bytes + front_bytes, packet->captured_bytes);
	return packet;
}
