#include "switchd/common/packet.h"

#include <errno.h>
#include <string.h>

#include "nodes/base/copy.h"
#include "nodes/base/ensure.h"
#include "nodes/base/table.h"
#include "nodes/base/units.h"

/* the cells that packet_whole() may write to, after all others; 0 if every packet has one cell */
static uint32_t whole_cells(uint32_t captured_max)
{
	if (captured_max <= PACKET_FIRST_BYTES)
		return 0;
	return (captured_max + PACKET_CELL_BYTES - 1) / PACKET_CELL_BYTES;
}

static size_t all_cells(const struct packet_pool *pool)
{
	return (size_t)pool->cell_count + whole_cells(pool->captured_max);
}

int packet_pool_init(struct packet_pool *pool, uint64_t cells, uint32_t captured_max)
{
	*pool = (struct packet_pool){ .captured_max = captured_max };
	if (cells > UINT32_MAX)
		return -ENOMEM;
	pool->cell_count = (uint32_t)cells;
	pool->cells = table_alloc(all_cells(pool), sizeof(*pool->cells));
	pool->free = table_alloc(pool->cell_count, sizeof(*pool->free));
	if (pool->cells && pool->free)
		return 0;
	packet_pool_fini(pool);
	return -ENOMEM;
}

void packet_pool_fini(struct packet_pool *pool)
{
	table_free(pool->cells, all_cells(pool), sizeof(*pool->cells));
	table_free(pool->free, pool->cell_count, sizeof(*pool->free));
	*pool = (struct packet_pool){ 0 };
}

static struct packet_cell *cell_take(struct packet_pool *pool)
{
	if (pool->free_count)
		return &pool->cells[pool->free[--pool->free_count]];
	ENSURE(pool->fresh, <, pool->cell_count);
	return &pool->cells[pool->fresh++];
}

/* takes @count cells, at least one; the caller has checked that so many are free */
static struct packet_cell *chain_take(struct packet_pool *pool, uint32_t count)
{
	struct packet_cell *first = cell_take(pool), *last = first;

	for (; --count; last = last->next)
		last->next = cell_take(pool);
	last->next = NULL;
	return first;
}

struct packet *packet_alloc(struct packet_pool *pool, uint32_t captured_bytes)
{
	uint32_t count = packet_cells(captured_bytes);
	struct packet *packet;

	ENSURE(captured_bytes, <=, pool->captured_max);
	if (pool->cell_count - pool->cells_used < count)
		return NULL;
	pool->cells_used += count;
	pool->used++;
	packet = (struct packet *)cell_take(pool);
	packet->captured_bytes = (uint16_t)captured_bytes;
	packet->more = count > 1 ? chain_take(pool, count - 1) : NULL;
	return packet;
}

void packet_free_rest(struct packet_pool *pool, const struct packet *packet)
{
	ENSURE(pool->cells_used, >, pool->used); /* a packet with further cells has two at least */
	for (const struct packet_cell *cell = packet->more; cell; cell = cell->next)
		packet_cell_give(pool, cell);
}

/* @bytes of a further cell, nearly always all: a copy of constant length is fastest */
static void copy_cell(uint8_t *restrict to, const uint8_t *restrict from, uint32_t bytes)
{
	if (bytes == PACKET_MORE_BYTES)
		memcpy(to, from, PACKET_MORE_BYTES);
	else
		copy_short(to, from, bytes);
}

static void copy_in(struct packet *packet, const uint8_t *bytes)
{
	uint32_t left = packet->captured_bytes, part = packet_first_bytes(packet);

	copy_short(packet->bytes, bytes, part);
	for (struct packet_cell *cell = packet->more; cell; cell = cell->next) {
		bytes += part;
		left -= part;
		part = left < PACKET_MORE_BYTES ? left : PACKET_MORE_BYTES;
		copy_cell(cell->bytes, bytes, part);
	}
}

void packet_copy_out_rest(const struct packet *packet, uint8_t *bytes)
{
	uint32_t left = packet->captured_bytes, part = PACKET_FIRST_BYTES;

	for (const struct packet_cell *cell = packet->more; cell; cell = cell->next) {
		bytes += part;
		left -= part;
		part = left < PACKET_MORE_BYTES ? left : PACKET_MORE_BYTES;
		copy_cell(bytes, cell->bytes, part);
	}
}

struct packet *packet_copy(struct packet_pool *pool, const struct packet *packet)
{
	struct packet *copy = packet_alloc(pool, packet->captured_bytes);
	struct packet_cell *to;

	if (!copy)
		return NULL;
	to = copy->more;
	memcpy(copy, packet, sizeof(*packet) + packet_first_bytes(packet));
	copy->more = to;
	for (const struct packet_cell *from = packet->more; from; from = from->next, to = to->next)
		memcpy(to->bytes, from->bytes, sizeof(to->bytes));
	return copy;
}

const uint8_t *packet_whole(const struct packet_pool *pool, const struct packet *packet)
{
	uint8_t *whole = (uint8_t *)&pool->cells[pool->cell_count];

	if (!packet->more)
		return packet->bytes;
	packet_copy_out(packet, whole);
	return whole;
}

int packet_parse(const struct packet_pool *pool, const struct packet *packet,
		 struct frame_fields *fields)
{
	int error =
		frame_parse(packet->bytes, packet_first_bytes(packet), packet->frame_bytes, fields);

	if (!error || !packet->more)
		return error;
	return frame_parse(packet_whole(pool, packet), packet->captured_bytes, packet->frame_bytes,
			   fields);
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
			      const struct record *header, const uint8_t *bytes,
			      uint32_t front_bytes, enum drop_reason *why)
{
	uint32_t frame_bytes = link_frame_bytes(link, header->wire_bytes);
	uint32_t captured_bytes = header->captured_bytes - front_bytes;
	struct packet *packet;

	*why = DROP_MALFORMED;
	if (header->captured_bytes < front_bytes || captured_bytes > frame_bytes)
		return NULL;
	*why = DROP_OVERSIZE;
	if (frame_bytes > mtu_bytes || captured_bytes > pool->captured_max)
		return NULL;
	*why = DROP_BUFFER_OVERFLOW;
	packet = packet_alloc(pool, captured_bytes);
	if (!packet)
		return NULL;
	packet->frame_bytes = frame_bytes;
	packet->units = (uint16_t)units_of_bytes(frame_bytes);
	packet->in_port = link->port;
	packet->traffic_class = packet->lane = (uint8_t)header->traffic_class;
	packet->copy = false;
	packet->whole_at_ps = header->at_ps + link_arrival_time_of(link, header->wire_bytes);
	copy_in(packet, bytes + front_bytes);
	return packet;
}
