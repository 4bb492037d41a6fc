#include "nicd/host/host_hold.h"

#include <errno.h>
#include <stdlib.h>

#include "nodes/base/ensure.h"
#include "nodes/wire/ecn_mark.h"

int host_hold_init(struct host_hold *hold, struct host_if *host, uint32_t entries_max)
{
	*hold = (struct host_hold){ .host = host, .entries_max = entries_max };
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		hold->tails[c] = HOST_HOLD_NONE;
	if (!host->queue_count)
		return 0;
	hold->queues = calloc(entries_max, sizeof(*hold->queues));
	hold->cuts = calloc(host->slot_count, sizeof(*hold->cuts));
	hold->next = calloc(host->slot_count, sizeof(*hold->next));
	if (!hold->queues || !hold->cuts || !hold->next) {
		host_hold_fini(hold);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < entries_max; i++)
		hold->queues[i] =
			(struct host_hold_queue){ .first = HOST_HOLD_NONE, .last = HOST_HOLD_NONE };
	return 0;
}

void host_hold_fini(struct host_hold *hold)
{
	free(hold->queues);
	free(hold->cuts);
	free(hold->next);
	*hold = (struct host_hold){ 0 };
}

/* ---- turns ---- */

static void ring_join(struct host_hold *hold, uint32_t entry)
{
	struct host_hold_queue *queue = &hold->queues[entry];
	uint32_t *tail = &hold->tails[queue->traffic_class];

	queue->turning = true;
	hold->ready |= 1u << queue->traffic_class;
	if (*tail == HOST_HOLD_NONE) {
		queue->next = entry;
	} else {
		queue->next = hold->queues[*tail].next;
		hold->queues[*tail].next = entry;
	}
	*tail = entry;
}

static void ring_leave(struct host_hold *hold, uint32_t entry)
{
	struct host_hold_queue *queue = &hold->queues[entry];
	uint32_t *tail = &hold->tails[queue->traffic_class], before = *tail;

	queue->turning = false;
	if (queue->next == entry) {
		*tail = HOST_HOLD_NONE;
		hold->ready &= ~(1u << queue->traffic_class);
		return;
	}
	while (hold->queues[before].next != entry) /* it nearly always has the turn: no step */
		before = hold->queues[before].next;
	hold->queues[before].next = queue->next;
	if (*tail == entry)
		*tail = before;
}

/* a queue is in the ring if, and only if, it has a frame and may send it */
static void ring_settle(struct host_hold *hold, uint32_t entry)
{
	const struct host_hold_queue *queue = &hold->queues[entry];
	bool wanted = queue->open && queue->frames;

	if (wanted && !queue->turning)
		ring_join(hold, entry);
	else if (!wanted && queue->turning)
		ring_leave(hold, entry);
}

void host_hold_open(struct host_hold *hold, uint32_t entry, bool open)
{
	if (!hold->queues)
		return;
	hold->queues[entry].open = open;
	ring_settle(hold, entry);
}

/* ---- frames ---- */

static bool has_space(const struct host_hold *hold, const struct host_hold_queue *queue,
		      uint32_t frame_bytes)
{
	return hold->frames < HOST_HOLD_FRAMES_MAX && queue->frames < HOST_HOLD_FLOW_FRAMES_MAX &&
	       queue->bytes + frame_bytes <= HOST_HOLD_BYTES_MAX;
}

bool host_hold_put(struct host_hold *hold, uint32_t entry, uint32_t slot,
		   const struct host_head *head)
{
	struct host_hold_queue *queue = &hold->queues[entry];
	const struct host_frame *frame = &hold->host->frames[slot];

	ENSURE(entry, <, hold->entries_max);
	ENSURE(slot, <, hold->host->slot_count);
	if (!has_space(hold, queue, frame->frame_bytes))
		return false;
	if (queue->bytes >= HOST_HOLD_MARK_BYTES || queue->frames >= HOST_HOLD_MARK_FRAMES)
		ecn_mark(host_if_bytes(hold->host, slot), frame->frame_bytes);
	hold->cuts[slot] = head->cut;
	hold->next[slot] = HOST_HOLD_NONE;
	if (queue->frames)
		hold->next[queue->last] = slot;
	else
		queue->first = slot;
	queue->last = slot;
	queue->traffic_class = (uint8_t)head->traffic_class;
	queue->frames++;
	queue->bytes += frame->frame_bytes;
	hold->frames++;
	ring_settle(hold, entry);
	return true;
}

/* the first frame of @queue is completely sent */
static void finish(struct host_hold *hold, struct host_hold_queue *queue)
{
	uint32_t slot = queue->first, frame_bytes = hold->host->frames[slot].frame_bytes;

	ENSURE(queue->frames, !=, 0u);
	ENSURE(queue->bytes, >=, frame_bytes);
	ENSURE(hold->frames, >=, queue->frames);
	queue->first = hold->next[slot];
	queue->bytes -= frame_bytes;
	queue->frames--;
	hold->frames--;
	host_if_give(hold->host, slot);
}

uint32_t host_hold_bytes(const struct host_hold *hold, uint32_t traffic_class)
{
	return host_cut_bytes(
		&hold->cuts[hold->queues[host_hold_entry(hold, traffic_class)].first]);
}

void host_hold_next(struct host_hold *hold, uint32_t traffic_class, uint8_t *bytes)
{
	uint32_t entry = host_hold_entry(hold, traffic_class);
	struct host_hold_queue *queue = &hold->queues[entry];
	struct host_cut *cut = &hold->cuts[queue->first];

	if (bytes)
		host_cut_write(cut, bytes);
	else
		host_cut_skip(cut);
	if (!host_cut_bytes(cut))
		finish(hold, queue);
	ring_settle(hold, entry);
	if (queue->turning)
		hold->tails[traffic_class] = entry;
}
