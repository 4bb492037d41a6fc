/*  pace_group - packed nodes under the real clock: they take turns in one thread and wait together
 *  (SC-7).
 *
 *  A packet that crosses a fabric of processes wakes one at every hop. Between nodes of a group it
 *  does not: a node that sends to another one notes when its record arrives, and that node has its
 *  turn next. No doorbell rings, and no process changes. Each node has its own struct pace,
 *  which is as for a process of its own, so records, order and due times are the same; only the
 *  waiting is shared.
 *
 *  Rounds. In a round each node has a turn that has something due by now. What it sends is due at
 *  others in a later round, perhaps at once. ACKs are less urgent than packets: they wait until no
 *  node has anything else to do, or for PACE_GROUP_ACKS_PS. So a turn takes many of them, and none
 *  delays a packet. The group sleeps when nothing is due at any of its nodes.
 *
 *  Neighbours in other processes, which other groups may be, ring the doorbell of a node, as ever.
 *  Cost: a look at the times of all nodes for each round, four at once (clock_scan.h). */
#ifndef HEDDLE_NODES_NODE_PACE_GROUP_H
#define HEDDLE_NODES_NODE_PACE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "nodes/node/pace.h"

/* ACKs that were sent wait no longer than this for packets to be handled. Ours: a few rounds */
#define PACE_GROUP_ACKS_PS (20 * NODE_US)

struct pace_group {
	struct pace **paces; /* [count], by place */
	bool *left;          /* [count]: the node has left: no turns any more */
	uint32_t count;
	_Atomic node_time_t *next_at; /* [count]: when something is due at a node */
	_Atomic node_time_t *acks_at; /* [count]: the same for ACKs that were sent to it */
	node_time_t acks_since; /* the first of them was sent; NODE_TIME_NEVER: there are none */
	uint32_t *due;          /* [count]: the nodes of a round */
	uint32_t *border;       /* [border_count]: nodes with neighbours in other processes */
	uint32_t border_count;
	bool border_stale;
	struct event_loop *loop;
	struct home_core home; /* of all nodes */
	node_time_t awake_ps;  /* pace_poll() */
	bool polls;
	node_time_t busy_ps;   /* when a node last had something to do */
	node_time_t looked_ps; /* when the event loop was asked last */
};

/** pace_group_init() - for @count nodes that wait with @loop, which is borrowed. @core
 *  home_core.h. @awake_ps as in pace_poll().
 *  Return: 0 or -ENOMEM. pace_group_fini() in any case. */
int pace_group_init(struct pace_group *group, uint32_t count, struct event_loop *loop, int core,
		    node_time_t awake_ps);
void pace_group_fini(struct pace_group *group);

/** pace_group_join() - @pace, initialised, is the node at @place; borrowed. Before the first of its
 *  ports is plugged. */
void pace_group_join(struct pace_group *group, uint32_t place, struct pace *pace);

/** pace_group_leave() - the node at @place has left: it has no more turns. */
void pace_group_leave(struct pace_group *group, uint32_t place);

/** pace_group_begun() - as pace_begun(). */
bool pace_group_begun(struct pace_group *group, bool *control);

/** pace_group_round() - the nodes that have something due.
 *  Return: how many; they are the first of group->due. Each is to have a turn now. */
uint32_t pace_group_round(struct pace_group *group);

/** pace_group_turn() - the turn of the node at @place. */
void pace_group_turn(struct pace_group *group, uint32_t place);

/** pace_group_wait() - until there may be something for one of the nodes to do.
 *  Return: false if the fabric has ended. *@control as in pace_wait(). */
bool pace_group_wait(struct pace_group *group, bool *control);

/** pace_group_stir() - something may have changed at @place: the node has a turn. */
static inline void pace_group_stir(struct pace_group *group, uint32_t place)
{
	atomic_store_explicit(&group->next_at[place], 0, memory_order_relaxed);
}

/** pace_group_notify() - a record for the node at @place arrives at @due. O(1). */
static inline void pace_group_notify(struct pace_group *group, uint32_t place, node_time_t due)
{
	if (due < atomic_load_explicit(&group->next_at[place], memory_order_relaxed))
		atomic_store_explicit(&group->next_at[place], due, memory_order_relaxed);
}

/** pace_group_owe() - the same, of ACKs. O(1). */
void pace_group_owe(struct pace_group *group, uint32_t place, node_time_t due);

/** pace_group_plug() - port @port of @pace has a new link. */
void pace_group_plug(struct pace_group *group, struct pace *pace, uint32_t port);

#endif
