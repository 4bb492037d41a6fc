/*  packet - a packet inside a switch, and the pool that all of a switch's packets come from.
 *
 *  A packet is one cell: this header in one cache line, the captured bytes of the inner frame behind it. The pool is taken
 *  at start for the sum of all buffers, so it cannot run out while the buffers' own limits hold; cells are reused last in,
 *  first out, so the few that a lightly loaded switch needs stay in the cache and the others never become real memory.  */
#ifndef HEDDLE_SWITCHD_PACKET_H
#define HEDDLE_SWITCHD_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/link.h"
#include "nodes/stats.h"
#include "nodes/time.h"
#include "nodes/wire/frame.h"

struct packet {
	struct packet *next;     /* in whatever queue it stands */
	node_time_t whole_at_ps; /* its last bit is here */
	union {
		uint64_t key_hash;           /* of its flow's match pattern, while it waits for an EFCT line */
		node_time_t requested_at_ps; /* once it has asked for its output; roce: when it came in */
	};
	uint32_t frame_bytes;    /* inner frame, without FCS */
	uint16_t captured_bytes; /* of it, in bytes[] */
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
	bool copy; /* of a flooded frame: lives in the pool's flood reserve, not in an input buffer. roce: counts for no input */
	bool fecn, lasting, becn; /* port-group: of its header */
	uint8_t out_lane; /* port-group: virtual lane that it goes out on */
	_Alignas(64) uint8_t bytes[];
};

_Static_assert(sizeof(struct packet) == 64, "a packet's header is one cache line");

struct packet_pool {
	uint8_t *cells;
	size_t cell_bytes;
	uint32_t cell_count;
	uint32_t fresh; /* cells never used yet begin here */
	struct packet *free;
	uint32_t captured_max;
	uint32_t used;
};

/** packet_pool_init() - room for @packets packets of up to @captured_max captured bytes each.  Return: 0, or -ENOMEM, also if they are
 *  more than 32 bits can count. */
int packet_pool_init(struct packet_pool *pool, uint64_t packets, uint32_t captured_max);
void packet_pool_fini(struct packet_pool *pool);

/** packet_alloc() - a packet with undefined content; NULL if all are in use. O(1). */
struct packet *packet_alloc(struct packet_pool *pool);
void packet_free(struct packet_pool *pool, struct packet *packet);

/** packet_captured_max() - captured bytes of the longest frame that a node of @config may hold: generated frames carry their headers
 *  only, those of real programs (real clock) all their bytes. */
uint32_t packet_captured_max(const struct node_config *config);

/** packet_copy_in() - a packet with the captured part of a frame that came in over @link, copied out of shared memory (TB-23).
 *  @bytes  of the record @header; the first @front_bytes of them stand in front of the inner frame.
 *  Return: NULL with the reason in @why if it cannot be held: nonsense, longer than @mtu_bytes, no cell. */
struct packet *packet_copy_in(struct packet_pool *pool, const struct link *link, uint32_t mtu_bytes,
			      const struct record *header, const uint8_t *bytes, uint32_t front_bytes,
			      enum drop_reason *why);

/** packet_ready_at() - when the packet is so far in that it can go out over @link without a gap (cut through to a faster link). */
static inline node_time_t packet_ready_at(const struct packet *packet, const struct link *link, bool cut_through)
{
	node_time_t out_time;

	if (!cut_through)
		return 0;
	out_time = link_frame_time_of(link, packet->frame_bytes + link->front_bytes + FRAME_FCS_BYTES);
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
