#include "nodes/base/ring.h"

#include <errno.h>

#include "nodes/base/ensure.h"

static uint64_t record_bytes(uint32_t captured_bytes)
{
	return (sizeof(struct record) + (uint64_t)captured_bytes + RING_LINE - 1) &
	       ~(uint64_t)(RING_LINE - 1);
}

size_t ring_bytes(uint32_t data_bytes)
{
	return sizeof(struct ring_page) + data_bytes;
}

void ring_init(struct ring_page *page, uint32_t data_bytes)
{
	page->data_bytes = data_bytes;
	page->magic = RING_MAGIC;
}

/* the ring's size as both ends know it, or 0 */
static uint32_t data_bytes_checked(const struct ring_page *page, size_t size_bytes)
{
	uint32_t data_bytes;

	if (size_bytes < sizeof(*page) || page->magic != RING_MAGIC)
		return 0;
	data_bytes = page->data_bytes;
	if (data_bytes < RING_BYTES_MIN || data_bytes > RING_BYTES_MAX ||
	    (data_bytes & (data_bytes - 1)) || ring_bytes(data_bytes) > size_bytes)
		return 0;
	return data_bytes;
}

int ring_tx_attach(struct ring_tx *ring, struct ring_page *page, size_t size_bytes)
{
	uint32_t data_bytes = data_bytes_checked(page, size_bytes);

	if (!data_bytes)
		return -EINVAL;
	*ring = (struct ring_tx){ .page = page, .mask = data_bytes - 1 };
	return 0;
}

int ring_rx_attach(struct ring_rx *ring, struct ring_page *page, size_t size_bytes)
{
	uint32_t data_bytes = data_bytes_checked(page, size_bytes);

	if (!data_bytes)
		return -EINVAL;
	*ring = (struct ring_rx){ .page = page, .mask = data_bytes - 1 };
	return 0;
}

/* true if @need bytes fit. Reads the consumer's line of cache only if they did not fit before. */
static bool has_room(struct ring_tx *ring, uint64_t need)
{
	if (ring->tail + need - ring->head_seen <= ring->mask + 1)
		return true;
	ring->head_seen = atomic_load_explicit(&ring->page->head, memory_order_acquire);
	return ring->tail + need - ring->head_seen <= ring->mask + 1;
}

bool ring_has_room(struct ring_tx *ring, uint32_t captured_bytes)
{
	uint64_t need = record_bytes(captured_bytes);
	uint64_t to_end = ring->mask + 1 - (ring->tail & ring->mask);

	return has_room(ring, to_end < need ? to_end + need : need);
}

struct record *ring_reserve(struct ring_tx *ring, uint32_t captured_bytes)
{
	uint64_t need = record_bytes(captured_bytes);
	uint64_t at = ring->tail & ring->mask;
	uint64_t to_end = ring->mask + 1 - at;

	if (to_end < need) {
		struct record *pad;

		if (!has_room(ring, to_end + need))
			return NULL;
		pad = (struct record *)(ring->page->data + at);
		*pad = (struct record){ .kind = RECORD_PAD };
		ring->tail += to_end;
		at = 0;
	} else if (!has_room(ring, need)) {
		return NULL;
	}
	return (struct record *)(ring->page->data + at);
}

void ring_commit(struct ring_tx *ring, uint32_t captured_bytes)
{
	uint64_t need = record_bytes(captured_bytes);

	ring->tail += need;
}

void ring_publish(struct ring_tx *ring)
{
	if (ring->published == ring->tail)
		return;
	ENSURE(ring->published, <, ring->tail);
	ring->published = ring->tail;
	atomic_store_explicit(&ring->page->tail, ring->tail, memory_order_release);
}

void ring_refresh(struct ring_rx *ring)
{
	uint64_t tail;

	if (ring->broken)
		return;
	tail = atomic_load_explicit(&ring->page->tail, memory_order_acquire);
	if (tail < ring->tail_seen || tail - ring->head > ring->mask + 1 || tail % RING_LINE) {
		ring->broken = true;
		return;
	}
	ring->tail_seen = tail;
	if (tail != ring->head)
		__builtin_prefetch(ring->page->data + (ring->head & ring->mask));
}

static bool header_is_sound(const struct ring_rx *ring, const struct record *header)
{
	uint64_t at = ring->head & ring->mask;
	uint64_t size;

	if (header->kind >= RECORD_KINDS || header->captured_bytes > RING_CAPTURED_MAX ||
	    header->at_ps < ring->last_ps || header->at_ps > NODE_TIME_NEVER / 2 ||
	    header->wire_bytes > RING_CAPTURED_MAX)
		return false;
	size = record_bytes(header->captured_bytes);
	return size <= ring->mask + 1 - at && size <= ring->tail_seen - ring->head;
}

const uint8_t *ring_peek(struct ring_rx *ring, struct record *header)
{
	for (;;) {
		uint64_t at = ring->head & ring->mask;
		const struct record *shared = (const struct record *)(ring->page->data + at);

		if (ring->broken || ring->head == ring->tail_seen)
			return NULL;
		__builtin_memcpy(header, shared, sizeof(*header));
		/* from here on only the copy is looked at */
		atomic_signal_fence(memory_order_seq_cst);
		if (header->kind == RECORD_PAD) {
			uint64_t to_end = ring->mask + 1 - at;

			if (to_end > ring->tail_seen - ring->head || !at) {
				ring->broken = true;
				return NULL;
			}
			ring->head += to_end;
			continue;
		}
		if (!header_is_sound(ring, header)) {
			ring->broken = true;
			return NULL;
		}
		return (const uint8_t *)(shared + 1);
	}
}

void ring_pop(struct ring_rx *ring, const struct record *header)
{
	ring->head += record_bytes(header->captured_bytes);
	ring->last_ps = header->at_ps;
	if (ring->head != ring->tail_seen)
		__builtin_prefetch(ring->page->data + (ring->head & ring->mask));
}

void ring_note(struct ring_rx *ring, uint64_t note)
{
	atomic_store_explicit(&ring->page->note, note, memory_order_release);
}

uint64_t ring_noted(const struct ring_tx *ring)
{
	return atomic_load_explicit(&ring->page->note, memory_order_acquire);
}

void ring_wait(struct ring_tx *ring)
{
	atomic_store_explicit(&ring->page->waits, 1, memory_order_seq_cst);
}

bool ring_waited(struct ring_rx *ring)
{
	return atomic_load_explicit(&ring->page->waits, memory_order_relaxed) &&
	       atomic_exchange_explicit(&ring->page->waits, 0, memory_order_seq_cst);
}

bool ring_rouse(struct ring_tx *ring, node_time_t due)
{
	if (atomic_load_explicit(&ring->page->sleeps_ps, memory_order_relaxed) <= due)
		return false;
	atomic_store_explicit(&ring->page->roused_ps, due ? due : 1, memory_order_relaxed);
	return atomic_exchange_explicit(&ring->page->sleeps_ps, 0, memory_order_seq_cst);
}

node_time_t ring_roused(struct ring_rx *ring)
{
	node_time_t due = atomic_load_explicit(&ring->page->roused_ps, memory_order_relaxed);

	if (!due)
		return NODE_TIME_NEVER;
	atomic_store_explicit(&ring->page->roused_ps, 0, memory_order_relaxed);
	return due;
}

void ring_release(struct ring_rx *ring)
{
	atomic_store_explicit(&ring->page->head, ring->head, memory_order_release);
}
