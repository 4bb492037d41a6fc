/*  packet - a packet inside a switch, and the pool that all of a switch's packets come from.
 *
 *  The pool consists of cells of three cache lines. The first cell of a packet is its header in one
 *  line and the first captured bytes of the inner frame: all that a generated frame has, and every
 *  usual header. Further cells, in a chain, carry the rest of a longer frame, as real programs send
 *  them. So memory follows the bytes that are held, not the number of packets. Alternatives:
 *  - Cells for the longest frame: as many as the buffer takes of the shortest packets would be 140
 *    times the buffer.
 *  - Cells of several sizes need the worst case of each size: 15 times the buffer with six sizes.
 *    If sizes share memory, a few short packets can block it for long ones while the buffer is
 *    nearly empty.
 *
 *  The pool is allocated at start for the buffers of the switch. It is never exhausted while a
 *  buffer has space: a packet never needs more cells than its units of buffer are good for, see
 *  packet_cells_of_units(). Where bytes are counted, one cell for each PACKET_BUFFER_BYTES
 *  suffices. Cells are reused last in, first out. So the few cells of a lightly loaded switch stay
 *  in the cache, and no more are touched than were in use at one time (TB-26). */
#ifndef HEDDLE_SWITCHD_COMMON_PACKET_H
#define HEDDLE_SWITCHD_COMMON_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/base/copy.h"
#include "nodes/base/ensure.h"
#include "nodes/base/time.h"
#include "nodes/base/units.h"
#include "nodes/link/link.h"
#include "nodes/stats/stats.h"
#include "nodes/wire/frame.h"

#define PACKET_CELL_BYTES 192u
/* captured bytes in the first cell */
#define PACKET_FIRST_BYTES FRAME_HEADERS_MAX
#define PACKET_MORE_BYTES (PACKET_CELL_BYTES - (uint32_t)sizeof(void *)) /* in each further one */
/* A packet takes at least so many bytes of buffer for each of its cells, where its FCS counts and
 * no packet counts for less than this. */
#define PACKET_BUFFER_BYTES 64u

/* a further cell of a packet */
struct packet_cell {
	struct packet_cell *next; /* of the packet */
	uint8_t bytes[PACKET_MORE_BYTES];
};

struct packet {
	struct packet *next;     /* in its queue */
	node_time_t whole_at_ps; /* its last bit is here */
	union {
		/* of its flow's match pattern, while it waits for an EFCT line */
		uint64_t key_hash;
		/* when it requested its output; roce: when it arrived */
		node_time_t requested_at_ps;
	};
	uint32_t frame_bytes;    /* inner frame, without FCS */
	uint16_t captured_bytes; /* of it, in bytes[] and the chain */
	uint16_t units;
	union {
		struct {
			uint16_t flow_id;     /* at the input port */
			uint16_t out_flow_id; /* on the output link, once granted */
		};
		uint32_t slid; /* port-group */
	};
	union {
		struct {
			uint16_t out_position;   /* data_flow on the output link */
			uint16_t fabric_address; /* destination switch */
		};
		uint32_t dlid; /* port-group */
	};
	uint16_t via;        /* switch that it goes to first; 0: straight there */
	uint8_t egress_port; /* there; roce: output port here */
	uint8_t in_port;
	uint8_t traffic_class;
	uint8_t lane; /* virtual lane that it came in on */
	uint8_t hops;
	bool ordered;
	bool requested; /* counts as waiting for its output */
	union {
		struct {
			bool fecn, lasting, becn; /* port-group: of its header */
		};
		uint8_t blocked; /* flow channels: set of the causes for which it has waited */
	};
	/* of a flooded frame: lives in the pool's flood reserve, not in an input buffer. roce:
	 * counts for no input */
	bool copy;
	uint8_t out_lane;         /* port-group: virtual lane that it goes out on */
	struct packet_cell *more; /* the rest of the captured bytes; NULL: there are no more */
	_Alignas(64) uint8_t bytes[];
};

_Static_assert(sizeof(struct packet) == 64, "a packet's header is one cache line");
_Static_assert(sizeof(struct packet) + PACKET_FIRST_BYTES == PACKET_CELL_BYTES,
	       "headers fill the first cell");
_Static_assert(sizeof(struct packet_cell) == PACKET_CELL_BYTES, "all cells are alike");

struct packet_pool {
	struct packet_cell *cells; /* cell_count, then space for one frame: packet_whole() */
	/* Indices of cells that were used before and are free, the last one on top. A list through
	 * the cells would wait for the memory of each before it knows the next. */
	uint32_t *free; /* free_count of cell_count */
	uint32_t cell_count, free_count;
	/* cells from this one on were never used: their memory is not touched yet */
	uint32_t fresh;
	uint32_t cells_used, used; /* cells, packets */
	uint32_t captured_max;
};

/** packet_cells() - of a packet with @captured_bytes. */
static inline uint32_t packet_cells(uint32_t captured_bytes)
{
	if (captured_bytes <= PACKET_FIRST_BYTES)
		return 1;
	return 1 +
	       (captured_bytes - PACKET_FIRST_BYTES + PACKET_MORE_BYTES - 1) / PACKET_MORE_BYTES;
}

/** packet_cells_of_units() - cells that suffice for any packets of @units together, none with more
 *  than @captured_max captured bytes. A packet has units_of_bytes() units of its frame, and no more
 *  captured bytes than its frame has bytes. */
