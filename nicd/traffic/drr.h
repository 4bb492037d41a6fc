/*  drr - deficit round robin between the flows of each traffic class [Shreedhar and Varghese 1995].
 *
 *  Flows that have something to send are in the ring of their class. A turn adds a quantum, the
 *  largest frame of any flow, to the flow's deficit. So flows with equal frames alternate packet by
 *  packet, and flows with unequal frames share by bytes. Every turn sends at least one packet, so
 *  each function is O(1). A flow keeps its unused deficit until it leaves the ring.
 *
 *  The state of a flow lies inside its own struct (struct drr_flows), so a turn touches no further
 *  cache line. All functions are inline: the distance between flows is a constant at each call. */
#ifndef HEDDLE_NICD_TRAFFIC_DRR_H
#define HEDDLE_NICD_TRAFFIC_DRR_H

#include <stddef.h>
#include <stdint.h>

#include "nodes/base/ensure.h"
#include "nodes/config/config.h"

#define DRR_NONE UINT32_MAX

/* a flow in its ring */
struct drr_flow {
	uint32_t next;          /* flow whose turn is next; DRR_NONE: in no ring */
	uint32_t deficit_bytes; /* may still be sent in this turn */
};

struct drr {
	uint32_t ready;         /* set of classes with a flow in the ring */
	uint32_t quantum_bytes; /* of a turn: the largest frame of any flow */
	/* last flow of each ring, or DRR_NONE. The one after it has the turn */
	uint32_t tails[NODE_CLASSES_MAX];
};

/* an array of structs with a struct drr_flow in each */
struct drr_flows {
	struct drr_flow *first; /* that of flow 0 */
	size_t stride;          /* bytes from one to the next */
};

/** drr_init() - all rings are empty. */
static inline void drr_init(struct drr *drr)
{
	*drr = (struct drr){ 0 };
	for (uint32_t c = 0; c < NODE_CLASSES_MAX; c++)
		drr->tails[c] = DRR_NONE;
}

/** drr_quantum() - a flow may send frames of @frame_bytes: raises the quantum if it is less. */
static inline void drr_quantum(struct drr *drr, uint32_t frame_bytes)
{
	if (frame_bytes > drr->quantum_bytes)
		drr->quantum_bytes = frame_bytes;
}

static inline struct drr_flow *drr_flow(struct drr_flows flows, uint32_t slot)
{
	return (struct drr_flow *)(void *)((char *)flows.first + slot * flows.stride);
}

/** drr_head() - the flow of @traffic_class, which must be in drr->ready, that has the turn. */
static inline uint32_t drr_head(const struct drr *drr, struct drr_flows flows,
				uint32_t traffic_class)
{
	ENSURE(drr->tails[traffic_class], !=, DRR_NONE);
	return drr_flow(flows, drr->tails[traffic_class])->next;
}

/* a turn begins for the flow after @tail */
static inline void drr_turn(const struct drr *drr, struct drr_flows flows, uint32_t tail)
{
	struct drr_flow *flow = drr_flow(flows, drr_flow(flows, tail)->next);

	flow->deficit_bytes += drr->quantum_bytes;
	__builtin_prefetch(drr_flow(flows, flow->next));
}

/** drr_join() - appends the flow in @slot, which is in no ring, to the ring of @traffic_class. */
static inline void drr_join(struct drr *drr, struct drr_flows flows, uint32_t traffic_class,
			    uint32_t slot)
{
	uint32_t *tail = &drr->tails[traffic_class];
	struct drr_flow *flow = drr_flow(flows, slot);

	ENSURE(flow->next, ==, DRR_NONE);
	if (*tail == DRR_NONE) {
		flow->next = slot;
		*tail = slot;
		drr->ready |= 1u << traffic_class;
		drr_turn(drr, flows, slot);
		return;
	}
	flow->next = drr_flow(flows, *tail)->next;
	drr_flow(flows, *tail)->next = slot;
	*tail = slot;
}

/** drr_leave() - the flow that has the turn in @traffic_class, which must be in drr->ready, leaves
 *  the ring and loses its deficit.   Return: its slot. */
static inline uint32_t drr_leave(struct drr *drr, struct drr_flows flows, uint32_t traffic_class)
{
	uint32_t *tail = &drr->tails[traffic_class];
	uint32_t slot = drr_head(drr, flows, traffic_class);
	struct drr_flow *flow = drr_flow(flows, slot);
	uint32_t next = flow->next;

	ENSURE(next, !=, DRR_NONE);
	*flow = (struct drr_flow){ .next = DRR_NONE };
	if (slot == *tail) {
		*tail = DRR_NONE;
		drr->ready &= ~(1u << traffic_class);
		return slot;
	}
	drr_flow(flows, *tail)->next = next;
	drr_turn(drr, flows, *tail);
	return slot;
}

/** drr_sent() - the flow in @slot, which has the turn in @traffic_class, has sent a frame of
 *  @frame_bytes.
 *  @next_bytes  length of its next frame; 0: it has none, and leaves the ring. */
static inline void drr_sent(struct drr *drr, struct drr_flows flows, uint32_t traffic_class,
			    uint32_t slot, uint32_t frame_bytes, uint32_t next_bytes)
{
	struct drr_flow *flow = drr_flow(flows, slot);

	/* a frame that is repeated may be longer than the one that the turn began for */
	flow->deficit_bytes -=
		frame_bytes < flow->deficit_bytes ? frame_bytes : flow->deficit_bytes;
	if (!next_bytes) {
		drr_leave(drr, flows, traffic_class);
	} else if (flow->deficit_bytes < next_bytes) {
		drr->tails[traffic_class] = slot;
		drr_turn(drr, flows, slot);
	}
}

#endif
