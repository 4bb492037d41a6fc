/*  ring - one direction of a shared-memory link: a single-producer single-consumer ring of records
 *  (TB-2).
 *
 *  The ring lies in a memfd of its own, sealed against resizing, that only the two ends hold. A
 *  record is a 32-byte header and the captured bytes of a frame, padded to cache lines; generated
 *  packets carry only their headers, so a 4 kB packet costs two lines. Records never wrap: a pad
 *  record fills the space before the end. The producer publishes a batch by one store, the consumer
 *  releases space by one store.
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

enum record_kind {
	RECORD_PAD,    /* nothing: the rest of the ring is skipped */
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
	uint64_t word; /* RECORD_WORD: its content */
};

_Static_assert(sizeof(struct record) == 32, "a record header is half a cache line");

static inline uint8_t *record_captured(struct record *record)
{
	return (uint8_t *)(record + 1);
}

struct ring_page {
	uint32_t magic, data_bytes;                /* data_bytes is a power of two */
	_Alignas(RING_LINE) _Atomic uint64_t tail; /* bytes ever written; producer */
	/* the producer wants to know when there is space; cleared by the consumer */
	_Atomic uint32_t waits;
	/* real clock: when the consumer that the producer woke had something to do; 0: it did not
	 * */
	_Atomic node_time_t roused_ps;
	_Alignas(RING_LINE) _Atomic uint64_t head; /* bytes ever consumed; consumer */
	/* a number from the consumer's owner to the producer's */
	_Atomic uint64_t note;
	/* real clock: the consumer sleeps until then; 0: it is awake, or is being woken */
	_Atomic node_time_t sleeps_ps;
	_Alignas(RING_LINE) uint8_t data[];
};

struct ring_tx {
	struct ring_page *page;
	uint64_t mask;
	uint64_t tail, published; /* private */
	uint64_t head_seen;
};

struct ring_rx {
	struct ring_page *page;
	uint64_t mask;
	uint64_t head;      /* private: next record */
	uint64_t tail_seen; /* records below are there */
	node_time_t last_ps;
	bool broken; /* the producer broke the rules; nothing more is read */
};

/** ring_bytes() - size of the memory of a ring whose data area has @data_bytes. */
size_t ring_bytes(uint32_t data_bytes);

/** ring_init() - lays out a zeroed ring. @data_bytes power of two,
 *  RING_BYTES_MIN..RING_BYTES_MAX. */
void ring_init(struct ring_page *page, uint32_t data_bytes);

/** ring_tx_attach(), ring_rx_attach() - one end of the ring in @page, of @size_bytes mapped.
 *  Return: 0, or -EINVAL if that is no ring of this size. */
int ring_tx_attach(struct ring_tx *ring, struct ring_page *page, size_t size_bytes);
int ring_rx_attach(struct ring_rx *ring, struct ring_page *page, size_t size_bytes);

/** ring_reserve() - space for a record of @captured_bytes (<= RING_CAPTURED_MAX).
 *  Return: where to write it, header and bytes; NULL if the ring is full. Follow with
 *  ring_commit(). */
struct record *ring_reserve(struct ring_tx *ring, uint32_t captured_bytes);

/** ring_has_room() - would ring_reserve() of @captured_bytes succeed? O(1). */
bool ring_has_room(struct ring_tx *ring, uint32_t captured_bytes);

/** ring_commit() - the record of ring_reserve() is written; the consumer sees it after
 *  ring_publish(). */
void ring_commit(struct ring_tx *ring, uint32_t captured_bytes);
void ring_publish(struct ring_tx *ring);

/** ring_refresh() - looks how far the producer has published. */
void ring_refresh(struct ring_rx *ring);

/** ring_peek() - the next record that is there; its header is copied to @header and checked.
 *  Return: where its captured bytes are (in shared memory: copy before parsing), or NULL if there
 *  is none or the ring is broken. */
const uint8_t *ring_peek(struct ring_rx *ring, struct record *header);

/** ring_pop() - the record of the last ring_peek() is done with. */
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
