#include "switchd/flow_channel/wake_queue.h"

#include <errno.h>
#include <stdbool.h>

#include "nodes/base/table.h"

int wake_queue_init(struct wake_queue *queue, uint32_t refs)
{
	*queue = (struct wake_queue){ .refs = refs };
	queue->heap = table_alloc(refs, sizeof(*queue->heap));
	queue->places = table_alloc(refs, sizeof(*queue->places));
	if (!queue->heap || !queue->places) {
		wake_queue_fini(queue);
		return -ENOMEM;
	}
	return 0;
}

void wake_queue_fini(struct wake_queue *queue)
{
	table_free(queue->heap, queue->refs, sizeof(*queue->heap));
	table_free(queue->places, queue->refs, sizeof(*queue->places));
	*queue = (struct wake_queue){ 0 };
}

static bool before(const struct wake_entry *a, const struct wake_entry *b)
{
	return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->ref < b->ref;
}

static void put(struct wake_queue *queue, uint32_t place, struct wake_entry entry)
{
	queue->heap[place] = entry;
	queue->places[entry.ref] = place + 1;
}

static void sift_up(struct wake_queue *queue, uint32_t place, struct wake_entry entry)
{
	while (place && before(&entry, &queue->heap[(place - 1) / 2])) {
		put(queue, place, queue->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(queue, place, entry);
}

static void sift_down(struct wake_queue *queue, uint32_t place, struct wake_entry entry)
{
	uint32_t child;

	while ((child = 2 * place + 1) < queue->count) {
		if (child + 1 < queue->count && before(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!before(&queue->heap[child], &entry))
			break;
		put(queue, place, queue->heap[child]);
		place = child;
	}
	put(queue, place, entry);
}

void wake_queue_set(struct wake_queue *queue, uint32_t ref, node_time_t at_ps)
{
	wake_queue_remove(queue, ref);
	sift_up(queue, queue->count++, (struct wake_entry){ at_ps, ref });
}

void wake_queue_remove(struct wake_queue *queue, uint32_t ref)
{
	uint32_t place = queue->places[ref];
	struct wake_entry last;

	if (!place--)
		return;
	queue->places[ref] = 0;
	last = queue->heap[--queue->count];
	if (place == queue->count)
		return;
	if (place && before(&last, &queue->heap[(place - 1) / 2]))
		sift_up(queue, place, last);
	else
		sift_down(queue, place, last);
}

uint32_t wake_queue_pop(struct wake_queue *queue)
{
	uint32_t ref = queue->heap[0].ref;

	wake_queue_remove(queue, ref);
	return ref;
}
