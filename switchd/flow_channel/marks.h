/*  marks - what a stage leaves to be done by others in the same event (dataplane.c).
 *
 *  A stage never calls a stage above it. It leaves a mark instead: a flow to look at again, or a
 *  port in one of four sets. dataplane.c alone handles marks, in one order.
 *  Handling a mark may leave further ones. It ends: flows are marked by acknowledgements and by
 *  losses, of which a switch has no more than packets.
 *  Memory: a ring as long as there are flows, because a flow is in it once. Untouched parts cost
 *  nothing; the rest is 64 bytes. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_MARKS_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_MARKS_H

#include <stdint.h>

#include "nodes/base/ensure.h"
#include "switchd/flow_channel/arbiter.h"
#include "switchd/flow_channel/ifct.h"

struct marks {
	/* flows whose limits, credit or extents have changed, oldest first: resume_flow() */
	uint32_t *flows;
	uint32_t flows_max, flows_first, flows_count;
	uint64_t lines;    /* edge ports where an EFCT line was freed: arrival_lines_freed() */
	uint64_t limits;   /* edge ports whose sum of extents fell: resume_port() */
	uint64_t channels; /* fabric ports where an ACK freed a channel: crossbar_channel_freed() */
	uint64_t moves;    /* ports that flows have left or moved to: crossbar_grant_port() */
	bool any;          /* false: all but `moves` are empty */
};

/** marks_port() - @port is in @ports: lines, limits or channels. O(1). */
static inline void marks_port(struct marks *marks, uint64_t *ports, uint32_t port)
{
	*ports |= 1ull << port;
	marks->any = true;
}

/** marks_flow() - flow @ref is to be looked at again. Nothing if it is marked already. O(1). */
static inline void marks_flow(struct marks *marks, struct ifct *ifcts, uint32_t ref)
{
	struct ifct_entry *flow = flow_of(ifcts, ref);
	uint32_t place = marks->flows_first + marks->flows_count;

	if (flow->marked)
		return;
	ENSURE(marks->flows_count, <, marks->flows_max);
	flow->marked = true;
	marks->any = true;
	marks->flows[place < marks->flows_max ? place : place - marks->flows_max] = ref;
	marks->flows_count++;
}

/** marks_flow_pop() - takes the oldest mark of a flow out. The flow may have ended since it was
 *  marked.   Return: flow_ref(), or FLOW_REF_NONE: there is no mark. O(1). */
static inline uint32_t marks_flow_pop(struct marks *marks, struct ifct *ifcts)
{
	uint32_t ref;

	if (!marks->flows_count)
		return FLOW_REF_NONE;
	ref = marks->flows[marks->flows_first++];
	if (!--marks->flows_count || marks->flows_first == marks->flows_max)
		marks->flows_first = 0;
	flow_of(ifcts, ref)->marked = false;
	return ref;
}

#endif
