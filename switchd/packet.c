#include "switchd/packet.h"

#include <errno.h>
#include <sys/mman.h>

int packet_pool_init(struct packet_pool *pool, uint32_t packets, uint32_t captured_max)
{
	size_t cell_bytes = (sizeof(struct packet) + captured_max + 63) / 64 * 64;
	void *memory = mmap(NULL, cell_bytes * packets, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*pool = (struct packet_pool){ 0 };
	if (memory == MAP_FAILED)
		return -ENOMEM;
	pool->cells = memory;
	pool->cell_bytes = cell_bytes;
	pool->mapped_bytes = cell_bytes * packets;
	pool->cell_count = packets;
	pool->captured_max = captured_max;
	return 0;
}

void packet_pool_fini(struct packet_pool *pool)
{
	if (pool->cells)
		munmap(pool->cells, pool->mapped_bytes);
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
