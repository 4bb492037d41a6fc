#include "nodes/base/ring.h"

#include <errno.h>

#include "nodes/base/ensure.h"
#include "nodes/base/prefetch.h"

static uint64_t record_bytes(uint32_t captured_bytes)
{
	return (sizeof(struct record) + (uint64_t)captured_bytes + RING_LINE - 1) &
	       ~(uint64_t)(RING_LINE - 1);
}

/* most records have two lines: a generated packet's */
static void prefetch_record(const uint8_t *record)
{
	prefetch_read(record);
	prefetch_read(record + RING_LINE);
}

static void prefetch_place(const uint8_t *record)
{
	prefetch_write(record);
	prefetch_write(record + RING_LINE);
}

size_t ring_bytes(uint32_t data_bytes)
{
	return sizeof(struct ring_page) + data_bytes;
}

/* Few segments keep the lists of the producer short. Two records of the longest kind fit, so that
 * at most half of a segment is lost. */
static uint32_t segment_bytes_of(uint32_t data_bytes, uint32_t captured_max)
{
	uint32_t bytes = RING_SEGMENT_BYTES_MIN;

	while (bytes < data_bytes / RING_SEGMENTS_MAX ||
	       (bytes < RING_LINE + 2 * record_bytes(captured_max) && bytes < data_bytes / 2))
		bytes *= 2;
	return bytes;
}

void ring_init(struct ring_page *page, uint32_t data_bytes, uint32_t captured_max)
{
	page->data_bytes = data_bytes;
	page->segment_bytes = segment_bytes_of(data_bytes, captured_max);
	page->captured_max = captured_max;
	page->magic = RING_MAGIC;
}

uint64_t ring_capacity(uint32_t data_bytes, uint32_t captured_max)
{
	uint32_t segment_bytes = segment_bytes_of(data_bytes, captured_max);
	/* of the oldest segment little may be in use; each other one loses its pad record, and what
	 * is too short for a record */
	uint64_t segments = data_bytes / segment_bytes - 1;

	return segments * (segment_bytes - record_bytes(captured_max));
}

static bool is_power_of_two(uint32_t number)
{
	return number && !(number & (number - 1));
}

/* the ring's sizes as both ends know them, each read once.  Return: false if they are wrong */
static bool shape_read(const struct ring_page *page, size_t size_bytes, struct ring_shape *shape)
{
	uint32_t data_bytes, segment_bytes, captured_max;

	if (size_bytes < sizeof(*page) || page->magic != RING_MAGIC)
		return false;
	data_bytes = page->data_bytes;
	segment_bytes = page->segment_bytes;
	captured_max = page->captured_max;
	if (data_bytes < RING_BYTES_MIN || data_bytes > RING_BYTES_MAX ||
	    !is_power_of_two(data_bytes) || ring_bytes(data_bytes) > size_bytes ||
	    captured_max > RING_CAPTURED_MAX ||
	    segment_bytes != segment_bytes_of(data_bytes, captured_max))
		return false;
	*shape = (struct ring_shape){ .segment_mask = segment_bytes - 1,
				      .segment_bits = (uint32_t)__builtin_ctz(segment_bytes),
				      .segments = data_bytes / segment_bytes,
				      .captured_max = captured_max };
	return true;
}

int ring_tx_attach(struct ring_tx *ring, struct ring_page *page, size_t size_bytes)
{
	struct ring_shape shape;

	if (!shape_read(page, size_bytes, &shape))
		return -EINVAL;
	/* the stream begins with segment 0 */
	*ring = (struct ring_tx){ .page = page, .shape = shape, .segment = page->data, .fresh = 1 };
	return 0;
}

int ring_rx_attach(struct ring_rx *ring, struct ring_page *page, size_t size_bytes)
{
	struct ring_shape shape;

	if (!shape_read(page, size_bytes, &shape))
		return -EINVAL;
	*ring = (struct ring_rx){ .page = page, .shape = shape, .segment = page->data };
	return 0;
}

/* Takes back the segments that the consumer has left. One that claims more than there is gets
 * nothing beyond the segment that is written now (TB-23). */
static void segments_collect(struct ring_tx *ring)
{
	const struct ring_shape *shape = &ring->shape;
	uint64_t head = atomic_load_explicit(&ring->page->head, memory_order_acquire);
	uint64_t left = (head < ring->tail ? head : ring->tail) >> shape->segment_bits;

	for (; ring->released < left; ring->released++)
		ring->free[ring->free_count++] = ring->order[ring->released % shape->segments];
}

static bool segment_is_free(const struct ring_tx *ring)
{
	return ring->free_count || ring->fresh < ring->shape.segments;
}

/* true if a record of @need bytes fits before the pad record of this segment */
static bool fits_here(const struct ring_tx *ring, uint64_t need)
{
	return (ring->tail & ring->shape.segment_mask) + need <=
	       ring->shape.segment_mask + 1 - RING_LINE;
}

bool ring_has_room(struct ring_tx *ring)
{
	if (fits_here(ring, record_bytes(ring->shape.captured_max)) || segment_is_free(ring))
		return true;
	segments_collect(ring);
	return segment_is_free(ring);
}

