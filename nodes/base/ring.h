/*  ring - one direction of a shared-memory link: a single-producer single-consumer ring of records
 *  (TB-2).
 *
 *  The ring lies in a memfd of its own, sealed against resizing, that only the two ends hold. A
 *  record is a 32-byte header and the captured bytes of a frame, padded to cache lines; generated
 *  packets carry only their headers, so a 4 kB packet costs two lines. The producer publishes a
 *  batch by one store, the consumer releases space by one store.
 *
 *  Segments. The data area consists of segments. A pad record ends each one and names the next, so
 *  no record crosses an end. The producer takes the segment that was released last. So a ring
 *  touches the memory of what is in flight, however large it is (SC-2). Ends count bytes as if
 *  segments followed each other: segment number N of the stream has the bytes from N times the size
 *  of a segment.
 *
 *  The consumer trusts nothing. It checks every index and length against what was published and
 *  against the ring's own size, once, on a private copy. The producer may change captured bytes at
 *  any time, so the consumer copies before it parses (TB-23). */
#ifndef HEDDLE_NODES_BASE_RING_H
#define HEDDLE_NODES_BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/time.h"

#define RING_MAGIC 0x48444c52u /* "HDLR" */
#define RING_LINE 64u
/* bytes of one frame: 9216 + fabric header + envelope, with spare */
#define RING_CAPTURED_MAX 9600u
#define RING_BYTES_MIN 32768u
#define RING_BYTES_MAX (1u << 28)
#define RING_SEGMENT_BYTES_MIN 2048u
#define RING_SEGMENTS_MAX 256u

enum record_kind {
	RECORD_PAD,    /* the rest of the segment is skipped; word: index of the next one */
	RECORD_PACKET, /* a data frame */
	RECORD_ACKS,   /* an ACK frame */
	RECORD_WORD,   /* a link control word: link.h */
	RECORD_FGFC,   /* a frame to the host's NIC about one of its flows: wire/fgfc_frame.h */
	RECORD_PAUSE,  /* a PFC or PAUSE frame: wire/pause_frame.h */
	RECORD_KINDS
};

struct record {
	node_time_t at_ps;   /* first bit arrives; never decreases along a ring */
	uint32_t wire_bytes; /* length on the link, FCS included, gap not */
	/* how much of it the record carries, right after this header: record_captured() */
	uint32_t captured_bytes;
	/* counts frames on the link (words excepted), the lost ones too: what a PHY carries in its
	 * preamble */
	uint32_t sequence;
	uint16_t kind; /* enum record_kind */
	uint16_t traffic_class;
	uint64_t word; /* RECORD_WORD: its content; RECORD_PAD: see there */
};

_Static_assert(sizeof(struct record) == 32, "a record header is half a cache line");

static inline uint8_t *record_captured(struct record *record)
{
	return (uint8_t *)(record + 1);
}

struct ring_page {
	uint32_t magic, data_bytes;                /* data_bytes is a power of two */
	uint32_t segment_bytes;                    /* a power of two */
	uint32_t captured_max;                     /* of a record */
	_Alignas(RING_LINE) _Atomic uint64_t tail; /* bytes ever written; producer */
	/* set by the producer, which waits for space (ring_wait()); cleared by the consumer */
	_Atomic uint32_t waits;
	/* real clock: @due of the ring_rouse() that woke the consumer; 0: none did */
	_Atomic node_time_t roused_ps;
	_Alignas(RING_LINE) _Atomic uint64_t head; /* bytes ever consumed; consumer */
	/* a number from the consumer's owner to the producer's: ring_note() */
	_Atomic uint64_t note;
	/* real clock: the consumer sleeps until then; 0: it is awake, or is being woken */
	_Atomic node_time_t sleeps_ps;
	_Alignas(RING_LINE) uint8_t data[];
};

/* of both ends, as checked when they attached */
struct ring_shape {
	uint64_t segment_mask; /* of the place in a segment */
	uint32_t segment_bits;
	uint32_t segments; /* 2..RING_SEGMENTS_MAX */
	uint32_t captured_max;
};

struct ring_tx {
	struct ring_page *page;
	struct ring_shape shape;
	uint8_t *segment;         /* where records are written */
	uint64_t tail, published; /* private */
	uint64_t released;        /* segments of the stream that may be used again */
	uint32_t fresh;           /* segments from here on were never used */
	uint32_t free_count;
	uint8_t free[RING_SEGMENTS_MAX]; /* indices of released segments, the last one on top */
	/* index of segment N of the stream, at N modulo segments */
	uint8_t order[RING_SEGMENTS_MAX];
};

