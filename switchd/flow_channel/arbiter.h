/*  arbiter - which flow's packet crosses to an output next: by flow or by input port (FC-19,
 *  FC-20).
 *
 *  One arbiter per virtual lane of an output port. Flows that request it are in groups. By flow
 *  there is one group: all flows share the output equally, from whichever port they come. By port
 *  there is a group per input port: ports share equally, and the flows of a port share what it
 *  gets. On a chain of switches this starves flows from far away [S3 fig. 5].
 *  Groups, and the flows of a group, are served by deficit round robin (Shreedhar and Varghese,
 *  1995) with one MTU as quantum: fair in bytes, O(1). A flow is in at most one arbiter. Its list
 *  link and deficit are in its IFCT entry, so nothing is allocated. */
#ifndef HEDDLE_SWITCHD_FLOW_CHANNEL_ARBITER_H
#define HEDDLE_SWITCHD_FLOW_CHANNEL_ARBITER_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/config/config.h"
#include "switchd/flow_channel/flow_list.h"

struct arbiter_group {
	struct flow_list flows;
	int32_t deficit_bytes;
	uint8_t next; /* next group that has flows */
	bool turn;
};

struct arbiter {
	struct ifct *ifcts; /* of all input ports; borrowed */
	struct arbiter_group *groups;
	uint32_t group_count, flow_count; /* flow_count: flows in all groups */
	int32_t quantum_bytes;
	uint8_t head, tail; /* groups that have flows */
	bool empty;
};

/** arbiter_init() - @ifcts the input ports' tables, @port_count of them; borrowed.
 *  @quantum_bytes  at least the longest frame.   Return: 0 or -ENOMEM. */
int arbiter_init(struct arbiter *arbiter, enum arbiter_kind kind, struct ifct *ifcts,
		 uint32_t port_count, uint32_t quantum_bytes);
void arbiter_fini(struct arbiter *arbiter);

/** arbiter_set_quantum() - from now on a turn is worth @quantum_bytes, at least the longest frame.
 */
static inline void arbiter_set_quantum(struct arbiter *arbiter, uint32_t quantum_bytes)
{
	arbiter->quantum_bytes = (int32_t)quantum_bytes;
}

/** arbiter_add() - flow @ref, not in any arbiter now, has a packet for this output. O(1). */
void arbiter_add(struct arbiter *arbiter, uint32_t ref);

/** arbiter_first() - the flow whose turn it is; FLOW_REF_NONE if there is none. Ends turns that are
 *  used up. O(1). arbiter_turn() - the same for an arbiter that is not empty. */
uint32_t arbiter_turn(struct arbiter *arbiter);

static inline uint32_t arbiter_first(struct arbiter *arbiter)
{
	return arbiter->empty ? FLOW_REF_NONE : arbiter_turn(arbiter);
}

/** arbiter_served() - the flow of arbiter_first() has sent @bytes; it leaves if its queue is empty.
 *  O(1). */
void arbiter_served(struct arbiter *arbiter, uint32_t bytes);

/** arbiter_remove_first() - the flow of arbiter_first() leaves, with its packets; also after
 *  arbiter_served(), if it is still there. O(1). */
void arbiter_remove_first(struct arbiter *arbiter);

/** arbiter_look() - the first flows of @arbiter, group after group in the order of their turns.
 *  @refs  filled, has space for @max.   Return: number of flows. O(@max), changes nothing. */
uint32_t arbiter_look(const struct arbiter *arbiter, uint32_t *refs, uint32_t max);

#endif