/* Ends the segment and goes on in another one: what was released last is still in a cache.
 * Return: false if all are in use */
static bool segment_next(struct ring_tx *ring)
{
	const struct ring_shape *shape = &ring->shape;
	uint64_t at = ring->tail & shape->segment_mask;
	uint8_t index;

	segments_collect(ring);
	if (!segment_is_free(ring))
		return false;
	index = ring->free_count ? ring->free[--ring->free_count] : (uint8_t)ring->fresh++;
	*(struct record *)(ring->segment + at) =
		(struct record){ .kind = RECORD_PAD, .word = index };
	ring->tail += shape->segment_mask + 1 - at;
	ring->order[(ring->tail >> shape->segment_bits) % shape->segments] = index;
	ring->segment = ring->page->data + ((size_t)index << shape->segment_bits);
	return true;
}

struct record *ring_reserve(struct ring_tx *ring, uint32_t captured_bytes)
{
	if (captured_bytes > ring->shape.captured_max)
		return NULL;
	if (!fits_here(ring, record_bytes(captured_bytes)) && !segment_next(ring))
		return NULL;
	return (struct record *)(ring->segment + (ring->tail & ring->shape.segment_mask));
}

void ring_commit(struct ring_tx *ring, uint32_t captured_bytes)
{
	ring->tail += record_bytes(captured_bytes);
	prefetch_place(ring->segment + (ring->tail & ring->shape.segment_mask));
}

void ring_publish(struct ring_tx *ring)
{
	if (ring->published == ring->tail)
		return;
	ENSURE(ring->published, <, ring->tail);
	ring->published = ring->tail;
	atomic_store_explicit(&ring->page->tail, ring->tail, memory_order_release);
}

void ring_tx_prefetch(const struct ring_tx *ring)
{
	prefetch_place(ring->segment + (ring->tail & ring->shape.segment_mask));
	prefetch_write((const void *)&ring->page->tail);
}

void ring_rx_prefetch(const struct ring_rx *ring)
{
	prefetch_read((const void *)&ring->page->tail);
	prefetch_record(ring->segment + (ring->head & ring->shape.segment_mask));
}

void ring_refresh(struct ring_rx *ring)
{
	const struct ring_shape *shape = &ring->shape;
	uint64_t tail;

	if (ring->broken)
		return;
	tail = atomic_load_explicit(&ring->page->tail, memory_order_acquire);
	if (tail < ring->tail_seen ||
	    (tail >> shape->segment_bits) - (ring->head >> shape->segment_bits) >=
		    shape->segments ||
	    tail % RING_LINE) {
		ring->broken = true;
		return;
	}
	ring->tail_seen = tail;
	if (tail != ring->head)
		prefetch_record(ring->segment + (ring->head & shape->segment_mask));
}

/* a record leaves space for the pad record of its segment */
static bool header_is_sound(const struct ring_rx *ring, const struct record *header)
{
	uint64_t at = ring->head & ring->shape.segment_mask;
	uint64_t size;

	if (header->kind >= RECORD_KINDS || header->captured_bytes > ring->shape.captured_max ||
	    header->at_ps < ring->last_ps || header->at_ps > NODE_TIME_LATEST ||
	    header->wire_bytes > RING_CAPTURED_MAX)
		return false;
	size = record_bytes(header->captured_bytes);
	return size <= ring->shape.segment_mask + 1 - RING_LINE - at &&
	       size <= ring->tail_seen - ring->head;
}

/* goes on in the segment that @pad names.  Return: false if that cannot be */
static bool segment_follow(struct ring_rx *ring, const struct record *pad)
{
	const struct ring_shape *shape = &ring->shape;
	uint64_t at = ring->head & shape->segment_mask;
	uint64_t to_end = shape->segment_mask + 1 - at;

	if (!at || to_end > ring->tail_seen - ring->head || pad->word >= shape->segments)
		return false;
	ring->head += to_end;
	ring->segment = ring->page->data + ((size_t)pad->word << shape->segment_bits);
	return true;
}

const uint8_t *ring_peek(struct ring_rx *ring, struct record *header)
{
	for (;;) {
		const struct record *shared;
		uint64_t size;

		if (ring->broken || ring->head == ring->tail_seen)
			return NULL;
		shared = (const struct record *)(ring->segment +
						 (ring->head & ring->shape.segment_mask));
		__builtin_memcpy(header, shared, sizeof(*header));
		/* from here on only the copy is looked at */
		atomic_signal_fence(memory_order_seq_cst);
		if (header->kind == RECORD_PAD && segment_follow(ring, header))
			continue;
		if (header->kind == RECORD_PAD || !header_is_sound(ring, header)) {
			ring->broken = true;
			return NULL;
		}
		size = record_bytes(header->captured_bytes);
		if (ring->head + size != ring->tail_seen)
			prefetch_record((const uint8_t *)shared + size);
		return (const uint8_t *)(shared + 1);
	}
}

void ring_pop(struct ring_rx *ring, const struct record *header)
{
	ring->head += record_bytes(header->captured_bytes);
	ring->last_ps = header->at_ps;
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