struct ring_rx {
	struct ring_page *page;
	struct ring_shape shape;
	const uint8_t *segment; /* where the next record is */
	uint64_t head;          /* private: next record */
	uint64_t tail_seen;     /* records below are there */
	node_time_t last_ps;
	bool broken; /* the producer broke the rules; nothing more is read */
};

/** ring_bytes() - size of the memory of a ring whose data area has @data_bytes. */
size_t ring_bytes(uint32_t data_bytes);

/** ring_init() - lays out a zeroed ring. @data_bytes power of two,
 *  RING_BYTES_MIN..RING_BYTES_MAX; @captured_max (<= RING_CAPTURED_MAX) of a record: segments are
 *  as small as such records allow. */
void ring_init(struct ring_page *page, uint32_t data_bytes, uint32_t captured_max);

/** ring_capacity() - bytes of records, each padded to cache lines, that always fit in a ring of
 *  these sizes, whatever their order. */
uint64_t ring_capacity(uint32_t data_bytes, uint32_t captured_max);

/** ring_tx_attach(), ring_rx_attach() - one end of the ring in @page, of @size_bytes mapped.
 *  Return: 0, or -EINVAL if that is no ring of this size. */
int ring_tx_attach(struct ring_tx *ring, struct ring_page *page, size_t size_bytes);
int ring_rx_attach(struct ring_rx *ring, struct ring_page *page, size_t size_bytes);

/** ring_reserve() - space for a record of @captured_bytes.
 *  Return: where to write it, header and bytes; NULL if the ring is full, or has no records so long
 *  (captured_max of ring_init()). Follow with ring_commit(). */
struct record *ring_reserve(struct ring_tx *ring, uint32_t captured_bytes);

/** ring_has_room() - true if ring_reserve() of the longest record would succeed. O(1), and O(1) for
 *  each segment that was released since the last call. */
bool ring_has_room(struct ring_tx *ring);

/** ring_commit() - the record of ring_reserve() is written; the consumer sees it after
 *  ring_publish(). */
void ring_commit(struct ring_tx *ring, uint32_t captured_bytes);
void ring_publish(struct ring_tx *ring);

/** ring_tx_prefetch(), ring_rx_prefetch() - prefetches what the next event of an end needs: its
 *  record, and the word with how much is published. */
void ring_tx_prefetch(const struct ring_tx *ring);
void ring_rx_prefetch(const struct ring_rx *ring);

/** ring_refresh() - reads how much the producer has published. */
void ring_refresh(struct ring_rx *ring);

/** ring_peek() - the next record that is there; its header is copied to @header and checked.
 *  Return: where its captured bytes are (in shared memory: copy before parsing), or NULL if there
 *  is none or the ring is broken. */
const uint8_t *ring_peek(struct ring_rx *ring, struct record *header);

/** ring_pop() - removes the record of the last ring_peek(), whose bytes are no longer used. */
void ring_pop(struct ring_rx *ring, const struct record *header);

/** ring_note() - leaves @note for the producer, which reads it with ring_noted(); 0 at first. */
void ring_note(struct ring_rx *ring, uint64_t note);
uint64_t ring_noted(const struct ring_tx *ring);

/** ring_wait() - the producer waits for space, and for a note. ring_waited() returns true to the
 *  consumer once. A hint: it may come late. */
void ring_wait(struct ring_tx *ring);
bool ring_waited(struct ring_rx *ring);

/*  Real clock: sleeping and waking are words in the ring, so that only the two ends of a link can
 *  forge them (TB-23). A node that falls asleep stores a word in each of its rings, then reads the
 *  rings again. A producer publishes, then reads whether the consumer sleeps. Between the two steps
 *  both sides have a sequentially consistent fence. */

/** ring_sleep() - the consumer sleeps until @until (> 0); 0: it is awake. */
static inline void ring_sleep(struct ring_rx *ring, node_time_t until)
{
	if (until || atomic_load_explicit(&ring->page->sleeps_ps, memory_order_relaxed))
		atomic_store_explicit(&ring->page->sleeps_ps, until, memory_order_relaxed);
}

/** ring_rouse() - for the consumer there is something to do at @due.
 *  Return: true if it sleeps for longer: the caller wakes it. Once for each sleep. */
bool ring_rouse(struct ring_tx *ring, node_time_t due);

/** ring_roused() - the @due of the producer that has woken the consumer, once; NODE_TIME_NEVER: it
 *  did not. */
node_time_t ring_roused(struct ring_rx *ring);

/** ring_release() - returns the space of all popped records to the producer. */
void ring_release(struct ring_rx *ring);

#endif