static inline uint64_t packet_cells_of_units(uint64_t units, uint32_t captured_max)
{
	_Static_assert(UNIT_BYTES <= PACKET_FIRST_BYTES + PACKET_MORE_BYTES,
		       "the first unit: 2 cells");
	_Static_assert(UNIT_BYTES <= 2 * PACKET_MORE_BYTES, "each further unit: 2 cells at most");
	return captured_max > PACKET_FIRST_BYTES ? 2 * units : units;
}

_Static_assert(PACKET_FIRST_BYTES + 1 + FRAME_FCS_BYTES >= 2 * PACKET_BUFFER_BYTES,
	       "the shortest packet with two cells");
_Static_assert(PACKET_MORE_BYTES >= PACKET_BUFFER_BYTES,
	       "a packet with a cell more is so much longer");

/** packet_pool_init() - @cells for packets of up to @captured_max captured bytes each. Reserves
 *  addresses for them and for one more frame; memory is used once a cell is.
 *  Return: 0; -ENOMEM, also if there are 2^32 cells or more. */
int packet_pool_init(struct packet_pool *pool, uint64_t cells, uint32_t captured_max);
void packet_pool_fini(struct packet_pool *pool);

/** packet_alloc() - a packet with @captured_bytes (at most captured_max). All of it but `more` is
 *  undefined.   Return: NULL if there are too few cells. O(cells of the packet): one for all but
 *  the frames of real programs. */
struct packet *packet_alloc(struct packet_pool *pool, uint32_t captured_bytes);

static inline void packet_cell_give(struct packet_pool *pool, const struct packet_cell *cell)
{
	pool->free[pool->free_count++] = (uint32_t)(cell - pool->cells);
	pool->cells_used--;
}

/** packet_free() - frees all cells of @packet; packet_free_rest() all but the first one. The first
 *  cell, which is in the cache, is reused first. O(cells of the packet). */
void packet_free_rest(struct packet_pool *pool, const struct packet *packet);

static inline void packet_free(struct packet_pool *pool, struct packet *packet)
{
	if (packet->more)
		packet_free_rest(pool, packet);
	packet_cell_give(pool, (const struct packet_cell *)packet);
	pool->used--;
}

/** packet_copy() - a packet with the same header and bytes as @packet. Return: as packet_alloc() */
struct packet *packet_copy(struct packet_pool *pool, const struct packet *packet);

/** packet_first_bytes() - captured bytes in bytes[], in one piece. */
static inline uint32_t packet_first_bytes(const struct packet *packet)
{
	return packet->captured_bytes < PACKET_FIRST_BYTES ? packet->captured_bytes
							   : PACKET_FIRST_BYTES;
}

/** packet_copy_out() - writes all captured bytes of @packet to @bytes; packet_copy_out_rest() those
 *  of its further cells, to where they belong there. */
void packet_copy_out_rest(const struct packet *packet, uint8_t *bytes);

static inline void packet_copy_out(const struct packet *packet, uint8_t *bytes)
{
	copy_short(bytes, packet->bytes, packet_first_bytes(packet));
	if (packet->more)
		packet_copy_out_rest(packet, bytes);
}

/** packet_whole() - all captured bytes of @packet in one piece: its own, or, if it has several
 *  cells, a copy in the pool, which is valid until the next call. For what reads beyond the first
 *  PACKET_FIRST_BYTES of a frame, which is rare. */
const uint8_t *packet_whole(const struct packet_pool *pool, const struct packet *packet);

/** packet_parse() - frame_parse() of the captured bytes. It reads the first cell, which suffices
 *  for all but odd frames: if these bytes make sense, they mean the same with more after them.
 *  Return: 0, or -EINVAL. */
int packet_parse(const struct packet_pool *pool, const struct packet *packet,
		 struct frame_fields *fields);

/** packet_captured_max() - captured bytes of the longest frame that a node of @config may hold:
 *  generated frames carry their headers only, those of real programs (real clock) all their
 *  bytes. */
uint32_t packet_captured_max(const struct node_config *config);

/** packet_copy_in() - a packet with the captured part of a frame that came in over @link, copied
 *  out of shared memory (TB-23).
 *  @bytes  of the record @header; the first @front_bytes of them precede the inner frame.
 *  Return: NULL with the reason in @why: DROP_MALFORMED; DROP_OVERSIZE: longer than @mtu_bytes;
 *  DROP_BUFFER_OVERFLOW: too few cells. */
struct packet *packet_copy_in(struct packet_pool *pool, const struct link *link, uint32_t mtu_bytes,
			      const struct record *header, const uint8_t *bytes,
			      uint32_t front_bytes, enum drop_reason *why);

/** packet_ready_at() - from when on the packet can be sent over @link without a gap: with cut
 *  through to a faster link, once enough of it has arrived; else at once (0). */
static inline node_time_t packet_ready_at(const struct packet *packet, const struct link *link,
					  bool cut_through)
{
	node_time_t out_time;

	if (!cut_through)
		return 0;
	out_time =
		link_frame_time_of(link, packet->frame_bytes + link->front_bytes + FRAME_FCS_BYTES);
	return packet->whole_at_ps > out_time ? packet->whole_at_ps - out_time : 0;
}

/* a first-in first-out queue of packets */
struct packet_queue {
	struct packet *head, *tail;
};

static inline void packet_queue_push(struct packet_queue *queue, struct packet *packet)
{
	packet->next = NULL;
	if (queue->head)
		queue->tail->next = packet;
	else
		queue->head = packet;
	queue->tail = packet;
}

static inline struct packet *packet_queue_pop(struct packet_queue *queue)
{
	struct packet *packet = queue->head;

	queue->head = packet->next;
	return packet;
}

#endif
