#include "switchd/packet.h"

#include <errno.h>

#include "nodes/table.h"

int packet_pool_init(struct packet_pool *pool, uint32_t packets, uint32_t captured_max)
{
	size_t cell_bytes = (sizeof(struct packet) + captured_max + 63) / 64 * 64;

	*pool = (struct packet_pool){ .cell_bytes = cell_bytes, .cell_count = packets, .captured_max = captured_max };
	pool->cells = table_alloc(packets, cell_bytes);
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
